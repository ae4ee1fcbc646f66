"""Records of perceptrons and of stochastic gradient descent."""
