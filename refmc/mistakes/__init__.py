"""Named changes of problems and answers: what a refuted answer may be right for instead."""
