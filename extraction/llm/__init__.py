"""The one way to a language model, and the providers behind it."""
