// The instruction set that this unit is compiled for. CMake defines FLAMBEAU_ISA as
// `baseline`, `avx2` or `avx512`; kernel code lives in the namespace of that name, so that
// the linker can never hand one set's code to another.
#pragma once

#ifndef FLAMBEAU_ISA
#error "compile kernel units with -DFLAMBEAU_ISA=baseline, avx2 or avx512"
#endif

#if defined(__AVX512F__)
#define FLAMBEAU_VECTOR_BYTES 64
#elif defined(__AVX2__)
#define FLAMBEAU_VECTOR_BYTES 32
#else
#define FLAMBEAU_VECTOR_BYTES 16
#endif
