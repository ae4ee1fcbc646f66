"""Judges of values: losses, bounds and decisions."""
