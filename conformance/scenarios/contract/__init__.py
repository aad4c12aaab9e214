"""The contract of a backend of Keras 3: variables, scopes, recurrence, flags."""
