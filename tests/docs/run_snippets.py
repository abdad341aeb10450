#!/usr/bin/env python3
"""Runs the commands shown in the documentation and compares what they print.

In README.md, CONTRIBUTING.md and docs/*.md:
  ```sh     commands, run by bash in a scratch copy of the repository with `kullback` on PATH
  ```python in the pages of PYTHON_PAGES: run in one session for each page, with the package on its path; a last
            expression is printed as a notebook does
  ```text   right after one: what it prints, exactly; a line `...` stands for any lines
  <!-- file: NAME -->        before a block: it is written to NAME for the commands that follow
  <!-- exit: N -->           before a sh block: its exit status, 0 otherwise
  <!-- not run: REASON -->   before a sh or python block: it is skipped and counted
Lines that start with `make` are run as `make -n`. Relative links must lead to a file.
The program is $KULLBACK, or build/kullback.
"""
import dataclasses
import json
import os
import pathlib
import re
import select
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
FENCE = re.compile(r"^(`{3,})(\w*)\s*$")
COMMENT = re.compile(r"^<!--\s*(file|exit|not run):\s*(.*?)\s*-->$")
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
NOT_COPIED = shutil.ignore_patterns("build", "build-*", ".git", ".venv", "node_modules", "__pycache__")
SECONDS_PER_SNIPPET = 120
PYTHON_PAGES = ("README.md", "docs/python.md")
# Reads a line of JSON with source, runs it in the names of those before, answers with a line of JSON: status and output.
SESSION = r"""
import ast, contextlib, io, json, sys, traceback
names = {"__name__": "__main__"}
def run(source):
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "<page>", "exec"), names)
    value = eval(compile(ast.Expression(last.value), "<page>", "eval"), names) if last else None
    if value is not None: print(repr(value))
for line in sys.stdin:
    said, status = io.StringIO(), 0
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        try: run(json.loads(line))
        except BaseException: status = 1; traceback.print_exc()
    print(json.dumps([status, said.getvalue()]), flush=True)
"""


@dataclasses.dataclass
class Block:
    language: str
    text: str
    line: int
    comment: tuple[str, str] | None
    follows_directly: bool  # only blank lines between the previous block and this one


@dataclasses.dataclass
class Tally:
    run: int = 0
    skipped: int = 0
    failures: list[str] = dataclasses.field(default_factory=list)


def blocks_of(markdown):
    """The fenced blocks of a page, in order."""
    found, comment, directly = [], None, False
    lines = iter(enumerate(markdown.splitlines(), start=1))
    for number, line in lines:
        opening = FENCE.match(line)
        if opening:
            body = []
            for _, inner in lines:
                if inner.rstrip() == opening.group(1):
                    break
                body.append(inner)
            found.append(Block(opening.group(2), "\n".join(body) + "\n", number, comment, directly))
            comment, directly = None, True
        elif line.strip():
            match = COMMENT.match(line.strip())
            comment = match.groups() if match else None
            directly = False
    return found


def matches(expected, actual):
    """Compares lists of lines; an expected line '...' stands for any number of lines."""
    if not expected:
        return not actual
    if expected[0] == "...":
        return any(matches(expected[1:], actual[skip:]) for skip in range(len(actual) + 1))
    return bool(actual) and expected[0] == actual[0] and matches(expected[1:], actual[1:])


def clean_lines(text):
    return [line.rstrip() for line in text.strip("\n").splitlines()]


def with_dry_make(commands):
    """`make` builds and tests: showing that the target exists is enough here, CI runs the target."""
    return re.sub(r"^make\b(.*)$", r"make -n\1 >/dev/null", commands, flags=re.MULTILINE)


def run_commands(commands, scratch, environment):
    done = subprocess.run(["bash", "-e", "-c", with_dry_make(commands)], cwd=scratch, env=environment,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, timeout=SECONDS_PER_SNIPPET)
    return done.returncode, done.stdout


class PythonSession:
    """One interpreter for the python blocks of a page; it starts with the first."""

    def __init__(self, scratch, environment):
        self.scratch, self.environment, self.process = scratch, environment, None

    def run(self, source):
        if self.process is None:
            self.process = subprocess.Popen([interpreter_with_numpy(), "-c", SESSION], cwd=self.scratch, env=self.environment,
                                            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        print(json.dumps(source), file=self.process.stdin, flush=True)
        ready, _, _ = select.select([self.process.stdout], [], [], SECONDS_PER_SNIPPET)
        if not ready:
            self.close()
            raise subprocess.TimeoutExpired("python", SECONDS_PER_SNIPPET)
        answer = self.process.stdout.readline()
        return json.loads(answer) if answer else (1, "the interpreter ended")

    def close(self):
        if self.process is not None:
            self.process.kill()
            self.process.communicate()
            self.process = None


def interpreter_with_numpy():
    for interpreter in (sys.executable, "/usr/bin/python3"):
        if subprocess.run([interpreter, "-c", "import numpy"], stderr=subprocess.DEVNULL).returncode == 0:
            return interpreter
    sys.exit("no Python with NumPy was found; tools/setup.sh test installs it")


def check_snippet(block, expected, run):
    """Returns None, or what went wrong; run(text) gives (status, output)."""
    try:
        status, output = run(block.text)
    except subprocess.TimeoutExpired:
        return f"still running after {SECONDS_PER_SNIPPET} s"
    kind, value = block.comment or ("", "")
    wanted = int(value) if kind == "exit" else 0
    if status != wanted:
        return f"exit status {status}, expected {wanted}; it printed:\n{output}"
    if expected is not None and not matches(clean_lines(expected), clean_lines(output)):
        return f"expected:\n{expected}but it printed:\n{output}"
    return None


def run_blocks(blocks, page, scratch, environment, tally):
    session = PythonSession(scratch, environment)
    runs = {"sh": lambda text: run_commands(text, scratch, environment)}
    if str(page) in PYTHON_PAGES:
        runs["python"] = session.run
    for index, block in enumerate(blocks):
        kind, value = block.comment or ("", "")
        if kind == "file":
            target = scratch / value
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(block.text, encoding="utf-8")
        elif block.language in runs and kind == "not run":
            tally.skipped += 1
        elif block.language in runs:
            following = blocks[index + 1] if index + 1 < len(blocks) else None
            has_output = following and following.language == "text" and following.follows_directly
            problem = check_snippet(block, following.text if has_output else None, runs[block.language])
            tally.run += 1
            if problem:
                tally.failures.append(f"{page}:{block.line}: {problem}")
    session.close()


def dead_links(page, markdown, root):
    for number, line in enumerate(markdown.splitlines(), start=1):
        for target in LINK.findall(line):
            if "://" not in target and not (root / page).parent.joinpath(target).exists():
                yield f"{page}:{number}: the link to {target} leads nowhere"


def run_page(page, root, environment, tally):
    markdown = (root / page).read_text(encoding="utf-8")
    tally.failures += dead_links(page, markdown, root)
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder) / "kullback"
        shutil.copytree(root, scratch, ignore=NOT_COPIED)
        run_blocks(blocks_of(markdown), page, scratch, environment, tally)


def pages_of(root):
    named = [root / "README.md", root / "CONTRIBUTING.md", *sorted((root / "docs").glob("*.md"))]
    return [path.relative_to(root) for path in named if path.exists()]


def environment_with(program, bin_folder):
    (pathlib.Path(bin_folder) / "kullback").symlink_to(program)
    return os.environ | {"PATH": f"{bin_folder}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8", "KULLBACK": str(program),
                         "KULLBACK_LIBRARY": str(program.parent / "libkullback.so"), "PYTHONPATH": str(ROOT / "python"),
                         "PYTHONDONTWRITEBYTECODE": "1"}


def main():
    program = pathlib.Path(os.environ.get("KULLBACK", ROOT / "build" / "kullback")).resolve()
    if not program.exists():
        sys.exit(f"{program} does not exist; build it with 'make run'")
    tally = Tally()
    with tempfile.TemporaryDirectory() as bin_folder:
        environment = environment_with(program, bin_folder)
        for page in pages_of(ROOT):
            run_page(page, ROOT, environment, tally)
    for failure in tally.failures:
        print(failure)
    print(f"{tally.run} snippets run, {tally.skipped} skipped")
    return 1 if tally.failures else 0


if __name__ == "__main__":
    sys.exit(main())
