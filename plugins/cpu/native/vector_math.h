// Elementary functions on vectors of floats and doubles, right for NaN, infinities,
// subnormal numbers and signed zeros. Coefficients of exp, log, sin and cos are those of
// Moshier's Cephes library (float) and of Sun's fdlibm (double); those of erf were fitted
// for this file.
#pragma once

#include <limits>

#ifdef __AVX512F__
#include <immintrin.h>
#endif

#include "simd.h"

namespace flambeau_cpu::FLAMBEAU_ISA {

static constexpr float kLog2e = 1.44269504088896341f;
static constexpr float kInfinity = __builtin_inff();
static constexpr float kNaN = __builtin_nanf("");

// x rounded to the nearest integer as a floating number and as an integer; |x| < 2^22.
template <class V>
struct Rounded {
  V value;
  MaskOf<V> integer;
};
template <class V>
static inline Rounded<V> round_small(V x) {
  constexpr Element<V> kMagic = sizeof(Element<V>) == 4 ? 0x1.8p23 : 0x1.8p52;
  const V magic = splat<V>(kMagic);
  const V shifted = x + magic;
  return {shifted - magic, bits(shifted) - bits(magic)};
}

// 2^n for n within the exponents of normal numbers.
static inline vf power_of_two(vi n) { return from_bits((n + 127) << 23); }
static inline vd power_of_two(vl n) { return from_bits((n + 1023) << 52); }

// x * 2^n, as far as subnormal results and infinity: in one instruction where there is one,
// else in two steps.
#ifdef __AVX512F__
static inline vf scale(vf x, vi n) {
  return (vf)_mm512_scalef_ps((__m512)x, (__m512) __builtin_convertvector(n, vf));
}
static inline vd scale(vd x, vl n) {
  return (vd)_mm512_scalef_pd((__m512d)x, (__m512d) __builtin_convertvector(n, vd));
}
#else
template <class V>
static inline V scale(V x, MaskOf<V> n) {
  const MaskOf<V> half = n >> 1;
  return x * power_of_two(half) * power_of_two(n - half);
}
#endif

// exp(r) - 1 for |r| <= ln(2) / 2.
static inline vf expm1_reduced(vf r) {
  vf p = r * 1.9875691500e-4f + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  return p * (r * r) + r;
}
static inline vd expm1_reduced(vd r) {
  const vd z = r * r;
  const vd p = r * ((z * 1.26177193074810590878e-4 + 3.02994407707441961300e-2) * z +
                    9.99999999999999999910e-1);
  const vd q = ((z * 3.00198505138664455042e-6 + 2.52448340349684104192e-3) * z +
                2.27265548208155028766e-1) *
                   z +
               2.0;
  const vd x = p / (q - p);
  return x + x;
}

// n and expm1(r) with x = n ln 2 + r.
template <class V>
struct ExpParts {
  MaskOf<V> n;
  V expm1_r;
};
static inline ExpParts<vf> exp_parts(vf x) {
  const auto n = round_small<vf>(x * kLog2e);
  vf r = x - n.value * 0.693359375f;
  r = r - n.value * -2.12194440e-4f;
  return {n.integer, expm1_reduced(r)};
}
static inline ExpParts<vd> exp_parts(vd x) {
  const auto n = round_small<vd>(x * 1.4426950408889634073599);
  vd r = x - n.value * 6.93145751953125e-1;
  r = r - n.value * 1.42860682030941723212e-6;
  return {n.integer, expm1_reduced(r)};
}

// Beyond these the result is infinite or zero. NaN passes.
static inline vf clamp_exponent(vf x) {
  x = x > 89.0f ? splat<vf>(89.0f) : x;
  return x < -104.0f ? splat<vf>(-104.0f) : x;
}
static inline vd clamp_exponent(vd x) {
  x = x > 710.0 ? splat<vd>(710.0) : x;
  return x < -746.0 ? splat<vd>(-746.0) : x;
}

// exp for arguments that are within those bounds already.
template <class V>
static inline V vexp_bounded(V x) {
  const auto parts = exp_parts(x);
  return scale(parts.expm1_r + Element<V>(1), parts.n);
}

template <class V>
static inline V vexp(V x) {
  return vexp_bounded(clamp_exponent(x));
}

// exp for x <= 0 where results below 2^-126 (2^-1022) may become zero: softmax's need.
template <class V>
static inline V vexp_nonpositive(V x) {
  constexpr bool kSingle = sizeof(Element<V>) == 4;
  constexpr Element<V> kLowest = kSingle ? Element<V>(-87.0) : Element<V>(-708.0);
  const V clamped = x < kLowest ? splat<V>(kLowest) : x;
  const auto parts = exp_parts(clamped);
  const V y = (parts.expm1_r + Element<V>(1)) * power_of_two(parts.n);
  return x < kLowest ? V{} : y;
}

static inline vf vexp2(vf x) {
  x = x > 129.0f ? splat<vf>(129.0f) : x;
  x = x < -151.0f ? splat<vf>(-151.0f) : x;
  const auto n = round_small<vf>(x);
  return scale(expm1_reduced((x - n.value) * 0.693147180559945f) + 1.0f, n.integer);
}

template <class V>
static inline V vexpm1(V x) {
  constexpr bool kSingle = sizeof(Element<V>) == 4;
  constexpr Element<V> kLowest = kSingle ? Element<V>(-20.0) : Element<V>(-40.0);
  V c = clamp_exponent(x);
  c = c < kLowest ? splat<V>(kLowest) : c;
  const auto parts = exp_parts(c);
  // Half of 2^n, since 2^n itself may be out of range.
  const V s = power_of_two(parts.n - 1);
  V y = (s * parts.expm1_r + (s - Element<V>(0.5))) * Element<V>(2);
  constexpr Element<V> kTiny = kSingle ? Element<V>(0x1p-30) : Element<V>(0x1p-60);
  return vabs(x) < kTiny ? x : y;
}

// m in [sqrt(1/2), sqrt(2)) and e with x = m 2^e, for positive finite x.
template <class V>
struct LogParts {
  V m_minus_1;
  V e;
};
static inline LogParts<vf> log_parts(vf x) {
  const vi subnormal = x < 0x1p-126f;
  x = subnormal ? x * 0x1p23f : x;
  const vi u = bits(x);
  // Unsigned, since the bits of negative numbers and NaN leave the range.
  const vi e = (vi)((vui)u - 0x3F3504F3U) >> 23;
  const vf m = from_bits((vi)((vui)u - ((vui)e << 23)));
  return {m - 1.0f, __builtin_convertvector(e + (subnormal & -23), vf)};
}
static inline LogParts<vd> log_parts(vd x) {
  const vl subnormal = x < 0x1p-1022;
  x = subnormal ? x * 0x1p52 : x;
  const vl u = bits(x);
  // An arithmetic shift of 64 bits is dear before AVX-512: keep the exponent biased.
  // Unsigned for the same reason.
  const vl biased = (vl)(((vul)u - 0x3FE6A09E667F3BCDULL + (1023ULL << 52)) >> 52);
  const vd m = from_bits((vl)((vul)u - ((vul)(biased - 1023) << 52)));
  const vd magic = splat<vd>(0x1.8p52);
  const vd e = from_bits(bits(magic) + biased) - magic - 1023.0;
  return {m - 1.0, subnormal ? e - 52.0 : e};
}

// (log(1 + f) - f + f^2 / 2) / f^3 for f from log_parts.
static inline vf log_polynomial(vf f) {
  vf p = f * 7.0376836292e-2f - 1.1514610310e-1f;
  p = p * f + 1.1676998740e-1f;
  p = p * f - 1.2420140846e-1f;
  p = p * f + 1.4249322787e-1f;
  p = p * f - 1.6668057665e-1f;
  p = p * f + 2.0000714765e-1f;
  p = p * f - 2.4999993993e-1f;
  p = p * f + 3.3333331174e-1f;
  return p;
}

// log(1 + f) for f from log_parts.
static inline vf log1p_reduced(vf f) {
  const vf z = f * f;
  return f + (f * z * log_polynomial(f) - 0.5f * z);
}
static inline vd log1p_reduced(vd f) {
  const vd s = f / (f + 2.0);
  const vd z = s * s;
  vd r = z * 1.479819860511658591e-01 + 1.531383769920937332e-01;
  r = r * z + 1.818357216161805012e-01;
  r = r * z + 2.222219843214978396e-01;
  r = r * z + 2.857142874366239149e-01;
  r = r * z + 3.999999999940941908e-01;
  r = r * z + 6.666666666666735130e-01;
  r = r * z;
  const vd half_square = 0.5 * f * f;
  return f - (half_square - s * (half_square + r));
}

// A logarithm's value where x is not a positive finite number.
template <class V>
static inline V log_special(V x, V y) {
  using T = Element<V>;
  y = x == T(kInfinity) ? x : y;
  y = x == V{} ? splat<V>(-T(kInfinity)) : y;
  return x < V{} ? splat<V>(T(kNaN)) : (x != x ? x : y);
}

static inline vf vlog(vf x) {
  const auto parts = log_parts(x);
  const vf f = parts.m_minus_1, z = f * f;
  const vf y = f * z * log_polynomial(f) + parts.e * -2.12194440e-4f - 0.5f * z;
  return log_special<vf>(x, f + y + parts.e * 0.693359375f);
}
static inline vd vlog(vd x) {
  const auto parts = log_parts(x);
  const vd f = parts.m_minus_1;
  const vd y = log1p_reduced(f);
  // ln 2 in two parts: the first has few enough bits that e times it is exact.
  return log_special<vd>(
      x, parts.e * 6.93147180369123816490e-01 + (y + parts.e * 1.90821492927058770002e-10));
}

static inline vf vlog2(vf x) {
  const auto parts = log_parts(x);
  return log_special<vf>(x, parts.e + log1p_reduced(parts.m_minus_1) * kLog2e);
}
static inline vf vlog10(vf x) {
  const auto parts = log_parts(x);
  const vf y = log1p_reduced(parts.m_minus_1) * 0.4342944819032518f;
  return log_special<vf>(x, parts.e * 0.301025390625f + (parts.e * 4.60503898119521e-6f + y));
}

// log(1 + x): the rounding error of 1 + x is put back to first order.
template <class V>
static inline V vlog1p(V x) {
  const V u = x + Element<V>(1);
  const V y = vlog(u) + (x - (u - Element<V>(1))) / u;
  return x == V{} ? x : (u == V{} || u > std::numeric_limits<Element<V>>::max() ? vlog(u) : y);
}

template <class V>
static inline V vsigmoid(V x) {
  using T = Element<V>;
  constexpr T kLowest = sizeof(T) == 4 ? T(-104.0) : T(-746.0);
  V c = -vabs(x);
  c = c < kLowest ? splat<V>(kLowest) : c;
  const V e = vexp_bounded(c);
  const V q = T(1) / (e + T(1));
  return x < V{} ? e * q : q;
}

// By expm1(-2|x|), which keeps small arguments exact.
template <class V>
static inline V vtanh(V x) {
  using T = Element<V>;
  constexpr T kLowest = sizeof(T) == 4 ? T(-20.0) : T(-45.0);
  V c = vabs(x) * T(-2);
  c = c < kLowest ? splat<V>(kLowest) : c;
  const auto parts = exp_parts(c);
  const V s = power_of_two(parts.n);
  const V m = s * parts.expm1_r + (s - T(1));
  return vcopysign(m / (m + T(2)), x);
}

// Quadrant q and remainder r in [-pi/4, pi/4] with x = q pi/2 + r, for |x| < 2^20.
constexpr double kTrigonometricLimit = 0x1p20;
struct Quadrant {
  vd r;
  vl q;
};
static inline Quadrant quadrant(vd x) {
  const auto q = round_small<vd>(x * 0.63661977236758134308);
  vd r = x - q.value * 1.57079632673412561417;
  r = r - q.value * 6.07710050630396597660e-11;
  r = r - q.value * 2.02226624879595063154e-21;
  return {r, q.integer};
}

static inline vf sin_reduced(vf r, vf z) {
  vf p = z * -1.9515295891e-4f + 8.3321608736e-3f;
  p = p * z - 1.6666654611e-1f;
  return r + r * z * p;
}
static inline vf cos_reduced(vf z) {
  vf p = z * 2.443315711809948e-5f - 1.388731625493765e-3f;
  p = p * z + 4.166664568298827e-2f;
  return z * z * p - 0.5f * z + 1.0f;
}
static inline vd sin_reduced(vd r, vd z) {
  vd p = z * 1.58969099521155010221e-10 - 2.50507602534068634195e-08;
  p = p * z + 2.75573137070700676789e-06;
  p = p * z - 1.98412698298579493134e-04;
  p = p * z + 8.33333333332248946124e-03;
  p = p * z - 1.66666666666666324348e-01;
  return r + r * z * p;
}
static inline vd cos_reduced(vd z) {
  vd p = z * -1.13596475577881948265e-11 + 2.08757232129817482790e-09;
  p = p * z - 2.75573143513906633035e-07;
  p = p * z + 2.48015872894767294178e-05;
  p = p * z - 1.38888888888741095749e-03;
  p = p * z + 4.16666666666666019037e-02;
  return z * z * p - 0.5 * z + 1.0;
}

// sin(r + q pi/2).
template <class V>
static inline V sin_quadrant(V r, MaskOf<V> q) {
  const V z = r * r;
  const MaskOf<V> odd = (q & 1) != 0, negative = (q & 2) != 0;
  const V y = odd ? cos_reduced(z) : sin_reduced(r, z);
  return negative ? -y : y;
}

// sin and cos for |x| < kTrigonometricLimit.
static inline vd vsin(vd x) {
  const Quadrant part = quadrant(x);
  const vd y = sin_quadrant<vd>(part.r, part.q);
  return x == vd{} ? x : y;
}
static inline vd vcos(vd x) {
  const Quadrant part = quadrant(x);
  return sin_quadrant<vd>(part.r, part.q + 1);
}

// Floats are reduced in double: exact near the zeros.
static inline vf sin_shifted(vf x, int32_t shift) {
  const Quadrant low = quadrant(widen_low(x)), high = quadrant(widen_high(x));
  const vf r = narrow(low.r, high.r);
  // The quadrants are small: their low words are all there is to know.
  int64_t wide[2 * kLanes<vd>];
  std::memcpy(wide, &low.q, sizeof low.q);
  std::memcpy(wide + kLanes<vd>, &high.q, sizeof high.q);
  vi q;
  for (int i = 0; i < kLanes<vf>; ++i) q[i] = static_cast<int32_t>(wide[i]);
  return sin_quadrant<vf>(r, q + shift);
}
static inline vf vsin(vf x) {
  const vf y = sin_shifted(x, 0);
  return x == vf{} ? x : y;
}
static inline vf vcos(vf x) { return sin_shifted(x, 1); }

// erfc(z) / exp(-z^2) for 0 <= z <= 11, relative error 4.4e-8.
static inline vf erfc_scaled(vf z) {
  const vf t = 1.0f / (z * 0.4f + 1.0f);
  vf p = t * 0.0404070387084f - 0.136829713411f;
  p = p * t + 0.0781607298301f;
  p = p * t + 0.0929438840647f;
  p = p * t + 0.077542297562f;
  p = p * t + 0.193795754033f;
  p = p * t + 0.201924748954f;
  p = p * t + 0.226418549337f;
  p = p * t + 0.225636754668f;
  return p * t;
}

static inline vf verf(vf x) {
  const vf a = vabs(x), z = a * a;
  vf p = z * 7.875875063e-5f - 8.016864287e-4f;
  p = p * z + 5.189087423e-3f;
  p = p * z - 2.685421201e-2f;
  p = p * z + 1.128359472e-1f;
  p = p * z - 3.761262667e-1f;
  p = p * z + 1.128379166f;
  const vf c = a > 5.0f ? splat<vf>(5.0f) : a;
  const vf far = vcopysign(1.0f - erfc_scaled(c) * vexp_bounded(-c * c), x);
  return a < 1.0f ? x * p : far;
}

// The standard normal distribution function, accurate relative to its value, and the
// density times sqrt(2 pi) that it needs on the way.
struct NormalParts {
  vf cdf;
  vf bell;
};
static inline NormalParts normal_parts(vf x) {
  const vf a = vabs(x);
  const vf c = a > 14.5f ? splat<vf>(14.5f) : a;
  const vf bell = vexp_bounded(c * c * -0.5f);
  const vf tail = 0.5f * erfc_scaled(c * 0.70710678118654752f) * bell;
  return {x > vf{} ? 1.0f - tail : tail, bell};
}

}  // namespace flambeau_cpu::FLAMBEAU_ISA
