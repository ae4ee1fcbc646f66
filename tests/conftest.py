"""No example of Hypothesis has a deadline: how fast a busy machine is says nothing of the code."""

from hypothesis import settings

settings.register_profile("no deadline", deadline=None)
settings.load_profile("no deadline")
