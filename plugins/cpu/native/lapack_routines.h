// LAPACK's routines by element type, with their Fortran signatures: everything by address, and
// behind the arguments the length of each character string.
#pragma once

#include <complex>
#include <cstddef>
#include <type_traits>

#include "lapack_library.h"

namespace flambeau_cpu::lapack {

template <class T>
struct RealOf {
  using Type = T;
};
template <class T>
struct RealOf<std::complex<T>> {
  using Type = T;
};
template <class T>
using Real = typename RealOf<T>::Type;
template <class T>
constexpr bool kIsComplex = !std::is_same_v<T, Real<T>>;

using Length = size_t;
using Text = const char*;
using In = const Int*;

// Signatures that differ between real and complex matrices.
template <class T>
struct Signatures {
  using R = Real<T>;
  using Eigh =
      std::conditional_t<kIsComplex<T>,
                         void (*)(Text jobz, Text uplo, In n, T* a, In lda, R* w, T* work, In lwork,
                                  R* rwork, In lrwork, Int* iwork, In liwork, Int* info, Length,
                                  Length),
                         void (*)(Text jobz, Text uplo, In n, T* a, In lda, R* w, T* work, In lwork,
                                  Int* iwork, In liwork, Int* info, Length, Length)>;
  using Eig = std::conditional_t<
      kIsComplex<T>,
      void (*)(Text jobvl, Text jobvr, In n, T* a, In lda, T* w, T* vl, In ldvl, T* vr, In ldvr,
               T* work, In lwork, R* rwork, Int* info, Length, Length),
      void (*)(Text jobvl, Text jobvr, In n, T* a, In lda, T* wr, T* wi, T* vl, In ldvl, T* vr,
               In ldvr, T* work, In lwork, Int* info, Length, Length)>;
  using Svd =
      std::conditional_t<kIsComplex<T>,
                         void (*)(Text jobz, In m, In n, T* a, In lda, R* s, T* u, In ldu, T* vt,
                                  In ldvt, T* work, In lwork, R* rwork, Int* iwork, Int* info,
                                  Length),
                         void (*)(Text jobz, In m, In n, T* a, In lda, R* s, T* u, In ldu, T* vt,
                                  In ldvt, T* work, In lwork, Int* iwork, Int* info, Length)>;
  using LeastSquares = std::conditional_t<
      kIsComplex<T>,
      void (*)(In m, In n, In nrhs, T* a, In lda, T* b, In ldb, R* s, const R* rcond, Int* rank,
               T* work, In lwork, R* rwork, Int* iwork, Int* info),
      void (*)(In m, In n, In nrhs, T* a, In lda, T* b, In ldb, R* s, const R* rcond, Int* rank,
               T* work, In lwork, Int* iwork, Int* info)>;
};

template <class T>
using Sytrf = void (*)(Text uplo, In n, T* a, In lda, Int* pivots, T* work, In lwork, Int* info,
                       Length);
template <class T>
using Sytrs = void (*)(Text uplo, In n, In nrhs, const T* a, In lda, const Int* pivots, T* b,
                       In ldb, Int* info, Length);

// Hermitian routines have names of their own; a real matrix's are the symmetric ones.
template <class T>
struct Routines {
  void (*potrf)(Text uplo, In n, T* a, In lda, Int* info, Length);
  void (*getrf)(In m, In n, T* a, In lda, Int* pivots, Int* info);
  void (*getrs)(Text trans, In n, In nrhs, const T* a, In lda, const Int* pivots, T* b, In ldb,
                Int* info, Length);
  void (*trsm)(Text side, Text uplo, Text trans, Text diag, In m, In n, const T* alpha, const T* a,
               In lda, T* b, In ldb, Length, Length, Length, Length);
  void (*geqrf)(In m, In n, T* a, In lda, T* tau, T* work, In lwork, Int* info);
  void (*orgqr)(In m, In n, In k, T* a, In lda, const T* tau, T* work, In lwork, Int* info);
  Sytrf<T> sytrf, hetrf;
  Sytrs<T> sytrs, hetrs;
  typename Signatures<T>::Eigh eigh;
  typename Signatures<T>::Eig geev;
  typename Signatures<T>::Svd gesdd;
  typename Signatures<T>::LeastSquares gelsd;
};

// Loads the library at the first call; null where it, or one of the routines, is absent.
template <class T>
const Routines<T>* routines();

}  // namespace flambeau_cpu::lapack
