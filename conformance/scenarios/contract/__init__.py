"""What a backend of Keras 3 owes beside its functions: variables, scopes, recurrence, flags."""
