// One call of an op: which overload it is, who wants to see it first, and what it was asked
// wrongly.
#include "ops/op_call.h"

#include <Python.h>

#include <algorithm>
#include <cctype>
#include <string_view>

#include "ops/destination.h"
#include "ops/interception.h"

namespace flambeau {
namespace {

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

}  // namespace

std::string shown(const Op* op, const Schema& schema) {
  if (op->inplace || !schema.takes_out) return schema.text;
  std::string text = schema.text;
  bool has_star = text.find(" *,") != std::string::npos;
  return text.insert(text.rfind(')'), has_star ? ", any out=None" : ", *, any out=None");
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

PyObject* call_boxed(PyObject* function, Args& a) {
  AttentionGuard seen(0, kTransformsOff);  // what Python calls is shown to transforms again
  PyObject* args[max_params];
  for (int i = 0; i < a.n; i++) args[i] = box(a.slot[i]);
  PyObject* result = PyObject_Vectorcall(function, args, size_t(a.n), nullptr);
  for (int i = 0; i < a.n; i++) Py_XDECREF(args[i]);
  return checked(result);
}

PyObject* run_python_op(Args& a) {
  return call_boxed(static_cast<PyObject*>(const_cast<void*>(a.row)), a);
}

}  // namespace flambeau
