#include "tensor/graph_node.h"

#include <vector>

namespace flambeau {

void release(GraphNode* n) {
  if (--n->refs > 0) return;
  // Deleting a node releases its neighbours; while one deletion is under way
  // they only join the list, so the stack stays flat.
  static thread_local std::vector<GraphNode*> doomed;
  static thread_local bool draining = false;
  doomed.push_back(n);
  if (draining) return;
  draining = true;
  while (!doomed.empty()) {
    GraphNode* next = doomed.back();
    doomed.pop_back();
    delete next;
  }
  draining = false;
}

}  // namespace flambeau
