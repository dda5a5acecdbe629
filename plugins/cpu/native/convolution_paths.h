// The plugin's own ways to convolve; convolution.cpp chooses between them and oneDNN.
#pragma once

#include "convolution_shape.h"
#include "isa.h"

namespace flambeau_cpu::FLAMBEAU_ISA {

// Shifted views of a padded copy of the input, no unfolding: stride 1, few channels.
bool direct_usable(const ConvolutionShape& shape);
bool direct_backward_weight_usable(const ConvolutionShape& shape);
template <typename T>
void direct_forward(const ConvolutionShape& s, const T* x, const T* weight, const T* bias, T* y);
template <typename T>
void direct_backward_input(const ConvolutionShape& s, const T* g, const T* weight, T* gx);
template <typename T>
void direct_backward_weight(const ConvolutionShape& s, const T* g, const T* x, T* gw);

// The input unfolded into columns, then a matrix product: any shape.
template <typename T>
void columns_forward(const ConvolutionShape& s, const T* x, const T* weight, const T* bias, T* y);
template <typename T>
void columns_backward_input(const ConvolutionShape& s, const T* g, const T* weight, T* gx);
template <typename T>
void columns_backward_weight(const ConvolutionShape& s, const T* g, const T* x, T* gw);

}  // namespace flambeau_cpu::FLAMBEAU_ISA
