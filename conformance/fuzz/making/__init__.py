"""Programs of several calls, typed by shape and dtype, made of a seed."""
