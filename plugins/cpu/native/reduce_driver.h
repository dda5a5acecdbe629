// Bringing the dimensions of a reduction to one of two forms: runs that become one value
// each, or rows that are folded into a row of accumulators.
//
// A reduction R has
//   Stored, Result      the array's and the result's element types
//   Accumulator         with a default constructor that makes the neutral element
//   block(acc, x, n)    takes n <= kBlock contiguous values in
//   columns(acc, x, row_stride, rows, columns)   the same for `columns` accumulators at once
//   combine(acc, other)
//   finish(acc, count, params)   the result
// Results do not depend on the number of threads: pieces are cut by size alone.
#pragma once

#include <cstdlib>

#include "error.h"
#include "parallel.h"
#include "stage.h"
#include "strided.h"

namespace flambeau_cpu::FLAMBEAU_ISA {

constexpr int64_t kBlock = 4096;
constexpr int64_t kColumnBlock = 512;
constexpr int64_t kRowBlock = 32;
constexpr int64_t kPieceWork = 32768;  // elements worth a thread's start

// What is reduced and what is kept, of input (operand 0) and output (operand 1).
struct ReductionShape {
  StridedLoop<2> kept;
  StridedLoop<2> reduced;
  int64_t kept_count = 1, reduced_count = 1;
};

static inline void make_reduction(ReductionShape& shape, const fb_array* out, const fb_array* in) {
  for (int d = 0; d < in->ndim; ++d) {
    const int64_t size = in->shape[d];
    if (size == 1) continue;
    const bool kept = out->shape[d] == size;
    const int64_t step[2] = {in->strides[d], kept ? out->strides[d] : 0};
    (kept ? shape.kept : shape.reduced).push(size, step);
    (kept ? shape.kept_count : shape.reduced_count) *= size;
  }
  shape.kept.order();
  shape.kept.collapse();
  shape.reduced.order();
  shape.reduced.collapse();
}

// Folds elements [begin, end) of the reduced dimensions, from input offset `offset`.
template <class R>
static void reduce_runs(typename R::Accumulator& total, const fb_array* in,
                        const StridedLoop<2>& reduced, int64_t offset, int64_t begin, int64_t end) {
  using T = typename R::Stored;
  Compute<T> buffer[kBlock];
  const int last = reduced.ndim - 1;
  const int64_t length = reduced.ndim ? reduced.shape[last] : 1;
  const int64_t stride = reduced.ndim ? reduced.strides[0][last] : 1;
  if (reduced.ndim <= 1 && end - begin <= kBlock) {
    const int64_t n = end - begin;
    R::block(total, read_run<T>(in->data, in->dtype, offset + begin * stride, stride, n, buffer),
             n);
    return;
  }
  Cursor<2> cursor(reduced, 1, begin / length);
  int64_t position = begin % length;
  while (begin < end) {
    int64_t n = length - position < end - begin ? length - position : end - begin;
    if (n > kBlock) n = kBlock;
    R::block(total,
             read_run<T>(in->data, in->dtype, offset + cursor.offset[0] + position * stride, stride,
                         n, buffer),
             n);
    begin += n;
    position += n;
    if (position == length) {
      position = 0;
      cursor.next();
    }
  }
}

// One value per run: in parallel over the kept elements where they are many, else over
// pieces of the runs.
template <class R>
static int reduce_inner(const fb_array* out, const fb_array* in, const ReductionShape& shape,
                        const fb_param* params) {
  using Accumulator = typename R::Accumulator;
  const int64_t n = shape.reduced_count;
  constexpr int64_t kMaxPieces = 64;
  const auto finish = [&](int64_t offset, const Accumulator& total) {
    write_value<typename R::Result>(out->data, out->dtype, offset, R::finish(total, n, params));
  };
  if (n >= 2 * kPieceWork && shape.kept_count < 16) {
    const int64_t wanted = (n + kPieceWork - 1) / kPieceWork;
    const int64_t pieces = wanted < kMaxPieces ? wanted : kMaxPieces;
    const int64_t length = ((n + pieces - 1) / pieces + kBlock - 1) / kBlock * kBlock;
    Cursor<2> cursor(shape.kept, 0, 0);
    for (int64_t k = 0; k < shape.kept_count; ++k, cursor.next()) {
      Accumulator parts[kMaxPieces];
      parallel_for(pieces, kPieceWork / length + 1, [&](int64_t begin, int64_t end) {
        for (int64_t piece = begin; piece < end; ++piece) {
          const int64_t first = piece * length;
          const int64_t last = first + length < n ? first + length : n;
          if (first < last)
            reduce_runs<R>(parts[piece], in, shape.reduced, cursor.offset[0], first, last);
        }
      });
      for (int64_t piece = 1; piece < pieces; ++piece) R::combine(parts[0], parts[piece]);
      finish(cursor.offset[1], parts[0]);
    }
    return FB_OK;
  }
  parallel_for(shape.kept_count, kPieceWork / (n + 8) + 1, [&](int64_t begin, int64_t end) {
    Cursor<2> cursor(shape.kept, 0, begin);
    for (int64_t k = begin; k < end; ++k, cursor.next()) {
      Accumulator total;
      reduce_runs<R>(total, in, shape.reduced, cursor.offset[0], 0, n);
      finish(cursor.offset[1], total);
    }
  });
  return FB_OK;
}

// Rows [begin, end) of the reduced dimensions into `count` neighbouring accumulators.
template <class R>
static void reduce_rows(typename R::Accumulator* totals, const fb_array* in,
                        const StridedLoop<2>& reduced, int64_t offset, int64_t count, int64_t begin,
                        int64_t end) {
  using T = typename R::Stored;
  const int last = reduced.ndim - 1;
  const int64_t length = reduced.ndim ? reduced.shape[last] : 1;
  const int64_t stride = reduced.ndim ? reduced.strides[0][last] : 0;
  Cursor<2> cursor(reduced, 1, begin / length);
  int64_t position = begin % length;
  while (begin < end) {
    int64_t rows = length - position < end - begin ? length - position : end - begin;
    if (rows > kRowBlock) rows = kRowBlock;
    const int64_t first = offset + cursor.offset[0] + position * stride;
    if constexpr (kIsHalf<T>) {
      float tile[kRowBlock * kColumnBlock];
      for (int64_t r = 0; r < rows; ++r)
        read_run<T>(in->data, in->dtype, first + r * stride, 1, count, tile + r * kColumnBlock);
      R::columns(totals, tile, kColumnBlock, rows, count);
    } else {
      R::columns(totals, static_cast<const T*>(in->data) + first, stride, rows, count);
    }
    begin += rows;
    position += rows;
    if (position == length) {
      position = 0;
      cursor.next();
    }
  }
}

// The kept dimensions' innermost is contiguous: blocks of its columns are folded together.
// Where columns are few, rows are cut into pieces too.
template <class R>
static int reduce_outer(const fb_array* out, const fb_array* in, const ReductionShape& shape,
                        const fb_param* params) {
  using Accumulator = typename R::Accumulator;
  const StridedLoop<2>& kept = shape.kept;
  const int last = kept.ndim - 1;
  const int64_t columns = kept.shape[last], out_stride = kept.strides[1][last];
  const int64_t blocks = (columns + kColumnBlock - 1) / kColumnBlock;
  const int64_t units = shape.kept_count / columns * blocks;
  const int64_t n = shape.reduced_count;
  const int64_t width = columns < kColumnBlock ? columns : kColumnBlock;
  constexpr int64_t kMaxPieces = 16;
  int64_t pieces = 1;
  if (units < 16 && n >= 2 * kRowBlock) {
    const int64_t wanted = n * width / kPieceWork;
    pieces = wanted < 1 ? 1 : wanted < kMaxPieces ? wanted : kMaxPieces;
  }
  const int64_t length = ((n + pieces - 1) / pieces + kRowBlock - 1) / kRowBlock * kRowBlock;
  void* memory = nullptr;
  if (pieces > 1) {
    memory = std::malloc(static_cast<size_t>(units * pieces * kColumnBlock) * sizeof(Accumulator));
    if (!memory) return fail(FB_OUT_OF_MEMORY, "no memory for the partial results of a reduction");
  }
  Accumulator* parts = static_cast<Accumulator*>(memory);
  const auto fold = [&](int64_t unit, int64_t piece, Accumulator* totals) {
    const int64_t first_column = unit % blocks * kColumnBlock;
    const int64_t count =
        columns - first_column < kColumnBlock ? columns - first_column : kColumnBlock;
    const Cursor<2> cursor(kept, 1, unit / blocks);
    for (int64_t c = 0; c < count; ++c) totals[c] = Accumulator();
    const int64_t end = (piece + 1) * length < n ? (piece + 1) * length : n;
    reduce_rows<R>(totals, in, shape.reduced, cursor.offset[0] + first_column, count,
                   piece * length, end);
  };
  const auto finish = [&](int64_t unit, const Accumulator* totals) {
    const int64_t first_column = unit % blocks * kColumnBlock;
    const Cursor<2> cursor(kept, 1, unit / blocks);
    for (int64_t c = 0; c < kColumnBlock && first_column + c < columns; ++c)
      write_value<typename R::Result>(out->data, out->dtype,
                                      cursor.offset[1] + (first_column + c) * out_stride,
                                      R::finish(totals[c], n, params));
  };
  const int64_t work = length * width;
  parallel_for(units * pieces, kPieceWork / (work + 1) + 1, [&](int64_t begin, int64_t end) {
    Accumulator own[kColumnBlock];
    for (int64_t k = begin; k < end; ++k) {
      Accumulator* totals = pieces > 1 ? parts + k * kColumnBlock : own;
      fold(k / pieces, k % pieces, totals);
      if (pieces == 1) finish(k, totals);
    }
  });
  for (int64_t unit = 0; pieces > 1 && unit < units; ++unit) {
    Accumulator* totals = parts + unit * pieces * kColumnBlock;
    for (int64_t piece = 1; piece < pieces; ++piece)
      for (int64_t c = 0; c < width; ++c) R::combine(totals[c], totals[piece * kColumnBlock + c]);
    finish(unit, totals);
  }
  std::free(memory);
  return FB_OK;
}

template <class R>
static int run_reduction(const fb_array* out, const fb_array* in, const fb_param* params) {
  if (out->numel == 0) return FB_OK;
  ReductionShape shape;
  if (is_contiguous(in) && out->numel == 1) {
    // All of a contiguous array, whatever its dimensions.
    shape.reduced.push(in->numel, {1, 0});
    shape.reduced_count = in->numel;
  } else {
    make_reduction(shape, out, in);
  }
  if (shape.reduced_count == 0) {
    shape.reduced.ndim = 0;
    Cursor<2> cursor(shape.kept, 0, 0);
    for (int64_t k = 0; k < shape.kept_count; ++k, cursor.next())
      write_value<typename R::Result>(out->data, out->dtype, cursor.offset[1],
                                      R::finish(typename R::Accumulator(), 0, params));
    return FB_OK;
  }
  const auto stride_of = [](const StridedLoop<2>& loop) -> int64_t {
    return loop.ndim ? loop.strides[0][loop.ndim - 1] : 0;
  };
  const bool runs_contiguous = stride_of(shape.reduced) == 1;
  const bool columns = stride_of(shape.kept) == 1 && shape.kept.shape[shape.kept.ndim - 1] >= 4;
  return columns && !runs_contiguous ? reduce_outer<R>(out, in, shape, params)
                                     : reduce_inner<R>(out, in, shape, params);
}

}  // namespace flambeau_cpu::FLAMBEAU_ISA
