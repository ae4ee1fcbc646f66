"""Exact matrices, enclosures and logarithms for the judges."""
