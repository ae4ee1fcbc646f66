"""What several properties draw; apart from `support`, which programs without Hypothesis use."""

import math
from fractions import Fraction

from hypothesis import strategies as st


def ratios(low: Fraction | int, high: Fraction | int, most: int) -> st.SearchStrategy[Fraction]:
    """The Fractions from low to high with denominators up to `most`, plain ones first.

    Each draw of `st.fractions` makes strategies anew, which takes eight times as long.
    """
    found = {
        Fraction(n, d)
        for d in range(1, most + 1)
        for n in range(math.ceil(low * d), math.floor(high * d) + 1)
    }
    return st.sampled_from(sorted(found, key=lambda q: (q.denominator, abs(q), q < 0)))
