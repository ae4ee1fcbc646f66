"""Model files of LIBSVM, LIBLINEAR and rpart, by their first line."""

from __future__ import annotations

from refmc.adapters.claims import Judged, judge_claims
from refmc.adapters.liblinear import LiblinearModel, read_liblinear
from refmc.adapters.libsvm import LibsvmModel, read_libsvm
from refmc.adapters.rpart import RpartTree, read_rpart
from refmc.core.records import Record, limit
from refmc.core.scalars import Number, shown
from refmc.errors import FormatError, ParameterError, plainly

Model = LibsvmModel | LiblinearModel | RpartTree


def read_model(text: str) -> Model:
    """The model of LIBSVM, LIBLINEAR or rpart in a text; its `answer(problem)` is what to check.

    Raises `FormatError` naming the line where the file is cut or isn't understood.

    >>> lines = "solver_type L2R_L1LOSS_SVC_DUAL", "nr_class 2", "label 1 -1", "nr_feature 1"
    >>> file = "\\n".join([*lines, "bias -1", "w", "1"])
    >>> problem = {"family": "svm.binary", "X": [[1], [-1]], "y": [1, -1], "C": 1, "bias": False}
    >>> read_model(file).answer(problem)
    {'w': [1.0]}
    """
    if not isinstance(text, str):
        raise FormatError(f"model: expected text, got {type(text).__name__}")
    lines = text.rstrip("\r\n").replace("\r\n", "\n").split("\n")
    first = lines[0].split(" ")[0].strip()
    if first == "rpart":
        return read_rpart(lines[1:])
    if first == "svm_type":
        return read_libsvm(lines)
    if first == "solver_type":
        return read_liblinear(lines)
    raise FormatError(
        f"model: neither of LIBSVM (svm_type …), LIBLINEAR (solver_type …) nor rpart: {first!r}"
    )


@plainly
def judge_model(
    model: Model,
    problem: Record | str,
    *,
    gap: Number | None = None,
    tolerance: Number | None = None,
) -> Judged:
    """The verdict on a model of `read_model`, as an answer to the problem that it was trained on.

    `gap`: as for `check`; without it what the program's stopping rule promises, which the verdict
    shows, or the family's default for trees. `tolerance`: where it stopped (its -e), which a file
    doesn't hold; None is the program's default. Raises as `read_model(text).answer(problem)`. Cost:
    that of `check`.

    >>> lines = "solver_type L2R_L1LOSS_SVC_DUAL", "nr_class 2", "label 1 -1", "nr_feature 1"
    >>> model = read_model("\\n".join([*lines, "bias -1", "w", "0.875"]))
    >>> problem = {"family": "svm.binary", "X": [[1], [-1]], "y": [1, -1], "C": 1, "bias": False}
    >>> print(judge_model(model, problem).explain())
    VERIFIED  svm.binary  LIBLINEAR: 2 rows, C = 1, without bias
      gap      17/128 (1.3e-1); allowed 1/5
      digits   0.6 correct in the objective
      weights  within 5.2e-1 of the optimal ones, since ½‖w − w*‖² ≤ the gap
      promise  kept: -e 0.1 · Σ C_i bounds the gap by 2.0e-1; weak: up to 2.7e-1 of the optimum
    """
    tol = None if tolerance is None else limit(tolerance, "tolerance")
    if tol and not 2.0**-1074 <= tol < 1:  # w = 0 keeps what 1 promises
        told = f"expected a number of binary64 below 1, got {shown(tolerance)}"
        raise ParameterError(f"tolerance: {told}")
    who = {LibsvmModel: "LIBSVM", LiblinearModel: "LIBLINEAR", RpartTree: "rpart"}[type(model)]
    return judge_claims(who, [model.claim(problem, tol)], gap)
