#include "ops/generator.h"

#include <pybind11/pybind11.h>

#include <cstring>
#include <random>

#include "base/error.h"
#include "ops/arguments.h"

namespace py = pybind11;

namespace flambeau {
namespace {

constexpr uint64_t seed_of_new_generators = 67280421310721;
constexpr int64_t state_bytes = 16;  // seed, then offset

uint64_t entropy() {
  std::random_device source;
  return uint64_t(source()) << 32 | source();
}

// Any integer of 64 bits; negative ones stand for their two's complement.
uint64_t seed_from(const py::object& o) {
  py::int_ number(o);
  int overflow;
  int64_t v = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
  if (overflow == 0) return uint64_t(v);
  uint64_t u = overflow > 0 ? PyLong_AsUnsignedLongLong(number.ptr()) : 0;
  if (overflow < 0 || PyErr_Occurred()) {
    PyErr_Clear();
    throw py::value_error("manual_seed: the seed needs more than 64 bits");
  }
  return u;
}

py::object get_state(const GeneratorState& g) {
  Ref t = empty({state_bytes}, FB_UINT8, Device{cpu_device(), 0});
  auto bytes = static_cast<char*>(t->arr.data);
  std::memcpy(bytes, &g.seed, sizeof g.seed);
  std::memcpy(bytes + sizeof g.seed, &g.offset, sizeof g.offset);
  return py::reinterpret_steal<py::object>(t.object());
}

void set_state(GeneratorState& g, const py::object& o) {
  if (!is_tensor(o.ptr()) || as_tensor(o.ptr())->dtype() != FB_UINT8 ||
      as_tensor(o.ptr())->device != cpu_device())
    throw py::type_error("set_state: RNG state must be a uint8 tensor on the cpu");
  Tensor* t = as_tensor(o.ptr());
  if (t->numel() != state_bytes || !t->contiguous())
    throw std::runtime_error(
        "set_state: RNG state is wrong size: expected a contiguous tensor of " +
        std::to_string(state_bytes) + " bytes, got shape " + to_string(t->shape()));
  auto bytes = static_cast<const char*>(t->arr.data);
  std::memcpy(&g.seed, bytes, sizeof g.seed);
  std::memcpy(&g.offset, bytes + sizeof g.seed, sizeof g.offset);
}

GeneratorState make_generator(const py::object& device) {
  Device d{cpu_device(), -1};
  if (!device.is_none() && !device_from(device.ptr(), d)) {
    if (PyErr_Occurred()) throw py::error_already_set();
    throw py::type_error("Generator(): argument 'device' must be a device or a string");
  }
  return GeneratorState(seed_of_new_generators, d);
}

py::object device_of(const GeneratorState& g) {
  Device d = g.device.type ? g.device : Device{cpu_device(), -1};
  return py::reinterpret_steal<py::object>(device_object(d));
}

constexpr char class_doc[] = R"(A stream of random numbers with a seed of its own.

Example:

    >>> import flambeau as torch
    >>> a, b = torch.Generator().manual_seed(7), torch.Generator().manual_seed(7)
    >>> torch.equal(torch.rand(3, generator=a), torch.rand(3, generator=b))
    True
)";

}  // namespace

GeneratorState& default_generator() {
  static GeneratorState state(entropy());
  return state;
}

GeneratorState& generator_of(PyObject* o) {
  if (!o || o == Py_None) return default_generator();
  if (!py::isinstance<GeneratorState>(o))
    fail(ErrorKind::Type, "argument 'generator' must be a Generator, not %s", Py_TYPE(o)->tp_name);
  return *py::handle(o).cast<GeneratorState*>();
}

void bind_generator(PyObject* module_object) {
  auto m = py::reinterpret_borrow<py::module_>(module_object);
  py::class_<GeneratorState>(m, "Generator", class_doc)
      .def(py::init(&make_generator), py::arg("device") = py::none())
      .def(
          "manual_seed",
          [](py::object self, const py::object& seed) {
            self.cast<GeneratorState&>().restart(seed_from(seed));
            return self;
          },
          py::arg("seed"), "Restarts the stream from a seed; returns the generator.")
      .def(
          "seed",
          [](GeneratorState& g) {
            g.restart(entropy());
            return g.seed;
          },
          "Restarts the stream from a seed that the system draws, and returns it.")
      .def(
          "initial_seed", [](const GeneratorState& g) { return g.seed; }, "The seed last set.")
      .def("get_state", &get_state, "The state as a uint8 tensor.")
      .def("set_state", &set_state, py::arg("new_state"), "Takes up a state of get_state().")
      .def(
          "clone_state", [](const GeneratorState& g) { return g; },
          "Another generator in the same state.")
      .def(
          "get_offset", [](const GeneratorState& g) { return g.offset; },
          "How many blocks were drawn.")
      .def(
          "set_offset", [](GeneratorState& g, uint64_t offset) { g.offset = offset; },
          py::arg("offset"), "Continues at a block of the stream.")
      .def_property_readonly("device", &device_of, "The device that it serves.")
      .def(py::pickle(
          [](const GeneratorState& g) { return py::make_tuple(device_of(g), g.seed, g.offset); },
          [](const py::tuple& t) {
            GeneratorState g = make_generator(t[0]);
            g.seed = t[1].cast<uint64_t>();
            g.offset = t[2].cast<uint64_t>();
            return g;
          }));

  py::object generator = py::cast(&default_generator(), py::return_value_policy::reference);
  m.attr("default_generator") = generator;
  m.def(
      "manual_seed",
      [generator](const py::object& seed) {
        default_generator().restart(seed_from(seed));
        return generator;
      },
      py::arg("seed"), "Seeds the default generator and returns it.");
  m.def(
      "seed",
      [] {
        default_generator().restart(entropy());
        return default_generator().seed;
      },
      "Seeds the default generator from the system's entropy and returns the seed.");
  m.def("initial_seed", [] { return default_generator().seed; }, "The default generator's seed.");
  m.def(
      "get_rng_state", [] { return get_state(default_generator()); },
      "The default generator's state as a uint8 tensor.");
  m.def(
      "set_rng_state", [](const py::object& state) { set_state(default_generator(), state); },
      py::arg("new_state"), "Sets the default generator's state.");
}

}  // namespace flambeau
