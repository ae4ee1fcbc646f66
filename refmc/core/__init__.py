"""Numbers and choices: what every other room stands on."""
