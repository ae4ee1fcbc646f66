"""Records of decision trees."""
