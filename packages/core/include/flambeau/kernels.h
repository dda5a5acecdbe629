/* The kernels that a backend may supply: the one list that core, the plugins,
 * the reference backend, the conformance kit and the documentation read.
 *
 * level:   'r' required: device memory cannot work without it
 *          'p' primitive: a backend with all of these needs no fallback
 *          'c' composed: core has a composition; the kernel is speed only
 * params:  one letter a position, i integer, f floating, l list of integers,
 *          each followed by its name: "i:dim f:eps l:stride"
 * cost:    work per element of the largest array, in cheap operations
 *
 * Unless a row says otherwise: inputs are already broadcast to the output's
 * shape (stride 0), inputs have one dtype, outputs do not overlap inputs except
 * that an elementwise output may be exactly one of its inputs. Reductions: the
 * output has as many dimensions as the input, those reduced have size 1. */
#ifndef FLAMBEAU_KERNELS_H
#define FLAMBEAU_KERNELS_H

typedef struct fb_kernel_row {
  const char* id;
  const char* family;
  char level;
  short cost;
  const char* params;
  const char* note;
} fb_kernel_row;

#ifdef __cplusplus
inline constexpr
#else
static const
#endif
    fb_kernel_row fb_kernel_rows[] = {
        /* -- moving values */
        {"copy", "copy", 'r', 1, "",
         "out[..] = in[..]; the two dtypes may differ (casts as C does; nonzero is true)"},
        {"fill", "fill", 'r', 1, "", "in[0]: host scalar of the output's dtype"},
        {"arange", "range", 'p', 1, "f:start f:step i:istart i:istep",
         "1-D; the integer pair serves integer dtypes"},
        {"linspace", "range", 'p', 1, "f:start f:end", "1-D; symmetric from both ends"},
        {"where", "where", 'p', 1, "", "in: bool condition, a, b"},
        /* -- unary: same dtype in and out */
        {"neg", "unary", 'p', 1, "", ""},
        {"abs", "unary", 'p', 1, "", "complex in: real out"},
        {"sign", "unary", 'p', 1, "", ""},
        {"square", "unary", 'p', 1, "", ""},
        {"reciprocal", "unary", 'p', 2, "", ""},
        {"sqrt", "unary", 'p', 2, "", ""},
        {"rsqrt", "unary", 'p', 2, "", ""},
        {"exp", "unary", 'p', 6, "", ""},
        {"exp2", "unary", 'p', 6, "", ""},
        {"expm1", "unary", 'p', 8, "", ""},
        {"log", "unary", 'p', 6, "", ""},
        {"log2", "unary", 'p', 6, "", ""},
        {"log10", "unary", 'p', 6, "", ""},
        {"log1p", "unary", 'p', 8, "", ""},
        {"sin", "unary", 'p', 8, "", ""},
        {"cos", "unary", 'p', 8, "", ""},
        {"tan", "unary", 'p', 16, "", ""},
        {"asin", "unary", 'p', 16, "", ""},
        {"acos", "unary", 'p', 16, "", ""},
        {"atan", "unary", 'p', 16, "", ""},
        {"sinh", "unary", 'p', 16, "", ""},
        {"cosh", "unary", 'p', 16, "", ""},
        {"tanh", "unary", 'p', 8, "", ""},
        {"asinh", "unary", 'p', 16, "", ""},
        {"acosh", "unary", 'p', 16, "", ""},
        {"atanh", "unary", 'p', 16, "", ""},
        {"erf", "unary", 'p', 8, "", ""},
        {"erfc", "unary", 'p', 16, "", ""},
        {"erfinv", "unary", 'p', 16, "", ""},
        {"lgamma", "unary", 'p', 32, "", ""},
        {"digamma", "unary", 'p', 32, "", ""},
        {"entr", "unary", 'p', 8, "", "-x log x; 0 at 0, -inf below"},
        {"erfcx", "unary", 'p', 32, "", "exp(x^2) erfc(x)"},
        {"ndtri", "unary", 'p', 64, "", "quantile of the standard normal distribution"},
        {"i0", "unary", 'p', 64, "", "modified Bessel function of the first kind, order 0"},
        {"i0e", "unary", 'p', 64, "", "i0 exp(-|x|)"},
        {"i1", "unary", 'p', 64, "", ""},
        {"i1e", "unary", 'p', 64, "", "i1 exp(-|x|)"},
        {"scaled_modified_bessel_k0", "unary", 'p', 128, "", "K0(x) exp(x); NaN below 0"},
        {"scaled_modified_bessel_k1", "unary", 'p', 128, "", "K1(x) exp(x); NaN below 0"},
        {"bessel_j0", "unary", 'p', 64, "", ""},
        {"bessel_j1", "unary", 'p', 64, "", ""},
        {"bessel_y0", "unary", 'p', 64, "", "-inf at 0, NaN below"},
        {"bessel_y1", "unary", 'p', 64, "", "-inf at 0, NaN below"},
        {"airy_ai", "unary", 'p', 128, "", ""},
        {"floor", "unary", 'p', 1, "", ""},
        {"ceil", "unary", 'p', 1, "", ""},
        {"trunc", "unary", 'p', 1, "", ""},
        {"round", "unary", 'p', 1, "", "halves to even"},
        {"bitwise_not", "unary", 'p', 1, "", "bool: logical not"},
        {"conj_physical", "unary", 'p', 1, "", "complex only"},
        {"sigmoid", "unary", 'c', 8, "", ""},
        {"relu", "unary", 'c', 1, "", "NaN stays NaN"},
        {"silu", "unary", 'c', 8, "", ""},
        {"gelu", "unary", 'c', 8, "i:tanh", "tanh: 0 exact (erf), 1 the tanh approximation"},
        {"softplus", "unary", 'c', 12, "f:beta f:threshold", ""},
        {"leaky_relu", "unary", 'c', 1, "f:negative_slope", ""},
        {"elu", "unary", 'c', 8, "f:alpha f:scale f:input_scale", ""},
        /* -- unary tests: any dtype in, bool out */
        {"logical_not", "test", 'p', 1, "", ""},
        {"isnan", "test", 'p', 1, "", ""},
        {"isinf", "test", 'p', 1, "", ""},
        {"isfinite", "test", 'p', 1, "", ""},
        {"signbit", "test", 'p', 1, "", ""},
        /* -- complex parts */
        {"angle", "unary", 'p', 8, "", "complex in: real out"},
        /* -- binary: same dtype in and out */
        {"add", "binary", 'p', 1, "", "bool: logical or"},
        {"sub", "binary", 'p', 1, "", ""},
        {"mul", "binary", 'p', 1, "", "bool: logical and"},
        {"div", "binary", 'p', 2, "", "floating and complex"},
        {"div_trunc", "binary", 'p', 2, "",
         "rounded towards zero; integers: division by zero is FB_ERROR \"ZeroDivisionError\""},
        {"div_floor", "binary", 'p', 4, "", "rounded down (Python's //)"},
        {"remainder", "binary", 'p', 4, "", "sign of the divisor (Python's %)"},
        {"fmod", "binary", 'p', 4, "", "sign of the dividend (C's fmod)"},
        {"pow", "binary", 'p', 16, "", ""},
        {"maximum", "binary", 'p', 1, "", "NaN wins"},
        {"minimum", "binary", 'p', 1, "", "NaN wins"},
        {"fmax", "binary", 'p', 1, "", "NaN loses"},
        {"fmin", "binary", 'p', 1, "", "NaN loses"},
        {"atan2", "binary", 'p', 16, "", ""},
        {"hypot", "binary", 'p', 4, "", ""},
        {"copysign", "binary", 'p', 1, "", ""},
        {"nextafter", "binary", 'p', 2, "", ""},
        {"logaddexp", "binary", 'p', 16, "", ""},
        {"xlogy", "binary", 'p', 8, "", "0 where the first is 0 and the second not NaN"},
        {"xlog1py", "binary", 'p', 8, "", "a log(1 + b); 0 where a is 0 and b not NaN"},
        {"igamma", "binary", 'p', 128, "", "in: a, x: regularised lower incomplete gamma function"},
        {"igammac", "binary", 'p', 128, "", "1 - igamma"},
        {"zeta", "binary", 'p', 64, "", "in: s, q: Hurwitz zeta function"},
        {"chebyshev_polynomial_t", "binary", 'p', 32, "",
         "in: x, degree n (its whole part; 0 below 0; above 10^6 NaN), as for all polynomials"},
        {"chebyshev_polynomial_u", "binary", 'p', 32, "", ""},
        {"chebyshev_polynomial_v", "binary", 'p', 32, "", ""},
        {"chebyshev_polynomial_w", "binary", 'p', 32, "", ""},
        {"hermite_polynomial_h", "binary", 'p', 32, "", "physicists'"},
        {"hermite_polynomial_he", "binary", 'p', 32, "", "probabilists'"},
        {"laguerre_polynomial_l", "binary", 'p', 32, "", ""},
        {"legendre_polynomial_p", "binary", 'p', 32, "", ""},
        {"gcd", "binary", 'p', 32, "", "integers; not negative"},
        {"lcm", "binary", 'p', 32, "", "integers; not negative; 0 where one is"},
        {"bitwise_and", "binary", 'p', 1, "", "integers and bool"},
        {"bitwise_or", "binary", 'p', 1, "", ""},
        {"bitwise_xor", "binary", 'p', 1, "", ""},
        {"lshift", "binary", 'p', 1, "", "integers"},
        {"rshift", "binary", 'p', 1, "", "integers, arithmetic"},
        /* -- comparisons: bool out */
        {"eq", "compare", 'p', 1, "", ""},
        {"ne", "compare", 'p', 1, "", ""},
        {"lt", "compare", 'p', 1, "", ""},
        {"le", "compare", 'p', 1, "", ""},
        {"gt", "compare", 'p', 1, "", ""},
        {"ge", "compare", 'p', 1, "", ""},
        {"logical_and", "compare", 'p', 1, "", ""},
        {"logical_or", "compare", 'p', 1, "", ""},
        {"logical_xor", "compare", 'p', 1, "", ""},
        /* -- three inputs */
        {"add_scaled", "ternary", 'c', 1, "", "a + b * c; c is usually a host scalar"},
        {"addcmul", "ternary", 'c', 1, "", "in: a, b, c, value: a + value * b * c"},
        {"addcdiv", "ternary", 'c', 2, "", "in: a, b, c, value: a + value * (b / c)"},
        {"lerp", "ternary", 'c', 1, "", "in: a, b, w: a + w * (b - a), from the nearer end"},
        {"clamp", "ternary", 'p', 1, "", "in: x, lo or NULL, hi or NULL; NaN stays NaN"},
        /* -- gradients of elementwise ops, in: gradient, saved */
        {"relu_backward", "unary_backward", 'c', 1, "", "in: g, output: g but 0 where output <= 0"},
        {"sigmoid_backward", "unary_backward", 'c', 2, "", "in: g, output"},
        {"tanh_backward", "unary_backward", 'c', 2, "", "in: g, output"},
        {"gelu_backward", "unary_backward", 'c', 16, "i:tanh", "in: g, input"},
        {"silu_backward", "unary_backward", 'c', 16, "", "in: g, input"},
        /* -- reductions */
        {"sum", "reduce", 'p', 1, "", "integers and bool: int64 out; complex too"},
        {"prod", "reduce", 'p', 1, "", "integers and bool: int64 out"},
        {"mean", "reduce", 'c', 1, "", "floating and complex"},
        {"amax", "reduce", 'p', 1, "", "NaN wins"},
        {"amin", "reduce", 'p', 1, "", "NaN wins"},
        {"any", "reduce", 'p', 1, "", "any dtype in, bool out"},
        {"all", "reduce", 'p', 1, "", "any dtype in, bool out"},
        {"var", "reduce", 'c', 3, "f:correction", "floating; divides by max(n - correction, 0)"},
        {"argmax", "arg_reduce", 'p', 2, "i:dim", "int64 out; first of equals; NaN wins"},
        {"argmin", "arg_reduce", 'p', 2, "i:dim", "int64 out; first of equals; NaN wins"},
        {"max_dim", "arg_reduce", 'c', 2, "i:dim",
         "out: values, int64 indices; first of equals; NaN wins"},
        {"min_dim", "arg_reduce", 'c', 2, "i:dim",
         "out: values, int64 indices; first of equals; NaN wins"},
        /* -- scans and order */
        {"cumsum", "scan", 'p', 2, "i:dim", ""},
        {"cumprod", "scan", 'p', 2, "i:dim", ""},
        {"cummax", "scan", 'p', 2, "i:dim", "out: values, int64 indices; last of equals; NaN wins"},
        {"cummin", "scan", 'p', 2, "i:dim", "out: values, int64 indices; last of equals; NaN wins"},
        {"sort", "sort", 'p', 40, "i:dim i:descending",
         "out: values, int64 indices; stable; NaN is largest"},
        {"topk", "sort", 'c', 10, "i:k i:dim i:largest",
         "out: values, int64 indices, sorted; NaN is largest"},
        {"searchsorted", "search", 'p', 20, "i:right",
         "in: sorted [.., n], values [.., m] (or 1-D sorted); int64 out"},
        {"bincount", "search", 'c', 4, "", "in: 1-D int64, weights or NULL; out preset to 0"},
        /* -- indexing: index arrays are int64 */
        {"gather", "gather", 'p', 2, "i:dim", "in: x, index; out[..] = x[.. index ..] along dim"},
        {"scatter", "scatter", 'p', 2, "i:dim i:mode",
         "in: index, src (src's shape covers index's); out holds self already; mode 0 set 1 add 2 "
         "mul 3 amax 4 amin"},
        {"index_select", "gather", 'p', 2, "i:dim",
         "in: x, 1-D index (negative counts from the end)"},
        {"index_add", "scatter", 'p', 2, "i:dim", "in: 1-D index, src; out holds self already"},
        {"index", "gather", 'p', 2, "",
         "in: x, k indices of one shape I; out[I.., R..] = x[i0, .., ik-1, R..]; negative counts "
         "from the end"},
        {"index_put", "scatter", 'p', 2, "i:accumulate",
         "in: value [I.., R..], k indices; out holds self already"},
        {"count_nonzero", "nonzero", 'p', 1, "", "0-D int64 out"},
        {"nonzero", "nonzero", 'p', 2, "", "out: int64 [count, ndim], row-major order"},
        /* -- products */
        {"matmul", "matmul", 'p', 0, "",
         "[B, m, k] x [B, k, n] -> [B, m, n], any strides; contiguous out"},
        {"linear", "matmul", 'c', 0, "",
         "in: x [M, K], weight [N, K], bias [N] or NULL; out [M, N]"},
        /* -- linear algebra: float32, float64 and complex; batches in front; strided views in,
           contiguous out; info is int32, 0 where all is well */
        {"cholesky", "linalg", 'p', 64, "",
         "out: lower L [.., n, n], info [..]; in: A, whose lower triangle is read; info k: the "
         "leading minor of order k is not positive definite"},
        {"lu_factor", "linalg", 'p', 64, "i:pivot",
         "out: LU [.., m, n], int32 pivots [.., min(m, n)] counted from 1, info [..]; in: A; info "
         "k: U[k, k] is 0"},
        {"ldl_factor", "linalg", 'p', 64, "i:hermitian",
         "out: LD [.., n, n], int32 pivots [.., n] as LAPACK's sytrf 'L', info [..]; in: A, whose "
         "lower triangle is read"},
        {"ldl_solve", "linalg", 'p', 64, "i:hermitian", "out: X [.., n, k]; in: LD, pivots, B"},
        {"triangular_solve", "linalg", 'p', 64, "i:upper i:unitriangular",
         "out: X [.., n, k]; in: A [.., n, n], B; only the one triangle is read"},
        {"solve", "linalg", 'p', 64, "",
         "out: X [.., n, k], info [..]; in: A [.., n, n], B; info k: U[k, k] of the LU "
         "factorisation is 0"},
        {"slogdet", "linalg", 'p', 64, "", "out: sign [..], real logabsdet [..]; in: A [.., n, n]"},
        {"eigh", "linalg", 'p', 64, "i:upper",
         "out: real w [.., n] ascending, V [.., n, n] or NULL, info [..] 1: no convergence; in: A, "
         "one triangle of which is read"},
        {"eig", "linalg", 'p', 64, "",
         "out: complex w [.., n], complex V [.., n, n] or NULL, info"},
        {"svd", "linalg", 'p', 64, "i:full_matrices",
         "out: U [.., m, k] or NULL, real S [.., min(m, n)] descending, Vh [.., k, n] or NULL, "
         "info"},
        {"qr", "linalg", 'p', 64, "i:complete", "out: Q [.., m, k] or NULL, R [.., k, n]"},
        {"geqrf", "linalg", 'p', 64, "",
         "out: a [.., m, n] with R and below it the Householder vectors, tau [.., min(m, n)]"},
        {"lstsq", "linalg", 'p', 64, "f:rcond",
         "out: X [.., n, k] of least norm, int64 rank [..], real singular values [.., min(m, n)]; "
         "in: A [.., m, n], B [.., m, k]; singular values up to rcond times the largest count as "
         "0"},
        /* -- Fourier transforms along dims, the last of which is halved on the complex side of a
           real transform; exp(-i ..) forward; the result is multiplied by scale */
        {"fft_c2c", "fft", 'p', 40, "l:dims i:forward f:scale", "complex in and out, one shape"},
        {"fft_r2c", "fft", 'p', 40, "l:dims f:scale", "forward; out: n / 2 + 1 along the last dim"},
        {"fft_c2r", "fft", 'p', 40, "l:dims f:scale",
         "backward; in: n / 2 + 1 along the last dim, n that of out"},
        /* -- random numbers: Philox4x32-10, key = seed, counter = offset + block */
        {"random_bits", "random", 'p', 8, "i:seed i:offset",
         "int64 out: element e is words 2(e%2), 2(e%2)+1 of block e/2 as low and high half, top "
         "bit cleared"},
        {"uniform", "random", 'p', 8, "f:low f:high i:seed i:offset",
         "float32 (and narrower): element e is word e%4 of block e/4, (w >> 8) * 2^-24 (float16 w "
         ">> 21, 2^-11; "
         "bfloat16 w >> 24, 2^-8); float64: (random_bits >> 10) * 2^-53; then low + u * (high - "
         "low)"},
        {"normal", "random", 'p', 16, "f:mean f:std i:seed i:offset",
         "Box-Muller; float32 and narrower: elements 2j, 2j+1 from words w0 = 2(j%2), w1 = w0 + 1 "
         "of block j/2: "
         "r = sqrt(-2 log((w0 + 1) 2^-32)), t = 2 pi w1 2^-32, r cos t and r sin t, in float64; "
         "float64: the same from "
         "random_bits a = 2j, b = 2j+1: u = ((a >> 10) + 1) 2^-53, t = 2 pi (b >> 10) 2^-53"},
        {"dropout", "random", 'c', 8, "f:p i:seed i:offset",
         "out: y, bool mask; in: x; mask = uniform float32 >= p, y = x * mask / (1 - p)"},
        /* -- neural networks */
        {"softmax", "softmax", 'c', 10, "i:dim", ""},
        {"softmax_backward", "softmax", 'c', 3, "i:dim", "in: g, output"},
        {"log_softmax", "softmax", 'c', 10, "i:dim", ""},
        {"log_softmax_backward", "softmax", 'c', 10, "i:dim", "in: g, output"},
        {"layer_norm", "norm", 'c', 4, "f:eps",
         "out: y [M, N], mean [M], rstd [M]; in: x [M, N], weight [N] or NULL, bias [N] or NULL"},
        {"layer_norm_backward", "norm", 'c', 6, "",
         "out: gx, gw or NULL, gb or NULL; in: g [M, N], x, mean, rstd, weight or NULL"},
        {"batch_norm", "norm", 'c', 4, "i:training f:momentum f:eps",
         "out: y [N, C, L], mean [C], rstd [C], running_mean [C] or NULL, running_var [C] or NULL "
         "(updated in training, "
         "read otherwise); in: x, weight or NULL, bias or NULL"},
        {"batch_norm_backward", "norm", 'c', 6, "i:training",
         "out: gx or NULL, gw or NULL, gb or NULL; in: g [N, C, L], x, mean, rstd, weight or NULL"},
        {"convolution", "convolution", 'c', 0, "l:stride l:padding l:dilation i:groups",
         "in: x [N, C, ..], weight [O, C/groups, ..], bias [O] or NULL; one to three spatial "
         "dimensions; contiguous"},
        {"convolution_backward_input", "convolution", 'c', 0,
         "l:stride l:padding l:dilation i:groups", "out: gx; in: g, weight"},
        {"convolution_backward_weight", "convolution", 'c', 0,
         "l:stride l:padding l:dilation i:groups", "out: gw; in: g, x"},
        {"max_pool2d", "pool", 'c', 8, "l:kernel l:stride l:padding l:dilation",
         "out: y [N, C, h, w], int64 index into the input plane; in: x [N, C, H, W]; contiguous; "
         "first of equals; NaN wins"},
        {"max_pool2d_backward", "pool", 'c', 4, "", "out: gx [N, C, H, W]; in: g, index"},
        {"avg_pool2d", "pool", 'c', 6, "l:kernel l:stride l:padding i:count_include_pad i:divisor",
         "divisor 0: the window's size"},
        {"avg_pool2d_backward", "pool", 'c', 6,
         "l:kernel l:stride l:padding i:count_include_pad i:divisor", "out: gx; in: g"},
        {"adaptive_avg_pool2d", "pool", 'c', 4, "",
         "in: x [N, C, H, W]; out [N, C, h, w]; contiguous"},
        {"adaptive_avg_pool2d_backward", "pool", 'c', 4, "", "out: gx; in: g"},
        {"cross_entropy", "loss", 'c', 12, "i:reduction i:ignore_index f:label_smoothing",
         "out: loss ([N], or 0-D for reduction 1 mean, 2 sum), logsumexp [N], total_weight 0-D; "
         "in: x [N, C], int64 "
         "target [N], weight [C] or NULL; a target out of range is FB_INDEX_ERROR"},
        {"cross_entropy_backward", "loss", 'c', 12, "i:reduction i:ignore_index f:label_smoothing",
         "out: gx [N, C]; in: g, x, logsumexp, target, weight or NULL, total_weight"},
        {"nll_loss", "loss", 'c', 2, "i:reduction i:ignore_index",
         "out: loss, total_weight 0-D; in: log-probabilities [N, C], target [N], weight or NULL"},
        {"nll_loss_backward", "loss", 'c', 2, "i:reduction i:ignore_index",
         "out: gx [N, C]; in: g, target, weight or NULL, total_weight"},
        /* -- optimizer steps, in place on the outputs */
        {"sgd_step", "optimizer", 'c', 2,
         "f:lr f:momentum f:dampening f:weight_decay i:nesterov i:maximize i:first",
         "out: parameter, momentum buffer or NULL; in: gradient"},
        {"adam_step", "optimizer", 'c', 6,
         "f:lr f:beta1 f:beta2 f:eps f:weight_decay f:correction1 f:correction2 i:decoupled "
         "i:maximize",
         "out: parameter, exp_avg, exp_avg_sq, max_exp_avg_sq or NULL; in: gradient; correction = "
         "1 - beta^t"},
};

#endif
