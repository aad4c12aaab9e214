"""Named fake implementations: one that is right, and others that are wrong in one known way."""
