"""Records of boosting."""
