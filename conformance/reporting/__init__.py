"""One small writer per format. Each is fed the engine's events and knows nothing else."""
