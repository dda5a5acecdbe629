// The Python type of tensors: its slots and its constructor.
#include <Python.h>
#include <structmember.h>

#include "bindings/bindings.h"
#include "bindings/tensor_docs.h"
#include "bindings/type_docs.h"
#include "dispatch/promotion.h"
#include "ops/api.h"
#include "ops/construct.h"
#include "ops/interception.h"
#include "ops/operators.h"
#include "ops/scalars.h"

namespace flambeau {
namespace {

// Tensor(2, 3) and Tensor([1, 2]): the constructor of PyTorch's early days.
Ref legacy_tensor(PyObject* args) {
  Py_ssize_t n = PyTuple_GET_SIZE(args);
  Device cpu{cpu_device(), 0};
  if (n == 0) {
    int64_t zero = 0;
    return empty(Ints(&zero, 1), default_dtype(), cpu);
  }
  PyObject* first = PyTuple_GET_ITEM(args, 0);
  if (!PyLong_Check(first)) {
    // A Size is a shape, other sequences are values.
    if (std::strcmp(Py_TYPE(first)->tp_name, "flambeau_core.Size") != 0) {
      if (is_tensor(first) && as_tensor(first)->flags & kSparse)
        fail(ErrorKind::Type, "Tensor(data) takes no sparse tensor: see to_dense()");
      if (is_tensor(first) && transformed(flags_now(first)))
        fail(ErrorKind::Runtime, "Tensor(data) inside vmap or forward mode: use view_as(data)");
      if (is_tensor(first)) return alias(as_tensor(first));
      return tensor_from(first, default_dtype(), cpu);
    }
    args = first;
    n = PyTuple_GET_SIZE(args);
  }
  Dims shape;
  for (Py_ssize_t i = 0; i < n; i++) {
    int64_t v = PyLong_AsLongLong(PyTuple_GET_ITEM(args, i));
    if (v == -1 && PyErr_Occurred()) throw PythonError{};
    shape.push(v);
  }
  return full(shape, 0, default_dtype(), cpu);
}

// Gives a fresh object of a type the contents of another tensor.
PyObject* as_type(PyTypeObject* type, Tensor* source) {
  if (transformed(source->flags & kBatched) && !(interception_of(type) & kBatched))
    fail(ErrorKind::Runtime, "vmap: a tensor that stands for a whole batch cannot become a %s",
         type->tp_name);
  Tensor* t = allocate_tensor(type, source->ndim());
  t->storage = nullptr;
  t->arr.dtype = source->arr.dtype;
  t->device = source->device;
  replace_contents(t, source);
  t->flags |= interception_of(type);
  return reinterpret_cast<PyObject*>(t);
}

PyObject* create(PyTypeObject* type, PyObject* args, PyObject*) {
  return guarded([&]() -> PyObject* {
    Ref t = legacy_tensor(args);
    return type == tensor_type ? t.object() : as_type(type, t);
  });
}

int initialise(PyObject*, PyObject*, PyObject*) { return 0; }

PyObject* from_python(PyObject* self, const char* function) {
  static PyObject* module = nullptr;
  if (!module) module = PyImport_ImportModule("flambeau_core.tensor_methods");
  return module ? PyObject_CallMethod(module, function, "O", self) : nullptr;
}

PyObject* repr(PyObject* self) { return from_python(self, "tensor_repr"); }
PyObject* iterate(PyObject* self) { return from_python(self, "tensor_iter"); }
Py_hash_t hash(PyObject* self) { return _Py_HashPointer(self); }

int truth(PyObject* self) {
  return guarded(
      [&]() -> int {
        Tensor* t = as_tensor(self);
        if (t->numel() == 0)
          fail(ErrorKind::Runtime, "Boolean value of Tensor with no values is ambiguous");
        if (t->numel() != 1)
          fail(ErrorKind::Runtime, "Boolean value of Tensor with more than one value is ambiguous");
        return item(t).truth();
      },
      -1);
}

PyObject* converted(PyObject* self, PyTypeObject* type) {
  PyObject* number = guarded([&]() -> PyObject* {
    if (as_tensor(self)->numel() != 1)
      fail(ErrorKind::Value,
           "only one element tensors can be converted to Python scalars, got shape %s",
           to_string(as_tensor(self)->shape()).c_str());
    return number_from_scalar(as_tensor(self));
  });
  if (!number) return nullptr;
  PyObject* result = PyObject_CallOneArg(reinterpret_cast<PyObject*>(type), number);
  Py_DECREF(number);
  return result;
}
PyObject* to_int(PyObject* self) { return converted(self, &PyLong_Type); }
PyObject* to_float(PyObject* self) { return converted(self, &PyFloat_Type); }
PyObject* to_index(PyObject* self) {
  return guarded([&]() -> PyObject* {
    Tensor* t = as_tensor(self);
    if (t->numel() != 1 || is_differentiable(t->dtype()))
      fail(ErrorKind::Type,
           "only integer tensors of a single element can be converted to an index");
    return boxed_integer(item(t));
  });
}

PyObject* negative(PyObject* x) {
  return guarded([&]() -> PyObject* {
    if (PyObject* shown = show_operator("neg", x)) return shown;
    return object(neg(as_tensor(x)));
  });
}
PyObject* positive(PyObject* x) { return Py_INCREF(x), x; }
PyObject* absolute(PyObject* x) {
  return guarded([&]() -> PyObject* {
    if (PyObject* shown = show_operator("abs", x)) return shown;
    return object(unary("abs", as_tensor(x)));
  });
}
PyObject* invert(PyObject* x) {
  return guarded([&]() -> PyObject* {
    if (PyObject* shown = show_operator("bitwise_not", x)) return shown;
    return object(unary("bitwise_not", as_tensor(x)));
  });
}

// x += y and its like go to the method, which knows about autograd.
template <const char* const& name>
PyObject* inplace(PyObject* x, PyObject* y) {
  static PyObject* method = PyUnicode_InternFromString(name);
  PyObject* args[] = {x, y};
  if (!is_tensor(y)) {
    Slot s;
    bool number = false;
    PyObject* ok = guarded([&]() -> PyObject* { return number = number_from(y, s), Py_None; });
    if (!ok) return nullptr;
    if (!number) Py_RETURN_NOTIMPLEMENTED;
  }
  return PyObject_VectorcallMethod(method, args, 2 | PY_VECTORCALL_ARGUMENTS_OFFSET * 0, nullptr);
}
const char* const name_add = "add_";
const char* const name_sub = "sub_";
const char* const name_mul = "mul_";
const char* const name_div = "div_";
const char* const name_floor_divide = "floor_divide_";
const char* const name_remainder = "remainder_";
const char* const name_pow = "pow_";
const char* const name_and = "bitwise_and_";
const char* const name_or = "bitwise_or_";
const char* const name_xor = "bitwise_xor_";
const char* const name_lshift = "bitwise_left_shift_";
const char* const name_rshift = "bitwise_right_shift_";
PyObject* inplace_power(PyObject* x, PyObject* y, PyObject*) { return inplace<name_pow>(x, y); }

// make_subclass(cls, data, requires_grad): a tensor of another type over data.
PyObject* make_subclass(PyObject*, PyObject* args, PyObject* kwargs) {
  PyObject *type, *data;
  int wanted = 0;
  static const char* names[] = {"cls", "data", "require_grad", nullptr};
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OO|p", const_cast<char**>(names), &type, &data,
                                   &wanted))
    return nullptr;
  return guarded([&]() -> PyObject* {
    if (!PyType_Check(type) ||
        !PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(type), tensor_type) || !is_tensor(data))
      fail(ErrorKind::Type,
           "_make_subclass(cls, data): cls must be a subclass of Tensor and data a Tensor");
    if (wanted && !is_differentiable(as_tensor(data)->dtype()))
      fail(ErrorKind::Runtime,
           "only Tensors of floating point and complex dtype can require gradients");
    PyObject* o = as_type(reinterpret_cast<PyTypeObject*>(type), as_tensor(data));
    if (wanted) as_tensor(o)->flags |= kRequiresGrad;
    return o;
  });
}

// as_subclass(cls): the same tensor, in the graph, as another type.
PyObject* as_subclass(PyObject* self, PyObject* type) {
  return guarded([&]() -> PyObject* {
    if (!PyType_Check(type) ||
        !PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(type), tensor_type))
      fail(ErrorKind::Type, "as_subclass(cls): cls must be a subclass of Tensor");
    PyObject* o = as_type(reinterpret_cast<PyTypeObject*>(type), as_tensor(self));
    if (records(as_tensor(self)))
      record("AliasBackward0", {as_tensor(self)}, as_tensor(o),
             [](Backward& b) { b.set(0, b.grad()); });
    if (transformed(flags_now(self))) share_tangents(self, o);
    return o;
  });
}

PyObject* get_dict(PyObject* self, void*) { return PyObject_GenericGetDict(self, nullptr); }
int set_dict(PyObject* self, PyObject* value, void*) {
  return PyObject_GenericSetDict(self, value, nullptr);
}

PyGetSetDef dict_attribute[] = {{"__dict__", get_dict, set_dict, nullptr, nullptr},
                                {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyMethodDef own_methods[] = {
    {"_make_subclass", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(make_subclass)),
     METH_VARARGS | METH_KEYWORDS | METH_STATIC, nullptr},
    {"as_subclass", as_subclass, METH_O, docs::as_subclass},
    {nullptr, nullptr, 0, nullptr}};
PyMemberDef members[] = {
    {"__dictoffset__", T_PYSSIZET, offsetof(Tensor, dict), READONLY, nullptr},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(Tensor, weakrefs), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr}};

template <class F>
void* slot(F f) {
  return reinterpret_cast<void*>(f);
}

PyType_Slot slots[] = {{Py_tp_new, slot(create)},
                       {Py_tp_init, slot(initialise)},
                       {Py_tp_dealloc, slot(tensor_dealloc)},
                       {Py_tp_traverse, slot(tensor_traverse)},
                       {Py_tp_clear, slot(tensor_clear)},
                       {Py_tp_repr, slot(repr)},
                       {Py_tp_iter, slot(iterate)},
                       {Py_tp_hash, slot(hash)},
                       {Py_tp_richcompare, slot(operators::compare)},
                       {Py_tp_members, members},
                       {Py_tp_getset, dict_attribute},
                       {Py_tp_methods, own_methods},
                       {Py_tp_doc, const_cast<char*>(docs::tensor_class)},
                       {Py_nb_add, slot(operators::add)},
                       {Py_nb_subtract, slot(operators::sub)},
                       {Py_nb_multiply, slot(operators::mul)},
                       {Py_nb_true_divide, slot(operators::div)},
                       {Py_nb_floor_divide, slot(operators::floor_divide)},
                       {Py_nb_remainder, slot(operators::remainder)},
                       {Py_nb_power, slot(operators::power)},
                       {Py_nb_matrix_multiply, slot(operators::matmul)},
                       {Py_nb_and, slot(operators::bit_and)},
                       {Py_nb_or, slot(operators::bit_or)},
                       {Py_nb_xor, slot(operators::bit_xor)},
                       {Py_nb_lshift, slot(operators::lshift)},
                       {Py_nb_rshift, slot(operators::rshift)},
                       {Py_nb_negative, slot(negative)},
                       {Py_nb_positive, slot(positive)},
                       {Py_nb_absolute, slot(absolute)},
                       {Py_nb_invert, slot(invert)},
                       {Py_nb_bool, slot(truth)},
                       {Py_nb_int, slot(to_int)},
                       {Py_nb_float, slot(to_float)},
                       {Py_nb_index, slot(to_index)},
                       {Py_nb_inplace_add, slot(inplace<name_add>)},
                       {Py_nb_inplace_subtract, slot(inplace<name_sub>)},
                       {Py_nb_inplace_multiply, slot(inplace<name_mul>)},
                       {Py_nb_inplace_true_divide, slot(inplace<name_div>)},
                       {Py_nb_inplace_floor_divide, slot(inplace<name_floor_divide>)},
                       {Py_nb_inplace_remainder, slot(inplace<name_remainder>)},
                       {Py_nb_inplace_power, slot(inplace_power)},
                       {Py_nb_inplace_and, slot(inplace<name_and>)},
                       {Py_nb_inplace_or, slot(inplace<name_or>)},
                       {Py_nb_inplace_xor, slot(inplace<name_xor>)},
                       {Py_nb_inplace_lshift, slot(inplace<name_lshift>)},
                       {Py_nb_inplace_rshift, slot(inplace<name_rshift>)},
                       {Py_mp_subscript, slot(operators::get_item)},
                       {Py_mp_ass_subscript, slot(operators::set_item)},
                       {Py_mp_length, slot(operators::length)},
                       {Py_sq_length, slot(operators::length)},
                       {0, nullptr}};

PyType_Spec spec = {"flambeau_core.Tensor", sizeof(Tensor), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, slots};

bool add_attributes(PyTypeObject* type, PyGetSetDef* defs) {
  for (PyGetSetDef* d = defs; d->name; d++) {
    PyObject* o = PyDescr_NewGetSet(type, d);
    if (!o || PyObject_SetAttrString(reinterpret_cast<PyObject*>(type), d->name, o) < 0)
      return false;
    Py_DECREF(o);
  }
  return true;
}

bool add_methods(PyTypeObject* type, PyMethodDef* defs) {
  for (PyMethodDef* d = defs; d->ml_name; d++) {
    PyObject* o = PyDescr_NewMethod(type, d);
    if (!o || PyObject_SetAttrString(reinterpret_cast<PyObject*>(type), d->ml_name, o) < 0)
      return false;
    Py_DECREF(o);
  }
  return true;
}

}  // namespace

bool make_tensor_type(PyObject* module) {
  tensor_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  return tensor_type && add_attributes(tensor_type, tensor_attributes) &&
         add_methods(tensor_type, tensor_methods) &&
         add_methods(tensor_type, tensor_autograd_methods) &&
         PyObject_SetAttrString(module, "Tensor", reinterpret_cast<PyObject*>(tensor_type)) == 0;
}

}  // namespace flambeau
