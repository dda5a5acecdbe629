#include "move.h"

#include <cstring>

#include "parallel.h"
#include "stream.h"
#include "strided.h"
#include "tile.h"

namespace flambeau_cpu::FLAMBEAU_ISA {
namespace {

constexpr int64_t kGrainBytes = 1 << 17;
constexpr int64_t kTile = 64;  // elements along either side of a transposed tile

struct Pair64 {
  uint64_t low, high;
};

// Output (operand 0) and input of a loop that has at least one dimension.
struct Move {
  char* out;
  const char* in;
  int64_t item;
  StridedLoop<2> loop;
};

void move_flat(char* out, const char* in, int64_t bytes, bool streamed) {
  parallel_for(bytes, kGrainBytes, [=](int64_t begin, int64_t end) {
    if (!streamed) {
      std::memcpy(out + begin, in + begin, static_cast<size_t>(end - begin));
      return;
    }
    int64_t head = -reinterpret_cast<intptr_t>(out + begin) & 63;
    if (head > end - begin) head = end - begin;
    std::memcpy(out + begin, in + begin, static_cast<size_t>(head));
    stream_copy(out + begin + head, in + begin + head, end - begin - head);
    stream_end();
  });
}

template <class T>
void move_row(void* out, int64_t out_stride, const void* in, int64_t in_stride, int64_t n) {
  T* o = static_cast<T*>(out);
  const T* i = static_cast<const T*>(in);
  if (out_stride == 1) {
    for (int64_t k = 0; k < n; ++k) o[k] = i[k * in_stride];
  } else {
    for (int64_t k = 0; k < n; ++k) o[k * out_stride] = i[k * in_stride];
  }
}

void move_row(char* out, int64_t out_stride, const char* in, int64_t in_stride, int64_t n,
              int64_t item) {
  if (out_stride == 1 && in_stride == 1) {
    std::memcpy(out, in, static_cast<size_t>(n * item));
    return;
  }
  switch (item) {
    case 1:
      return move_row<uint8_t>(out, out_stride, in, in_stride, n);
    case 2:
      return move_row<uint16_t>(out, out_stride, in, in_stride, n);
    case 4:
      return move_row<uint32_t>(out, out_stride, in, in_stride, n);
    case 8:
      return move_row<uint64_t>(out, out_stride, in, in_stride, n);
    default:
      return move_row<Pair64>(out, out_stride, in, in_stride, n);
  }
}

// Row after row; the two innermost dimensions without the cursor.
void move_rows(const Move& m) {
  const StridedLoop<2>& loop = m.loop;
  const int c = loop.ndim - 1;
  const int64_t columns = loop.shape[c];
  const int64_t out_stride = loop.strides[0][c], in_stride = loop.strides[1][c];
  const bool has_rows = loop.ndim > 1;
  const int64_t rows = has_rows ? loop.shape[c - 1] : 1;
  const int64_t out_row = has_rows ? loop.strides[0][c - 1] * m.item : 0;
  const int64_t in_row = has_rows ? loop.strides[1][c - 1] * m.item : 0;
  const int64_t units = loop.numel() / columns;
  parallel_for(units, kGrainBytes / (columns * m.item) + 1, [&](int64_t begin, int64_t end) {
    Cursor<2> cursor(loop, 2, begin / rows);
    int64_t row = begin % rows;
    for (int64_t unit = begin; unit < end; cursor.next()) {
      const int64_t last = row + (end - unit) < rows ? row + (end - unit) : rows;
      unit += last - row;
      char* out = m.out + cursor.offset[0] * m.item + row * out_row;
      const char* in = m.in + cursor.offset[1] * m.item + row * in_row;
      for (; row < last; ++row, out += out_row, in += in_row)
        move_row(out, out_stride, in, in_stride, columns, m.item);
      row = 0;
    }
  });
}

// One tile. Rows that are a multiple of a page apart fall into the same few places of a cache:
// such a tile is put together elsewhere first.
void move_tile(char* out, int64_t out_row, const char* in, int64_t in_column, int64_t height,
               int64_t width, int64_t item) {
  constexpr int64_t kPage = 4096, kPad = 16, kWide = kTile + kPad;
  if (out_row * item % kPage) {
    transpose_tile(out, out_row, in, in_column, height, width, item);
    return;
  }
  alignas(64) char buffer[kTile * kWide * 16];
  transpose_tile(buffer, kWide, in, in_column, height, width, item);
  for (int64_t r = 0; r < height; ++r)
    std::memcpy(out + r * out_row * item, buffer + r * kWide * item,
                static_cast<size_t>(width * item));
}

// The input is contiguous along the second innermost dimension and the output along the
// innermost: tiles are transposed from one to the other.
void move_tiles(const Move& m) {
  const StridedLoop<2>& loop = m.loop;
  const int r = loop.ndim - 2, c = loop.ndim - 1;
  const int64_t rows = loop.shape[r], columns = loop.shape[c];
  const int64_t out_row = loop.strides[0][r], in_column = loop.strides[1][c];
  const int64_t bands = (rows + kTile - 1) / kTile;
  const int64_t units = loop.numel() / (rows * columns) * bands;
  parallel_for(
      units, kGrainBytes / (kTile * columns * m.item) + 1, [&](int64_t begin, int64_t end) {
        for (int64_t unit = begin; unit < end; ++unit) {
          const Cursor<2> cursor(loop, 2, unit / bands);
          const int64_t row = unit % bands * kTile;
          const int64_t height = rows - row < kTile ? rows - row : kTile;
          for (int64_t column = 0; column < columns; column += kTile) {
            const int64_t width = columns - column < kTile ? columns - column : kTile;
            move_tile(m.out + (cursor.offset[0] + row * out_row + column) * m.item, out_row,
                      m.in + (cursor.offset[1] + row + column * in_column) * m.item, in_column,
                      height, width, m.item);
          }
        }
      });
}

// Brings the dimension along which the input is contiguous next to the innermost.
bool turn(StridedLoop<2>& loop) {
  const int c = loop.ndim - 1;
  if (loop.ndim < 2 || loop.strides[0][c] != 1 || loop.strides[1][c] <= 1 || loop.shape[c] < 4)
    return false;
  for (int d = c - 1; d >= 0; --d) {
    if (loop.strides[1][d] != 1 || loop.shape[d] < 4) continue;
    for (int e = d; e < c - 1; ++e) loop.swap(e, e + 1);
    return true;
  }
  return false;
}

}  // namespace

void move_array(const fb_array* out, const fb_array* in) {
  if (out->numel == 0) return;
  Move m;
  m.out = static_cast<char*>(out->data);
  m.in = static_cast<const char*>(in->data);
  m.item = kItemSize[out->dtype];
  const int64_t bytes = out->numel * m.item;
  if ((out->flags & in->flags & FB_CONTIGUOUS) && in->numel == out->numel) {
    if (m.out != m.in) move_flat(m.out, m.in, bytes, kCanStream && bytes >= kStreamBytes);
    return;
  }
  make_loop(m.loop, {out, in});
  if (m.loop.ndim == 0) {
    std::memcpy(m.out, m.in, static_cast<size_t>(m.item));
  } else if (turn(m.loop)) {
    move_tiles(m);
  } else {
    move_rows(m);
  }
}

}  // namespace flambeau_cpu::FLAMBEAU_ISA
