// Philox4x32-10, the counter-based generator of Salmon et al., "Parallel random numbers: as
// easy as 1, 2, 3" (2011). The key is the seed, the counter the block's number: any element
// can be computed alone, so the stream does not depend on the number of threads.
#pragma once

#include <cstdint>

#include "isa.h"

namespace flambeau_cpu::FLAMBEAU_ISA {

static constexpr uint32_t kPhiloxMultiplier[2] = {0xD2511F53u, 0xCD9E8D57u};
static constexpr uint32_t kPhiloxWeyl[2] = {0x9E3779B9u, 0xBB67AE85u};
constexpr int kPhiloxLanes = 16;

// Blocks counter, counter + 1, ..., counter + 15: 64 words, block after block. The rounds
// run side by side in vectors.
static inline void philox_16(uint64_t seed, uint64_t counter, uint32_t* words) {
  uint32_t c0[kPhiloxLanes], c1[kPhiloxLanes], c2[kPhiloxLanes], c3[kPhiloxLanes];
  for (int l = 0; l < kPhiloxLanes; ++l) {
    const uint64_t c = counter + static_cast<uint64_t>(l);
    c0[l] = static_cast<uint32_t>(c);
    c1[l] = static_cast<uint32_t>(c >> 32);
    c2[l] = c3[l] = 0;
  }
  uint32_t k0 = static_cast<uint32_t>(seed), k1 = static_cast<uint32_t>(seed >> 32);
  for (int round = 0; round < 10; ++round) {
    for (int l = 0; l < kPhiloxLanes; ++l) {
      const uint64_t p0 = static_cast<uint64_t>(kPhiloxMultiplier[0]) * c0[l];
      const uint64_t p1 = static_cast<uint64_t>(kPhiloxMultiplier[1]) * c2[l];
      c0[l] = static_cast<uint32_t>(p1 >> 32) ^ c1[l] ^ k0;
      c2[l] = static_cast<uint32_t>(p0 >> 32) ^ c3[l] ^ k1;
      c1[l] = static_cast<uint32_t>(p1);
      c3[l] = static_cast<uint32_t>(p0);
    }
    k0 += kPhiloxWeyl[0];
    k1 += kPhiloxWeyl[1];
  }
  for (int l = 0; l < kPhiloxLanes; ++l) {
    words[4 * l] = c0[l];
    words[4 * l + 1] = c1[l];
    words[4 * l + 2] = c2[l];
    words[4 * l + 3] = c3[l];
  }
}

// The words of `blocks` consecutive blocks, rounded up to a multiple of 16 blocks: `words`
// has room for all of them.
static inline void philox_words(uint64_t seed, uint64_t counter, int64_t blocks, uint32_t* words) {
  for (int64_t b = 0; b < blocks; b += kPhiloxLanes)
    philox_16(seed, counter + static_cast<uint64_t>(b), words + 4 * b);
}

}  // namespace flambeau_cpu::FLAMBEAU_ISA
