"""The methods by which models are drawn, also in notebooks."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module

from refmc.errors import RefmcError


class Drawn:
    """The methods of a model that `draw_model` knows.

    They import `refmc.draw`, which imports the models, only when a picture is asked for: a program
    that only computes never loads it.
    """

    def draw(self, columns: Sequence[str] | None = None) -> str:
        """The picture as SVG; `columns` are the names of the columns. See `draw_model`."""
        picture: str = import_module("refmc.draw.fitted").draw_model(self, columns)
        return picture

    def _repr_svg_(self) -> str | None:
        """The picture in a notebook; None where there is none."""
        try:
            return self.draw()
        except RefmcError:
            return None
