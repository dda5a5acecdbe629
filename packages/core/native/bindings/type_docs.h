// What help() shows of the native classes.
#pragma once

namespace flambeau::docs {

inline constexpr char tensor_class[] =
    R"(An array of elements of one dtype on one device, with a place in the autograd graph.

flambeau.tensor makes one from data, and the factories (zeros, arange, randn...) one of given
sizes. The ops are its methods. Subclasses are kept by ops.

Example:

    >>> import flambeau as torch
    >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    >>> x.shape, x.dtype
    (flambeau.Size([2, 2]), flambeau.float32)
    >>> (x @ x).sum().backward()
    >>> x.grad
    tensor([[ 7., 11.],
            [ 9., 13.]])
)";

inline constexpr char dtype_class[] = R"(The type of a tensor's elements.

There is one object a type, such as bool, int64, float32 or complex64.

Example:

    >>> import flambeau as torch
    >>> torch.float16.itemsize, torch.float16.is_floating_point
    (2, True)
)";

inline constexpr char device_class[] =
    R"(Where a tensor's memory lies: a type, and an index where there are several of it.

device("cuda:1") and device("cuda", 1) are the same. A type that no backend serves raises
RuntimeError.

Example:

    >>> import flambeau as torch
    >>> torch.device("cpu").type
    'cpu'
)";

inline constexpr char size_class[] = R"(The sizes of a tensor's dimensions, a tuple of int.

Example:

    >>> import flambeau as torch
    >>> size = torch.zeros(2, 3).shape
    >>> size.numel(), size[1:]
    (6, flambeau.Size([3]))
)";

}  // namespace flambeau::docs
