"""Judges of grown and of pruned decision trees."""
