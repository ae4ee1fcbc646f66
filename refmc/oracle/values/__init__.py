"""Records of losses, bounds and decisions."""
