#include "ops/operators.h"

#include "ops/binary.h"
#include "ops/construct.h"
#include "ops/interception.h"
#include "ops/op.h"

namespace flambeau {

namespace {

// What stands on one side of an operator: a tensor, a number, or an array of
// another library, which becomes a tensor.
bool operand_from(PyObject* o, Operand& to, Ref& keep) {
  if (is_tensor(o)) {
    to = Operand(as_tensor(o));
    return true;
  }
  Slot s;
  if (number_from(o, s)) {
    to = Operand(number_of(s));
    return true;
  }
  if (!is_foreign_array(o)) return false;
  keep = tensor_from_array(o, false);
  to = Operand(keep);
  return true;
}

struct Operands {
  Operand a{Scalar()}, b{Scalar()};
  Ref keep_a, keep_b;
  bool read(PyObject* x, PyObject* y) {
    return operand_from(x, a, keep_a) && operand_from(y, b, keep_b);
  }
};

PyObject* operate(const BinaryRow& r, const char* op, PyObject* x, PyObject* y) {
  return guarded([&]() -> PyObject* {
    if (__builtin_expect((flags_of(x, y) | attention) != 0, 0))
      if (PyObject* shown = show_operator(op, x, y)) return shown;
    Operands o;
    if (!o.read(x, y)) return show_foreign(op, x, y);
    return object(binary(r, o.a, o.b));
  });
}

const BinaryRow& row(const char* name) { return *binary_row(name); }

}  // namespace

namespace operators {

PyObject* add(PyObject* x, PyObject* y) {
  static const BinaryRow& r = row("add");
  return operate(r, "add", x, y);
}
PyObject* sub(PyObject* x, PyObject* y) {
  static const BinaryRow& r = row("sub");
  return operate(r, "sub", x, y);
}
PyObject* mul(PyObject* x, PyObject* y) {
  static const BinaryRow& r = row("mul");
  return operate(r, "mul", x, y);
}
PyObject* div(PyObject* x, PyObject* y) {
  static const BinaryRow& r = row("div");
  return operate(r, "div", x, y);
}
PyObject* floor_divide(PyObject* x, PyObject* y) {
  static const BinaryRow& r = row("div_floor");
  return operate(r, "floor_divide", x, y);
}
PyObject* remainder(PyObject* x, PyObject* y) {
  static const BinaryRow& r = row("remainder");
  return operate(r, "remainder", x, y);
}
PyObject* bit_and(PyObject* x, PyObject* y) {
  static const BinaryRow& r = row("bitwise_and");
  return operate(r, "bitwise_and", x, y);
}
PyObject* bit_or(PyObject* x, PyObject* y) {
  static const BinaryRow& r = row("bitwise_or");
  return operate(r, "bitwise_or", x, y);
}
PyObject* bit_xor(PyObject* x, PyObject* y) {
  static const BinaryRow& r = row("bitwise_xor");
  return operate(r, "bitwise_xor", x, y);
}
PyObject* lshift(PyObject* x, PyObject* y) {
  static const BinaryRow& r = row("lshift");
  return operate(r, "bitwise_left_shift", x, y);
}
PyObject* rshift(PyObject* x, PyObject* y) {
  static const BinaryRow& r = row("rshift");
  return operate(r, "bitwise_right_shift", x, y);
}
PyObject* power(PyObject* x, PyObject* y, PyObject*) {
  return guarded([&]() -> PyObject* {
    if (__builtin_expect((flags_of(x, y) | attention) != 0, 0))
      if (PyObject* shown = show_operator("pow", x, y)) return shown;
    Operands o;
    if (!o.read(x, y)) return show_foreign("pow", x, y);
    return object(pow(o.a, o.b));
  });
}
PyObject* compare(PyObject* x, PyObject* y, int op) {
  static const BinaryRow* rows[] = {&row("lt"), &row("le"), &row("eq"),
                                    &row("ne"), &row("gt"), &row("ge")};
  static const char* names[] = {"lt", "le", "eq", "ne", "gt", "ge"};
  return operate(*rows[op], names[op], x, y);
}

}  // namespace operators

}  // namespace flambeau
