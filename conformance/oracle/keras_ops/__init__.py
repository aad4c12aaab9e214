"""Right answers of functions that keras.ops alone has."""
