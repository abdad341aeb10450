"""Models without a program: each starts `kullback VERB` with the data in a file, and returns what it leaves. Signatures and
docstrings are in _verbs.py."""

from __future__ import annotations

import os
from typing import Any, Mapping

from . import _engine, _json, errors
from ._files import write_documents, write_idx, write_rows, write_table, write_words
from ._fit import Fit
from ._load import read_record
from ._numpy import np
from ._program import read_program
from ._progress import is_shown
from ._result import Kept, Result
from ._verdict import Certificate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._files import Rows
    from ._program import ProgramLike

_REPEATED = ("ignore", "include_path", "ood")
_FILES = ("train", "ood", "mask", "matrix")  # options whose values are files, or the numbers in them


def option_words(options: Mapping[str, Any], scratch: str) -> list[str]:
    """members=10 is --members=10, hidden=[50, 50] is --hidden=50,50; None is as if not given."""
    words = []
    for name, value in options.items():
        flag = "--" + name.rstrip("_").replace("_", "-")
        if value is None:
            continue
        if name in _FILES:
            value = write_rows(value, os.path.join(scratch, name))
        if isinstance(value, (bool, np.bool_)):
            words.append(f"{flag}={'true' if value else 'false'}")
        elif isinstance(value, (list, tuple)) and name in (*_REPEATED, *_FILES):
            words += [f"{flag}={_word(name, item)}" for item in value]
        elif isinstance(value, (list, tuple)):
            words.append(f"{flag}={','.join(_word(name, item) for item in value)}")
        else:
            words.append(f"{flag}={_word(name, value)}")
    return words


def _word(name: str, value: Any) -> str:
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, Result):
        return value.folder
    if isinstance(value, (str, int, float, os.PathLike)):
        return os.fspath(value) if isinstance(value, os.PathLike) else str(value)
    raise errors.made(errors.UsageError, f"{name} is {type(value).__name__}; needed a number or text.")


def start(
    verb: str,
    data: Any,
    out: str | os.PathLike[str] | None,
    options: Mapping[str, Any],
    *,
    before: list[str] | None = None,
    is_deep: bool = False,
    holder: Any = None,
    write: Any = None,
    progress: bool | None = False,
) -> Result:
    """`kullback VERB [before] DATA --out OUT options`. Without `out` the result lives in a temporary folder."""
    with _engine.scratch_folder() as scratch:
        files = (write or write_table)(data, os.path.join(scratch, "data"))
        kept = Kept() if out is None else None
        folder = os.path.join(kept.name, verb) if kept is not None else os.fspath(out)  # type: ignore[arg-type]
        words = [verb, *(before or []), *files, f"--out={folder}", *option_words(options, scratch)]
        text = _engine.run(words, is_deep=is_deep, shows=is_shown(progress))[1]
    return Result(folder, read_record(folder), text, (kept, holder))


def mixture(data: Rows, **options: Any) -> Result:
    return _model("mixture", data, options)


def hmm(data: Rows, **options: Any) -> Result:
    return _model("hmm", data, options)


def factors(data: Rows, **options: Any) -> Result:
    return _model("factors", data, options)


def regress(data: Rows, target: str, **options: Any) -> Result:
    return _model("regress", data, {"target": target, **options})


def _model(verb: str, data: Rows, options: dict[str, Any]) -> Result:
    return start(verb, data, options.pop("out", None), options, progress=options.pop("progress", None))


def topics(data: Any, vocabulary: Any = None, **options: Any) -> Result:
    with _engine.scratch_folder() as scratch:
        files, words = write_documents(data, os.path.join(scratch, "documents"))
        named = words if vocabulary is None else vocabulary
        if named is not None and not isinstance(named, (str, os.PathLike)):
            named = write_words(named, os.path.join(scratch, "words"))
        return _model("topics", files, {"vocabulary": named, **options})


def bnn(data: Rows, target: str, **options: Any) -> Result:
    return _network("bnn", data, None, {"target": target, **options})


def vae(data: Rows, labels: Any = None, **options: Any) -> Result:
    return _network("vae", data, labels, options)


def ebm(data: Rows, **options: Any) -> Result:
    return _network("ebm", data, None, options)


def diffusion(data: Rows, labels: Any = None, **options: Any) -> Result:
    return _network("diffusion", data, labels, options)


def score(data: Rows, labels: Any = None, **options: Any) -> Result:
    return _network("score", data, labels, options)


def _network(verb: str, data: Rows, labels: Any, options: dict[str, Any]) -> Result:
    with _engine.scratch_folder() as scratch:
        out, progress = options.pop("out", None), options.pop("progress", None)
        given = {"labels": write_labels(labels, scratch), **options}
        return start(verb, data, out, given, is_deep=True, write=write_rows, progress=progress)


def write_labels(labels: Any, scratch: str) -> Any:
    """A file of labels, or the name of a column, as it is; numbers of images as a file."""
    if labels is None or isinstance(labels, (str, os.PathLike)):
        return labels
    return write_idx(np.asarray(labels), os.path.join(scratch, "labels"))


def certify(fit: Fit | str | os.PathLike[str], *, tolerance: float = 0.1, **options: Any) -> Certificate:
    with _engine.scratch_folder() as scratch:
        path = os.path.join(scratch, "certificate.json")
        folder = fit.folder or fit.save(os.path.join(scratch, "fit")) if isinstance(fit, Fit) else os.fspath(fit)
        words = ["certify", folder, f"--out={path}", f"--tolerance={tolerance}"]
        _engine.run([*words, *option_words(options, scratch)])
        return Certificate(_json.read(path))


def methods(name: str | None = None) -> str:
    """The methods of inference and when to use each; of one, its options. Text to print."""
    return _engine.run(["methods", *([name] if name else [])])[1]


def posteriors() -> str:
    """The posteriors of networks (kb.bnn) and when to use each. Text to print."""
    return _engine.run(["posteriors"], is_deep=True)[1]


def check(program: ProgramLike) -> str:
    """What may be wrong with a program, as text: empty where nothing is. Errors raise InputError."""
    return _of_program("check", program)[2]


def format(program: ProgramLike) -> str:
    """The program in canonical layout, comments kept."""
    return _of_program("format", program)[1]


def modernize(program: ProgramLike) -> str:
    """An old program in today's Stan, with the same meaning."""
    return _of_program("modernize", program)[1]


def _of_program(verb: str, program: ProgramLike) -> tuple[int, str, str]:
    with _engine.scratch_folder() as scratch:
        return _engine.run([verb, program_file(program, scratch)])


def program_file(program: ProgramLike, scratch: str) -> str:
    """The path of a program; a text becomes a file."""
    read = read_program(program)
    if read.folder is not None:
        return str(read.name)
    path = os.path.join(scratch, read.name)
    with open(path, "wb") as file:
        file.write(read.text)
    return path
