// What help() shows of Tensor's attributes, of those methods that are no ops, and of autograd's
// modes. A method's text starts with its signature, in the form that inspect reads.
#pragma once

namespace flambeau::docs {

// ---- attributes ------------------------------------------------------------------------

inline constexpr char shape[] = R"(The sizes of the dimensions, a Size.

Example:

    >>> import flambeau as torch
    >>> torch.zeros(2, 3).shape
    flambeau.Size([2, 3])
)";
inline constexpr char dtype[] = R"(The type of the elements.

Example:

    >>> import flambeau as torch
    >>> torch.tensor([1, 2]).dtype
    flambeau.int64
)";
inline constexpr char device[] = R"(Where the memory lies.

Example:

    >>> import flambeau as torch
    >>> torch.zeros(2).device
    device(type='cpu')
)";
inline constexpr char ndim[] = R"(The number of dimensions.

Example:

    >>> import flambeau as torch
    >>> torch.zeros(2, 3).ndim
    2
)";
inline constexpr char itemsize[] = R"(Bytes of one element.

Example:

    >>> import flambeau as torch
    >>> torch.zeros(2, dtype=torch.float64).itemsize
    8
)";
inline constexpr char nbytes[] = R"(Bytes of all elements.

Example:

    >>> import flambeau as torch
    >>> torch.zeros(2, 3).nbytes
    24
)";
inline constexpr char requires_grad[] = R"(Whether gradients are computed for it.

Only a leaf can be set; integers cannot require grad: RuntimeError.

Example:

    >>> import flambeau as torch
    >>> w = torch.ones(2)
    >>> w.requires_grad = True
    >>> (w * 2).requires_grad
    True
)";
inline constexpr char grad[] = R"(The accumulated gradient, or None.

Each backward() adds to it. Setting it to None starts afresh; a tensor must have the same shape,
dtype and device. Tensors that an op made keep none unless retain_grad() was called.

Example:

    >>> import flambeau as torch
    >>> w = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> (w * w).sum().backward()
    >>> w.grad
    tensor([2., 4.])
)";
inline constexpr char grad_fn[] = R"(The node of the graph that made it, or None for a leaf.

Example:

    >>> import flambeau as torch
    >>> w = torch.ones(2, requires_grad=True)
    >>> w.grad_fn is None, w.exp().grad_fn is None
    (True, False)
)";
inline constexpr char is_leaf[] = R"(Whether no recorded op made it.

Gradients accumulate in leaves that require grad.

Example:

    >>> import flambeau as torch
    >>> w = torch.ones(2, requires_grad=True)
    >>> w.is_leaf, (w * 2).is_leaf
    (True, False)
)";
inline constexpr char retains_grad[] = R"(Whether it keeps its gradient though an op made it.

Example:

    >>> import flambeau as torch
    >>> y = torch.ones(2, requires_grad=True) * 2
    >>> y.retain_grad()
    >>> y.retains_grad
    True
)";
inline constexpr char output_nr[] = R"(Which of its node's outputs it is.

Example:

    >>> import flambeau as torch
    >>> a, b = torch.ones(2, requires_grad=True).unbind()
    >>> a.output_nr, b.output_nr
    (0, 1)
)";
inline constexpr char data[] = R"(The same memory outside the graph.

What is written there is not recorded and not noticed by the graph. Setting it takes over another
tensor's memory and shape.

Example:

    >>> import flambeau as torch
    >>> w = torch.ones(2, requires_grad=True)
    >>> w.data.requires_grad
    False
)";
inline constexpr char T[] = R"(All dimensions reversed: a view.

For anything but a matrix see mT and permute.

Example:

    >>> import flambeau as torch
    >>> torch.tensor([[1, 2], [3, 4]]).T
    tensor([[1, 3],
            [2, 4]])
)";
inline constexpr char mT[] = R"(The last two dimensions exchanged: a view.

Example:

    >>> import flambeau as torch
    >>> torch.zeros(5, 2, 3).mT.shape
    flambeau.Size([5, 3, 2])
)";
inline constexpr char H[] = R"(The conjugate transpose of a matrix.

Example:

    >>> import flambeau as torch
    >>> torch.tensor([[1 + 2j, 3 + 0j]]).H
    tensor([[1.-2.j],
            [3.-0.j]])
)";
inline constexpr char mH[] = R"(The conjugate transpose of the last two dimensions.

Example:

    >>> import flambeau as torch
    >>> torch.zeros(5, 2, 3).mH.shape
    flambeau.Size([5, 3, 2])
)";
inline constexpr char real[] =
    R"(The real part of a complex tensor, a view; a real tensor is its own.

Example:

    >>> import flambeau as torch
    >>> torch.tensor([1 + 2j]).real
    tensor([1.])
)";
inline constexpr char imag[] = R"(The imaginary part of a complex tensor, a view.

Example:

    >>> import flambeau as torch
    >>> torch.tensor([1 + 2j]).imag
    tensor([2.])
)";

// ---- what a tensor says of itself ------------------------------------------------------

inline constexpr char item[] = R"(item($self, /)
--

The value of a tensor of one element, as a Python number.

Another number of elements raises RuntimeError.

Example:

    >>> import flambeau as torch
    >>> torch.tensor([[2.5]]).item()
    2.5
)";
inline constexpr char tolist[] = R"(tolist($self, /)
--

The values as nested lists of Python numbers; one number for a tensor without dimensions.

Example:

    >>> import flambeau as torch
    >>> torch.tensor([[1, 2], [3, 4]]).tolist()
    [[1, 2], [3, 4]]
)";
inline constexpr char dim[] = R"(dim($self, /)
--

The number of dimensions.

Example:

    >>> import flambeau as torch
    >>> torch.zeros(2, 3).dim()
    2
)";
inline constexpr char ndimension[] = R"(ndimension($self, /)
--

The number of dimensions, as dim().

Example:

    >>> import flambeau as torch
    >>> torch.zeros(2, 3).ndimension()
    2
)";
inline constexpr char numel[] = R"(numel($self, /)
--

The number of elements.

Example:

    >>> import flambeau as torch
    >>> torch.zeros(2, 3).numel()
    6
)";
inline constexpr char nelement[] = R"(nelement($self, /)
--

The number of elements, as numel().

Example:

    >>> import flambeau as torch
    >>> torch.zeros(2, 3).nelement()
    6
)";
inline constexpr char element_size[] = R"(element_size($self, /)
--

Bytes of one element.

Example:

    >>> import flambeau as torch
    >>> torch.zeros(2, dtype=torch.float16).element_size()
    2
)";
inline constexpr char storage_offset[] = R"(storage_offset($self, /)
--

How many elements of the memory lie before the first.

Example:

    >>> import flambeau as torch
    >>> torch.arange(6)[2:].storage_offset()
    2
)";
inline constexpr char data_ptr[] = R"(data_ptr($self, /)
--

The address of the first element.

Example:

    >>> import flambeau as torch
    >>> x = torch.arange(6)
    >>> x.view(2, 3).data_ptr() == x.data_ptr()
    True
)";
inline constexpr char is_floating_point[] = R"(is_floating_point($self, /)
--

Whether the dtype is a floating-point one.

Example:

    >>> import flambeau as torch
    >>> torch.tensor([1.0]).is_floating_point()
    True
)";
inline constexpr char is_complex[] = R"(is_complex($self, /)
--

Whether the dtype is a complex one.

Example:

    >>> import flambeau as torch
    >>> torch.tensor([1.0]).is_complex()
    False
)";
inline constexpr char is_signed[] = R"(is_signed($self, /)
--

Whether the dtype has negative numbers.

Example:

    >>> import flambeau as torch
    >>> torch.tensor([1], dtype=torch.uint8).is_signed()
    False
)";
inline constexpr char is_conj[] = R"(is_conj($self, /)
--

False: conjugation is never postponed.

Example:

    >>> import flambeau as torch
    >>> torch.tensor([1 + 2j]).conj().is_conj()
    False
)";
inline constexpr char is_neg[] = R"(is_neg($self, /)
--

False: negation is never postponed.

Example:

    >>> import flambeau as torch
    >>> torch.tensor([1 + 2j]).imag.is_neg()
    False
)";
inline constexpr char get_device[] = R"(get_device($self, /)
--

The index of its device, -1 on the CPU.

Example:

    >>> import flambeau as torch
    >>> torch.zeros(2).get_device()
    -1
)";
inline constexpr char is_contiguous[] = R"(is_contiguous($self, *, memory_format=...)
--

Whether elements lie without gaps, row by row or in the order that a memory format says.

Example:

    >>> import flambeau as torch
    >>> x = torch.zeros(2, 3)
    >>> x.is_contiguous(), x.T.is_contiguous()
    (True, False)
)";
inline constexpr char size[] = R"(size($self, dim=None)
--

The sizes of all dimensions, a Size, or the size of one.

Example:

    >>> import flambeau as torch
    >>> torch.zeros(2, 3).size(), torch.zeros(2, 3).size(-1)
    (flambeau.Size([2, 3]), 3)
)";
inline constexpr char stride[] = R"(stride($self, dim=None)
--

How many elements of the memory lie between neighbours: of all dimensions, or of one.

Example:

    >>> import flambeau as torch
    >>> torch.zeros(2, 3).stride()
    (3, 1)
)";
inline constexpr char set_[] = R"(set_($self, source, /)
--

Takes over the memory, the shape and the strides of a tensor of the same dtype, and returns itself.

Example:

    >>> import flambeau as torch
    >>> torch.zeros(1).set_(torch.tensor([1.0, 2.0]))
    tensor([1., 2.])
)";
inline constexpr char is_same_size[] = R"(is_same_size($self, other, /)
--

Whether both have the same shape.

Example:

    >>> import flambeau as torch
    >>> torch.zeros(2, 3).is_same_size(torch.ones(2, 3))
    True
)";

// ---- its place in the graph ------------------------------------------------------------

inline constexpr char backward[] =
    R"(backward($self, gradient=None, retain_graph=None, create_graph=False, inputs=None)
--

Adds the gradient of the tensor with respect to the graph's leaves to their grad.

- gradient: what arrives from beyond the tensor, in its shape; 1 where it has one element, and
  RuntimeError where it has more.
- retain_graph: whether the graph can be used again; what create_graph says, by default.
- create_graph: whether gradients are recorded too, for derivatives of higher order.
- inputs: the tensors whose grad is computed, instead of all leaves.

Example:

    >>> import flambeau as torch
    >>> w = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> (w ** 2).backward(torch.tensor([1.0, 10.0]))
    >>> w.grad
    tensor([ 2., 40.])
)";
inline constexpr char requires_grad_[] = R"(requires_grad_($self, requires_grad=True)
--

Sets whether gradients are computed for a leaf, and returns it.

Example:

    >>> import flambeau as torch
    >>> torch.ones(2).requires_grad_()
    tensor([1., 1.], requires_grad=True)
)";
inline constexpr char detach_[] = R"(detach_($self, /)
--

Takes it out of the graph in place: it becomes a leaf that requires no grad.

A view raises RuntimeError, since its base stays in the graph: see detach.

Example:

    >>> import flambeau as torch
    >>> y = torch.ones(2, requires_grad=True) * 2
    >>> y.detach_().requires_grad
    False
)";
inline constexpr char is_inference[] = R"(is_inference($self, /)
--

Whether it was made in inference mode.

Example:

    >>> import flambeau as torch
    >>> with torch.inference_mode():
    ...     x = torch.ones(2)
    >>> x.is_inference()
    True
)";
inline constexpr char retain_grad[] = R"(retain_grad($self, /)
--

Keeps the gradient of a tensor that an op made; leaves keep theirs anyway.

Example:

    >>> import flambeau as torch
    >>> y = torch.ones(2, requires_grad=True) * 2
    >>> y.retain_grad()
    >>> (y * y).sum().backward()
    >>> y.grad
    tensor([4., 4.])
)";
inline constexpr char register_hook[] = R"(register_hook($self, hook, /)
--

Calls hook(grad) whenever its gradient is known; what that returns, if a tensor, takes its place.

The handle that is returned has a method remove().

Example:

    >>> import flambeau as torch
    >>> w = torch.ones(2, requires_grad=True)
    >>> handle = w.register_hook(lambda grad: grad * 10)
    >>> w.sum().backward()
    >>> w.grad
    tensor([10., 10.])
)";
inline constexpr char register_post_accumulate_grad_hook[] =
    R"(register_post_accumulate_grad_hook($self, hook, /)
--

Calls hook(tensor) each time a gradient has been added to the grad of a leaf.

The handle that is returned has a method remove().

Example:

    >>> import flambeau as torch
    >>> w = torch.ones(2, requires_grad=True)
    >>> handle = w.register_post_accumulate_grad_hook(lambda leaf: print(leaf.grad))
    >>> w.sum().backward()
    tensor([1., 1.])
)";
inline constexpr char as_subclass[] = R"(as_subclass($self, cls, /)
--

The same memory and history as an instance of a subclass of Tensor.

Example:

    >>> import flambeau as torch
    >>> class Named(torch.Tensor):
    ...     name = "weights"
    >>> torch.ones(2).as_subclass(Named).name
    'weights'
)";

// ---- modes of the thread ---------------------------------------------------------------

inline constexpr char is_grad_enabled[] = R"(is_grad_enabled()
--

Whether gradients are recorded in this thread.

Example:

    >>> import flambeau as torch
    >>> with torch.no_grad():
    ...     torch.is_grad_enabled()
    False
)";
inline constexpr char is_inference_mode_enabled[] = R"(is_inference_mode_enabled()
--

Whether this thread is in inference mode.

Example:

    >>> import flambeau as torch
    >>> torch.is_inference_mode_enabled()
    False
)";
inline constexpr char is_anomaly_enabled[] = R"(is_anomaly_enabled()
--

Whether anomaly detection is on.

Example:

    >>> import flambeau as torch
    >>> torch.is_anomaly_enabled()
    False
)";
inline constexpr char is_anomaly_check_nan_enabled[] = R"(is_anomaly_check_nan_enabled()
--

Whether anomaly detection looks for nan.

Example:

    >>> import flambeau as torch
    >>> torch.is_anomaly_check_nan_enabled()
    True
)";

}  // namespace flambeau::docs
