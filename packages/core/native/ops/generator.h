// The state of a counter-based random number generator (Philox): a key and the
// next block. Every backend draws the same stream from it.
#pragma once

#include <Python.h>

#include <cstdint>

#include "dispatch/backend.h"

namespace flambeau {

struct GeneratorState {
  uint64_t seed;
  uint64_t offset = 0;
  Device device;

  explicit GeneratorState(uint64_t seed, Device device = {}) : seed(seed), device(device) {}

  // The first of `blocks` blocks that nobody else will get.
  uint64_t reserve(uint64_t blocks) {
    uint64_t first = offset;
    offset += blocks;
    return first;
  }
  void restart(uint64_t new_seed) {
    seed = new_seed;
    offset = 0;
  }
};

// Seeded from the system's entropy until somebody seeds it.
GeneratorState& default_generator();
// The state of a Python Generator, or the default one for nullptr and None.
GeneratorState& generator_of(PyObject* o);

// Puts the class Generator and the functions on the default one into a module.
void bind_generator(PyObject* module);

}  // namespace flambeau
