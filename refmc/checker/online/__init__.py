"""Judges of runs of perceptrons and of stochastic gradient descent."""
