"""What is done with a result: each starts a verb on its folder."""

from __future__ import annotations

import os
from typing import Any

from . import _engine, _json, errors
from ._commands import option_words, start, write_labels
from ._files import read_table, write_documents, write_rows, write_table, write_words
from ._fit import Fit
from ._load import load, read_record
from ._numpy import np
from ._progress import is_shown
from ._result import DEEP, Kept, Result
from ._table import Table
from ._verdict import Findings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._files import Rows
    from ._result import ResultLike

_WHOSE = {
    "sample": "autoencoders, energies and diffusion models",
    "loglik": "energies and diffusion models",
    "restore": "diffusion models and scores",
    "evaluate": "autoencoders",
    "encode": "autoencoders",
    "decode": "autoencoders",
}


class Evaluation:
    """Log likelihoods of rows under a fitted model.

    rows     a table with a line for each row, where there are figures of rows: rows["log_likelihood"]
    summary  the figures of all rows together, as a dict
    findings what is wrong with them
    """

    def __init__(self, summary: dict[str, Any], rows: Table | None, text: str) -> None:
        self.summary = summary
        self.rows = rows
        self.text = text

    @property
    def findings(self) -> Findings:
        return Findings(self.summary.get("findings", []))

    def __repr__(self) -> str:
        places = ("Figures: ", "Row by row: ")
        return "\n".join(line for line in self.text.rstrip("\n").split("\n") if not line.startswith(places))


class Restored:
    """Rows that were restored from what was observed of them: draws of the posterior of each row, and what they amount to.

    mean, sd  arrays [rows, columns]
    draws     an array [rows, draws, columns]
    rows      a table with a line for each row: numbers seen, log evidence, effective particles, acceptance
    record    restore.json: operator, method, seed, ...
    folder    where it is; a temporary one lives as long as the result
    """

    def __init__(self, folder: str, text: str, holder: Any = None) -> None:
        self.folder = folder
        self.text = text
        self._holder = holder
        self.record = _json.read_object(os.path.join(folder, "restore.json"))
        self.mean, self.sd = self._array("mean"), self._array("sd")
        self.draws = self._array("samples").reshape(len(self.mean), -1, self.mean.shape[1])

    def _array(self, name: str) -> np.ndarray:
        array: np.ndarray = np.load(os.path.join(self.folder, name + ".npy"), allow_pickle=False)
        return array

    @property
    def rows(self) -> Table:
        rows = _json.need_objects(self.record, "rows", "restore.json")
        nan = float("nan")
        columns = {
            name: np.array([nan if row[name] is None else row[name] for row in rows], dtype=float) for name in rows[0]
        }
        return Table({"row": np.arange(1, len(rows) + 1), **columns}, "row")

    def __repr__(self) -> str:
        lines = self.text.rstrip("\n").split("\n")
        return "\n".join(line for line in lines if not line.startswith("Samples, means and sds: "))


def _opened(result: ResultLike, verb: str) -> Result:
    found = result if isinstance(result, Result) else Result(os.fspath(result), read_record(os.fspath(result)))
    if found.kind not in DEEP:
        raise errors.made(errors.UsageError, f"{found.folder}: holds a {found.kind}; {verb} is of {_WHOSE[verb]}.")
    return found


def _run(verb: str, words: list[str], options: dict[str, Any], scratch: str, progress: bool | None) -> str:
    labels = options.pop("labels", None)
    more = option_words({"labels": write_labels(labels, scratch), **options}, scratch)
    return _engine.run([verb, *words, *more], is_deep=True, shows=is_shown(progress))[1]


def predict(
    result: Fit | ResultLike,
    data: Any = None,
    *,
    out: str | os.PathLike[str] | None = None,
    progress: bool | None = None,
    **options: Any,
) -> Any:
    found = result if isinstance(result, (Fit, Result)) else load(result)
    if isinstance(found, Fit):
        from ._programs import predict_program

        return predict_program(found, data, out, options, progress)
    if data is None:
        raise errors.made(errors.UsageError, "predict needs new data.", "The fit's own rows are in the result's tables.")
    with _engine.scratch_folder() as scratch:
        write = write_rows if found.kind in DEEP else write_table
        if found.kind == "topics":
            data, words = write_documents(data, os.path.join(scratch, "documents"))
            if words is not None:
                options.setdefault("vocabulary", write_words(words, os.path.join(scratch, "words")))
        return start(
            "predict",
            data,
            out,
            options,
            before=[found.folder],
            is_deep=found.kind in DEEP,
            holder=found._holder,
            write=write,
            progress=progress,
        )


def _matrix(verb: str, found: Result, data: Any, options: dict[str, Any], progress: bool | None = False) -> np.ndarray:
    with _engine.scratch_folder() as scratch:
        files = [] if data is None else write_rows(data, os.path.join(scratch, "rows"))
        out = os.path.join(scratch, "out.npy")
        _run(verb, [found.folder, *files, f"--out={out}"], options, scratch, progress)
        array: np.ndarray = np.load(out, allow_pickle=False)
        return array


def sample(result: ResultLike, count: int = 64, *, progress: bool | None = None, **options: Any) -> np.ndarray:
    return _matrix("sample", _opened(result, "sample"), None, {"count": count, **options}, progress)


def encode(result: ResultLike, data: Rows, **options: Any) -> tuple[np.ndarray, np.ndarray]:
    columns = _matrix("encode", _opened(result, "encode"), data, options)
    mean, sd = np.split(columns, 2, axis=1)
    return mean, sd


def decode(result: ResultLike, latents: Any, **options: Any) -> np.ndarray:
    return _matrix("decode", _opened(result, "decode"), np.atleast_2d(np.asarray(latents, dtype=np.float64)), options)


def loglik(result: ResultLike, data: Rows, *, progress: bool | None = None, **options: Any) -> Evaluation:
    found = _opened(result, "loglik")
    with _engine.scratch_folder() as scratch:
        files = write_rows(data, os.path.join(scratch, "rows"))
        out = os.path.join(scratch, "loglik.csv")
        text = _run("loglik", [found.folder, *files, f"--out={out}"], {**options, "force": True}, scratch, progress)
        rows = Table(read_table(out))
    return Evaluation(_json.read_object(os.path.join(found.folder, "loglik.json")), rows, text)


def evaluate(result: ResultLike, data: Rows, *, progress: bool | None = None, **options: Any) -> Evaluation:
    found = _opened(result, "evaluate")
    with _engine.scratch_folder() as scratch:
        files = write_rows(data, os.path.join(scratch, "rows"))
        text = _run("evaluate", [found.folder, *files], options, scratch, progress)
    return Evaluation(_json.read_object(os.path.join(found.folder, "evaluation.json")), None, text)


def restore(
    result: ResultLike,
    observed: Rows,
    *,
    out: str | os.PathLike[str] | None = None,
    progress: bool | None = None,
    **options: Any,
) -> Restored:
    found = _opened(result, "restore")
    kept = Kept() if out is None else None
    folder = os.path.join(kept.name, "restored") if kept is not None else os.fspath(out)  # type: ignore[arg-type]
    with _engine.scratch_folder() as scratch:
        files = write_rows(observed, os.path.join(scratch, "observed"))
        words = [found.folder, *files, f"--out={folder}", "--format=npy"]
        text = _run("restore", words, options, scratch, progress)
    return Restored(folder, text, kept)
