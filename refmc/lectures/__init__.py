"""The lectures as plain programs, one file each, to be read beside them."""
