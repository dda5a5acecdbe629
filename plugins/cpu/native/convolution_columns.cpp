// Convolution as a matrix product over unfolded input, a block of output lines at a time.
#include "convolution_paths.h"
#include "gemm.h"
#include "parallel.h"
#include "scratch.h"

namespace flambeau_cpu::FLAMBEAU_ISA {
namespace {

// Values of unfolded input that are held at once.
constexpr int64_t kBlockValues = 1 << 18;

inline int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

// Positions [begin, end) of `outputs` whose input position lies within [0, inputs).
struct Inside {
  int64_t begin, end;
};
inline Inside inside(int64_t outputs, int64_t inputs, int64_t first, int64_t stride) {
  int64_t begin = first >= 0 ? 0 : (-first + stride - 1) / stride;
  int64_t end = first >= inputs ? 0 : (inputs - 1 - first) / stride + 1;
  end = smaller(end, outputs);
  begin = smaller(begin, outputs);
  return {begin, end < begin ? begin : end};
}

// Calls visit(row of the columns, line of the block, input line or null, Inside, first) for each
// row (channel and kernel position) and each output line in [from, to) of one image and group.
template <typename T, typename Visit>
void for_each_line(const ConvolutionShape& s, T* image, int64_t from, int64_t to,
                   const Visit& visit) {
  int64_t row = 0;
  for (int64_t c = 0; c < s.group_inputs(); ++c)
    for (int64_t kd = 0; kd < s.kernel[0]; ++kd)
      for (int64_t kh = 0; kh < s.kernel[1]; ++kh)
        for (int64_t kw = 0; kw < s.kernel[2]; ++kw, ++row) {
          const int64_t first = kw * s.dilation[2] - s.padding[2];
          const Inside span = inside(s.output[2], s.input[2], first, s.stride[2]);
          for (int64_t line = from; line < to; ++line) {
            const int64_t d = line / s.output[1] * s.stride[0] + kd * s.dilation[0] - s.padding[0];
            const int64_t h = line % s.output[1] * s.stride[1] + kh * s.dilation[1] - s.padding[1];
            const bool present = d >= 0 && d < s.input[0] && h >= 0 && h < s.input[1];
            T* input = image + ((c * s.input[0] + d) * s.input[1] + h) * s.input[2];
            visit(row, line - from, present ? input : nullptr, span, first);
          }
        }
}

template <typename T>
void unfold(const ConvolutionShape& s, const T* image, int64_t from, int64_t to, T* columns) {
  const int64_t width = s.output[2], stride = s.stride[2], row_size = (to - from) * width;
  for_each_line(s, image, from, to,
                [=](int64_t row, int64_t line, const T* input, Inside span, int64_t first) {
                  T* out = columns + row * row_size + line * width;
                  if (!input) span = {0, 0};
                  for (int64_t i = 0; i < span.begin; ++i) out[i] = 0;
                  if (stride == 1) {
                    for (int64_t i = span.begin; i < span.end; ++i) out[i] = input[first + i];
                  } else {
                    for (int64_t i = span.begin; i < span.end; ++i)
                      out[i] = input[first + i * stride];
                  }
                  for (int64_t i = span.end; i < width; ++i) out[i] = 0;
                });
}

template <typename T>
void fold(const ConvolutionShape& s, const T* columns, int64_t from, int64_t to, T* image) {
  const int64_t width = s.output[2], stride = s.stride[2], row_size = (to - from) * width;
  for_each_line(s, image, from, to,
                [=](int64_t row, int64_t line, T* input, Inside span, int64_t first) {
                  if (!input) return;
                  const T* in = columns + row * row_size + line * width;
                  for (int64_t i = span.begin; i < span.end; ++i)
                    input[first + i * stride] += in[i];
                });
}

// The pieces of one image and group, and the block of lines that is unfolded at once.
struct Plan {
  int64_t rows, lines, block, outputs, x_size, y_size, weight_size;
  bool pointwise;  // the input is its own unfolding

  explicit Plan(const ConvolutionShape& s) {
    rows = s.group_inputs() * s.kernel_size();
    lines = s.output[0] * s.output[1];
    block = kBlockValues / (rows * s.output[2] + 1);
    block = block < 1 ? 1 : smaller(block, lines);
    outputs = s.output_size();
    x_size = s.group_inputs() * s.input_size();
    y_size = s.group_outputs() * outputs;
    weight_size = s.group_outputs() * rows;
    pointwise = s.kernel_size() == 1;
    for (int d = 0; d < kMaxSpatial; ++d)
      pointwise = pointwise && s.stride[d] == 1 && s.padding[d] == 0;
    if (pointwise) block = lines;
  }
};

// A block of lines of one image, unfolded in scratch memory where it has to be.
template <typename T>
const T* columns_of(const ConvolutionShape& s, const Plan& plan, const T* image, int64_t from,
                    int64_t to) {
  if (plan.pointwise) return image;
  T* unfolded = scratch_values<T>(plan.rows * (to - from) * s.output[2], kScratchColumns);
  unfold(s, image, from, to, unfolded);
  return unfolded;
}

}  // namespace

template <typename T>
void columns_forward(const ConvolutionShape& s, const T* x, const T* weight, const T* bias, T* y) {
  const Plan plan(s);
  parallel_for(s.batch * s.groups, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t group = i % s.groups;
      T* out = y + i * plan.y_size;
      for (int64_t o = 0; bias && o < s.group_outputs(); ++o)
        for (int64_t j = 0; j < plan.outputs; ++j)
          out[o * plan.outputs + j] = bias[group * s.group_outputs() + o];
      for (int64_t from = 0; from < plan.lines; from += plan.block) {
        const int64_t to = smaller(from + plan.block, plan.lines), n = (to - from) * s.output[2];
        const T* columns = columns_of(s, plan, x + i * plan.x_size, from, to);
        gemm(Product<T>{s.group_outputs(),
                        n,
                        plan.rows,
                        {weight + group * plan.weight_size, plan.rows, 1},
                        {columns, n, 1},
                        out + from * s.output[2],
                        plan.outputs,
                        nullptr,
                        bias != nullptr});
      }
    }
  });
}

template <typename T>
void columns_backward_input(const ConvolutionShape& s, const T* g, const T* weight, T* gx) {
  const Plan plan(s);
  parallel_for(s.batch * s.groups, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      T* image = gx + i * plan.x_size;
      const Matrix<T> w{weight + i % s.groups * plan.weight_size, 1, plan.rows};
      if (!plan.pointwise)
        for (int64_t j = 0; j < plan.x_size; ++j) image[j] = 0;
      for (int64_t from = 0; from < plan.lines; from += plan.block) {
        const int64_t to = smaller(from + plan.block, plan.lines), n = (to - from) * s.output[2];
        T* columns = plan.pointwise ? image : scratch_values<T>(plan.rows * n, kScratchColumns);
        gemm(Product<T>{plan.rows,
                        n,
                        s.group_outputs(),
                        w,
                        {g + i * plan.y_size + from * s.output[2], plan.outputs, 1},
                        columns,
                        n,
                        nullptr,
                        false});
        if (!plan.pointwise) fold(s, columns, from, to, image);
      }
    }
  });
}

template <typename T>
void columns_backward_weight(const ConvolutionShape& s, const T* g, const T* x, T* gw) {
  const Plan plan(s);
  const int64_t size = s.groups * plan.weight_size;
  const int64_t parts = smaller(usable_threads(), s.batch < 1 ? 1 : s.batch);
  // Each part of the batch sums into an array of its own; they are added in order.
  T* sums = parts > 1 ? scratch_values<T>((parts - 1) * size, kScratchKernel) : nullptr;
  parallel_for(parts, 1, [&](int64_t begin, int64_t end) {
    for (int64_t part = begin; part < end; ++part) {
      T* sum = part == 0 ? gw : sums + (part - 1) * size;
      for (int64_t j = 0; j < size; ++j) sum[j] = 0;
      const int64_t last = s.batch * (part + 1) / parts * s.groups;
      for (int64_t i = s.batch * part / parts * s.groups; i < last; ++i)
        for (int64_t from = 0; from < plan.lines; from += plan.block) {
          const int64_t to = smaller(from + plan.block, plan.lines), n = (to - from) * s.output[2];
          const T* columns = columns_of(s, plan, x + i * plan.x_size, from, to);
          gemm(Product<T>{s.group_outputs(),
                          plan.rows,
                          n,
                          {g + i * plan.y_size + from * s.output[2], plan.outputs, 1},
                          {columns, 1, n},
                          sum + i % s.groups * plan.weight_size,
                          plan.rows,
                          nullptr,
                          true});
        }
    }
  });
  for (int64_t part = 1; part < parts; ++part)
    for (int64_t j = 0; j < size; ++j) gw[j] += sums[(part - 1) * size + j];
}

#define FLAMBEAU_COLUMNS(T)                                                                 \
  template void columns_forward(const ConvolutionShape&, const T*, const T*, const T*, T*); \
  template void columns_backward_input(const ConvolutionShape&, const T*, const T*, T*);    \
  template void columns_backward_weight(const ConvolutionShape&, const T*, const T*, T*);
FLAMBEAU_COLUMNS(float)
FLAMBEAU_COLUMNS(double)
FLAMBEAU_COLUMNS(int64_t)
#undef FLAMBEAU_COLUMNS

}  // namespace flambeau_cpu::FLAMBEAU_ISA
