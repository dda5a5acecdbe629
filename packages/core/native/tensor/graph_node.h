// The part of an autograd node that a tensor knows: its count, and a release
// that never recurses, however long the graph.
#pragma once

#include <Python.h>

#include <cstdint>

namespace flambeau {

struct GraphNode {
  int32_t refs = 1;
  virtual ~GraphNode() = default;
  // Shows the Python objects that the node keeps to the cyclic collector.
  virtual int traverse(visitproc, void*) const { return 0; }
};

inline void retain(GraphNode* n) { n->refs++; }
// Frees the node, and all that only it kept alive, iteratively.
void release(GraphNode* n);

}  // namespace flambeau
