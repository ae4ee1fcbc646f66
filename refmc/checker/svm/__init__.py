"""Judges of SVMs and of quadratic programs."""
