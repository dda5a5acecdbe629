// What other special functions are computed with.
#pragma once

#include "isa.h"

namespace flambeau_cpu::FLAMBEAU_ISA {

double log_gamma(double x);

}  // namespace flambeau_cpu::FLAMBEAU_ISA
