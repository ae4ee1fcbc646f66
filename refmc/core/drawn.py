"""What has a picture, and shows it in notebooks."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module

from refmc.errors import RefmcError


class Drawn:
    """The methods of a model that `draw_model` knows.

    Pictures are made in a room above those of models, which is named when one is asked for: whoever
    only computes never imports it.
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
