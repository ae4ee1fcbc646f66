"""The problems of the vectors, by topic: by hand, and drawn where drawing found what hands had not."""
