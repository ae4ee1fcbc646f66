"""Labels of binary learners: −1 and +1, or any two that the caller names."""

from __future__ import annotations

from refmc.core.sample import Label, Labels, read_labels
from refmc.core.scalars import shown
from refmc.errors import DataError, ParameterError


def read_two_classes(
    y: Labels, classes: Labels | None, rows: int
) -> tuple[tuple[int, ...], tuple[Label, Label]]:
    """For each row −1 or +1, and the pair (negative, positive) of labels.

    Without `classes` the labels are −1 and +1, one of which may be absent; `classes` names any
    two. Raises `DataError` naming the labels found, `ParameterError` for other than two classes.

    >>> read_two_classes(["no", "yes"], ("no", "yes"), 2)
    ((-1, 1), ('no', 'yes'))
    """
    if classes is not None:
        codes, order = read_labels(y, classes, rows)
        if len(order) != 2:
            raise ParameterError(
                f"classes: expected two labels (negative, positive), got {shown(order)}"
            )
        return tuple(2 * code - 1 for code in codes), (order[0], order[1])
    codes, found = read_labels(y, None, rows)
    # floats −1.0 and 1.0 are what numeric arrays hold; True is no sign
    if any(label not in (-1, 1) or isinstance(label, bool) for label in found):
        raise DataError(
            f"y: expected labels -1 and +1, found {', '.join(map(shown, found[:5]))}"
            f"{' and more' if len(found) > 5 else ''}; give classes=(negative, positive)"
        )
    signs = tuple(-1 if found[code] == -1 else 1 for code in codes)
    own = {sign: found[code] for sign, code in zip(signs, codes)}
    return signs, (own.get(-1, -1), own.get(1, 1))
