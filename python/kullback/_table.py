"""A small table that prints, and becomes a data frame where pandas is installed."""

from __future__ import annotations

import html
from typing import Any, Iterator

from ._numpy import np



def _cell(value: Any) -> str:
    if isinstance(value, (float, np.floating)):
        return "-" if np.isnan(value) else f"{value:.4g}"
    return str(value)


class Table:
    """Columns of equal length. table["mean"] is a column, table.row("theta[1]") a dict; iteration gives rows."""

    def __init__(self, columns: dict[str, np.ndarray], label: str = "name") -> None:
        self.columns = columns
        self.label = label

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()))) if self.columns else 0

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self.columns:
            raise KeyError(f"there is no column {name!r}; there are {', '.join(self.columns)}")
        return self.columns[name]

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return (dict(zip(self.columns, row)) for row in zip(*self.columns.values()))

    def row(self, name: str) -> dict[str, Any]:
        """The row that is called so."""
        for row in self:
            if row.get(self.label) == name:
                return row
        raise KeyError(f"there is no row {name!r}")

    def _texts(self, rows: int) -> list[list[str]]:
        shown = [list(self.columns)]
        for index, row in enumerate(self):
            if index == rows:
                break
            shown.append([_cell(value) for value in row.values()])
        return shown

    def __repr__(self) -> str:
        lines = self._texts(40)
        widths = [max(len(line[i]) for line in lines) for i in range(len(self.columns))]
        is_text = [values.dtype.kind in "UO" for values in self.columns.values()]
        text = "\n".join(
            "  ".join(c.ljust(w) if left else c.rjust(w) for c, w, left in zip(line, widths, is_text)).rstrip()
            for line in lines
        )
        return text + (f"\n... {len(self) - 40} more rows" if len(self) > 40 else "")

    def _repr_html_(self) -> str:
        return html_table(self._texts(100), len(self))

    def to_pandas(self) -> Any:
        """A pandas.DataFrame, indexed by the first column where that holds names."""
        import pandas  # type: ignore[import-untyped, unused-ignore]

        frame = pandas.DataFrame(self.columns)
        return frame.set_index(self.label) if self.label in self.columns else frame


def html_table(lines: list[list[str]], total: int) -> str:
    head = "".join(f"<th style='text-align:right'>{html.escape(cell)}</th>" for cell in lines[0])
    body = "".join(
        "<tr>" + "".join(f"<td style='text-align:right'>{html.escape(cell)}</td>" for cell in line) + "</tr>"
        for line in lines[1:]
    )
    rest = total - (len(lines) - 1)
    more = f"<p>... {rest} more rows</p>" if rest > 0 else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"
