"""The command `paperatlas` and its settings: composes the parts, holds no logic of its own."""
