// The extension module: it hands the backend table to core, and nothing else.
#include <pybind11/pybind11.h>

#include "backend.h"
#include "lapack_library.h"

namespace py = pybind11;

PYBIND11_MODULE(_C, module) {
  module.doc() = "Native CPU kernels of Flambeau.";
  module.attr("backend") =
      py::capsule(static_cast<const void*>(flambeau_cpu::backend()), FB_BACKEND_CAPSULE);
  module.def("instruction_set", &flambeau_cpu::instruction_set,
             "The instruction set of the kernels in use: 'baseline', 'avx2' or 'avx512'.");
  module.def("set_lapack_module", &flambeau_cpu::lapack::set_module_path,
             py::arg("path").none(true),
             "Names the extension module of NumPy whose LAPACK to use; loads nothing.");
}
