"""Records of SVMs and of quadratic programs."""
