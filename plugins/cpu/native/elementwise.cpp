#include "elementwise.h"

#include <cstring>

#include "parallel.h"
#include "stream.h"
#include "tile.h"

namespace flambeau_cpu::FLAMBEAU_ISA {
namespace {

constexpr int kOperands = kMaxInputs + 1;  // the output is operand 0
constexpr int64_t kChunk = 512;            // elements staged at once
constexpr int64_t kTileRows = 32;
constexpr int64_t kTileRowBytes = 512;  // of the widest operand
constexpr int64_t kTilePad = 16;        // elements: keeps a tile's rows apart in the caches
constexpr int64_t kSerialWork = 32768;  // cheap operations worth one thread's start
constexpr int64_t kMaxItem = 16;
constexpr int64_t kStreamChunk = 4096;  // bytes, a multiple of every alignment

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
    case 1:
      return gather_items<uint8_t>(out, in, stride, n);
    case 2:
      return gather_items<uint16_t>(out, in, stride, n);
    case 4:
      return gather_items<uint32_t>(out, in, stride, n);
    case 8:
      return gather_items<uint64_t>(out, in, stride, n);
    default:
      return gather_items<Pair64>(out, in, stride, n);
  }
}

void scatter(void* out, int64_t stride, const void* in, int64_t n, int64_t item) {
  switch (item) {
    case 1:
      return scatter_items<uint8_t>(out, stride, in, n);
    case 2:
      return scatter_items<uint16_t>(out, stride, in, n);
    case 4:
      return scatter_items<uint32_t>(out, stride, in, n);
    case 8:
      return scatter_items<uint64_t>(out, stride, in, n);
    default:
      return scatter_items<Pair64>(out, stride, in, n);
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
  int count;      // operands
  bool streamed;  // the output is written around the caches
  Operand operand[kOperands];
};

struct Stage {
  alignas(64) char block[kOperands][kChunk * kMaxItem];
  alignas(64) char half[kChunk * 2];
};

// How the operands of a row are met, which depends on their strides alone.
struct Plan {
  const int64_t* strides;
  unsigned scalars = 0;         // operands that are one value
  bool staged = false;          // some go through the buffers
  bool spreading = false;       // the single values do, too
  bool direct[kOperands] = {};  // read or written in place
};

Plan make_plan(const Call& call, const int64_t* strides) {
  Plan plan;
  plan.strides = strides;
  for (int k = 0; k < call.count; ++k) {
    const Operand& x = call.operand[k];
    if (!x.data) continue;
    const bool single = k > 0 && strides[k] == 0;
    if (single) plan.scalars |= 1u << (k - 1);
    plan.direct[k] = strides[k] == 1 && !x.half;
    plan.staged |= (!plan.direct[k] && !single) || x.half;
  }
  plan.spreading = plan.scalars && !(call.kernel.accepts >> plan.scalars & 1u);
  plan.staged |= plan.spreading;
  return plan;
}

// m elements of input k, from `source` on, into its buffer.
void stage_input(const Operand& x, void* buffer, char* half, const char* source, int64_t stride,
                 int64_t m) {
  if (!x.half) return gather(buffer, source, stride, m, x.item);
  if (stride != 1) {
    gather(half, source, stride, m, 2);
    source = half;
  }
  widen_half(static_cast<float*>(buffer), source, m, x.dtype);
}

// m results to where they belong.
void unstage_output(const Operand& out, char* target, int64_t stride, const void* buffer,
                    char* half, int64_t m) {
  if (!out.half) return scatter(target, stride, buffer, m, out.item);
  const float* values = static_cast<const float*>(buffer);
  if (stride == 1) return narrow_half(target, values, m, out.dtype);
  narrow_half(half, values, m, out.dtype);
  scatter(target, stride, half, m, 2);
}

// n elements, a chunk at a time through the buffers.
void run_staged(const Call& call, Stage& stage, const Plan& plan, char* const* data, int64_t n) {
  const int64_t chunk = n < kChunk ? n : kChunk;
  const void* in[kMaxInputs] = {};
  for (int k = 1; k < call.count; ++k) {
    const Operand& x = call.operand[k];
    if (!(plan.scalars >> (k - 1) & 1u)) continue;
    // One value: converted, and spread if need be, once for all chunks.
    in[k - 1] = stage.block[k];
    if (x.half)
      widen_half(reinterpret_cast<float*>(stage.block[k]), data[k], 1, x.dtype);
    else
      std::memcpy(stage.block[k], data[k], static_cast<size_t>(x.item));
    if (plan.spreading) spread(stage.block[k], chunk, x.compute);
  }
  const unsigned mask = plan.spreading ? 0 : plan.scalars;
  for (int64_t begin = 0; begin < n; begin += chunk) {
    const int64_t m = n - begin < chunk ? n - begin : chunk;
    for (int k = 1; k < call.count; ++k) {
      const Operand& x = call.operand[k];
      if (!x.data || (plan.scalars >> (k - 1) & 1u)) continue;
      const char* source = data[k] + begin * plan.strides[k] * x.item;
      in[k - 1] = plan.direct[k] ? source : stage.block[k];
      if (!plan.direct[k]) stage_input(x, stage.block[k], stage.half, source, plan.strides[k], m);
    }
    const Operand& out = call.operand[0];
    char* target = data[0] + begin * plan.strides[0] * out.item;
    void* result = plan.direct[0] ? target : stage.block[0];
    call.kernel.block(result, in, m, mask, call.params);
    if (!plan.direct[0]) unstage_output(out, target, plan.strides[0], result, stage.half, m);
  }
}

// n elements in place, the results by way of a buffer around the caches.
void run_streamed(const Call& call, Stage& stage, const Plan& plan, char* const* data, int64_t n) {
  const void* in[kMaxInputs] = {};
  const int64_t item = call.operand[0].item;
  constexpr int64_t kAlignment = 64;
  int64_t done = 0;
  while (done < n) {
    char* target = data[0] + done * item;
    // The first chunk ends where the output is aligned.
    const int64_t past = reinterpret_cast<intptr_t>(target) % kAlignment;
    int64_t m = past ? (kAlignment - past) / item : kStreamChunk / item;
    if (m > n - done) m = n - done;
    for (int k = 1; k < call.count; ++k)
      in[k - 1] = data[k] ? data[k] + done * plan.strides[k] * call.operand[k].item : nullptr;
    void* result = past ? target : stage.block[0];
    call.kernel.block(result, in, m, plan.scalars, call.params);
    if (!past) stream_copy(target, stage.block[0], m * item);
    done += m;
  }
  stream_end();
}

// n elements, operand k at data[k].
void run_row(const Call& call, Stage& stage, const Plan& plan, char* const* data, int64_t n) {
  if (plan.staged) return run_staged(call, stage, plan, data, n);
  if (call.streamed && n >= kStreamChunk) return run_streamed(call, stage, plan, data, n);
  const void* in[kMaxInputs] = {data[1], data[2], data[3], data[4]};
  call.kernel.block(data[0], in, n, plan.scalars, call.params);
}

int64_t tile_columns(const Call& call) {
  int64_t widest = 1;
  for (int k = 0; k < call.count; ++k)
    if (call.operand[k].item > widest) widest = call.operand[k].item;
  return kTileRowBytes / widest;
}

// Rows x columns of the two innermost dimensions, where the operands marked in `turned`
// are contiguous along the rows: their tile is transposed into a buffer first, so that
// every cache line is read once and whole.
void run_tile(const Call& call, Stage& stage, const Plan& plan, char* const* data,
              const int64_t* row_strides, const int64_t* strides, unsigned turned, int64_t rows,
              int64_t columns) {
  alignas(64) char tile[kOperands][kTileRows * (kTileRowBytes + kTilePad * kMaxItem)];
  const int64_t pitch = tile_columns(call) + kTilePad;
  char* row[kOperands] = {};
  int64_t step[kOperands];
  for (int k = 0; k < call.count; ++k) {
    const int64_t item = call.operand[k].item;
    row[k] = data[k];
    step[k] = row_strides[k] * item;
    if (!(turned >> k & 1u)) continue;
    transpose_tile(tile[k], pitch, data[k], strides[k], rows, columns, item);
    row[k] = tile[k];
    step[k] = pitch * item;
  }
  for (int64_t r = 0; r < rows; ++r) {
    run_row(call, stage, plan, row, columns);
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
  const int64_t tile = tile_columns(call);
  const int64_t work = kTileRows * columns * (call.kernel.cost + 1);
  parallel_for(units, kSerialWork / work + 1, [&](int64_t begin, int64_t end) {
    Stage stage;
    int64_t row_strides[kOperands], strides[kOperands], inner[kOperands];
    for (int k = 0; k < call.count; ++k) {
      row_strides[k] = loop.strides[k][r];
      strides[k] = loop.strides[k][c];
      inner[k] = turned >> k & 1u ? 1 : strides[k];
    }
    const Plan plan = make_plan(call, inner);
    for (int64_t unit = begin; unit < end; ++unit) {
      const Cursor<kOperands> cursor(loop, 2, unit / bands);
      const int64_t row = unit % bands * kTileRows;
      const int64_t height = rows - row < kTileRows ? rows - row : kTileRows;
      for (int64_t column = 0; column < columns; column += tile) {
        char* data[kOperands] = {};
        for (int k = 0; k < call.count; ++k)
          if (call.operand[k].data)
            data[k] = call.operand[k].data +
                      (cursor.offset[k] + row * row_strides[k] + column * strides[k]) *
                          call.operand[k].item;
        const int64_t width = columns - column < tile ? columns - column : tile;
        run_tile(call, stage, plan, data, row_strides, strides, turned, height, width);
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
  const Plan plan = make_plan(call, strides);
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
          data[k] =
              call.operand[k].data + (cursor.offset[k] + first * strides[k]) * call.operand[k].item;
      run_row(call, stage, plan, data, last - first);
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
  Call call{kernel, params, n_in + 1, kCanStream, {}};
  const fb_array* arrays[kOperands] = {out};
  for (int k = 0; k < n_in; ++k) arrays[k + 1] = in[k];
  for (int k = 0; k <= n_in; ++k) {
    Operand& x = call.operand[k];
    x.data = arrays[k] ? static_cast<char*>(arrays[k]->data) : nullptr;
    x.dtype = arrays[k] ? arrays[k]->dtype : static_cast<uint8_t>(FB_BOOL);
    x.item = kItemSize[x.dtype];
    x.half = !kernel.raw_halves && (kHalves >> x.dtype & 1u);
    x.compute = x.half ? 4 : x.item;
    // What was read is in the caches already.
    if (k > 0) call.streamed &= x.data != call.operand[0].data;
  }
  call.streamed &= out->numel * call.operand[0].item >= kStreamBytes;
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
