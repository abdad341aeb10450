"""What a fit says of itself: findings and the certificate."""

from __future__ import annotations

import html
import textwrap
from typing import Any, Iterator, NamedTuple

from . import _json
from ._advice import as_arguments
from ._numpy import np
from ._table import Table

_COLOURS = {"met": "#2e7d32", "not met": "#c62828", "cannot tell": "#ef6c00"}


def _check(record: Any, file: str) -> None:
    """Raises InputError where a certificate is not what the engine writes."""
    for field in ("verdict", "certified", "not_proved"):
        _json.need(record, field, str, file)
    _json.need(record, "tolerance", (int, float), file)
    for field in ("reasons", "notes"):
        if not all(isinstance(line, str) for line in _json.need(record, field, list, file)):
            raise _json.damaged(file, f"its {field!r} are not all text")
    if not isinstance(record.get("evidence"), (dict, type(None))):
        raise _json.damaged(file, "its 'evidence' is not an object")
    for row in _json.need_objects(record, "parameters", file):
        for field in ("name", "verdict", "judged_by"):
            _json.need(row, field, str, file)
        for field in ("mean_error", "median_error", "sd_error", "iqr_error", "khat"):
            if row.get(field) is not None:
                _json.need(row, field, (int, float), file)


class Finding(NamedTuple):
    """What is wrong, by which numbers it shows, and what to do."""

    code: str
    message: str
    evidence: str = ""
    advice: str = ""

    def __repr__(self) -> str:
        lines = textwrap.wrap(self.message, 76, initial_indent="! ", subsequent_indent="  ")
        lines += textwrap.wrap(self.evidence, 76, initial_indent="  ", subsequent_indent="  ")
        lines += textwrap.wrap(self.advice, 76, initial_indent="  -> ", subsequent_indent="     ")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        parts = [f"<b>{html.escape(self.message)}</b>", html.escape(self.evidence), f"<i>{html.escape(self.advice)}</i>"]
        return "<p>" + " ".join(part for part in parts if part) + "</p>"


class Findings(list):  # type: ignore[type-arg]
    """A list of Finding that prints as text."""

    def __init__(self, records: list[dict[str, str]]) -> None:
        super().__init__(
            Finding(**{name: as_arguments(record.get(name, "")) for name in Finding._fields}) for record in records
        )

    def __repr__(self) -> str:
        return "\n".join(map(repr, self)) or "No problems found."

    def _repr_html_(self) -> str:
        return "".join(finding._repr_html_() for finding in self) or "<p>No problems found.</p>"


class Certificate:
    """How wrong the draws may be (docs/certificate.md).

    verdict     "met", "not met", "cannot tell"; is_met
    tolerance   in posterior standard deviations
    certified   the draws that the errors are of: "raw", "reweighted", "chains"
    parameters  a table: a row for each scalar, with the errors of its mean and sd (or median and IQR) and its verdict
    record      all that certificate.json has, as a dict
    """

    def __init__(self, record: dict[str, Any], file: str = "certificate.json") -> None:
        _check(record, file)
        self.record = record
        self.verdict: str = record["verdict"]
        self.tolerance: float = record["tolerance"]
        self.certified: str = record["certified"]
        self.reasons: list[str] = [as_arguments(reason) for reason in record["reasons"]]
        # One for each reason, for programs: "disagree", "diverged", "uneven-weights". Older files have none.
        self.reason_codes: list[str] = record.get("reason_codes", [])
        self.notes: list[str] = [as_arguments(note) for note in record["notes"]]
        self.not_proved: str = record["not_proved"]
        self.evidence: dict[str, Any] | None = record.get("evidence")

    @property
    def is_met(self) -> bool:
        return self.verdict == "met"

    @property
    def parameters(self) -> Table:
        rows = self.record["parameters"]

        def error(row: dict[str, Any], *names: str) -> float:
            found = next((row[name] for name in names if row.get(name) is not None), None)
            return float("nan") if found is None else found

        return Table(
            {
                "name": np.array([row["name"] for row in rows], dtype=str),
                "verdict": np.array([row["verdict"] for row in rows], dtype=str),
                "judged_by": np.array([row["judged_by"] for row in rows], dtype=str),
                "location_error": np.array([error(row, "mean_error", "median_error") for row in rows]),
                "scale_error": np.array([error(row, "sd_error", "iqr_error") for row in rows]),
                "khat": np.array([error(row, "khat") for row in rows]),
            }
        )

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.record["parameters"])

    def _lines(self) -> list[str]:
        draws = self.certified if self.certified == "chains" else f"{self.certified} draws"
        head = f"Tolerance {self.tolerance:g}: {self.verdict} ({draws}, {len(self.record['parameters'])} parameters)."
        return [head, *self.reasons, *self.notes, self.not_proved]

    def __repr__(self) -> str:
        head, *rest = self._lines()
        wrapped = [textwrap.fill(line, 79, initial_indent="  ", subsequent_indent="  ") for line in rest]
        return "\n".join([head, *wrapped])

    def _repr_html_(self) -> str:
        head, *rest = self._lines()
        colour = _COLOURS.get(self.verdict, "inherit")
        lines = "".join(f"<li>{html.escape(line)}</li>" for line in rest)
        return f"<p style='color:{colour}'><b>{html.escape(head)}</b></p><ul>{lines}</ul>"
