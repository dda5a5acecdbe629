#include "onednn_convolution.h"

#ifdef FLAMBEAU_CPU_WITH_ONEDNN

#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <vector>

#include "onednn_library.h"
#include "parallel.h"

namespace flambeau_cpu::onednn {
namespace {

enum class Pass : int64_t { kForward, kBackwardInput, kBackwardWeight };

// What tells one prepared convolution from another. Members are all int64_t: no padding, so
// that keys compare byte by byte.
struct Key {
  ConvolutionShape shape;
  Pass pass;
  int64_t bias, threads;
};

struct Context {
  dnnl_engine_t engine = nullptr;
  dnnl_stream_t stream = nullptr;
  dnnl_primitive_attr_t attr = nullptr;
};

// Descriptions made while a convolution is prepared, destroyed together.
struct Descriptions {
  const Library& dnnl;
  std::vector<dnnl_memory_desc_t> memories;
  std::vector<dnnl_primitive_desc_t> primitives;

  explicit Descriptions(const Library& library) : dnnl(library) {}
  ~Descriptions() {
    for (auto memory : memories) dnnl.memory_desc_destroy(memory);
    for (auto primitive : primitives) dnnl.primitive_desc_destroy(primitive);
  }

  dnnl_memory_desc_t memory(int ndims, const dnnl_dims_t dims, dnnl_format_tag_t tag) {
    dnnl_memory_desc_t made = nullptr;
    dnnl.memory_desc_create_with_tag(&made, ndims, dims, dnnl_f32, tag);
    if (made) memories.push_back(made);
    return made;
  }
};

// One argument: the caller's plain array and, where the primitive wants another layout, a place
// in the shared arena with the reorder between the two.
struct Operand {
  int argument = 0;
  bool output = false;
  dnnl_memory_t plain = nullptr;
  dnnl_memory_t inner = nullptr;
  dnnl_primitive_t reorder = nullptr;
  size_t offset = 0;
};

struct Prepared {
  Key key;
  uint64_t last_used = 0;
  dnnl_primitive_t primitive = nullptr;
  std::vector<Operand> operands;  // as the caller lists its arrays, then the scratchpad
  size_t arena_size = 0;
};

constexpr size_t kCapacity = 128;
constexpr size_t kAlignment = 4096;
constexpr size_t kKeptArena = size_t{256} << 20;

// Prepared convolutions and the memory that they share; one convolution runs at a time.
struct Cache {
  std::mutex mutex;
  Context context;
  bool usable = false;
  uint64_t clock = 0;
  std::vector<std::unique_ptr<Prepared>> entries;
  void* arena = nullptr;
  size_t arena_size = 0;
};

Cache& cache() {
  static Cache* instance = new Cache;  // outlives the threads that may still compute at exit
  return *instance;
}

constexpr dnnl_format_tag_t kPlainTags[] = {dnnl_a,    dnnl_ab,    dnnl_abc,
                                            dnnl_abcd, dnnl_abcde, dnnl_abcdef};

// The sizes as oneDNN takes them.
struct Dims {
  int spatial;
  dnnl_dims_t source, weights, bias, destination;
  dnnl_dims_t strides, dilations, padding, padding_end;
  int weight_ndims;

  explicit Dims(const ConvolutionShape& s) : spatial(static_cast<int>(s.spatial)) {
    const int skipped = kMaxSpatial - spatial;
    int w = 0;
    if (s.groups > 1) weights[w++] = s.groups;
    weights[w++] = s.group_outputs();
    weights[w++] = s.group_inputs();
    source[0] = destination[0] = s.batch;
    source[1] = s.in_channels;
    bias[0] = destination[1] = s.out_channels;
    for (int d = 0; d < spatial; ++d) {
      const int from = skipped + d;
      source[2 + d] = s.input[from];
      destination[2 + d] = s.output[from];
      weights[w++] = s.kernel[from];
      strides[d] = s.stride[from];
      dilations[d] = s.dilation[from] - 1;
      padding[d] = s.padding[from];
      const int64_t reach = (s.kernel[from] - 1) * s.dilation[from] + 1;
      padding_end[d] =
          (s.output[from] - 1) * s.stride[from] + reach - s.input[from] - s.padding[from];
    }
    weight_ndims = w;
  }
};

// Makes the primitive's description with layouts of its own choice for activations and weights.
dnnl_primitive_desc_t describe(Descriptions& made, const Context& context, const Key& key,
                               const Dims& dims) {
  const Library& dnnl = made.dnnl;
  const int ndims = dims.spatial + 2;
  auto source = made.memory(ndims, dims.source, dnnl_format_tag_any);
  auto weights = made.memory(dims.weight_ndims, dims.weights, dnnl_format_tag_any);
  auto bias = key.bias ? made.memory(1, dims.bias, dnnl_a) : nullptr;
  auto destination = made.memory(ndims, dims.destination, dnnl_format_tag_any);
  dnnl_primitive_desc_t forward = nullptr, result = nullptr;
  dnnl.convolution_forward_primitive_desc_create(&forward, context.engine, dnnl_forward_training,
                                                 dnnl_convolution_direct, source, weights, bias,
                                                 destination, dims.strides, dims.dilations,
                                                 dims.padding, dims.padding_end, context.attr);
  if (!forward) return nullptr;
  made.primitives.push_back(forward);
  if (key.pass == Pass::kForward) return forward;
  if (key.pass == Pass::kBackwardInput)
    dnnl.convolution_backward_data_primitive_desc_create(
        &result, context.engine, dnnl_convolution_direct, source, weights, destination,
        dims.strides, dims.dilations, dims.padding, dims.padding_end, forward, context.attr);
  else
    dnnl.convolution_backward_weights_primitive_desc_create(
        &result, context.engine, dnnl_convolution_direct, source, weights, nullptr, destination,
        dims.strides, dims.dilations, dims.padding, dims.padding_end, forward, context.attr);
  if (result) made.primitives.push_back(result);
  return result;
}

size_t round_up(size_t n) { return (n + kAlignment - 1) / kAlignment * kAlignment; }

// Prepares one argument; `wanted` is the layout that the primitive asks for.
bool add_operand(Descriptions& made, const Context& context, Prepared* entry, int argument,
                 bool output, dnnl_memory_desc_t plain, const_dnnl_memory_desc_t wanted) {
  const Library& dnnl = made.dnnl;
  Operand operand;
  operand.argument = argument;
  operand.output = output;
  if (dnnl.memory_create(&operand.plain, plain, context.engine, nullptr) != dnnl_success)
    return false;
  if (!dnnl.memory_desc_equal(plain, wanted)) {
    dnnl_primitive_desc_t reorder = nullptr;
    const_dnnl_memory_desc_t from = output ? wanted : plain, to = output ? plain : wanted;
    if (dnnl.memory_create(&operand.inner, wanted, context.engine, nullptr) != dnnl_success ||
        dnnl.reorder_primitive_desc_create(&reorder, from, context.engine, to, context.engine,
                                           nullptr) != dnnl_success)
      return false;
    made.primitives.push_back(reorder);
    if (dnnl.primitive_create(&operand.reorder, reorder) != dnnl_success) return false;
    operand.offset = entry->arena_size;
    entry->arena_size += round_up(dnnl.memory_desc_get_size(wanted));
  }
  entry->operands.push_back(operand);
  return true;
}

bool add_scratchpad(const Library& dnnl, const Context& context, Prepared* entry,
                    const_dnnl_memory_desc_t wanted) {
  Operand operand;
  operand.argument = DNNL_ARG_SCRATCHPAD;
  if (dnnl.memory_create(&operand.inner, wanted, context.engine, nullptr) != dnnl_success)
    return false;
  operand.offset = entry->arena_size;
  entry->arena_size += round_up(dnnl.memory_desc_get_size(wanted));
  entry->operands.push_back(operand);
  return true;
}

bool add_operands(Descriptions& made, const Context& context, Prepared* entry, const Dims& dims,
                  dnnl_primitive_desc_t primitive) {
  const Library& dnnl = made.dnnl;
  const int ndims = dims.spatial + 2;
  auto source = made.memory(ndims, dims.source, kPlainTags[ndims - 1]);
  auto weights = made.memory(dims.weight_ndims, dims.weights, kPlainTags[dims.weight_ndims - 1]);
  auto destination = made.memory(ndims, dims.destination, kPlainTags[ndims - 1]);
  const auto add = [&](int argument, bool output, dnnl_memory_desc_t plain, dnnl_query_t what) {
    return add_operand(made, context, entry, argument, output, plain,
                       dnnl.primitive_desc_query_md(primitive, what, 0));
  };
  bool good = true;
  if (entry->key.pass == Pass::kForward) {
    good = add(DNNL_ARG_SRC, false, source, dnnl_query_src_md) &&
           add(DNNL_ARG_WEIGHTS, false, weights, dnnl_query_weights_md) &&
           add(DNNL_ARG_DST, true, destination, dnnl_query_dst_md);
    if (good && entry->key.bias) {
      auto bias = made.memory(1, dims.bias, dnnl_a);
      good = add_operand(made, context, entry, DNNL_ARG_BIAS, false, bias, bias);
    }
  } else if (entry->key.pass == Pass::kBackwardInput) {
    good = add(DNNL_ARG_DIFF_DST, false, destination, dnnl_query_diff_dst_md) &&
           add(DNNL_ARG_WEIGHTS, false, weights, dnnl_query_weights_md) &&
           add(DNNL_ARG_DIFF_SRC, true, source, dnnl_query_diff_src_md);
  } else {
    good = add(DNNL_ARG_DIFF_DST, false, destination, dnnl_query_diff_dst_md) &&
           add(DNNL_ARG_SRC, false, source, dnnl_query_src_md) &&
           add(DNNL_ARG_DIFF_WEIGHTS, true, weights, dnnl_query_diff_weights_md);
  }
  return good &&
         add_scratchpad(dnnl, context, entry,
                        dnnl.primitive_desc_query_md(primitive, dnnl_query_scratchpad_md, 0));
}

void destroy(const Library& dnnl, Prepared* entry) {
  if (entry->primitive) dnnl.primitive_destroy(entry->primitive);
  for (Operand& operand : entry->operands) {
    if (operand.reorder) dnnl.primitive_destroy(operand.reorder);
    if (operand.inner) dnnl.memory_destroy(operand.inner);
    if (operand.plain) dnnl.memory_destroy(operand.plain);
  }
}

// An entry whose primitive stays null is a shape that oneDNN refused.
void prepare(const Library& dnnl, const Context& context, Prepared* entry) {
  Descriptions made(dnnl);
  const Dims dims(entry->key.shape);
  dnnl_primitive_desc_t primitive = describe(made, context, entry->key, dims);
  if (!primitive || !add_operands(made, context, entry, dims, primitive)) return;
  dnnl.primitive_create(&entry->primitive, primitive);
}

bool start(const Library& dnnl, Cache& c) {
  if (c.usable) return true;
  c.usable = dnnl.engine_create(&c.context.engine, dnnl_cpu, 0) == dnnl_success &&
             dnnl.stream_create(&c.context.stream, c.context.engine, dnnl_stream_default_flags) ==
                 dnnl_success &&
             dnnl.primitive_attr_create(&c.context.attr) == dnnl_success &&
             dnnl.primitive_attr_set_scratchpad_mode(c.context.attr, dnnl_scratchpad_mode_user) ==
                 dnnl_success;
  return c.usable;
}

Prepared* find_or_prepare(const Library& dnnl, Cache& c, const Key& key) {
  Prepared* oldest = nullptr;
  for (auto& entry : c.entries) {
    if (!std::memcmp(&entry->key, &key, sizeof key)) {
      entry->last_used = ++c.clock;
      return entry.get();
    }
    if (!oldest || entry->last_used < oldest->last_used) oldest = entry.get();
  }
  if (c.entries.size() < kCapacity) {
    c.entries.push_back(std::make_unique<Prepared>());
    oldest = c.entries.back().get();
  } else {
    destroy(dnnl, oldest);
    *oldest = Prepared();
  }
  oldest->key = key;
  oldest->last_used = ++c.clock;
  prepare(dnnl, c.context, oldest);
  return oldest;
}

bool reserve(Cache& c, size_t bytes) {
  if (c.arena_size >= bytes) return true;
  std::free(c.arena);
  c.arena = std::aligned_alloc(kAlignment, round_up(bytes));
  c.arena_size = c.arena ? round_up(bytes) : 0;
  return c.arena != nullptr;
}

// `arrays` are the caller's, in the order of the entry's operands.
bool execute(const Library& dnnl, Cache& c, Prepared& entry, const float* const* arrays) {
  std::vector<dnnl_exec_arg_t> arguments;
  for (size_t i = 0; i < entry.operands.size(); ++i) {
    Operand& operand = entry.operands[i];
    if (operand.plain) dnnl.memory_set_data_handle(operand.plain, const_cast<float*>(arrays[i]));
    if (operand.inner)
      dnnl.memory_set_data_handle(operand.inner, static_cast<char*>(c.arena) + operand.offset);
    if (operand.reorder && !operand.output) {
      const dnnl_exec_arg_t both[] = {{DNNL_ARG_FROM, operand.plain}, {DNNL_ARG_TO, operand.inner}};
      dnnl.primitive_execute(operand.reorder, c.context.stream, 2, both);
    }
    arguments.push_back({operand.argument, operand.inner ? operand.inner : operand.plain});
  }
  if (dnnl.primitive_execute(entry.primitive, c.context.stream, static_cast<int>(arguments.size()),
                             arguments.data()) != dnnl_success)
    return false;
  for (Operand& operand : entry.operands) {
    if (!operand.reorder || !operand.output) continue;
    const dnnl_exec_arg_t both[] = {{DNNL_ARG_FROM, operand.inner}, {DNNL_ARG_TO, operand.plain}};
    dnnl.primitive_execute(operand.reorder, c.context.stream, 2, both);
  }
  return true;
}

bool run(Pass pass, const ConvolutionShape& shape, bool bias, const float* const* arrays) {
  const Library* dnnl = library();
  if (!dnnl) return false;
  Key key{shape, pass, bias, usable_threads()};
  Cache& c = cache();
  std::lock_guard<std::mutex> lock(c.mutex);
  use_threads(static_cast<int>(key.threads));
  if (!start(*dnnl, c)) return false;
  Prepared* entry = find_or_prepare(*dnnl, c, key);
  if (!entry->primitive || !reserve(c, entry->arena_size)) return false;
  const bool done = execute(*dnnl, c, *entry, arrays);
  if (c.arena_size > kKeptArena) {
    std::free(c.arena);
    c.arena = nullptr;
    c.arena_size = 0;
  }
  return done;
}

}  // namespace

bool convolve(const ConvolutionShape& shape, const float* x, const float* weight, const float* bias,
              float* y) {
  const float* const arrays[] = {x, weight, y, bias};
  return run(Pass::kForward, shape, bias != nullptr, arrays);
}

bool convolve_backward_input(const ConvolutionShape& shape, const float* g, const float* weight,
                             float* gx) {
  const float* const arrays[] = {g, weight, gx};
  return run(Pass::kBackwardInput, shape, false, arrays);
}

bool convolve_backward_weight(const ConvolutionShape& shape, const float* g, const float* x,
                              float* gw) {
  const float* const arrays[] = {g, x, gw};
  return run(Pass::kBackwardWeight, shape, false, arrays);
}

}  // namespace flambeau_cpu::onednn

#else

namespace flambeau_cpu::onednn {

bool convolve(const ConvolutionShape&, const float*, const float*, const float*, float*) {
  return false;
}
bool convolve_backward_input(const ConvolutionShape&, const float*, const float*, float*) {
  return false;
}
bool convolve_backward_weight(const ConvolutionShape&, const float*, const float*, float*) {
  return false;
}

}  // namespace flambeau_cpu::onednn

#endif
