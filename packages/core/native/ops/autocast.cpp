#include "ops/autocast.h"

#include "autograd/python.h"
#include "ops/api.h"
#include "ops/arguments.h"
#include "ops/interception.h"

namespace flambeau {

AutocastState& autocast_state() {
  static thread_local AutocastState state;
  return state;
}

AutocastState::Entry AutocastState::get(const std::string& device_type) const {
  for (const Entry& e : entries)
    if (e.device_type == device_type) return e;
  return {device_type, false, device_type == "cpu" ? FB_BFLOAT16 : FB_FLOAT16};
}

void AutocastState::set(const std::string& device_type, bool enabled, DType dtype) {
  bool known = false;
  for (Entry& e : entries)
    if (e.device_type == device_type) {
      e.enabled = enabled;
      e.dtype = dtype;
      known = true;
    }
  if (!known) entries.push_back({device_type, enabled, dtype});
  bool any = false;
  for (const Entry& e : entries) any = any || e.enabled;
  attention = any ? attention | kAutocast : attention & ~uint32_t(kAutocast);
}

Ref autocast_tensor(Tensor* t, Autocast policy) {
  if (!is_floating(t->dtype()) || t->dtype() == FB_FLOAT64) return Ref(t);
  AutocastState::Entry e = autocast_state().get(t->device->name);
  if (!e.enabled) return Ref(t);
  DType want = policy == Autocast::Lower ? e.dtype : FB_FLOAT32;
  return t->dtype() == want ? Ref(t) : to_dtype(t, want);
}

void apply_autocast(Autocast policy, Args& a) {
  for (int i = 0; i < a.n; i++) {
    Slot& s = a.slot[i];
    if (s.tag == Slot::Tensor_) {
      Ref cast = autocast_tensor(s.tensor, policy);
      if (cast.get() == s.tensor) continue;
      s.tensor = cast;
      a.keep(cast.object());
    } else if (a.schema->params[size_t(i)].kind == Kind::Tensors && s.tag == Slot::Object) {
      auto tensors = a.tensors(i);
      PyObject* list = checked(PyTuple_New(Py_ssize_t(tensors.size())));
      for (size_t k = 0; k < tensors.size(); k++)
        PyTuple_SET_ITEM(list, Py_ssize_t(k), autocast_tensor(tensors[k], policy).object());
      s.object = list;
      a.keep(list);
    }
  }
}

}  // namespace flambeau
