"""Numbers, samples, records and ties: what the other folders import."""
