// The arguments of one call, read by the op's schema.
#pragma once

#include "ops/schema.h"
#include "tensor/memory_format.h"

namespace flambeau {

struct Op;

// The arguments of one call, in schema order.
class Args {
 public:
  Args() = default;
  Args(const Args&) = delete;
  ~Args();

  const Op* op = nullptr;
  const Schema* schema = nullptr;
  const void* row = nullptr;      // the op family's own row
  Tensor* destination = nullptr;  // where the result is wanted: self of an in-place call, or out=
  PyObject* out = nullptr;        // out= as given, borrowed
  PyObject* format = nullptr;     // memory_format= as given, borrowed
  uint32_t seen = 0;              // the flags of the tensors read, those of kIntercepted
  Slot slot[max_params];
  int n = 0;

  // (Slots are set by parse_call; clearing them here would cost as much as an op.)
  bool given(int i) const { return slot[i].tag != Slot::None; }
  Tensor* tensor(int i) const { return slot[i].tag == Slot::Tensor_ ? slot[i].tensor : nullptr; }
  int64_t integer(int i) const { return slot[i].i; }
  double real(int i) const { return slot[i].f; }
  bool flag(int i) const { return slot[i].i != 0; }
  const char* text(int i) const { return slot[i].text; }
  PyObject* object(int i) const { return slot[i].object; }
  Ints ints(int i) const { return {slot[i].list, slot[i].count}; }
  Scalar scalar(int i) const;
  DType dtype(int i, DType otherwise) const { return given(i) ? DType(slot[i].i) : otherwise; }
  Device device(int i) const {
    return given(i) ? Device{slot[i].device, int(slot[i].f)} : Device{};
  }
  std::vector<Tensor*> tensors(int i) const;
  // The memory format asked for; TypeError where it is none.
  MemoryFormat memory_format(MemoryFormat otherwise) const;

  // Room for a list that lives as long as the call.
  int64_t* room(int n);
  void set_ints(int i, Ints values);
  void set_tensor(int i, Tensor* t) {
    slot[i].tag = t ? Slot::Tensor_ : Slot::None;
    slot[i].tensor = t;
  }
  // Keeps an object alive until the call ends.
  void keep(PyObject* owned) { kept_.push_back(owned); }

 private:
  int64_t inline_room_[24];
  int used_ = 0;
  std::vector<std::vector<int64_t>> more_room_;
  std::vector<PyObject*> kept_;
};

// Reads a call's arguments. False where they do not fit this schema; `why`
// then says so in words, if given. Throws PythonError where reading raised.
bool parse_call(const Schema& schema, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames,
                Args& into, std::string* why);

// Reads arguments that box() made, one a parameter; throws where they do not fit.
void parse_boxed(const Schema& schema, PyObject* const* args, Py_ssize_t n, Args& into);

// A Python object as a number; false where it is none.
bool number_from(PyObject* o, Slot& slot);
Scalar number_of(const Slot& slot);  // of a Number
// A parsed argument as a Python object again (a new reference).
PyObject* box(const Slot& slot);

// Types that live in other files, by their Python types.
extern PyTypeObject* dtype_type;
extern PyTypeObject* device_type;
// A member of flambeau.memory_format; false where it is none.
bool memory_format_from(PyObject* o, MemoryFormat& f);
DType dtype_of(PyObject* o);
PyObject* dtype_object(int d);
bool device_from(PyObject* o, Device& d);  // a device object, or a string: RuntimeError
PyObject* device_object(Device d);

}  // namespace flambeau
