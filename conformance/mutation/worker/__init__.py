"""What is imported in the worker of a mutated target, on its own Python (3.6 or later)."""
