"""What an optimizer saves: parameters are replaced by running numbers over all groups."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

import flambeau_core as fb

Groups = list[dict[str, Any]]


def pack_state(groups: Groups, state: Mapping[Any, Any]) -> dict[str, Any]:
    """``{"state": {number: state of the parameter}, "param_groups": [...]}``, PyTorch's layout."""
    number: dict[int, int] = {}
    packed_groups = []
    for group in groups:
        packed = {key: value for key, value in group.items() if key != "params"}
        for param in group["params"]:
            number.setdefault(id(param), len(number))
        packed["params"] = [number[id(param)] for param in group["params"]]
        packed_groups.append(packed)
    packed_state = {
        number[id(key)] if isinstance(key, fb.Tensor) else key: value
        for key, value in state.items()
    }
    return {"state": packed_state, "param_groups": packed_groups}


def unpack_state(
    groups: Groups, saved_groups: Groups, saved_state: Mapping[Any, Any]
) -> tuple[Groups, defaultdict[Any, Any]]:
    """The groups and the state to load, with the parameters of ``groups`` back in place."""
    if len(groups) != len(saved_groups):
        raise ValueError(
            "loaded state dict has a different number of parameter groups: "
            f"{len(saved_groups)}, the optimizer has {len(groups)}"
        )
    param_of: dict[Any, fb.Tensor] = {}
    for index, (group, saved) in enumerate(zip(groups, saved_groups, strict=True)):
        if len(group["params"]) != len(saved["params"]):
            raise ValueError(
                "loaded state dict contains a parameter group that doesn't match the size of "
                f"optimizer's group: group {index} has {len(saved['params'])} parameters in it, "
                f"the optimizer's has {len(group['params'])}"
            )
        param_of.update(zip(saved["params"], group["params"], strict=True))

    state: defaultdict[Any, Any] = defaultdict(dict)
    for key, value in saved_state.items():
        param = param_of.get(key)
        if param is None:
            state[key] = value
        else:
            state[param] = _cast(value, param)
    return [_with_params(saved, group) for group, saved in zip(groups, saved_groups)], state


def _with_params(saved: dict[str, Any], group: dict[str, Any]) -> dict[str, Any]:
    loaded = {**saved, "params": group["params"]}
    if "param_names" in group:
        loaded["param_names"] = group["param_names"]
    return loaded


def _cast(value: Any, param: fb.Tensor, key: Any = None) -> Any:
    """Bring the tensors of a parameter's state to its dtype and device."""
    if isinstance(value, fb.Tensor):
        # The step count stays as it is: half precision would stop counting at 2048.
        if key == "step":
            return value
        if param.is_floating_point():
            return value.to(dtype=param.dtype, device=param.device)
        return value.to(device=param.device)
    if isinstance(value, dict):
        return {name: _cast(item, param, name) for name, item in value.items()}
    if isinstance(value, Iterable) and not isinstance(value, (str, bytes)):
        return type(value)(_cast(item, param) for item in value)  # type: ignore[call-arg]
    return value


def step_counts_to_tensors(state: Mapping[Any, Any]) -> None:
    """Checkpoints of PyTorch before 1.12 count the steps in plain numbers."""
    for param_state in state.values():
        count = param_state.get("step")
        if count is not None and not isinstance(count, fb.Tensor):
            param_state["step"] = fb.tensor(float(count), dtype=fb.float32)
