// Convolution of stride 1 without unfolding: the input is copied once into an array with its
// padding around it, where every kernel position is the same picture at another offset.
#include "convolution_paths.h"
#include "parallel.h"
#include "scratch.h"
#include "simd.h"

namespace flambeau_cpu::FLAMBEAU_ISA {
namespace {

template <typename T>
using VectorOf = typename Vector<T>::Type;

#if FLAMBEAU_VECTOR_BYTES == 64
constexpr int kRows = 8;
#elif FLAMBEAU_VECTOR_BYTES == 32
constexpr int kRows = 6;
#else
constexpr int kRows = 4;
#endif

// A piece of an output line: at most one vector of neighbouring outputs.
struct Segment {
  int64_t x;  // where its first output reads the padded image, at kernel position 0
  int64_t y;  // where it lies in the output plane
  int64_t count;
};

// A convolution of stride 1 from `inputs` to `outputs` channels as the kernels below see it.
struct Geometry {
  int64_t inputs, outputs;
  int64_t source[kMaxSpatial], padding[kMaxSpatial], extent[kMaxSpatial];
  int64_t image_size, plane_size;  // of the padded image; of one output channel
  int64_t taps, segments;

  Geometry(const ConvolutionShape& s, bool backward) {
    inputs = backward ? s.group_outputs() : s.group_inputs();
    outputs = backward ? s.group_inputs() : s.group_outputs();
    image_size = inputs;
    plane_size = 1;
    taps = inputs * s.kernel_size();
    for (int d = 0; d < kMaxSpatial; ++d) {
      const int64_t reach = (s.kernel[d] - 1) * s.dilation[d];
      const int64_t result = backward ? s.input[d] : s.output[d];
      source[d] = backward ? s.output[d] : s.input[d];
      padding[d] = backward ? reach - s.padding[d] : s.padding[d];
      extent[d] = result + reach;
      image_size *= extent[d];
      plane_size *= result;
    }
  }
};

template <typename T>
int64_t segment_count(const ConvolutionShape& s, bool backward) {
  const int64_t* result = backward ? s.input : s.output;
  constexpr int64_t lanes = Vector<T>::kLanes;
  return result[0] * result[1] * ((result[2] + lanes - 1) / lanes);
}

template <typename T>
void list_segments(const ConvolutionShape& s, bool backward, const Geometry& q, Segment* out) {
  const int64_t* result = backward ? s.input : s.output;
  constexpr int64_t lanes = Vector<T>::kLanes;
  for (int64_t d = 0; d < result[0]; ++d)
    for (int64_t h = 0; h < result[1]; ++h)
      for (int64_t w = 0; w < result[2]; w += lanes) {
        const int64_t left = result[2] - w;
        *out++ = {(d * q.extent[1] + h) * q.extent[2] + w, (d * result[1] + h) * result[2] + w,
                  left < lanes ? left : lanes};
      }
}

// Where each channel and kernel position finds the first output's input.
void list_offsets(const ConvolutionShape& s, const Geometry& q, int64_t* out) {
  for (int64_t c = 0; c < q.inputs; ++c)
    for (int64_t kd = 0; kd < s.kernel[0]; ++kd)
      for (int64_t kh = 0; kh < s.kernel[1]; ++kh)
        for (int64_t kw = 0; kw < s.kernel[2]; ++kw)
          *out++ = ((c * q.extent[0] + kd * s.dilation[0]) * q.extent[1] + kh * s.dilation[1]) *
                       q.extent[2] +
                   kw * s.dilation[2];
}

template <typename T>
void pad_image(const Geometry& q, const T* image, T* padded) {
  for (int64_t i = 0; i < q.image_size + Vector<T>::kLanes; ++i) padded[i] = 0;
  const int64_t shift = q.padding[2];
  const int64_t begin = shift < 0 ? -shift : 0;
  int64_t end = q.extent[2] - shift;
  if (end > q.source[2]) end = q.source[2];
  for (int64_t c = 0; c < q.inputs; ++c)
    for (int64_t d = 0; d < q.source[0]; ++d)
      for (int64_t h = 0; h < q.source[1]; ++h) {
        const int64_t to_d = d + q.padding[0], to_h = h + q.padding[1];
        if (to_d < 0 || to_d >= q.extent[0] || to_h < 0 || to_h >= q.extent[1]) continue;
        const T* in = image + ((c * q.source[0] + d) * q.source[1] + h) * q.source[2];
        T* out = padded + ((c * q.extent[0] + to_d) * q.extent[1] + to_h) * q.extent[2] + shift;
        for (int64_t w = begin; w < end; ++w) out[w] = in[w];
      }
}

// Rows output channels of two segments.
template <typename T, int Rows>
inline void correlate(int64_t taps, const T* weight, const T* x0, const T* x1,
                      const int64_t* offset, VectorOf<T> (*acc)[2]) {
  VectorOf<T> sum[Rows][2];
  for (int i = 0; i < Rows; ++i) sum[i][0] = acc[i][0], sum[i][1] = acc[i][1];
  for (int64_t p = 0; p < taps; ++p) {
    const VectorOf<T> low = load(x0 + offset[p]), high = load(x1 + offset[p]);
#pragma GCC unroll 8
    for (int i = 0; i < Rows; ++i) {
      const T w = weight[i * taps + p];
      sum[i][0] += w * low;
      sum[i][1] += w * high;
    }
  }
  for (int i = 0; i < Rows; ++i) acc[i][0] = sum[i][0], acc[i][1] = sum[i][1];
}

template <typename T>
inline void put(T* y, VectorOf<T> value, int64_t count) {
  if (count == Vector<T>::kLanes)
    store(y, value);
  else
    store_part<VectorOf<T>>(y, value, count);
}

template <typename T, int Rows>
inline void convolve_rows(int64_t rows, const Geometry& q, const T* weight, const T* bias,
                          const T* padded, const int64_t* offset, const Segment& a,
                          const Segment* b, T* y) {
  for (; rows >= Rows; rows -= Rows) {
    VectorOf<T> acc[Rows][2];
    for (int i = 0; i < Rows; ++i)
      acc[i][0] = acc[i][1] = splat<VectorOf<T>>(bias ? bias[i] : T(0));
    correlate<T, Rows>(q.taps, weight, padded + a.x, padded + (b ? b->x : a.x), offset, acc);
    for (int i = 0; i < Rows; ++i) {
      put(y + i * q.plane_size + a.y, acc[i][0], a.count);
      if (b) put(y + i * q.plane_size + b->y, acc[i][1], b->count);
    }
    weight += Rows * q.taps;
    if (bias) bias += Rows;
    y += Rows * q.plane_size;
  }
  if constexpr (Rows > 1) {
    if (rows > 0) convolve_rows<T, Rows / 2>(rows, q, weight, bias, padded, offset, a, b, y);
  }
}

// One correlation for each image and group. `weight` is [groups, outputs, taps].
template <typename T>
void correlate_all(const ConvolutionShape& s, bool backward, const T* x, const T* weight,
                   const T* bias, T* y) {
  const Geometry q(s, backward);
  const int64_t segments = segment_count<T>(s, backward);
  Segment* segment = scratch_values<Segment>(segments + q.taps, kScratchKernel);
  int64_t* offset = reinterpret_cast<int64_t*>(segment + segments);
  list_segments<T>(s, backward, q, segment);
  list_offsets(s, q, offset);
  const int64_t x_size = q.inputs * q.source[0] * q.source[1] * q.source[2];
  const int64_t work = q.outputs * q.taps * q.plane_size;
  parallel_for(s.batch * s.groups, 262144 / (work + 1) + 1, [&](int64_t begin, int64_t end) {
    T* padded = scratch_values<T>(q.image_size + Vector<T>::kLanes, kScratchColumns);
    for (int64_t i = begin; i < end; ++i) {
      const int64_t group = i % s.groups;
      pad_image(q, x + i * x_size, padded);
      for (int64_t j = 0; j < segments; j += 2)
        convolve_rows<T, kRows>(q.outputs, q, weight + group * q.outputs * q.taps,
                                bias ? bias + group * q.outputs : nullptr, padded, offset,
                                segment[j], j + 1 < segments ? segment + j + 1 : nullptr,
                                y + i * q.outputs * q.plane_size);
    }
  });
}

// Weights as the backward pass reads them: [groups, inputs, outputs, kernel], kernel reversed.
template <typename T>
void reverse_weights(const ConvolutionShape& s, const T* weight, T* reversed) {
  const int64_t kernel = s.kernel_size(), in = s.group_inputs(), out = s.group_outputs();
  for (int64_t group = 0; group < s.groups; ++group)
    for (int64_t o = 0; o < out; ++o)
      for (int64_t c = 0; c < in; ++c)
        for (int64_t k = 0; k < kernel; ++k)
          reversed[((group * in + c) * out + o) * kernel + kernel - 1 - k] =
              weight[((group * out + o) * in + c) * kernel + k];
}

// -- gradient of the weights -------------------------------------------------------------------

constexpr int kTile = FLAMBEAU_VECTOR_BYTES == 64 ? 4 : 3;

// Adds to Outputs x Taps sums, each a vector whose lanes are summed in the end.
template <typename T, int Outputs, int Taps>
inline void weigh(const Geometry& q, const T* g, const T* padded, const int64_t* offset,
                  const Segment* segment, int64_t segments, VectorOf<T>* sums, int64_t taps) {
  VectorOf<T> acc[Outputs][Taps];
  for (int i = 0; i < Outputs; ++i)
    for (int j = 0; j < Taps; ++j) acc[i][j] = sums[i * taps + j];
  for (int64_t at = 0; at < segments; ++at) {
    const Segment piece = segment[at];
    VectorOf<T> left[Outputs];
    const bool whole = piece.count == Vector<T>::kLanes;
#pragma GCC unroll 4
    for (int i = 0; i < Outputs; ++i) {
      const T* from = g + i * q.plane_size + piece.y;
      left[i] = whole ? load(from) : load_part<VectorOf<T>>(from, piece.count);
    }
#pragma GCC unroll 4
    for (int j = 0; j < Taps; ++j) {
      const T* from = padded + piece.x + offset[j];
      const VectorOf<T> right = whole ? load(from) : load_part<VectorOf<T>>(from, piece.count);
#pragma GCC unroll 4
      for (int i = 0; i < Outputs; ++i) acc[i][j] += left[i] * right;
    }
  }
  for (int i = 0; i < Outputs; ++i)
    for (int j = 0; j < Taps; ++j) sums[i * taps + j] = acc[i][j];
}

template <typename T, int Outputs>
inline void weigh_rows(int64_t outputs, const Geometry& q, const T* g, const T* padded,
                       const int64_t* offset, const Segment* segment, int64_t segments,
                       VectorOf<T>* sums) {
  for (; outputs >= Outputs; outputs -= Outputs) {
    int64_t j = 0;
    for (; j + kTile <= q.taps; j += kTile)
      weigh<T, Outputs, kTile>(q, g, padded, offset + j, segment, segments, sums + j, q.taps);
    for (; j < q.taps; ++j)
      weigh<T, Outputs, 1>(q, g, padded, offset + j, segment, segments, sums + j, q.taps);
    g += Outputs * q.plane_size;
    sums += Outputs * q.taps;
  }
  if constexpr (Outputs > 1) {
    if (outputs > 0)
      weigh_rows<T, Outputs / 2>(outputs, q, g, padded, offset, segment, segments, sums);
  }
}

}  // namespace

bool direct_usable(const ConvolutionShape& s) {
  return s.stride[0] == 1 && s.stride[1] == 1 && s.stride[2] == 1 && s.output_size() > 0;
}

// The vector sums of all weights must stay in the second cache level.
bool direct_backward_weight_usable(const ConvolutionShape& s) {
  return direct_usable(s) &&
         s.out_channels * s.group_inputs() * s.kernel_size() * FLAMBEAU_VECTOR_BYTES <= 1 << 19;
}

template <typename T>
void direct_forward(const ConvolutionShape& s, const T* x, const T* weight, const T* bias, T* y) {
  correlate_all(s, false, x, weight, bias, y);
}

template <typename T>
void direct_backward_input(const ConvolutionShape& s, const T* g, const T* weight, T* gx) {
  T* reversed =
      scratch_values<T>(s.out_channels * s.group_inputs() * s.kernel_size(), kScratchPacking);
  reverse_weights(s, weight, reversed);
  correlate_all(s, true, g, reversed, static_cast<const T*>(nullptr), gx);
}

template <typename T>
void direct_backward_weight(const ConvolutionShape& s, const T* g, const T* x, T* gw) {
  const Geometry q(s, false);
  constexpr int64_t lanes = Vector<T>::kLanes;
  const int64_t segments = segment_count<T>(s, false);
  const int64_t size = s.groups * q.outputs * q.taps, threads = usable_threads();
  const int64_t parts = s.batch < 1 ? 1 : s.batch < threads ? s.batch : threads;
  VectorOf<T>* sums = scratch_values<VectorOf<T>>(parts * size, kScratchPacking);
  Segment* segment = scratch_values<Segment>(segments + q.taps, kScratchKernel);
  int64_t* offset = reinterpret_cast<int64_t*>(segment + segments);
  list_segments<T>(s, false, q, segment);
  list_offsets(s, q, offset);
  const int64_t x_size = q.inputs * s.input_size(), g_size = q.outputs * q.plane_size;
  parallel_for(parts, 1, [&](int64_t begin, int64_t end) {
    T* padded = scratch_values<T>(q.image_size + lanes, kScratchColumns);
    for (int64_t part = begin; part < end; ++part) {
      VectorOf<T>* sum = sums + part * size;
      for (int64_t j = 0; j < size; ++j) sum[j] = VectorOf<T>{};
      const int64_t last = s.batch * (part + 1) / parts * s.groups;
      for (int64_t i = s.batch * part / parts * s.groups; i < last; ++i) {
        pad_image(q, x + i * x_size, padded);
        weigh_rows<T, kTile>(q.outputs, q, g + i * g_size, padded, offset, segment, segments,
                             sum + i % s.groups * q.outputs * q.taps);
      }
    }
  });
  for (int64_t j = 0; j < size; ++j) {
    VectorOf<T> total = sums[j];
    for (int64_t part = 1; part < parts; ++part) total += sums[part * size + j];
    gw[j] = sum_lanes(total);
  }
}

#define FLAMBEAU_DIRECT(T)                                                                 \
  template void direct_forward(const ConvolutionShape&, const T*, const T*, const T*, T*); \
  template void direct_backward_input(const ConvolutionShape&, const T*, const T*, T*);    \
  template void direct_backward_weight(const ConvolutionShape&, const T*, const T*, T*);
FLAMBEAU_DIRECT(float)
FLAMBEAU_DIRECT(double)
#undef FLAMBEAU_DIRECT

}  // namespace flambeau_cpu::FLAMBEAU_ISA
