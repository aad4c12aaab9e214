"""What is tried: the trials of each function, and their parts for workers, machines and shards."""
