// Elementwise ops of two operands: arithmetic, comparisons, bit operations.
#include <cmath>
#include <cstring>

#include "dispatch/shape_rules.h"
#include "ops/activation.h"
#include "ops/binary.h"
#include "ops/elementwise.h"
#include "ops/op.h"
#include "ops/view.h"

namespace flambeau {
namespace {

using Type = BinaryType;

Ref times_conj(const Ref& g, const Operand& o) {
  Ref keep;
  return mul(g, conjugate(o, keep));
}
// An extremum's gradient: none to the one that loses, half to each that ties, and all to both
// where one is NaN.
Ref share(const Given& v, const char* loses, const Operand& mine, const Operand& other) {
  Ref won = where(binary("eq", mine, other), div(v.g, 2), v.g);
  return where(binary(loses, mine, other), Scalar(0.0), won);
}
Ref none(const Given& v) { return zeros_like(v.g); }

Ref pow_grad_base(const Given& v) {
  if (!v.b.t && v.b.s.is_zero()) return zeros_like(v.g);
  if (!v.b.t) {
    Scalar less = v.b.s;
    less.i = int64_t(uint64_t(less.i) - 1), less.f -= 1;
    return times_conj(v.g, mul(pow(v.a, Operand(less)), v.b));
  }
  Ref slope = mul(v.b, pow(v.a, sub(v.b, 1)));
  return times_conj(v.g, where(binary("eq", v.b, 0), Scalar(0.0), slope));
}

// Of complex numbers only real ones have a sign.
Ref is_not_negative(const Operand& o) {
  if (!o.t || !is_complex(o.t->dtype())) return binary("ge", o, 0);
  Ref parts = real_view(o.t);
  return binary("logical_and", binary("ge", select(parts, -1, 0), 0),
                binary("eq", select(parts, -1, 1), 0));
}

Ref pow_grad_exponent(const Given& v) {
  // The limit of y log(a) at a = 0 is 0 for exponents that do not make y infinite.
  Ref slope;
  if (v.a.t) {
    slope = mul(v.y, log(to_dtype(v.a.t, v.y->dtype())));
  } else if (is_complex(v.y->dtype())) {
    slope = mul(v.y, Operand(Scalar(std::log(std::complex<double>(v.a.s.f, v.a.s.imag)))));
  } else {
    slope = mul(v.y, Operand(Scalar(std::log(v.a.s.f))));
  }
  Ref at_zero = binary("logical_and", binary("eq", v.a, 0), is_not_negative(v.b));
  return times_conj(v.g, where(at_zero, Scalar(0.0), slope));
}

// 1 / (a^2 + b^2), and 0 at the origin, where an angle has no slope.
Ref inverse_square(const Given& v) {
  Ref square = add(mul(v.a, v.a), mul(v.b, v.b));
  return masked_fill(unary("reciprocal", square), binary("eq", square, 0), 0);
}

BinaryRow rows[] = {
    {"add", Type::Arithmetic, "AddBackward0", false, false, false,
     [](const Given& v) { return v.g; }, [](const Given& v) { return v.g; }},
    {"sub", Type::Arithmetic, "SubBackward0", false, false, false,
     [](const Given& v) { return v.g; }, [](const Given& v) { return neg(v.g); }},
    {"mul", Type::Arithmetic, "MulBackward0", true, true, false,
     [](const Given& v) { return times_conj(v.g, v.b); },
     [](const Given& v) { return times_conj(v.g, v.a); }},
    {"div", Type::Floating, "DivBackward0", true, true, false,
     [](const Given& v) {
       Ref keep;
       return div(v.g, conjugate(v.b, keep));
     },
     [](const Given& v) {
       Ref ratio = neg(div(div(v.a, v.b), v.b));
       return times_conj(v.g, ratio);
     }},
    {"div_trunc", Type::Arithmetic, "DivBackward1", false, false, false, none, none},
    {"div_floor", Type::Arithmetic, "DivBackward1", false, false, false, none, none},
    {"remainder", Type::Arithmetic, "RemainderBackward0", true, true, false,
     [](const Given& v) { return v.g; },
     [](const Given& v) { return neg(mul(v.g, binary("div_floor", v.a, v.b))); }},
    {"fmod", Type::Arithmetic, "FmodBackward0", true, true, false,
     [](const Given& v) { return v.g; },
     [](const Given& v) { return neg(mul(v.g, binary("div_trunc", v.a, v.b))); }},
    {"pow", Type::Arithmetic, "PowBackward0", true, true, true, pow_grad_base, pow_grad_exponent},
    {"maximum", Type::Arithmetic, "MaximumBackward0", true, true, false,
     [](const Given& v) { return share(v, "lt", v.a, v.b); },
     [](const Given& v) { return share(v, "lt", v.b, v.a); }},
    {"minimum", Type::Arithmetic, "MinimumBackward0", true, true, false,
     [](const Given& v) { return share(v, "gt", v.a, v.b); },
     [](const Given& v) { return share(v, "gt", v.b, v.a); }},
    {"fmax", Type::Arithmetic, "FmaxBackward0", true, true, false,
     [](const Given& v) {
       return where(binary("logical_or", binary("ge", v.a, v.b), binary("ne", v.b, v.b)), v.g,
                    Scalar(0.0));
     },
     [](const Given& v) {
       return where(binary("logical_or", binary("ge", v.a, v.b), binary("ne", v.b, v.b)),
                    Scalar(0.0), v.g);
     }},
    {"fmin", Type::Arithmetic, "FminBackward0", true, true, false,
     [](const Given& v) {
       return where(binary("logical_or", binary("le", v.a, v.b), binary("ne", v.b, v.b)), v.g,
                    Scalar(0.0));
     },
     [](const Given& v) {
       return where(binary("logical_or", binary("le", v.a, v.b), binary("ne", v.b, v.b)),
                    Scalar(0.0), v.g);
     }},
    {"atan2", Type::Floating, "Atan2Backward0", true, true, false,
     [](const Given& v) { return mul(v.g, mul(v.b, inverse_square(v))); },
     [](const Given& v) { return mul(v.g, neg(mul(v.a, inverse_square(v)))); }},
    {"hypot", Type::Floating, "HypotBackward0", true, true, true,
     [](const Given& v) { return mul(v.g, div(v.a, v.y)); },
     [](const Given& v) { return mul(v.g, div(v.b, v.y)); }},
    {"copysign", Type::Floating, "CopysignBackward0", true, false, true,
     [](const Given& v) {
       Ref ratio = where(binary("eq", v.a, 0), Scalar(0.0), div(v.y, v.a));
       return mul(v.g, ratio);
     },
     none},
    {"nextafter", Type::Arithmetic, "NextafterBackward0", true, true, false,
     [](const Given& v) { return where(binary("eq", v.a, v.b), Scalar(0.0), v.g); }, none},
    // Not exp(a - y): the difference of the operands is exact where y is large and rounded.
    {"logaddexp", Type::Floating, "LogaddexpBackward0", true, true, false,
     [](const Given& v) { return times_conj(v.g, sigmoid(sub(v.a, v.b))); },
     [](const Given& v) { return times_conj(v.g, sigmoid(sub(v.b, v.a))); }},
    {"xlogy", Type::Floating, "XlogyBackward0", true, true, false,
     [](const Given& v) {
       Ref zero_log = binary("logical_and", binary("eq", v.a, 0), binary("le", v.b, 0));
       return mul(v.g, where(zero_log, Scalar(0.0), log(mul(v.b, 1.0))));
     },
     [](const Given& v) { return mul(v.g, div(v.a, v.b)); }},
    {"bitwise_and", Type::Bits, nullptr, false, false, false, nullptr, nullptr},
    {"bitwise_or", Type::Bits, nullptr, false, false, false, nullptr, nullptr},
    {"bitwise_xor", Type::Bits, nullptr, false, false, false, nullptr, nullptr},
    {"lshift", Type::Bits, nullptr, false, false, false, nullptr, nullptr},
    {"rshift", Type::Bits, nullptr, false, false, false, nullptr, nullptr},
    {"eq", Type::Comparison, nullptr, false, false, false, nullptr, nullptr},
    {"ne", Type::Comparison, nullptr, false, false, false, nullptr, nullptr},
    {"lt", Type::Comparison, nullptr, false, false, false, nullptr, nullptr},
    {"le", Type::Comparison, nullptr, false, false, false, nullptr, nullptr},
    {"gt", Type::Comparison, nullptr, false, false, false, nullptr, nullptr},
    {"ge", Type::Comparison, nullptr, false, false, false, nullptr, nullptr},
    {"logical_and", Type::Comparison, nullptr, false, false, false, nullptr, nullptr},
    {"logical_or", Type::Comparison, nullptr, false, false, false, nullptr, nullptr},
    {"logical_xor", Type::Comparison, nullptr, false, false, false, nullptr, nullptr},
};

BinaryRow* find(const char* name) {
  for (BinaryRow& r : rows)
    if (!std::strcmp(r.name, name)) return &r;
  return nullptr;
}

BinaryRow *row_add, *row_sub, *row_mul, *row_div, *row_pow;

// Ops that compare or round their operands, which have no meaning for complex numbers.
bool is_real_only(const char* name) {
  static const char* const names[] = {"maximum",  "minimum",   "fmax",      "fmin",  "remainder",
                                      "fmod",     "div_trunc", "div_floor", "atan2", "hypot",
                                      "copysign", "nextafter", "xlogy",     "lt",    "le",
                                      "gt",       "ge"};
  for (const char* n : names)
    if (!std::strcmp(n, name)) return true;
  return false;
}

bool is_extremum(const BinaryRow& r) {
  return std::strstr(r.name, "max") || std::strstr(r.name, "min");
}

bool is_bool(const Operand& o) {
  return o.t ? o.t->dtype() == FB_BOOL : o.s.category == Category::Bool;
}

void check_types(const BinaryRow& r, DType compute, const Operand& a, const Operand& b) {
  if (&r == row_sub && (is_bool(a) || is_bool(b)))
    fail(ErrorKind::Runtime,
         "sub: Subtraction, the `-` operator, with %s is not supported. Use `logical_xor()` for "
         "the difference of two masks, `~` or `logical_not()` to invert one.",
         is_bool(a) && is_bool(b) ? "two bool tensors" : "a bool tensor");
  if (is_floating(compute) && r.type != Type::Bits) return;
  if (r.type == Type::Bits && is_differentiable(compute)) {
    if (a.t && b.t) (void)broadcast_shapes(r.name, a.t->shape(), b.t->shape());
    fail(ErrorKind::NotImplemented, "\"%s\" not implemented for '%s'", r.name,
         info(compute).legacy_name);
  }
  if (is_complex(compute) && is_real_only(r.name))
    fail(is_extremum(r) ? ErrorKind::Runtime : ErrorKind::NotImplemented,
         "\"%s\" not implemented for '%s'", r.name, info(compute).legacy_name);
}

struct SavedOperand {
  Saved tensor;
  Scalar number;
  bool is_tensor;
};

SavedOperand save(const Operand& o, bool wanted) {
  if (!o.t) return {Saved(), o.s, false};
  return {wanted ? Saved(o.t) : Saved(), Scalar(), true};
}

Operand get(Backward& b, const SavedOperand& s, Ref& keep) {
  if (!s.is_tensor) return Operand(s.number);
  keep = b.get(s.tensor);
  return Operand(keep);
}

void record_binary(const BinaryRow& r, const Operand& a, const Operand& b, Tensor* y) {
  bool want_a = a.t && requires_grad(a.t), want_b = b.t && requires_grad(b.t);
  Node* node;
  if (!r.save_a && !r.save_b && !r.save_y) {
    node = record(r.node, {a.t, b.t}, y, [&r](Backward& v) {
      static const Ref no_tensor;
      Given given{v.grad(), Operand(Scalar()), Operand(Scalar()), no_tensor};
      if (v.needs(0)) v.set(0, r.grad_a(given));
      if (v.needs(1)) v.set(1, r.grad_b(given));
    });
  } else {
    // Where one operand's gradient does without itself, it is not kept for that alone: a
    // product needs the other factor, a quotient the denominator.
    bool product = &r == row_mul, quotient = &r == row_div;
    SavedOperand sa = save(a, r.save_a && (want_b || !(product || quotient)));
    SavedOperand sb = save(b, r.save_b && (want_a || !product));
    Saved sy = r.save_y && (&r != row_pow || want_b) ? Saved::output(y) : Saved();
    node = record(r.node, {a.t, b.t}, y,
                  [&r, sa = std::move(sa), sb = std::move(sb), sy = std::move(sy)](Backward& v) {
                    Ref keep_a, keep_b, saved_y = v.get(sy);
                    Given given{v.grad(), get(v, sa, keep_a), get(v, sb, keep_b), saved_y};
                    if (v.needs(0)) v.set(0, r.grad_a(given));
                    if (v.needs(1)) v.set(1, r.grad_b(given));
                  });
  }
  if (a.t && a.t->shape() != y->shape()) node->edges[0].expect_shape(a.t->shape());
  if (b.t && b.t->shape() != y->shape()) node->edges[1].expect_shape(b.t->shape());
}

Ref apply(const BinaryRow& r, const Operand& a, const Operand& b, Tensor* destination) {
  DType compute = a.t && b.t && a.t->dtype() == b.t->dtype() ? a.t->dtype() : result_type(a, b);
  if (r.type == Type::Floating) compute = floating_type(compute);
  check_types(r, compute, a, b);
  // No truth value is NaN.
  if (__builtin_expect(compute == FB_BOOL, 0)) {
    if (r.kernel == kernel_id("fmax")) return apply(*find("maximum"), a, b, destination);
    if (r.kernel == kernel_id("fmin")) return apply(*find("minimum"), a, b, destination);
  }
  if (__builtin_expect(r.kernel == kernel_id("pow") && is_integral(compute) && !b.t && b.s.i < 0,
                       0))
    fail(ErrorKind::Runtime, "pow: Integers to negative integer powers are not allowed.");
  DType out = r.type == Type::Comparison ? FB_BOOL : compute;
  Ref y = destination ? Ref() : elementwise_plain(r.kernel, compute, out, a, b);
  if (!y) {
    Operand in[] = {a, b};
    y = elementwise({r.name, r.kernel, compute, out, nullptr, destination}, in, 2);
  }
  if (r.node && grad_mode.enabled && ((a.t && requires_grad(a.t)) || (b.t && requires_grad(b.t))) &&
      is_differentiable(out))
    record_binary(r, a, b, y);
  return y;
}

Operand operand(const Args& a, int i) {
  return a.tensor(i) ? Operand(a.tensor(i)) : Operand(a.scalar(i));
}

// log(exp(a) + exp(b)) of complex numbers, from the one with the larger real part.
Ref complex_logaddexp(Tensor* a, Tensor* b) {
  Ref a_larger = binary("ge", select(real_view(a), -1, 0), select(real_view(b), -1, 0));
  Ref larger = where(a_larger, a, b), smaller = where(a_larger, b, a);
  return add(larger, unary("log1p", exp(sub(smaller, larger))));
}

PyObject* run_logaddexp(Args& a) {
  Tensor *x = a.tensor(0), *y = a.tensor(1);
  DType d = result_type(x, y);
  if (is_complex(d) && !has_kernel(x->device, kernel_id("logaddexp"), d))
    return object(complex_logaddexp(to_dtype(x, d), to_dtype(y, d)));
  return object(apply(*static_cast<const BinaryRow*>(a.row), x, y, a.destination));
}

// Ops that take a number on either side still need a tensor on one.
void want_tensor(const Args& a) {
  if (!a.tensor(0) && !a.tensor(1))
    fail(ErrorKind::Type, "%s(): one of the arguments must be a Tensor, but both are numbers",
         a.op->name);
}

// ---- ops with a further argument ----

// a + alpha * b, fused where the backend can.
Ref scaled_sum(const char* name, const Operand& a, const Operand& b, Scalar alpha,
               Tensor* destination, bool subtract) {
  if (result_type(a, b) == FB_BOOL && alpha.category <= Category::Integer) alpha = alpha.truth();
  if (alpha.equals(1)) return apply(subtract ? *row_sub : *row_add, a, b, destination);
  DType compute = result_type(a, b);
  if (!is_differentiable(compute) && alpha.category > Category::Integer)
    fail(ErrorKind::Runtime,
         "%s: For integral input tensors, argument alpha must not be a floating point number.",
         name);
  // Whole numbers wrap around, as the elements themselves do.
  if (subtract) alpha.i = int64_t(-uint64_t(alpha.i)), alpha.f = -alpha.f, alpha.imag = -alpha.imag;
  Ref keep;
  Operand scaled =
      b.t ? Operand(keep = mul(b, Operand(alpha)))
          : Operand(Scalar(b.s.category <= Category::Integer && alpha.category <= Category::Integer
                               ? Scalar(int64_t(uint64_t(b.s.i) * uint64_t(alpha.i)))
                               : Scalar(b.s.f * alpha.f)));
  return apply(*row_add, a, scaled, destination);
}

// The first operand of arithmetic; of two numbers it becomes a tensor, which `held` keeps.
Operand first_operand(const Args& a, Ref& held) {
  if (a.tensor(0) || a.tensor(1)) return operand(a, 0);
  ResultType type;
  type.add_number(a.scalar(0).category);
  held = scalar_tensor(a.scalar(0), type.get(), Device{});
  return Operand(held);
}

PyObject* run_add(Args& a) {
  Ref held;
  Operand x = first_operand(a, held);
  return object(scaled_sum("add", x, operand(a, 1), a.scalar(2), a.destination, false));
}
PyObject* run_sub(Args& a) {
  Ref held;
  Operand x = first_operand(a, held);
  return object(scaled_sum("sub", x, operand(a, 1), a.scalar(2), a.destination, true));
}
PyObject* run_rsub(Args& a) {
  return object(scaled_sum("rsub", operand(a, 1), operand(a, 0), a.scalar(2), a.destination, true));
}

PyObject* run_div(Args& a) {
  Ref held;
  Operand x = first_operand(a, held);
  const char* mode = a.given(2) ? a.text(2) : nullptr;
  const BinaryRow* row = row_div;
  if (mode && !std::strcmp(mode, "trunc")) {
    row = find("div_trunc");
  } else if (mode && !std::strcmp(mode, "floor")) {
    row = find("div_floor");
  } else if (mode) {
    fail(ErrorKind::Runtime,
         "div: expected rounding_mode to be one of None, 'trunc', or 'floor' but found '%s'", mode);
  }
  return object(apply(*row, x, operand(a, 1), a.destination));
}

PyObject* run_floor_divide(Args& a) {
  Ref held;
  Operand x = first_operand(a, held);
  return object(apply(*find("div_floor"), x, operand(a, 1), a.destination));
}

// A root by its own kernel. Its gradient keeps the base, as that of any power does, so that the
// result may be written to.
Ref root(const Operand& a, const Operand& b) {
  const bool recorded = records(a.t);
  GradModeGuard off(false);
  Ref y = unary(b.s.f > 0 ? "sqrt" : "rsqrt", a.t);
  if (recorded) record_binary(*row_pow, a, b, y);
  return y;
}

// Integer powers that are a product or two cost no call to pow.
Ref power(const Operand& a, const Operand& b, Tensor* destination) {
  if (a.t && !b.t && b.s.category != Category::Complex && is_differentiable(a.t->dtype())) {
    if (b.s.equals(2)) return unary("square", a.t);
    if (b.s.equals(1)) return clone(a.t);
    if (b.s.equals(0.5) || b.s.equals(-0.5)) return root(a, b);
  }
  return apply(*row_pow, a, b, destination);
}

PyObject* run_pow(Args& a) {
  want_tensor(a);
  return object(power(operand(a, 0), operand(a, 1), a.destination));
}

}  // namespace

PyObject* run_binary(Args& a) {
  auto& row = *static_cast<const BinaryRow*>(a.row);
  if (&row != row_mul && &row != row_div) want_tensor(a);
  Ref held;
  Operand x = first_operand(a, held);
  return object(apply(row, x, operand(a, 1), a.destination));
}

const BinaryRow* binary_row(const char* name) { return find(name); }

Ref binary(const BinaryRow& row, const Operand& a, const Operand& b) {
  return apply(row, a, b, nullptr);
}

Ref add(const Operand& a, const Operand& b) { return apply(*row_add, a, b, nullptr); }
Ref sub(const Operand& a, const Operand& b) { return apply(*row_sub, a, b, nullptr); }
Ref mul(const Operand& a, const Operand& b) { return apply(*row_mul, a, b, nullptr); }
Ref div(const Operand& a, const Operand& b) { return apply(*row_div, a, b, nullptr); }
Ref pow(const Operand& a, const Operand& b) { return power(a, b, nullptr); }

Ref binary(const char* name, const Operand& a, const Operand& b) {
  if (BinaryRow* r = find(name)) return apply(*r, a, b, nullptr);
  fail(ErrorKind::Runtime, "no binary op named %s", name);
}

void add_in_place(Tensor* a, Tensor* b) {
  fb_array* outs[] = {&a->arr};
  const fb_array* ins[] = {&a->arr, &b->arr};
  if (b->dtype() == a->dtype() && b->shape() == a->shape() && b->device == a->device) {
    if (a->numel()) call_kernel(a->device, {kernel_id("add"), a->dtype(), outs, 1, ins, 2});
    return;
  }
  GradModeGuard off(false);
  copy_values(a, add(a, b));
}

void declare_binary() {
  for (BinaryRow& r : rows) r.kernel = find_kernel_id(r.name);
  row_add = find("add"), row_sub = find("sub"), row_mul = find("mul"), row_div = find("div"),
  row_pow = find("pow");
  for (BinaryRow& r : rows) {
    std::string name = r.name;
    if (name == "add" || name == "sub" || name == "div" || name == "pow" || name == "div_trunc" ||
        name == "div_floor")
      continue;
    if (name == "lshift") name = "bitwise_left_shift";
    if (name == "rshift") name = "bitwise_right_shift";
    bool tensors_only = name == "maximum" || name == "minimum" || name == "fmax" ||
                        name == "fmin" || name == "atan2" || name == "hypot" ||
                        name == "nextafter" || name == "logaddexp" ||
                        name.compare(0, 8, "logical_") == 0;
    bool number_first =
        name == "mul" || name == "remainder" || name == "xlogy" || r.type == Type::Bits;
    std::string self = number_first ? "(Operand self, " : "(Tensor self, ";
    std::string other = tensors_only ? "Tensor other)" : "Operand other)";
    // maximum and its like have no in-place form.
    uint32_t flags = name == "maximum" || name == "minimum" || name == "fmax" || name == "fmin" ||
                             name == "logaddexp"
                         ? kBoth | kOut | kPointwise
                         : kElementwise;
    auto put = [&](const std::string& n) {
      declare(n + self + other, name == "logaddexp" ? run_logaddexp : run_binary, flags, &r);
    };
    put(name);
    static const char* aliases[][2] = {
        {"gt", "greater"},   {"ge", "greater_equal"}, {"lt", "less"},      {"le", "less_equal"},
        {"ne", "not_equal"}, {"mul", "multiply"},     {"atan2", "arctan2"}};
    for (auto& alias : aliases)
      if (name == alias[0]) put(alias[1]);
  }
  declare("add(Operand self, Operand other, *, Scalar alpha=1)", run_add, kElementwise);
  for (const char* name : {"sub", "subtract"})
    declare(std::string(name) + "(Operand self, Operand other, *, Scalar alpha=1)", run_sub,
            kElementwise);
  declare("rsub(Tensor self, Operand other, *, Scalar alpha=1)", run_rsub, kFunction | kPointwise);
  for (const char* name : {"div", "divide"})
    declare(std::string(name) + "(Operand self, Operand other, *, str? rounding_mode=None)",
            run_div, kElementwise);
  declare("true_divide(Operand self, Operand other)", run_binary, kElementwise, row_div);
  declare("floor_divide(Operand self, Operand other)", run_floor_divide, kElementwise);
  declare("pow(Operand self, Operand exponent)", run_pow, kElementwise);
}

}  // namespace flambeau
