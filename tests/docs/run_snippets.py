#!/usr/bin/env python3
"""Runs the commands shown in the documentation and compares what they print.

In README.md, CONTRIBUTING.md and docs/*.md:
  ```sh     commands, run by bash in a scratch copy of the repository with `kullback` on PATH
  ```text   right after one: what it prints, exactly; a line `...` stands for any lines
  <!-- file: NAME -->        before a block: it is written to NAME for the commands that follow
  <!-- exit: N -->           before a sh block: its exit status, 0 otherwise
  <!-- not run: REASON -->   before a sh block: it is skipped and counted
Lines that start with `make` are run as `make -n`. Relative links must lead to a file.
The program is $KULLBACK, or build/kullback.
"""
import dataclasses
import os
import pathlib
import re
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


def check_snippet(block, expected, scratch, environment):
    """Returns None, or what went wrong."""
    try:
        status, output = run_commands(block.text, scratch, environment)
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
    for index, block in enumerate(blocks):
        kind, value = block.comment or ("", "")
        if kind == "file":
            target = scratch / value
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(block.text, encoding="utf-8")
        elif block.language == "sh" and kind == "not run":
            tally.skipped += 1
        elif block.language == "sh":
            following = blocks[index + 1] if index + 1 < len(blocks) else None
            has_output = following and following.language == "text" and following.follows_directly
            problem = check_snippet(block, following.text if has_output else None, scratch, environment)
            tally.run += 1
            if problem:
                tally.failures.append(f"{page}:{block.line}: {problem}")


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
    return os.environ | {"PATH": f"{bin_folder}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8"}


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
