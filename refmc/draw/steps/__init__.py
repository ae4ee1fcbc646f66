"""Pages that step through an algorithm: `refmc trace --html` and `refmc book`."""
