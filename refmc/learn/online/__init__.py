"""Perceptrons and stochastic gradient descent."""
