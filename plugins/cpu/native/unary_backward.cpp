// Gradients of elementwise functions: in are the result's gradient and what was saved.
#include <cmath>

#include "binary_kernel.h"
#include "entries.h"
#include "vector_math.h"

namespace flambeau_cpu::FLAMBEAU_ISA {
namespace {

struct ReluBackward : Plain {
  using Plain::Plain;
  template <class T>
  T operator()(T g, T y) const {
    return y <= T(0) ? T(0) : g;
  }
};

struct SigmoidBackward : Plain {
  using Plain::Plain;
  template <class T>
  T operator()(T g, T y) const {
    return g * ((T(1) - y) * y);
  }
};

struct TanhBackward : Plain {
  using Plain::Plain;
  template <class T>
  T operator()(T g, T y) const {
    return g * (T(1) - y * y);
  }
};

struct SiluBackward : Plain {
  using Plain::Plain;
  template <class V>
  V operator()(V g, V x) const {
    using T = Element<V>;
    const V s = vsigmoid(x);
    return g * (s * (x * (T(1) - s) + T(1)));
  }
};

constexpr double kRootTwoOverPi = 0.79788456080286535588;
constexpr double kInverseRootTwoPi = 0.39894228040143267794;

struct GeluErfBackward : Plain {
  using Plain::Plain;
  vf operator()(vf g, vf x) const {
    const NormalParts normal = normal_parts(x);
    return g * (normal.cdf + x * normal.bell * static_cast<float>(kInverseRootTwoPi));
  }
};

struct GeluErfBackwardDouble : Plain {
  using Plain::Plain;
  double operator()(double g, double x) const {
    const double cdf = 0.5 * ::erfc(-x * 0.70710678118654752440);
    return g * (cdf + x * ::exp(-0.5 * x * x) * kInverseRootTwoPi);
  }
};

// With s = sigmoid(2u) for (1 + tanh(u)) / 2.
struct GeluTanhBackward : Plain {
  using Plain::Plain;
  template <class V>
  V operator()(V g, V x) const {
    using T = Element<V>;
    const V cube = x * x * T(0.044715);
    const V s = vsigmoid(x * (cube + T(1)) * T(2 * kRootTwoOverPi));
    const V slope = (cube * T(3) + T(1)) * T(2 * kRootTwoOverPi);
    return g * (s + x * s * (T(1) - s) * slope);
  }
};

template <class T>
struct GeluBackward {
  static int run(void* ctx, int n_out, fb_array* const* out, int n_in, const fb_array* const* in,
                 const fb_param* params) {
    fb_kernel kernel = VectorBinary<GeluTanhBackward, 16>::Of<T>::run;
    if (!params[0].i) {
      if constexpr (sizeof(T) == 8)
        kernel = DearBinary<GeluErfBackwardDouble, 32>::Of<T>::run;
      else
        kernel = VectorBinary<GeluErfBackward, 16>::Of<T>::run;
    }
    return kernel(ctx, n_out, out, n_in, in, params);
  }
};

constexpr auto entries = floats<Binary<ReluBackward>::Of>("relu_backward") +
                         floats<Binary<SigmoidBackward>::Of>("sigmoid_backward") +
                         floats<Binary<TanhBackward>::Of>("tanh_backward") +
                         floats<GeluBackward>("gelu_backward") +
                         floats<VectorBinary<SiluBackward, 16>::Of>("silu_backward");

}  // namespace

KernelTable unary_backward_kernels() { return table_of(entries.list); }

}  // namespace flambeau_cpu::FLAMBEAU_ISA
