#include "lapack_routines.h"

#include <string>

namespace flambeau_cpu::lapack {
namespace {

template <class T>
constexpr char kLetter = sizeof(T) == 4    ? 's'
                         : sizeof(T) == 16 ? 'z'
                         : kIsComplex<T>   ? 'c'
                                           : 'd';

template <class T>
bool resolve(Routines<T>& table) {
  bool complete = true;
  const auto find = [&](auto& routine, const char* name) {
    routine = reinterpret_cast<std::decay_t<decltype(routine)>>(
        find_routine((kLetter<T> + std::string(name)).c_str()));
    complete = complete && routine;
  };
  find(table.potrf, "potrf");
  find(table.getrf, "getrf");
  find(table.getrs, "getrs");
  find(table.trsm, "trsm");
  find(table.geqrf, "geqrf");
  find(table.orgqr, kIsComplex<T> ? "ungqr" : "orgqr");
  find(table.sytrf, "sytrf");
  find(table.hetrf, kIsComplex<T> ? "hetrf" : "sytrf");
  find(table.sytrs, "sytrs");
  find(table.hetrs, kIsComplex<T> ? "hetrs" : "sytrs");
  find(table.eigh, kIsComplex<T> ? "heevd" : "syevd");
  find(table.geev, "geev");
  find(table.gesdd, "gesdd");
  find(table.gelsd, "gelsd");
  return complete;
}

}  // namespace

template <class T>
const Routines<T>* routines() {
  static Routines<T> table;
  static const bool complete = resolve(table);
  return complete ? &table : nullptr;
}

template const Routines<float>* routines<float>();
template const Routines<double>* routines<double>();
template const Routines<std::complex<float>>* routines<std::complex<float>>();
template const Routines<std::complex<double>>* routines<std::complex<double>>();

}  // namespace flambeau_cpu::lapack
