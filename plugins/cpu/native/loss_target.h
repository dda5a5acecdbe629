// What the losses over class indices share: the targets, their weights and the reduction.
#pragma once

#include "element.h"
#include "error.h"

namespace flambeau_cpu::FLAMBEAU_ISA {

enum Reduction : int64_t { kNone = 0, kMean = 1, kSum = 2 };

struct ClassTargets {
  const int64_t* data;
  int64_t stride, count, classes, ignore_index;
  const fb_array* weight;  // by class, or null

  ClassTargets(const fb_array* target, const fb_array* weight, int64_t classes, int64_t ignore)
      : data(static_cast<const int64_t*>(target->data)),
        stride(target->ndim ? target->strides[0] : 1),
        count(target->numel),
        classes(classes),
        ignore_index(ignore),
        weight(weight) {}

  int64_t at(int64_t i) const { return data[i * stride]; }
  bool ignored(int64_t i) const { return at(i) == ignore_index; }
  double weight_of(int64_t c) const { return weight ? read_value(weight, c) : 1.0; }

  int check() const {
    for (int64_t i = 0; i < count; ++i)
      if (!ignored(i) && (at(i) < 0 || at(i) >= classes))
        return fail(FB_INDEX_ERROR, "Target %lld is out of bounds for %lld classes.",
                    static_cast<long long>(at(i)), static_cast<long long>(classes));
    return FB_OK;
  }

  double total_weight() const {
    double total = 0;
    for (int64_t i = 0; i < count; ++i)
      if (!ignored(i)) total += weight_of(at(i));
    return total;
  }
};

// Sums the losses of all rows in order, whatever the number of threads.
static inline double reduce_losses(const double* losses, int64_t n, int64_t reduction,
                                   double total_weight) {
  double sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += losses[i];
  return reduction == kMean ? sum / total_weight : sum;
}

// The factor of row i's gradient.
static inline double row_gradient(const fb_array* g, int64_t i, int64_t reduction,
                                  double total_weight) {
  const double value = read_value(g, reduction == kNone ? i : 0);
  return reduction == kMean ? value / total_weight : value;
}

}  // namespace flambeau_cpu::FLAMBEAU_ISA
