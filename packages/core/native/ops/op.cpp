#include "ops/op.h"

#include <Python.h>
#include <structmember.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <map>
#include <string_view>

#include "ops/destination.h"
#include "ops/interception.h"
#include "ops/primitive.h"

namespace flambeau {

PyTypeObject* op_type = nullptr;

namespace {

struct Declared {
  Op* op;
  uint32_t flags;
};

std::map<std::string, Declared>& registry() {
  static auto* r = new std::map<std::string, Declared>;
  return *r;
}

std::map<std::string, PyObject*>& compositions() {
  static auto* c = new std::map<std::string, PyObject*>;
  return *c;
}

// ---- the call --------------------------------------------------------------------

PyObject* run_as_it_is(const Op* op, const Overload& o, Args& a) {
  if (op->inplace) return run_inplace(o, a);
  if (__builtin_expect(a.out != nullptr, 0)) return run_out(o, a);
  return o.impl(a);
}

PyObject* run(const Op* op, const Overload& o, Args& a) {
  a.op = op;
  a.row = o.row;
  if (__builtin_expect(attention & kAutocast && op->autocast != Autocast::None, 0)) {
    apply_autocast(op->autocast, a);
    // What wants full precision keeps it in all its parts.
    AttentionGuard whole(0, op->autocast == Autocast::Full ? kAutocast : 0);
    return run_as_it_is(op, o, a);
  }
  return run_as_it_is(op, o, a);
}

// A schema as users read it: with the out= that is added to all of them alike.
std::string shown(const Op* op, const Schema& schema) {
  if (op->inplace || !schema.takes_out) return schema.text;
  std::string text = schema.text;
  bool has_star = text.find(" *,") != std::string::npos;
  return text.insert(text.rfind(')'), has_star ? ", any out=None" : ", *, any out=None");
}

std::string describe_call(const Op* op, PyObject* const* args, Py_ssize_t nargs,
                          PyObject* kwnames) {
  std::string s = std::string(op->name) + "() received an invalid combination of arguments - got (";
  for (Py_ssize_t i = 0; i < nargs; i++)
    s += (i ? ", " : "") + std::string(Py_TYPE(args[i])->tp_name);
  for (Py_ssize_t k = 0; kwnames && k < PyTuple_GET_SIZE(kwnames); k++)
    s += (nargs + k ? ", " : "") + std::string(PyUnicode_AsUTF8(PyTuple_GET_ITEM(kwnames, k))) +
         "=" + Py_TYPE(args[nargs + k])->tp_name;
  s += "), but expected one of:";
  for (const Overload& o : *op->overloads) s += "\n * " + shown(op, o.schema);
  return s;
}

bool mentions(std::string_view text, std::string_view word) {
  auto in_word = [&](size_t i) { return i < text.size() && (isalnum(text[i]) || text[i] == '_'); };
  for (size_t i = text.find(word); i != text.npos; i = text.find(word, i + 1))
    if (!(i > 0 && in_word(i - 1)) && !in_word(i + word.size())) return true;
  return false;
}

// What refuses a dimension, a size or an index tells its input's shape too.
std::string shape_note(const Error& error, const Args& a) {
  const Tensor* t = a.n ? a.tensor(0) : nullptr;
  std::string_view text = error.what();
  bool concerned = error.kind() == ErrorKind::Index || mentions(text, "shape") ||
                   mentions(text, "size") || mentions(text, "dimension");
  if (!t || !concerned) return "";
  std::string shape = to_string(t->shape());
  return text.find(shape) == text.npos ? " (input of shape " + shape + ")" : "";
}

// Rules that serve many ops do not know whose arguments they refuse, so the name is added here.
PyObject* run_named(const Op* op, const Overload& o, Args& a) {
  try {
    return run(op, o, a);
  } catch (const Error& error) {
    std::string note = shape_note(error, a);
    bool named = mentions(error.what(), o.schema.name) || mentions(error.what(), op->name);
    if (named && note.empty()) throw;
    throw Error(error.kind(), (named ? "" : std::string(op->name) + ": ") + error.what() + note);
  }
}

// Arguments that are no tensors may still say what ops do with them, those in lists too.
bool has_override(PyObject* o, int depth) {
  if (is_tensor(o)) return false;
  if (PyTuple_Check(o) || PyList_Check(o)) {
    if (depth == 0) return false;  // lists may hold themselves
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(o); i++)
      if (has_override(PySequence_Fast_GET_ITEM(o, i), depth - 1)) return true;
    return false;
  }
  auto type = reinterpret_cast<PyObject*>(Py_TYPE(o));
  return PyObject_HasAttrString(type, "__flambeau_function__") ||
         PyObject_HasAttrString(type, "__torch_function__");
}

PyObject* op_call(PyObject* self, PyObject* const* args, size_t nargsf, PyObject* kwnames) {
  auto op = reinterpret_cast<const Op*>(self);
  Py_ssize_t nargs = PyVectorcall_NARGS(nargsf);
  return guarded([&]() -> PyObject* {
    const auto& overloads = *op->overloads;
    const bool alone = overloads.size() == 1;
    std::string why;
    for (size_t i = 0; i < overloads.size(); i++) {
      const Overload& o = overloads[i];
      Args a;
      if (!parse_call(o.schema, args, nargs, kwnames, a, alone ? &why : nullptr)) continue;
      if (__builtin_expect((a.seen | attention) != 0, 0)) {
        // An operator method is its op by another name.
        const Op* shown = op->is_operator && !op->inplace ? find_op(o.schema.name) : op;
        if (overridden(a.seen))
          return call_overrides(reinterpret_cast<PyObject*>(const_cast<Op*>(shown)), args, nargs,
                                kwnames);
        if (transformed(flags_now(a)) || (op->asks_transforms && attention & kTransforms))
          return call_transforms(shown, i, a);
      }
      return run_named(op, o, a);
    }
    const Py_ssize_t given = nargs + (kwnames ? PyTuple_GET_SIZE(kwnames) : 0);
    if (std::any_of(args, args + given, [](PyObject* o) { return has_override(o, 2); }))
      return call_overrides(self, args, nargs, kwnames);
    if (op->is_operator) Py_RETURN_NOTIMPLEMENTED;
    throw Error(ErrorKind::Type, alone ? why : describe_call(op, args, nargs, kwnames));
  });
}

// _run(overload, args, out): one overload on arguments in the order of its schema,
// past everybody who would like to see the call; the transforms' way down.
PyObject* op_run(PyObject* self, PyObject* const* args, Py_ssize_t n) {
  auto op = reinterpret_cast<const Op*>(self);
  return guarded([&]() -> PyObject* {
    if (n != 3 || !PyTuple_Check(args[1])) fail(ErrorKind::Type, "_run(overload, args, out)");
    size_t i = PyLong_AsSize_t(args[0]);
    if (i >= op->overloads->size()) fail(ErrorKind::Index, "%s has no such overload", op->name);
    const Overload& o = (*op->overloads)[i];
    Args a;
    AttentionGuard past(kTransformsOff | kOverridesOff, kFunctionModes);
    parse_boxed(o.schema, PySequence_Fast_ITEMS(args[1]), PyTuple_GET_SIZE(args[1]), a);
    a.out = args[2] == Py_None ? nullptr : args[2];
    return run_named(op, o, a);
  });
}

// A Python op's implementation: hand the parsed arguments to the overload's function.
PyObject* run_python_op(Args& a) {
  return call_boxed(static_cast<PyObject*>(const_cast<void*>(a.row)), a);
}

// ---- the Python type ------------------------------------------------------------------

PyObject* op_repr(PyObject* self) {
  return PyUnicode_FromFormat("<built-in function %s>", reinterpret_cast<Op*>(self)->name);
}

PyObject* op_get(PyObject* self, PyObject* instance, PyObject*) {
  if (!instance || instance == Py_None) return Py_INCREF(self), self;
  return PyMethod_New(self, instance);
}

PyObject* op_name(PyObject* self, void*) {
  return PyUnicode_FromString(reinterpret_cast<Op*>(self)->name);
}

// Documentation and signature are put together in Python, once somebody asks for them.
PyObject* described(PyObject* self, const char* function) {
  PyObject* module = PyImport_ImportModule("flambeau_core.op_documentation");
  if (!module) return nullptr;
  PyObject* result = PyObject_CallMethod(module, function, "O", self);
  Py_DECREF(module);
  return result;
}
PyObject* op_doc(PyObject* self, void*) { return described(self, "docstring"); }
PyObject* op_signature(PyObject* self, void*) { return described(self, "signature"); }
PyObject* op_definition(PyObject* self, void*) {
  PyObject* function = reinterpret_cast<Op*>(self)->documented;
  return Py_NewRef(function ? function : Py_None);
}

PyObject* op_schemas(PyObject* self, void*) {
  auto op = reinterpret_cast<Op*>(self);
  PyObject* t = PyTuple_New(Py_ssize_t(op->overloads->size()));
  for (size_t i = 0; i < op->overloads->size(); i++)
    PyTuple_SET_ITEM(t, Py_ssize_t(i),
                     PyUnicode_FromString(shown(op, (*op->overloads)[i].schema).c_str()));
  return t;
}

// Native ops and Python ones with a gradient of their own; composed ops are not.
PyObject* op_is_primitive(PyObject* self, void*) {
  const auto& overloads = *reinterpret_cast<Op*>(self)->overloads;
  for (const Overload& o : overloads)
    if (o.impl == run_python_op) Py_RETURN_FALSE;
  Py_RETURN_TRUE;
}

PyObject* op_gradient(PyObject* self, PyObject* function) {
  auto op = reinterpret_cast<Op*>(self);
  return guarded([&]() -> PyObject* {
    for (auto o = op->overloads->rbegin(); o != op->overloads->rend(); ++o)
      if (o->impl == run_primitive) {
        set_gradient(static_cast<const Primitive*>(o->row), function);
        return Py_NewRef(function);
      }
    fail(ErrorKind::Type, "%s is not a primitive declared in Python: it has a gradient already",
         op->name);
  });
}

// By name in flambeau_core; ops of other modules by a look-up that knows those.
PyObject* op_reduce(PyObject* self, PyObject*) {
  const char* name = reinterpret_cast<Op*>(self)->name;
  PyObject* core = PyImport_ImportModule("flambeau_core");
  PyObject* there = core ? PyObject_GetAttrString(core, name) : nullptr;
  if (!there) PyErr_Clear();
  Py_XDECREF(core);
  Py_XDECREF(there);
  if (there == self) return op_name(self, nullptr);
  PyObject* declare = PyImport_ImportModule("flambeau_core.declare");
  PyObject* named = declare ? PyObject_GetAttrString(declare, "op_named") : nullptr;
  Py_XDECREF(declare);
  return named ? Py_BuildValue("N(s)", named, name) : nullptr;
}

PyObject* op_inplace(PyObject* self, void*) {
  return PyBool_FromLong(reinterpret_cast<Op*>(self)->inplace);
}
PyObject* op_elementwise(PyObject* self, void*) {
  return PyBool_FromLong(reinterpret_cast<Op*>(self)->elementwise);
}
PyObject* op_functional(PyObject* self, void*) {
  auto op = reinterpret_cast<Op*>(self);
  if (!op->inplace) return Py_NewRef(self);
  Op* functional = find_op(std::string(op->name, std::strlen(op->name) - 1));
  return Py_NewRef(functional ? reinterpret_cast<PyObject*>(functional) : Py_None);
}
PyObject* op_get_asks(PyObject* self, void*) {
  return PyBool_FromLong(reinterpret_cast<Op*>(self)->asks_transforms);
}
PyObject* op_composition(PyObject* self, void*) {
  PyObject* definition = reinterpret_cast<Op*>(self)->composition;
  return Py_NewRef(definition ? definition : Py_None);
}
int op_set_asks(PyObject* self, PyObject* value, void*) {
  int v = value ? PyObject_IsTrue(value) : -1;
  if (v >= 0) reinterpret_cast<Op*>(self)->asks_transforms = v;
  return v < 0 ? -1 : 0;
}

PyGetSetDef op_getset[] = {
    {"inplace", op_inplace, nullptr, "Whether it writes into its first argument.", nullptr},
    {"composition", op_composition, nullptr, "Its definition in Python, or None.", nullptr},
    {"elementwise", op_elementwise, nullptr,
     "Whether each element of the result depends on the like-placed ones alone.", nullptr},
    {"functional", op_functional, nullptr,
     "The op of which this is the in-place form; itself otherwise.", nullptr},
    {"asks_transforms", op_get_asks, op_set_asks, "Whether active transforms are shown every call.",
     nullptr},
    {"__name__", op_name, nullptr, nullptr, nullptr},
    {"__qualname__", op_name, nullptr, nullptr, nullptr},
    {"__doc__", op_doc, nullptr, nullptr, nullptr},
    {"__signature__", op_signature, nullptr, nullptr, nullptr},
    {"definition", op_definition, nullptr, "The Python function that it is, or None.", nullptr},
    {"schemas", op_schemas, nullptr, nullptr, nullptr},
    {"is_primitive", op_is_primitive, nullptr, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyMethodDef op_methods[] = {
    {"gradient", op_gradient, METH_O,
     "gradient(function)\n\nRegisters the gradient of a primitive; "
     "see flambeau_core.declare."},
    {"__reduce__", op_reduce, METH_NOARGS, nullptr},
    {"_run", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(op_run)), METH_FASTCALL,
     nullptr},
    {nullptr, nullptr, 0, nullptr}};
PyMemberDef op_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(Op, call), READONLY, nullptr},
    {"__dictoffset__", T_PYSSIZET, offsetof(Op, dict), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr}};
PyType_Slot op_slots[] = {{Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
                          {Py_tp_repr, reinterpret_cast<void*>(op_repr)},
                          {Py_tp_descr_get, reinterpret_cast<void*>(op_get)},
                          {Py_tp_getset, op_getset},
                          {Py_tp_methods, op_methods},
                          {Py_tp_members, op_members},
                          {0, nullptr}};
PyType_Spec op_spec = {"flambeau_core.Op", sizeof(Op), 0,
                       Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL |
                           Py_TPFLAGS_METHOD_DESCRIPTOR | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                       op_slots};

Op* new_op(const std::string& name) {
  // Ops live as long as the process.
  Op* op = PyObject_New(Op, op_type);
  op->call = op_call;
  op->name = strdup(name.c_str());
  op->overloads = new std::vector<Overload>;
  op->composition = nullptr;
  op->documented = nullptr;
  op->dict = nullptr;
  op->inplace = false;
  op->elementwise = false;
  op->is_operator = false;
  op->asks_transforms = false;
  op->autocast = Autocast::None;
  return op;
}

Op* inplace_form(const Op* op) {
  Op* o = new_op(std::string(op->name) + "_");
  o->overloads = op->overloads;
  o->composition = op->composition;
  o->inplace = true;
  o->autocast = Autocast::None;
  return o;
}

void put(PyObject* where, const char* name, PyObject* value) {
  if (PyObject_SetAttrString(where, name, value) < 0) throw PythonError{};
}

struct Places {
  PyObject *module = nullptr, *tensor = nullptr, *nn = nullptr, *optim = nullptr;
} places;

void publish(const Declared& d) {
  auto o = reinterpret_cast<PyObject*>(d.op);
  std::string name = d.op->name;
  PyObject* home = d.flags & kNeural      ? places.nn
                   : d.flags & kOptimizer ? places.optim
                                          : places.module;
  bool only_inplace = d.flags & kOnlyInPlace;
  if (d.flags & kFunction && !only_inplace) put(home, name.c_str(), o);
  if (d.flags & kNeuralToo) put(places.nn, name.c_str(), o);
  if (d.flags & kMethod && !only_inplace) put(places.tensor, name.c_str(), o);
  if (d.flags & kInPlace) {
    auto i = reinterpret_cast<PyObject*>(inplace_form(d.op));
    std::string name_ = name + "_";
    if (d.flags & kFunction) put(home, name_.c_str(), i);
    if (d.flags & kNeuralToo) put(places.nn, name_.c_str(), i);
    if (d.flags & kMethod) put(places.tensor, name_.c_str(), i);
    Py_DECREF(i);
  }
}

PyObject* call_composition(PyObject* function, PyObject** args, size_t n) {
  return checked(PyObject_Vectorcall(function, args, n, nullptr));
}

}  // namespace

PyObject* call_boxed(PyObject* function, Args& a) {
  AttentionGuard seen(0, kTransformsOff);  // what Python calls is shown to transforms again
  PyObject* args[max_params];
  for (int i = 0; i < a.n; i++) args[i] = box(a.slot[i]);
  PyObject* result = PyObject_Vectorcall(function, args, size_t(a.n), nullptr);
  for (int i = 0; i < a.n; i++) Py_XDECREF(args[i]);
  return checked(result);
}

bool make_op_type() {
  op_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&op_spec));
  return op_type != nullptr;
}

void declare(const char* text, Impl impl, uint32_t flags, const void* row) {
  Schema schema = parse_schema(text);
  schema.takes_out = flags & kOut;
  schema.exact_out = flags & kExactOut;
  auto [it, fresh] = registry().try_emplace(schema.name, Declared{nullptr, flags});
  if (fresh) it->second.op = new_op(schema.name);
  it->second.flags |= flags;
  it->second.op->elementwise |= (flags & kPointwise) != 0;
  it->second.op->overloads->push_back({std::move(schema), impl, row});
}

void declare_method(const char* text, Impl impl) {
  Schema schema = parse_schema(text);
  std::string key = schema.name + " (method)";
  Op* op = new_op(schema.name);
  op->overloads->push_back({std::move(schema), impl, nullptr});
  registry()[key] = Declared{op, kMethod};
}

void set_autocast(Autocast policy, std::initializer_list<const char*> names) {
  for (const char* n : names)
    if (Op* op = find_op(n)) op->autocast = policy;
}

void publish_ops(PyObject* module, PyObject* tensor, PyObject* nn, PyObject* optim) {
  places = {module, tensor, nn, optim};
  for (auto& entry : registry()) publish(entry.second);
}

PyObject* declare_python_op(const char* text, PyObject* function, uint32_t flags) {
  std::string name = parse_schema(text).name;
  bool fresh = registry().find(name) == registry().end();
  Py_INCREF(function);
  if (flags & kPrimitive) {
    declare(text, run_primitive, flags, new_primitive(function));
  } else {
    declare(text, run_python_op, flags, function);
  }
  Declared& d = registry()[name];
  if (fresh) {
    if (!(flags & kPrimitive)) d.op->composition = function;
    d.op->documented = function;
  }
  publish(d);
  auto o = reinterpret_cast<PyObject*>(d.op);
  Py_INCREF(o);
  return o;
}

void publish_operator(const char* attribute, const char* name, bool inplace) {
  Op* op = inplace ? inplace_form(find_op(name)) : new_op(attribute);
  if (!inplace) op->overloads = find_op(name)->overloads;
  op->is_operator = true;
  // Straight into the type's dict: setting the attribute would replace the slot,
  // which is the faster way for the operator itself.
  PyDict_SetItemString(tensor_type->tp_dict, attribute, reinterpret_cast<PyObject*>(op));
  PyType_Modified(tensor_type);
}

void set_composition(const char* name, PyObject* function) {
  Py_INCREF(function);
  compositions()[name] = function;
  if (Op* op = find_op(name)) op->composition = function;
}

Op* find_op(const std::string& name) {
  auto it = registry().find(name);
  return it == registry().end() ? nullptr : it->second.op;
}

PyObject* compose(Args& a) {
  PyObject* function = a.op->composition;
  if (!function)
    fail(ErrorKind::NotImplemented, "%s has neither a kernel on this device nor a composition",
         a.op->name);
  return call_boxed(function, a);
}

PyObject* compose(const char* name, std::initializer_list<PyObject*> owned) {
  std::vector<PyObject*> args(owned);
  auto it = compositions().find(name);
  PyObject* result = nullptr;
  if (it != compositions().end()) {
    result = PyObject_Vectorcall(it->second, args.data(), args.size(), nullptr);
  }
  for (PyObject* o : args) Py_XDECREF(o);
  if (it == compositions().end())
    fail(ErrorKind::NotImplemented, "%s has neither a kernel on this device nor a composition",
         name);
  return checked(result);
}

void set_python_error(std::exception_ptr e) {
  try {
    std::rethrow_exception(e);
  } catch (const PythonError&) {
  } catch (const Error& error) {
    PyObject* type = PyExc_RuntimeError;
    switch (error.kind()) {
      case ErrorKind::Type:
        type = PyExc_TypeError;
        break;
      case ErrorKind::Value:
        type = PyExc_ValueError;
        break;
      case ErrorKind::Index:
        type = PyExc_IndexError;
        break;
      case ErrorKind::NotImplemented:
        type = PyExc_NotImplementedError;
        break;
      case ErrorKind::ZeroDivision:
        type = PyExc_ZeroDivisionError;
        break;
      default:
        break;
    }
    PyErr_SetString(type, error.what());
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
}

PyObject* tuple_of(std::vector<Ref> values) {
  PyObject* t = checked(PyTuple_New(Py_ssize_t(values.size())));
  for (size_t i = 0; i < values.size(); i++) {
    PyObject* o = values[i] ? values[i].object() : (Py_INCREF(Py_None), Py_None);
    PyTuple_SET_ITEM(t, Py_ssize_t(i), o);
  }
  return t;
}

PyObject* named_result(const char* type_name, std::initializer_list<Ref> values) {
  static std::map<std::string_view, PyObject*> types;  // the names are literals
  PyObject*& type = types[type_name];
  if (!type) {
    PyObject* module = checked(PyImport_ImportModule("flambeau_core.return_types"));
    type = PyObject_GetAttrString(module, type_name);
    Py_DECREF(module);
    checked(type);
  }
  // The types are subclasses of tuple without a constructor of their own.
  auto subclass = reinterpret_cast<PyTypeObject*>(type);
  PyObject* named = checked(subclass->tp_alloc(subclass, Py_ssize_t(values.size())));
  Py_ssize_t i = 0;
  for (const Ref& v : values) PyTuple_SET_ITEM(named, i++, boxed(v));
  return named;
}

}  // namespace flambeau
