"""What other projects call: problems and answers as records, reference answers, verdicts."""
