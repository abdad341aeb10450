#!/usr/bin/env python3
"""tools/print_python.py [check]: python/kullback/_verbs.py, the signatures and docstrings of what the package starts.

They come from `kullback --signatures` and `kullback-deep --signatures`, which print what each verb takes, and from FUNCTIONS below:
what Python calls a verb, its data, and what of the command line Python does itself. The programs are $KULLBACK and
$KULLBACK_DEEP, or those in build/. `check` writes nothing and fails where the file is not what would be written; without
kullback-deep it checks the other verbs alone.
"""
import dataclasses
import json
import keyword
import os
import pathlib
import re
import subprocess
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parents[1]
TARGET = ROOT / "python" / "kullback" / "_verbs.py"
WIDTH = 120
NAME_WIDTH = 20

sys.path.insert(0, str(ROOT / "python"))
from kullback._advice import as_arguments  # noqa: E402

PATH = "str | os.PathLike[str]"
NEVER = {"help", "quiet"}  # Python has progress=
PROGRESS = ("progress", "bool | None = None", "True, False, or None: on a terminal and in a notebook")
OUT = ("out", f"{PATH} | None = None", "Folder of the results; without one it is temporary and goes with the result")
INCLUDE = ("include_paths", f"Iterable[{PATH}] = ()", "Folders where #include looks, after that of the program")
PROGRAM = ("program", "ProgramLike", "The path of a Stan file, or its text")
DATA = ("data", "Data = None", "A dict of numbers and arrays, a data frame, an Arrow table, the path of a JSON file; None for none")
ROWS = ("data", "Rows", "An array [rows, columns], a dict of columns, a data frame, an Arrow table, or files")
IMAGES = ("data", "Rows", "An array [rows, columns], images as bytes [rows, height, width], a table, or files")
LABELS = ("labels", "Any = None", "A number for each image, a file with them, or the name of a column")
RESULT = ("result", f"Result | {PATH}", "A result, or its folder")
SAME = ("data", "Rows", "Rows of the kind that it was trained on, as arrays, a table or files")


@dataclasses.dataclass
class Function:
    """How Python shows a verb. A parameter is (name, "type = default", help); those after the star are `own`."""

    name: str
    module: str  # where the function that does the work is
    returns: str
    page: str
    leading: list
    own: list = dataclasses.field(default_factory=lambda: [OUT, PROGRESS])
    hidden: frozenset = frozenset()  # options that Python has in another way, or has no use for
    says: str = ""  # instead of the verb's sentence


FUNCTIONS = [
    Function(
        "fit", "_fit", "Fit", "fit",
        [("program", "ProgramLike | Model", "The path of a Stan file, its text, or a Model, which has its data"), DATA],
        own=[
            ("seed", "int | None = None", "Seed of all random numbers; a random one unless given (fit.seed says which)"),
            ("init", f"float | {PATH} | Mapping[str, Any] | None = None",
             'uniform(-init, init) in each unconstrained coordinate [2], "pathfinder", a JSON file, or a dict with values of parameters'),
            INCLUDE,
            ("max_memory", "int | str | None = None", 'Refuse a program that needs more bytes: 500_000_000 or "500MB"'),
            ("out", f"{PATH} | None = None", "Folder of the results; without one nothing is written"),
            PROGRESS,
        ],
        hidden=frozenset({"include-path", "resume", "report"}),
        says="Fits a Stan program to data, with the draws of `kullback fit` for the same seed"),
    Function(
        "certify", "_commands", "Certificate", "certificate",
        [("fit", f"Fit | {PATH}", "A fit, or its folder")], own=[("tolerance", "float = 0.1", "How wrong a mean or sd may be, in posterior standard deviations")],
        hidden=frozenset({"out"})),
    Function("simulate", "_programs", "Simulation", "simulate", [PROGRAM, DATA], own=[INCLUDE, OUT, PROGRESS],
             hidden=frozenset({"include-path"})),
    Function("calibrate", "_programs", "Calibration", "calibrate", [PROGRAM, DATA], own=[INCLUDE, OUT, PROGRESS],
             hidden=frozenset({"include-path"})),
    Function("optimize", "_programs", "Optimum", "fit", [PROGRAM, DATA],
             own=[("init", f"float | {PATH} | Mapping[str, Any] = 2",
                   "uniform(-init, init) in each unconstrained coordinate, a JSON file, or a dict with values of parameters"),
                  INCLUDE, OUT, PROGRESS],
             hidden=frozenset({"include-path"})),
    Function("compare", "_compared", "Comparison | Distance", "compare",
             [("*fits", f"Fit | {PATH} | Mapping[str, Fit | {PATH}]", "Fits or their folders, or a dict of them by name")], own=[],
             hidden=frozenset({"json", "all"})),
    Function("mixture", "_commands", "Result", "mixture", [ROWS]),
    Function("hmm", "_commands", "Result", "hmm", [ROWS]),
    Function("factors", "_commands", "Result", "factors", [ROWS]),
    Function("regress", "_commands", "Result", "regress", [ROWS, ("target", "str", "The column to explain")]),
    Function("topics", "_commands", "Result", "topics",
             [("data", "Any", "Lists of words, an array or sparse matrix of counts [documents, words], or files"),
              ("vocabulary", "Any = None", "The words, or a file with one on each line; of lists of words it is made of them")]),
    Function("bnn", "_commands", "Result", "networks", [ROWS, ("target", "str", "The column to explain")]),
    Function("vae", "_commands", "Result", "autoencoders", [IMAGES, LABELS]),
    Function("ebm", "_commands", "Result", "energy", [IMAGES]),
    Function("diffusion", "_commands", "Result", "diffusion", [IMAGES, LABELS]),
    Function("score", "_commands", "Result", "diffusion", [IMAGES, LABELS]),
    Function("predict", "_applied", "Any", "results",
             [("result", f"Fit | Result | {PATH}", "a Fit, a mixture, a network, ..., or the folder of one"),
              ("data", "Any = None", "New data, in the form of those it was fitted to; of a program None stands for the same")],
             says="Applies a result to new data. Of a program's fit: its generated quantities drawn anew, as a Fit; else a "
                  "Result with the table of predictions"),
    Function("sample", "_applied", "np.ndarray", "diffusion",
             [RESULT, ("count", "int = 64", "Of new rows")], own=[PROGRESS], hidden=frozenset({"out", "force"})),
    Function("loglik", "_applied", "Evaluation", "energy", [RESULT, SAME], own=[PROGRESS], hidden=frozenset({"out", "force"})),
    Function("evaluate", "_applied", "Evaluation", "autoencoders", [RESULT, SAME], own=[PROGRESS]),
    Function("encode", "_applied", "tuple[np.ndarray, np.ndarray]", "autoencoders", [RESULT, SAME], own=[],
             hidden=frozenset({"out", "force"}),
             says="Means and standard deviations of the latent variables of rows, [rows, latent] each, by a fitted autoencoder"),
    Function("decode", "_applied", "np.ndarray", "autoencoders",
             [RESULT, ("latents", "Any", "An array [rows, latent]")], own=[], hidden=frozenset({"out", "force"})),
    Function("restore", "_applied", "Restored", "restore",
             [RESULT, ("observed", "Rows", "An array with a row y for each x, in the data's units; a table, or a file")],
             hidden=frozenset({"format"})),
]

HEAD = '''"""What the package starts: signatures and docstrings of its verbs.

Printed by tools/print_python.py from what the programs say they take; 'make python' prints it anew. Do not edit.
"""
# mypy: disable-error-code="empty-body"
# ruff: noqa

from __future__ import annotations

from ._declared import declared

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any, Literal

    import numpy as np

    from ._applied import Evaluation, Restored
    from ._compared import Comparison, Distance
    from ._data import Data
    from ._files import Rows
    from ._fit import Fit
    from ._model import Model
    from ._program import ProgramLike
    from ._programs import Calibration, Optimum, Simulation
    from ._result import Result
    from ._verdict import Certificate

'''


def argument(name):
    """`--from` is from_."""
    name = name.lstrip("-").replace("-", "_")
    return name + "_" if keyword.iskeyword(name) else name


# Types as the programs name them. Numbers in a row are written as a text or a list: hidden="50,50" or [50, 50].
WHOLE = {"COUNT", "UINT", "INT", "N", "ROWS"}
REAL = {"NUMBER", "FLOAT", "SECONDS", "SDS", "FRACTION"}
FILES = {"DIR", "FILE", "MODEL", "DATA"}
NUMBERS = "str | float | Sequence[float]"
NUMBERS_TEXT = r"[-+0-9.e]+(,[-+0-9.e]+)*"


def type_of(option):
    shown = option.get("type", "")
    if option.get("flag") or shown == "0|1":
        return "bool"
    if option.get("many"):
        return "str | Sequence[str]"
    if shown in WHOLE:
        return "int"
    if shown in REAL:
        return "float"
    if shown in FILES:
        return PATH
    if shown == "SIZE":
        return "int | str"
    if re.fullmatch(r"[a-z0-9-]+(\|[a-z0-9-]+)+", shown):
        return f"Literal[{', '.join(json.dumps(word) for word in shown.split('|'))}]"
    if shown == "NUMBERS" or re.fullmatch(NUMBERS_TEXT, option.get("default", "")):
        return NUMBERS
    return "Any" if shown == "TEXT" else "str"


def value_of(option, kind):
    """The default as Python writes it."""
    text = option["default"]
    if kind == "bool":
        return str(text in ("true", "1"))
    if kind in ("int", "float", NUMBERS):
        try:
            number = float(text)
        except ValueError:
            return json.dumps(text)
        return str(int(text)) if re.fullmatch(r"-?\d+", text) else repr(number)
    return json.dumps(text)


@dataclasses.dataclass
class Parameter:
    name: str
    kind: str
    default: str  # empty: it must be given
    help: str

    def code(self):
        if not self.default:
            return f"{self.name}: {self.kind}"
        return f"{self.name}: {self.kind} = {self.default}"


def given(parameter):
    """Of the table above."""
    name, annotation, text = parameter
    kind, _, default = annotation.partition(" = ")
    return Parameter(name, kind, default, text)


def of_option(option):
    kind = type_of(option)
    if "default" not in option:
        return Parameter(argument(option["name"]), f"{kind} | None" if kind != "Any" else kind, "None", option["help"])
    default = value_of(option, kind)
    if default.startswith('"') and kind in ("int", "float"):
        kind += " | str"  # "auto"
    return Parameter(argument(option["name"]), kind, default, option["help"])


def options_of(function, verbs):
    """Of the programs' verbs of that name, each option once."""
    taken = {parameter[0] for parameter in function.leading + function.own}
    hidden = {argument(name) for name in function.hidden | NEVER}
    found = {}
    for verb in verbs:
        for option in verb["options"]:
            parameter = of_option(option)
            if parameter.name not in taken | hidden:
                found.setdefault(parameter.name, parameter)
    return list(found.values())


def sentence(text):
    return as_arguments(text).replace("kullback methods lists them", "kb.methods() lists them").replace("\\", "\\\\")


def described(parameter, shows_default):
    name = parameter.name.lstrip("*")
    text = sentence(parameter.help)
    if shows_default and parameter.default not in ("", "None", "False", "()"):
        text += f" [{parameter.default}]"
    head = f"{name:<{NAME_WIDTH - 2}}  "
    return textwrap.fill(text, WIDTH, initial_indent="    " + head, subsequent_indent=" " * (4 + NAME_WIDTH),
                         break_long_words=False, break_on_hyphens=False)


def docstring(function, verbs, own, options):
    says = function.says or verbs[0]["summary"]
    lines = textwrap.wrap(f"{as_arguments(says)} (docs/{function.page}.md).", WIDTH - 8)
    text = "\n    ".join(lines) + "\n\n"
    text += "\n".join(described(parameter, False) for parameter in map(given, function.leading)) + "\n"
    rest = [described(parameter, True) for parameter in options] + [described(parameter, False) for parameter in own]
    return text + ("\n" + "\n".join(rest) + "\n" if rest else "")


def function_text(function, verbs):
    own = [given(parameter) for parameter in function.own]
    options = options_of(function, verbs)
    leading = [given(parameter) for parameter in function.leading]
    star = [] if any(parameter.name.startswith("*") for parameter in leading) or not own + options else ["*"]
    parameters = [parameter.code() for parameter in leading] + star + [parameter.code() for parameter in options + own]
    inside = "".join(f"    {parameter},\n" for parameter in parameters)
    body = docstring(function, verbs, own, options)
    return (f'@declared("{function.module}")\ndef {function.name}(\n{inside}) -> {function.returns}:\n'
            f'    """{body}    """\n')


# What the command line has and Python has not.
INSTEAD = {
    "quiet": "Here it is progress=False.",
    "resume": "'kullback fit --resume DIR' on the command line goes on with an unfinished fit.",
}


def foreign_text(programs):
    """What other packages, or the command line, call an argument: ours, where it is one (the hint is for verbs that have it)."""
    lines = [f'    {json.dumps(name)}: ("", {json.dumps(hint)}),\n' for name, hint in INSTEAD.items()]
    for program in programs:
        for name, (ours, hint) in program["foreign"].items():
            hint = hint.replace("MODEL.stan DATA.json", "kb.fit(program, data)")
            lines.append(f"    {json.dumps(argument(name))}: ({json.dumps(argument(ours))}, {json.dumps(as_arguments(hint))}),\n")
    return "ELSEWHERE = {\n" + "".join(lines) + "}\n"


def program_path(name, variable):
    return pathlib.Path(os.environ.get(variable) or ROOT / "build" / name)


def read(path):
    done = subprocess.run([path, "--signatures"], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"print_python: {path} --signatures: {done.stderr.strip()}")
    return json.loads(done.stdout)


def printed(programs):
    """{name of a function: its text}, of those whose verbs are known; and the rest of the file."""
    functions = {}
    for function in FUNCTIONS:
        verbs = [verb for program in programs for verb in program["verbs"] if verb["name"] == function.name]
        if verbs:
            functions[function.name] = function_text(function, verbs)
    return functions, foreign_text(programs)


def whole(functions, foreign):
    return HEAD + foreign + "".join("\n\n" + text for text in functions.values())


def parts_of(text):
    """The functions of a printed file."""
    pieces = re.split(r"\n\n\n(?=@declared)", text.rstrip("\n"))
    return {re.search(r"^def (\w+)", piece, re.MULTILINE).group(1): piece + "\n" for piece in pieces[1:]}


def check(functions, foreign, is_whole):
    """What is not as it would be printed. Of verbs of both programs nothing is known where one is missing."""
    text = TARGET.read_text(encoding="utf-8")
    if is_whole:
        return [] if text == whole(functions, foreign) else ["python/kullback/_verbs.py"]
    known = parts_of(text)
    return [name for name, part in functions.items() if name != "predict" and known.get(name) != part]


def main():
    deep = program_path("kullback-deep", "KULLBACK_DEEP")
    programs = [read(program_path("kullback", "KULLBACK"))]
    if deep.exists():
        programs.append(read(deep))
    elif sys.argv[1:] != ["check"]:
        sys.exit(f"print_python: {deep} is missing; 'make deep' builds it, or KULLBACK_DEEP says where it is")
    functions, foreign = printed(programs)
    if sys.argv[1:] != ["check"]:
        TARGET.write_text(whole(functions, foreign), encoding="utf-8")
        return
    wrong = check(functions, foreign, len(programs) == 2)
    if wrong:
        sys.exit(f"print_python: {', '.join(wrong)}: not what the programs say; 'make python' prints it anew")


if __name__ == "__main__":
    main()
