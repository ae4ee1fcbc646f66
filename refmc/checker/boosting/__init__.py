"""Judges of runs of boosting."""
