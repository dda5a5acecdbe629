// The kernel families, as lists for the macro X; CMakeLists.txt reads them here too. A family
// `name` defines `KernelTable name_kernels()` in its instruction set's namespace, in the
// file name.cpp.
#pragma once

// Compiled once per instruction set.
#define FLAMBEAU_ISA_FAMILIES(X) \
  X(copy)                        \
  X(fill)                        \
  X(where)                       \
  X(unary)                       \
  X(test)                        \
  X(binary)                      \
  X(compare)                     \
  X(ternary)                     \
  X(unary_backward)              \
  X(reduce)                      \
  X(variance)                    \
  X(arg_reduce)                  \
  X(scan)                        \
  X(random)                      \
  X(dropout)                     \
  X(matmul)                      \
  X(convolution)                 \
  X(softmax)                     \
  X(optimizer)                   \
  X(pool)                        \
  X(cross_entropy)               \
  X(nll_loss)                    \
  X(layer_norm)                  \
  X(batch_norm)                  \
  X(gather)                      \
  X(nonzero)                     \
  X(topk)

// Compiled once, for the baseline.
#define FLAMBEAU_PLAIN_FAMILIES(X) \
  X(integer_division)              \
  X(range)                         \
  X(special)                       \
  X(error_functions)               \
  X(gamma_functions)               \
  X(incomplete_gamma)              \
  X(bessel)                        \
  X(airy)                          \
  X(orthogonal_polynomials)        \
  X(divisors)                      \
  X(reduce_rare)                   \
  X(complex)                       \
  X(complex_reduce)                \
  X(scatter)                       \
  X(index)                         \
  X(sort)                          \
  X(search)

// Compiled once as well; offered only where NumPy's LAPACK was found.
#define FLAMBEAU_LAPACK_FAMILIES(X) \
  X(cholesky)                       \
  X(lu)                             \
  X(triangular_solve)               \
  X(qr)                             \
  X(eigen)                          \
  X(svd)                            \
  X(least_squares)                  \
  X(ldl)
