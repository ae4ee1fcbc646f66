"""How many examples Hypothesis tries: few for everyone, many with --hypothesis-profile=campaign.

None has a deadline: how fast a busy machine is says nothing of the code.
"""

from hypothesis import settings

settings.register_profile("everyone", max_examples=25, deadline=None)
settings.register_profile("campaign", max_examples=2_000, deadline=None)
settings.load_profile("everyone")

collect_ignore = ["suite/programs"]  # they are started by tests, and run when they are imported
