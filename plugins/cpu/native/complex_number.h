// Complex arithmetic on std::complex by the plain formulas: its own operators go through
// library calls that mend infinities, at many times the cost.
#pragma once

#include <complex>

#include "entries.h"

namespace flambeau_cpu::FLAMBEAU_ISA {

using complex64 = std::complex<float>;
using complex128 = std::complex<double>;

template <class C>
static inline C product(C a, C b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

// Smith's algorithm (1962), which scales by the divisor's larger part.
template <class C>
static inline C quotient(C a, C b) {
  using T = typename C::value_type;
  const T br = b.real() < 0 ? -b.real() : b.real(), bi = b.imag() < 0 ? -b.imag() : b.imag();
  if (br >= bi) {
    if (br == 0 && bi == 0) return {a.real() / br, a.imag() / br};
    const T ratio = b.imag() / b.real(), scale = T(1) / (b.real() + b.imag() * ratio);
    return {(a.real() + a.imag() * ratio) * scale, (a.imag() - a.real() * ratio) * scale};
  }
  const T ratio = b.real() / b.imag(), scale = T(1) / (b.real() * ratio + b.imag());
  return {(a.real() * ratio + a.imag()) * scale, (a.imag() * ratio - a.real()) * scale};
}

// Both complex dtypes.
template <template <class> class Maker>
static constexpr Entries<2> complexes(const char* id) {
  return {{{id, bit(FB_COMPLEX64), Maker<complex64>::run},
           {id, bit(FB_COMPLEX128), Maker<complex128>::run}}};
}

}  // namespace flambeau_cpu::FLAMBEAU_ISA
