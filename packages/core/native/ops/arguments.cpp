#include "ops/arguments.h"

#include <cstring>

#include "autograd/python.h"
#include "base/error.h"
#include "ops/interception.h"
#include "ops/scalars.h"

namespace flambeau {
namespace {

const char* kind_word(Kind k) {
  switch (k) {
    case Kind::Tensor:
      return "Tensor";
    case Kind::Tensors:
      return "tuple of Tensors";
    case Kind::Operand:
      return "Tensor or Number";
    case Kind::Scalar:
      return "Number";
    case Kind::Int:
      return "int";
    case Kind::Ints:
      return "tuple of ints";
    case Kind::Float:
      return "float";
    case Kind::Bool:
      return "bool";
    case Kind::Str:
      return "str";
    case Kind::DType:
      return "flambeau.dtype";
    case Kind::Device:
      return "flambeau.device";
    case Kind::Generator:
      return "flambeau.Generator";
    default:
      return "object";
  }
}

// An object with __index__ as an integer; false where it has none.
bool integer_from(PyObject* o, int64_t& v) {
  PyObject* index = PyFloat_Check(o) ? nullptr : PyNumber_Index(o);
  if (!index) return PyErr_Clear(), false;
  int overflow;
  v = PyLong_AsLongLongAndOverflow(index, &overflow);
  Py_DECREF(index);
  if (overflow)
    fail(ErrorKind::Runtime, "Overflow when unpacking an integer that needs more than 64 bits");
  return true;
}

// Of an argument of any kind: the flags of a tensor, or of those in a sequence (of indices).
uint32_t flags_inside(PyObject* o) {
  if (is_tensor(o)) return as_tensor(o)->flags & kIntercepted;
  if (!PyTuple_Check(o) && !PyList_Check(o)) return 0;
  uint32_t seen = 0;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(o); i++) {
    PyObject* item = PySequence_Fast_GET_ITEM(o, i);
    if (is_tensor(item)) seen |= as_tensor(item)->flags & kIntercepted;
  }
  return seen;
}

// The list that an int[] argument stands for; false where it is none.
bool ints_from(PyObject* o, Slot& s, Args& a) {
  s.tag = Slot::Ints_;
  if (PyLong_Check(o) || (!PySequence_Check(o) && PyIndex_Check(o))) {
    int64_t* room = a.room(1);
    if (!integer_from(o, room[0])) return false;
    s.list = room;
    s.count = 1;
    return true;
  }
  if (!PyTuple_Check(o) && !PyList_Check(o)) {
    if (!PySequence_Check(o) || PyUnicode_Check(o) || is_tensor(o)) return false;
    PyObject* fast = PySequence_Tuple(o);
    if (!fast) return PyErr_Clear(), false;
    a.keep(fast);
    o = fast;
  }
  Py_ssize_t n = PySequence_Fast_GET_SIZE(o);
  int64_t* room = a.room(int(n));
  for (Py_ssize_t i = 0; i < n; i++) {
    if (i >= PySequence_Fast_GET_SIZE(o)) return false;
    PyObject* item = PySequence_Fast_GET_ITEM(o, i);
    // An element's own __index__ may change the list under us.
    if (!PyLong_Check(item)) a.keep(Py_NewRef(item));
    if (!integer_from(item, room[i])) return false;
  }
  s.list = room;
  s.count = int32_t(n);
  return true;
}

// A number, or a tensor's one element; not of a tensor whose gradient would be lost.
bool number_or_element(PyObject* o, Slot& s) {
  if (number_from(o, s)) return true;
  if (!is_tensor(o) || as_tensor(o)->numel() != 1 || requires_grad(as_tensor(o))) return false;
  check_readable(as_tensor(o));
  Scalar v = item(as_tensor(o));
  s.tag = Slot::Number;
  s.category = v.category;
  s.i = v.i;
  s.f = v.category <= Category::Integer ? double(v.i) : v.f;
  s.imag = v.imag;
  return true;
}

bool read(const Param& p, PyObject* o, Slot& s, Args& a) {
  if (o == Py_None && p.kind != Kind::Any) {
    s.tag = Slot::None;
    return p.optional;
  }
  switch (p.kind) {
    case Kind::Tensor:
      if (!is_tensor(o)) return false;
      s.tag = Slot::Tensor_;
      s.tensor = as_tensor(o);
      a.seen |= s.tensor->flags & kIntercepted;
      return true;
    case Kind::Operand:
      if (is_tensor(o)) {
        s.tag = Slot::Tensor_;
        s.tensor = as_tensor(o);
        a.seen |= s.tensor->flags & kIntercepted;
        return true;
      }
      return number_from(o, s);
    case Kind::Tensors: {
      if (!PyTuple_Check(o) && !PyList_Check(o)) return false;
      // A list may lose its tensors to another thread or a hook while the op runs.
      if (PyList_Check(o)) {
        o = checked(PyList_AsTuple(o));
        a.keep(o);
      }
      PyObject** items = PySequence_Fast_ITEMS(o);
      for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(o); i++) {
        if (!is_tensor(items[i])) return false;
        a.seen |= as_tensor(items[i])->flags & kIntercepted;
      }
      s.tag = Slot::Object;
      s.object = o;
      return true;
    }
    case Kind::Scalar:
      return number_or_element(o, s);
    case Kind::Int:
      return (PyLong_Check(o) || PyIndex_Check(o) || is_tensor(o)) && number_or_element(o, s) &&
             s.category <= Category::Integer;
    case Kind::Ints:
      return ints_from(o, s, a);
    case Kind::Float:
      return number_or_element(o, s) && s.category < Category::Complex;
    case Kind::Bool:
      // An int is none: x.var(0) asks for a dimension, not for `unbiased`.
      return !PyLong_CheckExact(o) && number_from(o, s) && s.category == Category::Bool;
    case Kind::Str:
      if (!PyUnicode_Check(o)) return false;
      s.tag = Slot::Str_;
      s.text = PyUnicode_AsUTF8(o);
      return s.text != nullptr;
    case Kind::DType:
      if (Py_TYPE(o) != dtype_type) {
        // Python's own types stand for the default ones.
        int d = o == reinterpret_cast<PyObject*>(&PyFloat_Type)  ? FB_FLOAT64
                : o == reinterpret_cast<PyObject*>(&PyLong_Type) ? FB_INT64
                : o == reinterpret_cast<PyObject*>(&PyBool_Type) ? FB_BOOL
                                                                 : -1;
        if (d < 0) return false;
        s.i = d;
      } else {
        s.i = dtype_of(o);
      }
      s.tag = Slot::DType_;
      return true;
    case Kind::Device: {
      Device d;
      if (PyLong_Check(o) || (!PyUnicode_Check(o) && Py_TYPE(o) != device_type)) return false;
      if (!device_from(o, d)) return false;
      s.tag = Slot::Device_;
      s.device = d.type;
      s.f = d.index;
      return true;
    }
    default:
      s.tag = Slot::Object;
      s.object = o;
      a.seen |= flags_inside(o);
      return true;
  }
}

void use_default(const Param& p, Slot& s) {
  s = p.fallback;
  if (s.tag == Slot::Ints_) {
    s.list = p.fallback_list.data();
    s.count = int32_t(p.fallback_list.size());
  } else if (s.tag == Slot::Str_) {
    s.text = p.fallback_text.c_str();
  }
}

// PyTorch's second names of common parameters.
bool is_other_name(const std::string& name, const char* given) {
  if (name == "self") return !std::strcmp(given, "input");
  if (name == "dim") return !std::strcmp(given, "axis");
  if (name == "keepdim") return !std::strcmp(given, "keepdims");
  if (name == "other") return !std::strcmp(given, "x2");
  return false;
}

int param_named(const Schema& schema, PyObject* key) {
  for (size_t i = 0; i < schema.params.size(); i++)
    if (schema.params[i].interned == key) return int(i);
  const char* given = PyUnicode_AsUTF8(key);
  for (size_t i = 0; i < schema.params.size(); i++)
    if (schema.params[i].name == given || is_other_name(schema.params[i].name, given))
      return int(i);
  return -1;
}

// Keywords that mean nothing here are accepted for compatibility.
bool is_ignored_keyword(PyObject* key) {
  const char* k = PyUnicode_AsUTF8(key);
  for (const char* name : {"layout", "pin_memory", "non_blocking", "async_error"})
    if (!std::strcmp(k, name)) return true;
  return false;
}

void explain(std::string* why, const Schema& schema, int i, PyObject* given) {
  if (!why) return;
  const Param& p = schema.params[size_t(i)];
  *why = schema.name + "(): argument '" + (p.name == "self" ? "input" : p.name) + "' (position " +
         std::to_string(i + 1) + ") must be " + kind_word(p.kind) + ", not " +
         (given == Py_None ? "NoneType" : Py_TYPE(given)->tp_name);
}

// The integers of a varargs call, where they are plain ones.
bool plain_integers(PyObject* const* args, Py_ssize_t n, Slot& s, Args& a) {
  int64_t* room = a.room(int(n));
  for (Py_ssize_t i = 0; i < n; i++) {
    if (!PyLong_CheckExact(args[i])) return false;
    int overflow;
    room[i] = PyLong_AsLongLongAndOverflow(args[i], &overflow);
    if (overflow) return false;
  }
  s.tag = Slot::Ints_;
  s.list = room;
  s.count = int32_t(n);
  return true;
}

}  // namespace

bool parse_call(const Schema& schema, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames,
                Args& a, std::string* why) {
  const int n = int(schema.params.size());
  a.schema = &schema;
  a.n = n;
  Py_ssize_t taken = nargs;
  const int last = schema.n_positional - 1;
  PyObject* packed = nullptr;
  bool gathered = false;
  if (nargs > 0 && last >= 0 && nargs - 1 >= last && schema.params[size_t(last)].varargs &&
      (nargs - 1 > last || PyLong_Check(args[last]))) {
    // x.view(2, 3): the integers from here on are one list.
    gathered = plain_integers(args + last, nargs - last, a.slot[last], a);
    if (!gathered) {
      packed = PyTuple_New(nargs - last);
      for (Py_ssize_t i = last; i < nargs; i++) {
        Py_INCREF(args[i]);
        PyTuple_SET_ITEM(packed, i - last, args[i]);
      }
      a.keep(packed);
    }
    taken = last + 1;
  }
  if (taken > schema.n_positional) {
    if (why)
      *why = schema.name + "() takes " + std::to_string(schema.n_positional) +
             " positional arguments but " + std::to_string(nargs) + " were given";
    return false;
  }
  for (int i = 0; i < taken; i++) {
    if (gathered && i == last) continue;
    PyObject* o = packed && i == last ? packed : args[i];
    if (!read(schema.params[size_t(i)], o, a.slot[i], a)) {
      if (PyErr_Occurred()) throw PythonError{};
      explain(why, schema, i, o);
      return false;
    }
  }
  uint32_t seen = 0;
  if (kwnames) {
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(kwnames); k++) {
      PyObject *key = PyTuple_GET_ITEM(kwnames, k), *value = args[nargs + k];
      int i = param_named(schema, key);
      if (i < 0) {
        if (schema.takes_out && !PyUnicode_CompareWithASCIIString(key, "out")) {
          a.out = value == Py_None ? nullptr : value;
          a.seen |= flags_inside(value);
          continue;
        }
        if (!PyUnicode_CompareWithASCIIString(key, "memory_format")) {
          a.format = value == Py_None ? nullptr : value;
          continue;
        }
        if (is_ignored_keyword(key)) continue;
        if (why)
          *why =
              schema.name + "() got an unexpected keyword argument '" + PyUnicode_AsUTF8(key) + "'";
        return false;
      }
      if (i < taken) {
        if (why)
          *why =
              schema.name + "() got multiple values for argument '" + PyUnicode_AsUTF8(key) + "'";
        return false;
      }
      if (!read(schema.params[size_t(i)], value, a.slot[i], a)) {
        if (PyErr_Occurred()) throw PythonError{};
        explain(why, schema, i, value);
        return false;
      }
      seen |= 1u << i;
    }
  }
  for (int i = int(taken); i < n; i++) {
    if (seen >> i & 1) continue;
    const Param& p = schema.params[size_t(i)];
    if (!p.has_default && !p.optional) {
      if (why)
        *why = schema.name + "() missing 1 required positional argument: \"" +
               (p.name == "self" ? "input" : p.name) + "\"";
      return false;
    }
    use_default(p, a.slot[i]);
  }
  return true;
}

void parse_boxed(const Schema& schema, PyObject* const* args, Py_ssize_t n, Args& a) {
  if (n != Py_ssize_t(schema.params.size()))
    fail(ErrorKind::Type, "%s takes %zu arguments, got %zd", schema.name.c_str(),
         schema.params.size(), n);
  a.schema = &schema;
  a.n = int(n);
  std::string why;
  for (int i = 0; i < a.n; i++)
    if (!read(schema.params[size_t(i)], args[i], a.slot[i], a)) {
      if (PyErr_Occurred()) throw PythonError{};
      explain(&why, schema, i, args[i]);
      throw Error(ErrorKind::Type, why);
    }
}

bool number_from(PyObject* o, Slot& s) {
  s.tag = Slot::Number;
  s.imag = 0;
  if (PyFloat_Check(o)) {
    s.category = Category::Floating;
    s.f = PyFloat_AS_DOUBLE(o);
    s.i = s.f > -9e18 && s.f < 9e18 ? int64_t(s.f) : 0;
    return true;
  }
  if (PyBool_Check(o)) {
    s.category = Category::Bool;
    s.i = o == Py_True;
    s.f = double(s.i);
    return true;
  }
  if (PyLong_Check(o)) {
    int overflow;
    s.category = Category::Integer;
    s.i = PyLong_AsLongLongAndOverflow(o, &overflow);
    if (overflow)
      fail(ErrorKind::Runtime, "Overflow when unpacking an integer that needs more than 64 bits");
    s.f = double(s.i);
    return true;
  }
  if (PyComplex_Check(o)) {
    s.category = Category::Complex;
    s.f = PyComplex_RealAsDouble(o);
    s.imag = PyComplex_ImagAsDouble(o);
    s.i = s.f > -9e18 && s.f < 9e18 ? int64_t(s.f) : 0;
    return true;
  }
  // NumPy's scalars and their like, but no arrays and no tensors.
  if (is_tensor(o) || !PyNumber_Check(o) || PySequence_Check(o)) return false;
  PyObject* plain = PyIndex_Check(o) ? PyNumber_Index(o) : PyNumber_Float(o);
  if (!plain) return PyErr_Clear(), false;
  bool ok = number_from(plain, s);
  if (ok && PyObject_HasAttrString(o, "dtype") &&
      !std::strncmp(Py_TYPE(o)->tp_name, "numpy.bool", 10))
    s.category = Category::Bool;
  Py_DECREF(plain);
  return ok;
}

PyObject* box(const Slot& s) {
  switch (s.tag) {
    case Slot::Tensor_:
      return Py_INCREF(s.tensor), reinterpret_cast<PyObject*>(s.tensor);
    case Slot::Number:
      switch (s.category) {
        case Category::Bool:
          return PyBool_FromLong(long(s.i));
        case Category::Integer:
          return PyLong_FromLongLong(s.i);
        case Category::Floating:
          return PyFloat_FromDouble(s.f);
        default:
          return PyComplex_FromDoubles(s.f, s.imag);
      }
    case Slot::Ints_: {
      PyObject* t = PyTuple_New(s.count);
      for (int i = 0; i < s.count; i++) PyTuple_SET_ITEM(t, i, PyLong_FromLongLong(s.list[i]));
      return t;
    }
    case Slot::Str_:
      return PyUnicode_FromString(s.text);
    case Slot::DType_:
      return dtype_object(int(s.i));
    case Slot::Device_:
      return device_object(Device{s.device, int(s.f)});
    case Slot::Object:
      return Py_INCREF(s.object), s.object;
    default:
      Py_RETURN_NONE;
  }
}

Args::~Args() {
  for (PyObject* o : kept_) Py_DECREF(o);
}

Scalar Args::scalar(int i) const { return number_of(slot[i]); }

Scalar number_of(const Slot& s) {
  switch (s.category) {
    case Category::Bool:
      return Scalar(s.i != 0);
    case Category::Integer:
      return Scalar(s.i);
    case Category::Floating:
      return Scalar(s.f);
    default:
      return Scalar(std::complex<double>(s.f, s.imag));
  }
}

std::vector<Tensor*> Args::tensors(int i) const {
  std::vector<Tensor*> out;
  if (!given(i)) return out;
  PyObject* o = slot[i].object;
  for (Py_ssize_t k = 0; k < PySequence_Fast_GET_SIZE(o); k++)
    out.push_back(as_tensor(PySequence_Fast_GET_ITEM(o, k)));
  return out;
}

bool memory_format_from(PyObject* o, MemoryFormat& f) {
  // The formats are named in Python, in layout.py.
  PyObject* repr = checked(PyObject_Repr(o));
  std::string name = PyUnicode_AsUTF8(repr);
  Py_DECREF(repr);
  if (name == "flambeau.contiguous_format") return f = MemoryFormat::Contiguous, true;
  if (name == "flambeau.preserve_format") return f = MemoryFormat::Preserve, true;
  if (name == "flambeau.channels_last") return f = MemoryFormat::ChannelsLast, true;
  if (name == "flambeau.channels_last_3d") return f = MemoryFormat::ChannelsLast3d, true;
  return false;
}

MemoryFormat Args::memory_format(MemoryFormat otherwise) const {
  MemoryFormat f = otherwise;
  if (format && !memory_format_from(format, f))
    fail(ErrorKind::Type, "%s(): argument 'memory_format' must be flambeau.memory_format, not %s",
         schema->name.c_str(), Py_TYPE(format)->tp_name);
  return f;
}

int64_t* Args::room(int n) {
  if (used_ + n <= int(sizeof inline_room_ / sizeof inline_room_[0])) {
    used_ += n;
    return inline_room_ + used_ - n;
  }
  more_room_.emplace_back(size_t(n));
  return more_room_.back().data();
}

void Args::set_ints(int i, Ints values) {
  int64_t* r = room(values.n);
  if (values.n) std::memcpy(r, values.p, size_t(values.n) * sizeof(int64_t));
  slot[i].tag = Slot::Ints_;
  slot[i].list = r;
  slot[i].count = values.n;
}

}  // namespace flambeau
