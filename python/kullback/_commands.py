"""Models without a program: each starts `kullback VERB` with the data in a file, and returns what it leaves."""

from __future__ import annotations

import os
import tempfile
from typing import Any, Mapping

from . import _engine, _json, errors
from ._files import write_documents, write_idx, write_table, write_words
from ._fit import Fit
from ._load import read_record
from ._numpy import np
from ._progress import is_shown
from ._result import Kept, Result, write_rows
from ._verdict import Certificate

_REPEATED = ("ignore",)


def option_words(options: Mapping[str, Any], scratch: str) -> list[str]:
    """members=10 is --members=10, hidden=[50, 50] is --hidden=50,50; None is as if not given."""
    words = []
    for name, value in options.items():
        flag = "--" + name.replace("_", "-")
        if value is None:
            continue
        if isinstance(value, (bool, np.bool_)):
            words.append(f"{flag}={'true' if value else 'false'}")
        elif isinstance(value, (list, tuple)) and name in _REPEATED:
            words += [f"{flag}={item}" for item in value]
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
    with tempfile.TemporaryDirectory(prefix="kullback-") as scratch:
        files = (write or write_table)(data, os.path.join(scratch, "data"))
        kept = Kept() if out is None else None
        folder = os.path.join(kept.name, verb) if kept is not None else os.fspath(out)  # type: ignore[arg-type]
        words = [verb, *(before or []), *files, f"--out={folder}", *option_words(options, scratch)]
        text = _engine.run(words, is_deep=is_deep, shows=is_shown(progress))[1]
    return Result(folder, read_record(folder), text, (kept, holder))


def mixture(data: Any, *, out: str | os.PathLike[str] | None = None, progress: bool | None = None, **options: Any) -> Result:
    """Groups of rows (docs/mixture.md): components=10, weights="dp", kind="gaussian", seed=1, ..."""
    return start("mixture", data, out, options, progress=progress)


def hmm(data: Any, *, out: str | os.PathLike[str] | None = None, progress: bool | None = None, **options: Any) -> Result:
    """Hidden states behind sequences (docs/hmm.md): states=3, sequence="column", seed=1, ..."""
    return start("hmm", data, out, options, progress=progress)


def factors(data: Any, *, out: str | os.PathLike[str] | None = None, progress: bool | None = None, **options: Any) -> Result:
    """A few factors behind many columns, or behind ratings (docs/factors.md): kind="pca", factors=10, seed=1, ..."""
    return start("factors", data, out, options, progress=progress)


def regress(
    data: Any, target: str, *, out: str | os.PathLike[str] | None = None, progress: bool | None = None, **options: Any
) -> Result:
    """One column explained by the others (docs/regress.md): kind="linear", prior="ridge", seed=1, ..."""
    return start("regress", data, out, {"target": target, **options}, progress=progress)


def topics(
    data: Any,
    vocabulary: Any = None,
    *,
    out: str | os.PathLike[str] | None = None,
    progress: bool | None = None,
    **options: Any,
) -> Result:
    """Topics of documents (docs/topics.md): topics=10, kind="lda", seed=1, ...

    data        lists of words, an array or sparse matrix of counts [documents, words], or files
    vocabulary  the words, or the path of a file with one on each line; of lists of words it is made of them
    """
    with tempfile.TemporaryDirectory(prefix="kullback-") as scratch:
        files, words = write_documents(data, os.path.join(scratch, "documents"))
        named = words if vocabulary is None else vocabulary
        if named is not None and not isinstance(named, (str, os.PathLike)):
            named = write_words(named, os.path.join(scratch, "words"))
        return start("topics", files, out, {"vocabulary": named, **options}, progress=progress)


def bnn(
    data: Any, target: str, *, out: str | os.PathLike[str] | None = None, progress: bool | None = None, **options: Any
) -> Result:
    """A Bayesian neural network explains one column by the others (docs/networks.md): posterior="ensemble", members=10,
    hidden=[50, 50], epochs=100, seed=1, ... Needs kullback-deep beside `kullback`, on PATH, or as KULLBACK_DEEP."""
    return start("bnn", data, out, {"target": target, **options}, is_deep=True, progress=progress)


def vae(
    data: Any,
    labels: Any = None,
    *,
    out: str | os.PathLike[str] | None = None,
    progress: bool | None = None,
    **options: Any,
) -> Result:
    """A variational autoencoder (docs/autoencoders.md): latent=2, hidden=64, epochs=150, seed=1, ...

    data    images as bytes [rows, height, width], a table, or files
    labels  a number from 0 to 255 for each image, a file, or the name of a column
    """
    with tempfile.TemporaryDirectory(prefix="kullback-") as scratch:
        if labels is not None and not isinstance(labels, (str, os.PathLike)):
            labels = write_idx(np.asarray(labels), os.path.join(scratch, "labels"))
        options = {"labels": labels, **options}
        return start("vae", data, out, options, is_deep=True, write=write_rows, progress=progress)


def certify(fit: Fit | str | os.PathLike[str], *, tolerance: float = 0.1, **options: Any) -> Certificate:
    """How wrong the draws of a fit, or of a fit in a folder, may be; also where it was fitted without a tolerance."""
    with tempfile.TemporaryDirectory(prefix="kullback-") as scratch:
        path = os.path.join(scratch, "certificate.json")
        folder = fit.folder or fit.save(os.path.join(scratch, "fit")) if isinstance(fit, Fit) else os.fspath(fit)
        words = ["certify", folder, f"--out={path}", f"--tolerance={tolerance}"]
        _engine.run([*words, *option_words(options, scratch)])
        return Certificate(_json.read(path))


def methods(name: str | None = None) -> str:
    """The methods of inference and when to use each; of one, its options. Text to print."""
    return _engine.run(["methods", *([name] if name else [])])[1]
