"""AdaBoost, AdaBoost.MH and decision stumps."""
