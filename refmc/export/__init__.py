"""Predictors in other languages, which give the label of the exact model for every row."""
