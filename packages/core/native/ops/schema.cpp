#include "ops/schema.h"

#include "base/error.h"

namespace flambeau {
namespace {

struct TypeName {
  const char* text;
  Kind kind;
};

constexpr TypeName type_names[] = {
    {"Tensor[]", Kind::Tensors}, {"Tensor", Kind::Tensor}, {"Operand", Kind::Operand},
    {"Scalar", Kind::Scalar},    {"int[]", Kind::Ints},    {"int", Kind::Int},
    {"float", Kind::Float},      {"bool", Kind::Bool},     {"str", Kind::Str},
    {"dtype", Kind::DType},      {"device", Kind::Device}, {"Generator", Kind::Generator},
    {"any", Kind::Any},
};

std::string trimmed(const std::string& s) {
  size_t a = s.find_first_not_of(' '), b = s.find_last_not_of(' ');
  return a == std::string::npos ? "" : s.substr(a, b - a + 1);
}

void set_default(Param& p, const std::string& text) {
  p.has_default = true;
  Slot& s = p.fallback;
  if (text == "None") {
    p.optional = true;
  } else if (text == "True" || text == "False") {
    s.tag = Slot::Number;
    s.category = Category::Bool;
    s.i = text == "True";
    s.f = double(s.i);
  } else if (text[0] == '[') {
    s.tag = Slot::Ints_;
    for (size_t at = 1; at < text.size() - 1;) {
      size_t used;
      p.fallback_list.push_back(std::stoll(text.substr(at), &used));
      at += used;
      while (at < text.size() - 1 && (text[at] == ',' || text[at] == ' ')) at++;
    }
  } else if (text[0] == '\'') {
    s.tag = Slot::Str_;
    p.fallback_text = text.substr(1, text.size() - 2);
  } else if (p.kind == Kind::Ints) {
    s.tag = Slot::Ints_;
    p.fallback_list.push_back(std::stoll(text));
  } else {
    s.tag = Slot::Number;
    bool floating = text.find_first_of(".einf") != std::string::npos;
    s.category = floating ? Category::Floating : Category::Integer;
    s.f = std::stod(text);
    s.i = floating ? (p.kind == Kind::Float ? 0 : int64_t(s.f)) : std::stoll(text);
  }
}

Param parse_param(std::string text) {
  Param p;
  for (const TypeName& t : type_names) {
    size_t n = std::string(t.text).size();
    if (text.compare(0, n, t.text) != 0) continue;
    p.kind = t.kind;
    text = text.substr(n);
    break;
  }
  for (; !text.empty() && (text[0] == '?' || text[0] == '*'); text = text.substr(1))
    (text[0] == '?' ? p.optional : p.varargs) = true;
  size_t equals = text.find('=');
  p.name = trimmed(text.substr(0, equals));
  p.interned = PyUnicode_InternFromString(p.name.c_str());
  if (equals != std::string::npos) set_default(p, trimmed(text.substr(equals + 1)));
  return p;
}

}  // namespace

Schema parse_schema(const std::string& text) {
  Schema s;
  s.text = text;
  size_t open = text.find('('), close = text.rfind(')');
  s.name = text.substr(0, open);
  bool keyword_only = false;
  int depth = 0;
  std::string part;
  auto finish = [&] {
    std::string t = trimmed(part);
    part.clear();
    if (t.empty()) return;
    if (t == "*") {
      keyword_only = true;
      return;
    }
    Param p = parse_param(t);
    p.keyword_only = keyword_only;
    if (!keyword_only) s.n_positional++;
    if (!p.has_default && !p.optional) s.n_required = int(s.params.size()) + 1;
    s.params.push_back(std::move(p));
  };
  for (size_t i = open + 1; i < close; i++) {
    char c = text[i];
    if (c == '[') depth++;
    if (c == ']') depth--;
    if (c == ',' && depth == 0) {
      finish();
    } else {
      part += c;
    }
  }
  finish();
  if (s.params.size() > size_t(max_params))
    fail(ErrorKind::Runtime, "%s has too many parameters", s.name.c_str());
  return s;
}

}  // namespace flambeau
