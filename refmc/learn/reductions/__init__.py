"""Many classes by several binary classifiers."""
