// Philox4x32-10, the counter-based generator of Salmon et al., "Parallel random numbers: as
// easy as 1, 2, 3" (2011). The key is the seed, the counter the block's number: any element
// can be computed alone, so the stream does not depend on the number of threads.
#pragma once

#include <cstdint>

#include "isa.h"

namespace flambeau_cpu::FLAMBEAU_ISA {

// The four words of block `counter`.
static inline void philox(uint64_t seed, uint64_t counter, uint32_t (&words)[4]) {
  constexpr uint64_t kMultiplier0 = 0xD2511F53u, kMultiplier1 = 0xCD9E8D57u;
  constexpr uint32_t kWeyl0 = 0x9E3779B9u, kWeyl1 = 0xBB67AE85u;
  uint32_t k0 = static_cast<uint32_t>(seed), k1 = static_cast<uint32_t>(seed >> 32);
  uint32_t c0 = static_cast<uint32_t>(counter), c1 = static_cast<uint32_t>(counter >> 32);
  uint32_t c2 = 0, c3 = 0;
  for (int round = 0; round < 10; ++round) {
    const uint64_t p0 = kMultiplier0 * c0, p1 = kMultiplier1 * c2;
    const uint32_t n0 = static_cast<uint32_t>(p1 >> 32) ^ c1 ^ k0;
    const uint32_t n2 = static_cast<uint32_t>(p0 >> 32) ^ c3 ^ k1;
    c1 = static_cast<uint32_t>(p1);
    c3 = static_cast<uint32_t>(p0);
    c0 = n0;
    c2 = n2;
    k0 += kWeyl0;
    k1 += kWeyl1;
  }
  words[0] = c0;
  words[1] = c1;
  words[2] = c2;
  words[3] = c3;
}

}  // namespace flambeau_cpu::FLAMBEAU_ISA
