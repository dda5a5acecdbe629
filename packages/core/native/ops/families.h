// Every op family, declared once at start.
#pragma once

namespace flambeau {

void declare_families();
// Hands the engine its arithmetic (bindings/autograd.cpp).
void supply_gradient_arithmetic();

}  // namespace flambeau
