"""Decision trees: growing, pruning and the choice of lambda."""
