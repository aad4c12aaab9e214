"""What is found out of a module before it is tested: whether it has a graph, and other names."""
