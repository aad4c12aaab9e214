"""Plan what is run: the trials of each function, and portions for workers, machines and shards."""
