"""How an implementation is reached: the targets, their environments and the worker."""
