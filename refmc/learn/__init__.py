"""The lectures' algorithms."""
