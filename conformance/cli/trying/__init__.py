"""One expression on many targets: what the oracle says, who agrees, what the documents say."""
