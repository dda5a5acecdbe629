// Copying between layouts without looking at the values.
#pragma once

#include "flambeau/backend.h"
#include "isa.h"

namespace flambeau_cpu::FLAMBEAU_ISA {

// out[..] = in[..] for two arrays of one dtype.
void move_array(const fb_array* out, const fb_array* in);

}  // namespace flambeau_cpu::FLAMBEAU_ISA
