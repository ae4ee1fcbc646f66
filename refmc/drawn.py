"""The methods by which models are drawn, also in notebooks, and exported."""

from __future__ import annotations

TYPE_CHECKING = False  # as in `refmc`, which imports this whatever is used
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, ClassVar


class Drawn:
    """The methods of a model that `draw_model` knows.

    `picture` is `draw_model`. The package hands it over: it knows the room that draws, and the
    models don't.
    """

    picture: ClassVar[Callable[[Any, Sequence[str] | None], str]]

    def draw(self, columns: Sequence[str] | None = None) -> str:
        """The picture as SVG; `columns` are the names of the columns. See `draw_model`."""
        return type(self).picture(self, columns)

    def _repr_svg_(self) -> str | None:
        """The picture in a notebook; None where there is none."""
        from refmc.errors import RefmcError  # not before it is needed

        try:
            return self.draw()
        except RefmcError:
            return None


class Exported:
    """The method of a model that `export_model` knows; the package hands it over as `exporter`."""

    exporter: ClassVar[Callable[..., str]]

    def export(
        self,
        to: str,
        *,
        name: str = "model",
        rows: str | None = None,
        decimals: int | None = None,
        tie: str | None = None,
        quick: bool = False,
        columns: Sequence[str] = (),
    ) -> str:
        """The text of a file in C, JavaScript or Python that predicts what the model does.

        Settings and errors are those of `export_model`.
        """
        settings = {"name": name, "rows": rows, "decimals": decimals, "tie": tie, "quick": quick}
        return type(self).exporter(self, to, columns=columns, **settings)
