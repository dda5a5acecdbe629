// What the files of this room offer one another and the module.
#pragma once

#include <Python.h>

#include "ops/op.h"

namespace flambeau {

bool make_size_type(PyObject* module);
bool make_dtype_type(PyObject* module);
bool make_device_type_object(PyObject* module);
bool make_tensor_type(PyObject* module);
bool make_grad_context_type(PyObject* module);
bool make_node_type(PyObject* module);

// The grad_fn object of a node; the same one as long as it lives.
PyObject* node_object(Node* n);
PyObject* leaf_node_object(Tensor* leaf);
// What such an object stands for: a node, or a leaf's end of the graph. TypeError otherwise.
struct NodeEnd {
  Node* node;
  Tensor* leaf;
};
NodeEnd node_end(PyObject* o);

// The tensors of a sequence, or of one tensor; null for None.
std::vector<Ref> tensors_of(const char* what, PyObject* o);

// Puts a hook into a dict of them; the handle by which it can be removed again.
PyObject* add_hook(PyObject* hooks, PyObject* hook);

// Attribute tables of the tensor type, from their own files.
extern PyGetSetDef tensor_attributes[];
extern PyMethodDef tensor_methods[];
extern PyMethodDef tensor_autograd_methods[];
extern PyMethodDef autograd_functions[];
extern PyMethodDef function_node_functions[];
extern PyMethodDef autograd_graph_functions[];
extern PyMethodDef construct_functions[];
extern PyMethodDef interception_functions[];
// Which flags tensors of a subclass carry: Python decides when the class is made.
uint32_t interception_of(PyTypeObject* type);
extern PyMethodDef graph_search_functions[];
extern PyMethodDef launch_functions[];

// Backends written in Python; see flambeau_core.plugins.
std::unique_ptr<Backend> make_python_backend(PyObject* backend);

std::string device_name(Device d);
int pointer_alignment();

}  // namespace flambeau
