#include "elementwise.h"

#include <cstring>

#include "parallel.h"
#include "tile.h"

namespace flambeau_cpu::FLAMBEAU_ISA {
namespace {

constexpr int kOperands = kMaxInputs + 1;  // the output is operand 0
constexpr int64_t kChunk = 512;            // elements staged at once
constexpr int64_t kTileRows = 16;
constexpr int64_t kTileColumns = 64;
constexpr int64_t kSerialWork = 32768;  // cheap operations worth one thread's start
constexpr int64_t kMaxItem = 16;

struct Pair64 {
  uint64_t low, high;
};

template <class T>
void gather_items(void* out, const void* in, int64_t stride, int64_t n) {
  T* o = static_cast<T*>(out);
  const T* i = static_cast<const T*>(in);
  for (int64_t k = 0; k < n; ++k) o[k] = i[k * stride];
}

template <class T>
void scatter_items(void* out, int64_t stride, const void* in, int64_t n) {
  T* o = static_cast<T*>(out);
  const T* i = static_cast<const T*>(in);
  for (int64_t k = 0; k < n; ++k) o[k * stride] = i[k];
}

void gather(void* out, const void* in, int64_t stride, int64_t n, int64_t item) {
  switch (item) {
    case 1: return gather_items<uint8_t>(out, in, stride, n);
    case 2: return gather_items<uint16_t>(out, in, stride, n);
    case 4: return gather_items<uint32_t>(out, in, stride, n);
    case 8: return gather_items<uint64_t>(out, in, stride, n);
    default: return gather_items<Pair64>(out, in, stride, n);
  }
}

void scatter(void* out, int64_t stride, const void* in, int64_t n, int64_t item) {
  switch (item) {
    case 1: return scatter_items<uint8_t>(out, stride, in, n);
    case 2: return scatter_items<uint16_t>(out, stride, in, n);
    case 4: return scatter_items<uint32_t>(out, stride, in, n);
    case 8: return scatter_items<uint64_t>(out, stride, in, n);
    default: return scatter_items<Pair64>(out, stride, in, n);
  }
}

void widen_half(float* out, const void* in, int64_t n, uint8_t dtype) {
  if (dtype == FB_FLOAT16) {
    widen(out, static_cast<const float16*>(in), n);
  } else {
    widen(out, static_cast<const bfloat16*>(in), n);
  }
}

void narrow_half(void* out, const float* in, int64_t n, uint8_t dtype) {
  if (dtype == FB_FLOAT16) {
    narrow(static_cast<float16*>(out), in, n);
  } else {
    narrow(static_cast<bfloat16*>(out), in, n);
  }
}

// Repeats the first of n items.
void spread(void* data, int64_t n, int64_t item) {
  char* p = static_cast<char*>(data);
  int64_t filled = 1;
  while (filled < n) {
    const int64_t more = filled < n - filled ? filled : n - filled;
    std::memcpy(p + filled * item, p, static_cast<size_t>(more * item));
    filled += more;
  }
}

struct Operand {
  char* data;
  int64_t item;     // bytes an element
  int64_t compute;  // bytes an element in the block
  uint8_t dtype;
  bool half;  // is converted to float32
};

// One call of a kernel: everything that its threads share.
struct Call {
  const Elementwise& kernel;
  const fb_param* params;
  int count;  // operands
  Operand operand[kOperands];
};

struct Stage {
  alignas(64) char block[kOperands][kChunk * kMaxItem];
  alignas(64) char half[kChunk * 2];
};

// n elements, operand k at data[k] with the given strides.
void run_row(const Call& call, Stage& stage, char* const* data, const int64_t* strides,
             int64_t n) {
  unsigned scalars = 0;
  bool staged = false;
  for (int k = 0; k < call.count; ++k) {
    if (k && data[k] && strides[k] == 0) scalars |= 1u << (k - 1);
    else if (data[k] && strides[k] != 1) staged = true;
    if (data[k] && call.operand[k].half) staged = true;
  }
  const bool spreading = scalars && !(call.kernel.accepts >> scalars & 1u);
  const void* in[kMaxInputs] = {};
  if (!staged && !spreading) {
    for (int k = 1; k < call.count; ++k) in[k - 1] = data[k];
    call.kernel.block(data[0], in, n, scalars, call.params);
    return;
  }
  const int64_t chunk = n < kChunk ? n : kChunk;
  bool direct[kOperands];
  for (int k = 0; k < call.count; ++k) {
    const Operand& x = call.operand[k];
    direct[k] = data[k] && strides[k] == 1 && !x.half;
    if (k == 0 || direct[k] || !data[k] || strides[k] != 0) continue;
    // One value: converted, and spread if need be, once for all chunks.
    if (x.half) widen_half(reinterpret_cast<float*>(stage.block[k]), data[k], 1, x.dtype);
    else std::memcpy(stage.block[k], data[k], static_cast<size_t>(x.item));
    if (spreading) spread(stage.block[k], chunk, x.compute);
  }
  const unsigned mask = spreading ? 0 : scalars;
  for (int64_t begin = 0; begin < n; begin += chunk) {
    const int64_t m = n - begin < chunk ? n - begin : chunk;
    for (int k = 1; k < call.count; ++k) {
      const Operand& x = call.operand[k];
      if (!data[k]) continue;
      const char* source = data[k] + begin * strides[k] * x.item;
      in[k - 1] = direct[k] ? source : stage.block[k];
      if (direct[k] || strides[k] == 0) continue;
      if (!x.half) {
        gather(stage.block[k], source, strides[k], m, x.item);
      } else if (strides[k] == 1) {
        widen_half(reinterpret_cast<float*>(stage.block[k]), source, m, x.dtype);
      } else {
        gather(stage.half, source, strides[k], m, 2);
        widen_half(reinterpret_cast<float*>(stage.block[k]), stage.half, m, x.dtype);
      }
    }
    const Operand& out = call.operand[0];
    char* target = data[0] + begin * strides[0] * out.item;
    void* result = direct[0] ? target : stage.block[0];
    call.kernel.block(result, in, m, mask, call.params);
    if (direct[0]) continue;
    if (!out.half) {
      scatter(target, strides[0], result, m, out.item);
    } else if (strides[0] == 1) {
      narrow_half(target, static_cast<const float*>(result), m, out.dtype);
    } else {
      narrow_half(stage.half, static_cast<const float*>(result), m, out.dtype);
      scatter(target, strides[0], stage.half, m, 2);
    }
  }
}

// Rows x columns of the two innermost dimensions, where the operands marked in `turned`
// are contiguous along the rows: their tile is transposed into a buffer first, so that
// every cache line is read once and whole.
void run_tile(const Call& call, Stage& stage, char* const* data, const int64_t* row_strides,
              const int64_t* strides, unsigned turned, int64_t rows, int64_t columns) {
  alignas(64) char tile[kOperands][kTileRows * kTileColumns * kMaxItem];
  char* row[kOperands];
  int64_t step[kOperands], inner[kOperands];
  for (int k = 0; k < call.count; ++k) {
    const int64_t item = call.operand[k].item;
    row[k] = data[k];
    step[k] = row_strides[k] * item;
    inner[k] = strides[k];
    if (!(turned >> k & 1u)) continue;
    transpose_tile(tile[k], kTileColumns, data[k], strides[k], rows, columns, item);
    row[k] = tile[k];
    step[k] = kTileColumns * item;
    inner[k] = 1;
  }
  for (int64_t r = 0; r < rows; ++r) {
    run_row(call, stage, row, inner, columns);
    for (int k = 0; k < call.count; ++k)
      if (row[k]) row[k] += step[k];
  }
}

void run_tiles(const Call& call, const StridedLoop<kOperands>& loop, unsigned turned) {
  const int r = loop.ndim - 2, c = loop.ndim - 1;
  const int64_t rows = loop.shape[r], columns = loop.shape[c];
  const int64_t bands = (rows + kTileRows - 1) / kTileRows;
  int64_t units = bands;
  for (int d = 0; d < r; ++d) units *= loop.shape[d];
  const int64_t work = kTileRows * columns * (call.kernel.cost + 1);
  parallel_for(units, kSerialWork / work + 1, [&](int64_t begin, int64_t end) {
    Stage stage;
    int64_t row_strides[kOperands], strides[kOperands];
    for (int k = 0; k < call.count; ++k) {
      row_strides[k] = loop.strides[k][r];
      strides[k] = loop.strides[k][c];
    }
    for (int64_t unit = begin; unit < end; ++unit) {
      const Cursor<kOperands> cursor(loop, 2, unit / bands);
      const int64_t row = unit % bands * kTileRows;
      const int64_t height = rows - row < kTileRows ? rows - row : kTileRows;
      for (int64_t column = 0; column < columns; column += kTileColumns) {
        char* data[kOperands] = {};
        for (int k = 0; k < call.count; ++k)
          if (call.operand[k].data)
            data[k] = call.operand[k].data + (cursor.offset[k] + row * row_strides[k] +
                                              column * strides[k]) *
                                                 call.operand[k].item;
        const int64_t width = columns - column < kTileColumns ? columns - column : kTileColumns;
        run_tile(call, stage, data, row_strides, strides, turned, height, width);
      }
    }
  });
}

void run_rows(const Call& call, const StridedLoop<kOperands>& loop) {
  const int c = loop.ndim - 1;
  const int64_t columns = loop.ndim ? loop.shape[c] : 1;
  int64_t rows = 1;
  for (int d = 0; d < c; ++d) rows *= loop.shape[d];
  int64_t strides[kOperands];
  for (int k = 0; k < call.count; ++k) strides[k] = loop.ndim ? loop.strides[k][c] : 1;
  const int64_t grain = kSerialWork / (call.kernel.cost + 1) + 1;
  // Long rows are cut into pieces, so that few of them still feed all threads.
  const int64_t piece = columns > 2 * grain ? grain : columns;
  const int64_t pieces = (columns + piece - 1) / piece;
  parallel_for(rows * pieces, grain / piece + 1, [&](int64_t begin, int64_t end) {
    Stage stage;
    Cursor<kOperands> cursor(loop, 1, begin / pieces);
    int64_t part = begin % pieces;
    for (int64_t unit = begin; unit < end;) {
      // Neighbouring pieces of one row are done in one go.
      const int64_t run = pieces - part < end - unit ? pieces - part : end - unit;
      const int64_t first = part * piece;
      const int64_t last = first + run * piece < columns ? first + run * piece : columns;
      char* data[kOperands] = {};
      for (int k = 0; k < call.count; ++k)
        if (call.operand[k].data)
          data[k] = call.operand[k].data +
                    (cursor.offset[k] + first * strides[k]) * call.operand[k].item;
      run_row(call, stage, data, strides, last - first);
      unit += run;
      part = 0;
      cursor.next();
    }
  });
}

// Where some inputs run along another dimension than the output's innermost, makes that
// dimension the second innermost and returns the operands that run along it.
unsigned turn(StridedLoop<kOperands>& loop, int count) {
  if (loop.ndim < 2) return 0;
  const int c = loop.ndim - 1;
  for (int k = 1; k < count; ++k) {
    const int64_t stride = loop.strides[k][c];
    if (stride == 0 || stride == 1 || loop.shape[c] < 4) continue;
    for (int d = 0; d < c; ++d) {
      if (loop.strides[k][d] != 1 || loop.shape[d] < 4) continue;
      for (int e = d; e < c - 1; ++e) loop.swap(e, e + 1);
      unsigned turned = 0;
      for (int j = 1; j < count; ++j)
        if (loop.strides[j][c - 1] == 1 && loop.strides[j][c] != 0 && loop.strides[j][c] != 1)
          turned |= 1u << j;
      return turned;
    }
  }
  return 0;
}

}  // namespace

int run_elementwise(const Elementwise& kernel, const fb_array* out, int n_in,
                    const fb_array* const* in, const fb_param* params) {
  if (out->numel == 0) return FB_OK;
  Call call{kernel, params, n_in + 1, {}};
  const fb_array* arrays[kOperands] = {out};
  for (int k = 0; k < n_in; ++k) arrays[k + 1] = in[k];
  for (int k = 0; k <= n_in; ++k) {
    Operand& x = call.operand[k];
    x.data = arrays[k] ? static_cast<char*>(arrays[k]->data) : nullptr;
    x.dtype = arrays[k] ? arrays[k]->dtype : static_cast<uint8_t>(FB_BOOL);
    x.item = kItemSize[x.dtype];
    x.half = !kernel.raw_halves && (kHalves >> x.dtype & 1u);
    x.compute = x.half ? 4 : x.item;
  }
  StridedLoop<kOperands> loop;
  make_loop(loop, arrays);
  if (const unsigned turned = turn(loop, call.count)) {
    run_tiles(call, loop, turned);
  } else {
    run_rows(call, loop);
  }
  return FB_OK;
}

}  // namespace flambeau_cpu::FLAMBEAU_ISA
