"""A backend with one error in one function."""
