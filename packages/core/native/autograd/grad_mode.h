// Per-thread switches of gradient recording.
#pragma once

namespace flambeau {

struct GradMode {
  bool enabled = true;
  bool anomaly = false;
  bool anomaly_check_nan = true;
  bool saved_hooks = false;     // saved tensors go through hooks
  bool watches_writes = false;  // somebody is told before a tensor is written to
};

inline thread_local GradMode grad_mode __attribute__((tls_model("initial-exec")));

// Switches recording for a scope.
class GradModeGuard {
 public:
  explicit GradModeGuard(bool enabled) : before_(grad_mode.enabled) { grad_mode.enabled = enabled; }
  ~GradModeGuard() { grad_mode.enabled = before_; }
  GradModeGuard(const GradModeGuard&) = delete;

 private:
  bool before_;
};

}  // namespace flambeau
