"""What a classifier is made of and judged by."""
