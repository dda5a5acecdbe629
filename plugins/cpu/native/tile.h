// Transposing a small block of elements, the heart of every copy across dimensions.
#pragma once

#include <cstdint>
#include <cstring>

#include "isa.h"

namespace flambeau_cpu::FLAMBEAU_ISA {

typedef uint32_t u32x4 __attribute__((vector_size(16)));
typedef uint32_t u32x8 __attribute__((vector_size(32)));

#if FLAMBEAU_VECTOR_BYTES >= 32
// An 8 x 8 block of 4-byte elements; strides in elements.
static inline void transpose_8x8(uint32_t* out, int64_t out_stride, const uint32_t* in,
                                 int64_t in_stride) {
  u32x8 a[8], b[8];
  for (int i = 0; i < 8; ++i) std::memcpy(&a[i], in + i * in_stride, 32);
  for (int i = 0; i < 4; ++i) {
    b[2 * i] = __builtin_shuffle(a[2 * i], a[2 * i + 1], (u32x8){0, 8, 1, 9, 4, 12, 5, 13});
    b[2 * i + 1] = __builtin_shuffle(a[2 * i], a[2 * i + 1], (u32x8){2, 10, 3, 11, 6, 14, 7, 15});
  }
  for (int i = 0; i < 2; ++i) {
    const u32x8 low = {0, 1, 8, 9, 4, 5, 12, 13}, high = {2, 3, 10, 11, 6, 7, 14, 15};
    a[4 * i] = __builtin_shuffle(b[4 * i], b[4 * i + 2], low);
    a[4 * i + 1] = __builtin_shuffle(b[4 * i], b[4 * i + 2], high);
    a[4 * i + 2] = __builtin_shuffle(b[4 * i + 1], b[4 * i + 3], low);
    a[4 * i + 3] = __builtin_shuffle(b[4 * i + 1], b[4 * i + 3], high);
  }
  for (int i = 0; i < 4; ++i) {
    b[i] = __builtin_shuffle(a[i], a[i + 4], (u32x8){0, 1, 2, 3, 8, 9, 10, 11});
    b[i + 4] = __builtin_shuffle(a[i], a[i + 4], (u32x8){4, 5, 6, 7, 12, 13, 14, 15});
  }
  for (int i = 0; i < 8; ++i) std::memcpy(out + i * out_stride, &b[i], 32);
}
constexpr int64_t kSquare = 8;
static inline void transpose_square(uint32_t* out, int64_t out_stride, const uint32_t* in,
                                    int64_t in_stride) {
  transpose_8x8(out, out_stride, in, in_stride);
}
#else
constexpr int64_t kSquare = 4;
static inline void transpose_square(uint32_t* out, int64_t out_stride, const uint32_t* in,
                                    int64_t in_stride) {
  u32x4 a[4], b[4];
  for (int i = 0; i < 4; ++i) std::memcpy(&a[i], in + i * in_stride, 16);
  for (int i = 0; i < 2; ++i) {
    b[2 * i] = __builtin_shuffle(a[2 * i], a[2 * i + 1], (u32x4){0, 4, 1, 5});
    b[2 * i + 1] = __builtin_shuffle(a[2 * i], a[2 * i + 1], (u32x4){2, 6, 3, 7});
  }
  for (int i = 0; i < 2; ++i) {
    a[2 * i] = __builtin_shuffle(b[i], b[i + 2], (u32x4){0, 1, 4, 5});
    a[2 * i + 1] = __builtin_shuffle(b[i], b[i + 2], (u32x4){2, 3, 6, 7});
  }
  for (int i = 0; i < 4; ++i) std::memcpy(out + i * out_stride, &a[i], 16);
}
#endif

// out[r][c] = in[c][r]: rows of `out` are out_stride apart, rows of `in` in_stride.
template <class T>
static inline void transpose_items(T* out, int64_t out_stride, const T* in, int64_t in_stride,
                                   int64_t rows, int64_t columns) {
  for (int64_t c = 0; c < columns; ++c)
    for (int64_t r = 0; r < rows; ++r) out[r * out_stride + c] = in[c * in_stride + r];
}

static inline void transpose_words(uint32_t* out, int64_t out_stride, const uint32_t* in,
                                   int64_t in_stride, int64_t rows, int64_t columns) {
  const int64_t whole_rows = rows - rows % kSquare, whole_columns = columns - columns % kSquare;
  for (int64_t c = 0; c < whole_columns; c += kSquare)
    for (int64_t r = 0; r < whole_rows; r += kSquare)
      transpose_square(out + r * out_stride + c, out_stride, in + c * in_stride + r, in_stride);
  if (whole_rows < rows)
    transpose_items(out + whole_rows * out_stride, out_stride, in + whole_rows, in_stride,
                    rows - whole_rows, whole_columns);
  if (whole_columns < columns)
    transpose_items(out + whole_columns, out_stride, in + whole_columns * in_stride, in_stride,
                    rows, columns - whole_columns);
}

// The same for elements of `item` bytes; strides count elements.
static inline void transpose_tile(void* out, int64_t out_stride, const void* in, int64_t in_stride,
                                  int64_t rows, int64_t columns, int64_t item) {
  struct Pair64 {
    uint64_t low, high;
  };
  switch (item) {
    case 1:
      return transpose_items(static_cast<uint8_t*>(out), out_stride,
                             static_cast<const uint8_t*>(in), in_stride, rows, columns);
    case 2:
      return transpose_items(static_cast<uint16_t*>(out), out_stride,
                             static_cast<const uint16_t*>(in), in_stride, rows, columns);
    case 4:
      return transpose_words(static_cast<uint32_t*>(out), out_stride,
                             static_cast<const uint32_t*>(in), in_stride, rows, columns);
    case 8:
      return transpose_items(static_cast<uint64_t*>(out), out_stride,
                             static_cast<const uint64_t*>(in), in_stride, rows, columns);
    default:
      return transpose_items(static_cast<Pair64*>(out), out_stride, static_cast<const Pair64*>(in),
                             in_stride, rows, columns);
  }
}

}  // namespace flambeau_cpu::FLAMBEAU_ISA
