"""SVMs: the active-set method and the duals that it solves."""
