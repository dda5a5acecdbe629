#include "ops/op.h"

#include <Python.h>

#include <cstring>
#include <map>

#include "ops/interception.h"
#include "ops/op_call.h"
#include "ops/primitive.h"

namespace flambeau {

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

}  // namespace flambeau
