"""What commands without a program leave: a folder with a summary and tables."""

from __future__ import annotations

import html
import os
import shutil
import tempfile
import weakref
from typing import Any, Iterator

from . import _engine, _json, _library, _verbs, errors
from ._files import read_table
from ._numpy import np
from ._table import Table
from ._verdict import Findings

DEEP = ("bnn", "vae", "ebm", "diffusion", "score", "discrete-diffusion")  # kinds that kullback-deep knows


TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Union

    ResultLike = Union["Result", str, os.PathLike[str]]


class Kept:
    """A temporary folder that goes when nothing refers to it, at the latest with the interpreter."""

    def __init__(self) -> None:
        self.name = tempfile.mkdtemp(prefix="kullback-")
        weakref.finalize(self, shutil.rmtree, self.name, ignore_errors=True)


class Result:
    """A mixture, topics, a network ...: result["components"] is a table, result.summary what was found, in numbers.

    folder    where it is; a temporary one lives as long as the result, save() keeps it
    kind      "mixture", "topics", "hmm", "factors", "regress", "bnn", "vae", "ebm", "diffusion", "score", "predictions"
    """

    def __init__(self, folder: str, record: dict[str, Any], text: str | None = None, holder: Any = None) -> None:
        self.folder = folder
        self.record = record
        self.kind: str = record["kind"]
        self._text = text
        self._holder = holder  # of a temporary folder

    # ---- what there is ----

    @property
    def text(self) -> str:
        """What the command prints."""
        if self._text is None:
            self._text = _engine.run(["summary", self.folder], is_deep=self.kind in DEEP)[1]
        return self._text

    def __repr__(self) -> str:
        if self.kind == "predictions":
            return f"<kullback.Result: predictions in {self.folder}, tables {', '.join(self.tables)}>"
        lines = [line for line in self.text.rstrip("\n").split("\n") if not line.startswith("Results: ")]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(repr(self))}</pre>"

    @property
    def summary(self) -> dict[str, Any]:
        """summary.json: the bound and its terms, held-out figures, ... as the command's page says."""
        return self._object("summary.json")

    @property
    def metrics(self) -> dict[str, Any]:
        """Of predictions where the target is known: how good they are."""
        return self._object("metrics.json")

    def _check(self) -> None:
        """Raises InputError where a file of a folder that was loaded is damaged."""
        self.summary, self.metrics

    def _object(self, name: str) -> dict[str, Any]:
        path = os.path.join(self.folder, name)
        return _json.read_object(path) if os.path.exists(path) else {}

    @property
    def findings(self) -> Findings:
        return Findings(self.record.get("findings", []))

    @property
    def tables(self) -> list[str]:
        """What result[name] takes: the CSV files of the folder."""
        return sorted(name[:-4] for name in os.listdir(self.folder) if name.endswith(".csv"))

    def __iter__(self) -> Iterator[str]:
        return iter(self.tables)

    def __getitem__(self, name: str) -> Table:
        """A CSV file as a Table; table["column"] is an array."""
        if name not in self.tables:
            raise KeyError(f"there is no table {name!r}; there are {', '.join(self.tables)}")
        columns = read_table(os.path.join(self.folder, name + ".csv"))
        return Table(columns, next(iter(columns), ""))

    # ---- what it does ----

    predict = _verbs.predict
    sample = _verbs.sample
    loglik = _verbs.loglik
    evaluate = _verbs.evaluate
    encode = _verbs.encode
    decode = _verbs.decode
    restore = _verbs.restore

    # ---- elsewhere ----

    def save(self, folder: str | os.PathLike[str]) -> str:
        """Copies the folder to a place that stays."""
        path = os.fspath(folder)
        if os.path.exists(path):
            raise errors.made(errors.CannotWriteError, f"{path}: exists already.", "Choose another name.")
        shutil.copytree(self.folder, path)
        return path

    def report(self, path: str | os.PathLike[str] = "report.html") -> str:
        """One HTML file that shows the result; returns its path."""
        return _library.write_report(self.folder, path)
