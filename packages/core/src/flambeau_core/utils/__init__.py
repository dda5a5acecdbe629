"""Modules for programs that use tensors: checkpointing."""
