// Sums, means, products, truth and running totals of complex numbers.
#include "complex_number.h"
#include "reduction_steps.h"

namespace flambeau_cpu::FLAMBEAU_ISA {
namespace {

template <class T>
struct ComplexTotal {
  FloatTotal<T> real, imag;
};

template <class C, bool kMean>
struct ComplexSum {
  using Lane = C;
  using Total = ComplexTotal<typename C::value_type>;
  static constexpr bool kHasBlock = false;
  static Lane start() { return 0; }
  static Lane take(Lane lane, C x) { return lane + x; }
  static Lane join(Lane a, Lane b) { return a + b; }
  static void merge(Total& total, Lane lane) {
    total.real.add(lane.real());
    total.imag.add(lane.imag());
  }
  static void combine(Total& total, const Total& other) {
    total.real.add(other.real.sum);
    total.imag.add(other.imag.sum);
    total.real.error += other.real.error;
    total.imag.error += other.imag.error;
  }
  static complex128 finish(const Total& total, int64_t count) {
    const complex128 sum(total.real.sum + total.real.error, total.imag.sum + total.imag.error);
    return kMean ? sum / static_cast<double>(count) : sum;
  }
};

template <class C>
struct ComplexProduct {
  using Lane = C;
  using Total = OneTotal<C>;
  static constexpr bool kHasBlock = false;
  static Lane start() { return 1; }
  static Lane take(Lane lane, C x) { return product(lane, x); }
  static Lane join(Lane a, Lane b) { return product(a, b); }
  static void merge(Total& total, Lane lane) { total.value = product(total.value, lane); }
  static void combine(Total& total, const Total& other) { merge(total, other.value); }
  static C finish(const Total& total, int64_t) { return total.value; }
};

template <class C>
struct SumOf {
  static constexpr fb_kernel run = run_kernel<Stepwise<C, C, ComplexSum<C, false>>>;
};
template <class C>
struct MeanOf {
  static constexpr fb_kernel run = run_kernel<Stepwise<C, C, ComplexSum<C, true>>>;
};
template <class C>
struct ProductOf {
  static constexpr fb_kernel run = run_kernel<Stepwise<C, C, ComplexProduct<C>>>;
};

// cumsum and cumprod, in double.
template <bool kProduct>
struct RunningTotal {
  template <class C>
  struct Of {
    static int run(void*, int, fb_array* const* out, int, const fb_array* const* in,
                   const fb_param* params) {
      const fb_array* x = in[0];
      if (x->numel == 0) return FB_OK;
      const int dim = static_cast<int>(params[0].i < 0 ? params[0].i + x->ndim : params[0].i);
      const int64_t size = x->ndim ? x->shape[dim] : 1;
      StridedLoop<2> kept;
      for (int d = 0; d < x->ndim; ++d)
        if (d != dim) kept.push(x->shape[d], {x->strides[d], out[0]->strides[d]});
      parallel_for(x->numel / size, 16384 / size + 1, [&](int64_t begin, int64_t end) {
        Cursor<2> cursor(kept, 0, begin);
        for (int64_t k = begin; k < end; ++k, cursor.next()) {
          const C* source = static_cast<const C*>(x->data) + cursor.offset[0];
          C* target = static_cast<C*>(out[0]->data) + cursor.offset[1];
          complex128 total = kProduct ? 1 : 0;
          for (int64_t i = 0; i < size; ++i) {
            const complex128 value = source[x->ndim ? i * x->strides[dim] : 0];
            total = kProduct ? product(total, value) : total + value;
            target[x->ndim ? i * out[0]->strides[dim] : 0] = static_cast<C>(total);
          }
        }
      });
      return FB_OK;
    }
  };
};

constexpr auto entries = complexes<SumOf>("sum") + complexes<MeanOf>("mean") +
                         complexes<ProductOf>("prod") + complexes<Any>("any") +
                         complexes<All>("all") + complexes<RunningTotal<false>::Of>("cumsum") +
                         complexes<RunningTotal<true>::Of>("cumprod");

}  // namespace

KernelTable complex_reduce_kernels() { return table_of(entries.list); }

}  // namespace flambeau_cpu::FLAMBEAU_ISA
