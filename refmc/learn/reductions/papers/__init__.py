"""Three reductions that [chang] names by their papers only."""
