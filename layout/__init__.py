"""The corpus to an immutable map build: arrays in, arrays out."""
