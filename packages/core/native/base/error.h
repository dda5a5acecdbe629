// One exception type for everything that the library refuses. Its kind decides
// which Python exception it becomes; the floors without Python throw it too.
#pragma once

#include <cstdarg>
#include <cstdio>
#include <exception>
#include <string>

namespace flambeau {

enum class ErrorKind { Runtime, Type, Value, Index, NotImplemented, OutOfMemory, ZeroDivision };

class Error : public std::exception {
 public:
  Error(ErrorKind kind, std::string message) : kind_(kind), message_(std::move(message)) {}
  const char* what() const noexcept override { return message_.c_str(); }
  ErrorKind kind() const { return kind_; }

 private:
  ErrorKind kind_;
  std::string message_;
};

// printf-style constructors of the message; the format comes first.
[[noreturn]] __attribute__((format(printf, 2, 3), cold)) inline void fail(ErrorKind kind,
                                                                          const char* format, ...) {
  va_list args;
  va_start(args, format);
  va_list again;
  va_copy(again, args);
  std::string text(size_t(std::vsnprintf(nullptr, 0, format, args)), '\0');
  std::vsnprintf(text.data(), text.size() + 1, format, again);
  va_end(args);
  va_end(again);
  throw Error(kind, std::move(text));
}

}  // namespace flambeau
