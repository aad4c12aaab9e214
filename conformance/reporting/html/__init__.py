"""A static site: matrix, a page for each function and target, comparisons. No server needed."""
