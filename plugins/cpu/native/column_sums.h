// Sums down the columns of a row-major matrix, a vector of columns at a time.
#pragma once

#include "vector_run.h"

namespace flambeau_cpu::FLAMBEAU_ISA {

// Two sums for each of at most a vector of columns.
template <typename W>
struct ColumnSums {
  double first[Vector<W>::kLanes] = {};
  double second[Vector<W>::kLanes] = {};

  // Adds term(row, first, second) over the rows; what is summed in W is short enough not to lose
  // precision, the rest is summed in double.
  template <typename F>
  void add(int64_t rows, const F& term) {
    constexpr int64_t block = 128;
    for (int64_t from = 0; from < rows; from += block) {
      const int64_t to = from + block < rows ? from + block : rows;
      VectorOf<W> a = {}, b = {};
      for (int64_t i = from; i < to; ++i) term(i, a, b);
      for (int64_t j = 0; j < Vector<W>::kLanes; ++j) {
        first[j] += a[j];
        second[j] += b[j];
      }
    }
  }
};

// Calls fn(column, count) for each group of neighbouring columns.
template <typename W, typename F>
static inline void for_column_groups(int64_t columns, const F& fn) {
  constexpr int64_t lanes = Vector<W>::kLanes;
  for (int64_t c = 0; c < columns; c += lanes) fn(c, columns - c < lanes ? columns - c : lanes);
}

}  // namespace flambeau_cpu::FLAMBEAU_ISA
