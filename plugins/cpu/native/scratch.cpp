#include "scratch.h"

#include <cstdlib>

namespace flambeau_cpu {
namespace {

struct Block {
  void* data = nullptr;
  size_t size = 0;
  ~Block() { std::free(data); }
};

}  // namespace

void* scratch_bytes(size_t bytes, ScratchSlot slot) {
  static thread_local Block blocks[kScratchSlots];
  Block& block = blocks[slot];
  if (block.size < bytes) {
    std::free(block.data);
    block.size = (bytes + bytes / 4 + 4095) / 4096 * 4096;
    block.data = std::aligned_alloc(4096, block.size);
    if (!block.data) std::abort();
  }
  return block.data;
}

}  // namespace flambeau_cpu
