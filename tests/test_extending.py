"""What spec/extending.md promises: a kernel is one entry in theory and one in the checker."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction as F
from typing import ClassVar

import pytest

from refmc import FormatError, check, solve_problem
from refmc.checker import kernels
from refmc.checker.numbers.arithmetic import Matrix, to_matrix
from refmc.theory import kernels as known


@dataclass(frozen=True)
class Cauchy:
    """1/(1 + ‖u − v‖²/width), rational and positive semi-definite."""

    width: F
    rational: ClassVar[bool] = True

    def __call__(self, u: Sequence[F], v: Sequence[F], /) -> F:
        return 1 / (1 + sum(((a - b) ** 2 for a, b in zip(u, v)), F(0)) / self.width)

    def to_json(self) -> dict[str, object]:
        return {"name": "cauchy", "width": str(self.width)}


def values(rows: Matrix, parameters: Mapping[str, F]) -> Matrix:
    points = [[F(v, rows.den) for v in row] for row in rows.rows]
    return to_matrix([[Cauchy(parameters["width"])(u, v) for v in points] for u in points])


PROBLEM = {
    "family": "svm.binary",
    "X": [[0], [1], [3]],
    "y": [-1, 1, -1],
    "C": 1,
    "kernel": {"name": "cauchy", "width": "2"},
}


@pytest.fixture
def in_theory(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = (Cauchy, lambda width: Cauchy(F(width)))
    monkeypatch.setattr(known, "KERNELS", {**known.KERNELS, "cauchy": entry})
    monkeypatch.setattr(known, "KNOWN", (*known.KNOWN, Cauchy))


@pytest.mark.usefixtures("in_theory")
def test_a_kernel_that_the_checker_does_not_know_is_refused_by_name() -> None:
    with pytest.raises(FormatError, match="problem.kernel: only linear and polynomial kernels"):
        solve_problem(PROBLEM)
    with pytest.raises(FormatError, match="problem.kernel: only linear and polynomial kernels"):
        check(PROBLEM, {"alpha": [0, 0, 0]})


@pytest.mark.usefixtures("in_theory")
def test_a_kernel_in_both_tables_is_solved_and_judged_by_its_own_values(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    form = kernels.Form(values, lambda parameters: parameters["width"] > 0)
    # the reader holds the same mapping, as an entry in the file would change it
    monkeypatch.setitem(kernels.KERNELS, "cauchy", form)
    answer = solve_problem(PROBLEM)
    assert check(PROBLEM, answer, gap=0)
    K = [[str(Cauchy(F(2))((F(a),), (F(b),))) for b in (0, 1, 3)] for a in (0, 1, 3)]
    by_values = {**{k: v for k, v in PROBLEM.items() if k not in ("X", "kernel")}, "gram": K}
    assert check(by_values, answer, gap=0)
    linear = {k: v for k, v in PROBLEM.items() if k != "kernel"}
    assert not check(linear, {"alpha": answer["alpha"]})
