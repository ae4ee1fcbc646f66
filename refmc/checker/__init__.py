"""The trusted judge: plain data in, verdict out.

Each family of problems has one module with a `judge` function that is given the problem, what
somebody submitted as its answer, and the gap that is allowed. All numbers are Fractions or ints,
all comparisons are exact, and nothing outside this folder but the standard library is imported, so
that a fault of a solver cannot hide a fault of its answer.
"""

from refmc.checker.verdict import Verdict, Violation

__all__ = ["Verdict", "Violation"]
