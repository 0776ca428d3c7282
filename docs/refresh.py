"""Keeps the documents true: runs what they show and writes what comes out.

    .venv/bin/python docs/refresh.py            rewrite README.md, docs/ and the pictures
    .venv/bin/python docs/refresh.py --make     the same, and run the `make` commands that are shown
    .venv/bin/python docs/refresh.py --check    only say which documents differ; exit code 1 where one does

In README.md and docs/**/*.md
- a block "console" shows commands behind "$ " and what they print; "console exit=2" shows one that fails. A
  line "..." stands for one or more lines that the page leaves out; all others are lines of the output;
- a block "sh" holds commands whose output is not shown;
- a block "python" is run, and the block "text" right after it, if there is one, is what it prints;
- a block such as "toml lab.toml" is a file that the commands after it find.
All blocks of a document run in one folder that holds nothing at first but the project's `scenarios`. Only
`hopscope`, `own-rate-control` (the program of examples/, built for it), `ls` and `sed` are run, and with
--make also `make`, in the project itself.
"""

import contextlib
import io
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).resolve().parents[1]
DOCUMENTS = [PROJECT / "README.md", *sorted((PROJECT / "docs").rglob("*.md"))]
SCENARIO_PAGE = PROJECT / "docs/reference/scenario.md"
STUDY_PAGE = PROJECT / "docs/reference/study.md"
FORMATS_PAGE = PROJECT / "docs/reference/formats.md"

BLOCK = re.compile(r"^```(?P<words>[^\n]+)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
OWN = "own-rate-control "
RUN = ("hopscope ", OWN, "ls ", "sed ")
MAKE = "make "
CUT = "...\n"
SHELL = 'set -o pipefail; hopscope() { "$PYTHON" -m hopscope "$@"; }; '


class StaleError(Exception):
    """A command or program in a document that fails where it should not."""


def refreshed(text: str, folder: Path, make: bool = False) -> str:
    """The text of a document with every shown output as it is now.

    `folder` is where its commands run; `make` says whether to run those that make, too.
    """
    names: dict[str, Any] = {"__name__": "__main__"}
    scenarios = folder / "scenarios"
    if not scenarios.exists():
        scenarios.symlink_to(PROJECT / "scenarios")
    printed: str | None = None
    end_of_python = -1

    def renew(block: re.Match[str]) -> str:
        nonlocal printed, end_of_python
        kind, *words = block["words"].split()
        body = block["body"]
        if kind == "console":
            body = _console(body, folder, dict(word.split("=") for word in words), make)
        elif kind == "sh":
            for command in _commands(body.splitlines(), RUN):
                _shell(command, folder, 0)
        elif kind == "python":
            printed, end_of_python = _python(body, names, folder), block.end()
        elif kind == "text" and printed is not None and not text[end_of_python : block.start()].strip():
            body, printed = printed, None
        elif words:
            (folder / words[0]).write_text(body, encoding="utf-8")
        return f"```{block['words']}\n{body}```"

    return BLOCK.sub(renew, text)


def _console(body: str, folder: Path, how: dict[str, str], make: bool) -> str:
    """A block of commands with their output; the output of what is not run stays as it is."""
    shown: list[str] = []
    for part in re.split(r"^(?=\$ )", body, flags=re.MULTILINE):
        lines = part.splitlines(keepends=True)
        typed = 1
        while typed < len(lines) and lines[typed - 1].endswith("\\\n"):
            typed += 1
        words = [line.removeprefix("$ ").rstrip("\n") for line in lines[:typed]]
        commands = _commands(words, (*RUN, MAKE) if make else RUN)
        if not commands:
            shown.append(part)
            continue
        place = PROJECT if commands[0].startswith(MAKE) else folder
        output = _shell(commands[0], place, int(how.get("exit", 0)))
        shown += [*lines[:typed], *_cut(output.splitlines(keepends=True), lines[typed:])]
    return "".join(shown)


def _cut(output: list[str], shown: list[str]) -> list[str]:
    """An output without the lines that the page leaves out, whose lines are `shown`.

    The pieces between cuts are found again: the first begins the output, the last ends it, and each other one
    begins with the first word that it had, unless it is there as it was. A piece keeps its number of empty
    lines, and of lines after the last of them. Raises StaleError if a piece is gone or nothing is left out.
    """
    if CUT not in shown:
        return output
    first, *between, last = _pieces(shown)
    end = _length(output, first)
    cut = output[:end]
    for piece in between:
        start = _found(output, piece, end + 1)
        end = start + _length(output[start:], piece)
        cut += [CUT, *output[start:end]]
    start = _start_of_the_last(output, last)
    if start <= end:
        raise StaleError(f"nothing is left out before {last[:1]}")
    return [*cut, CUT, *output[start:]]


def _pieces(shown: list[str]) -> list[list[str]]:
    """The lines before, between and after the cuts."""
    pieces: list[list[str]] = [[]]
    for line in shown:
        if line == CUT:
            pieces.append([])
        else:
            pieces[-1].append(line)
    return pieces


def _found(output: list[str], piece: list[str], least: int) -> int:
    """Where a piece begins in an output, `least` lines behind its beginning or more."""
    exact = (at for at in range(least, len(output)) if output[at : at + len(piece)] == piece)
    word = "".join(piece[:1]).split()[:1]
    alike = (at for at in range(least, len(output)) if word and output[at].split()[:1] == word)
    start = next(exact, next(alike, None))
    if start is None or not piece:
        raise StaleError(f"after a cut no line begins as {piece[:1]}")
    return start


def _start_of_the_last(output: list[str], piece: list[str]) -> int:
    """Where the piece begins that ends an output: with the first word that it had, if a line has it."""
    start = len(output) - len(piece)
    blank = next((at for at, line in enumerate(piece) if line.strip()), len(piece))
    word = "".join(piece[blank : blank + 1]).split()[:1]
    alike = [at for at, line in enumerate(output) if word and line.split()[:1] == word]
    return alike[-1] - blank if alike and start + blank not in alike else start


def _length(output: list[str], piece: list[str]) -> int:
    """The number of lines of the piece with which an output begins: to as many empty lines, and some more."""
    empty = [at for at, line in enumerate(piece) if line == "\n"]
    ends = [at + 1 for at, line in enumerate(output) if line == "\n"][: len(empty)]
    after = len(piece) - (empty[-1] + 1 if empty else 0)
    return (ends[-1] if ends else 0) + after


def _commands(lines: list[str], kinds: tuple[str, ...]) -> list[str]:
    """The commands of these kinds among these lines, those of several lines joined."""
    whole = "\n".join(lines).replace("\\\n", " ").splitlines()
    typed = [line.strip().removeprefix(".venv/bin/") for line in whole]
    return [line for line in typed if line.startswith(kinds)]


def _shell(command: str, folder: Path, exit_code: int) -> str:
    """What a command prints, talk and data together."""
    known = os.environ | {"PYTHON": sys.executable, "COLUMNS": "120", "NO_COLOR": "1", "LC_ALL": "C.UTF-8"}
    line = ["bash", "-c", SHELL + command]
    if command.startswith(OWN):
        import own_program

        known["PATH"] = f"{own_program.built().parent}{os.pathsep}{known['PATH']}"
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    done = subprocess.run(line, cwd=folder, env=known, text=True, check=False, **pipes)
    if done.returncode != exit_code:
        raise StaleError(
            f"`{command}` ended with exit code {done.returncode}, not {exit_code}:\n{done.stdout}"
        )
    return "".join(f"{line.rstrip()}\n" for line in done.stdout.replace(str(PROJECT), ".").splitlines())


def _python(body: str, names: dict[str, Any], folder: Path) -> str:
    """What a piece of Python prints; the pieces of a document share their names."""
    printed = io.StringIO()
    try:
        with contextlib.chdir(folder), contextlib.redirect_stdout(printed):
            exec(compile(body, "<document>", "exec"), names)
    except Exception as failure:
        raise StaleError(f"{type(failure).__name__}: {failure} in\n{body}") from failure
    return printed.getvalue()


def links(text: str) -> list[str]:
    """The files that a document leads to, seen from its folder."""
    targets = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", text)
    return [target for target in targets if "://" not in target]


def current(document: Path, folder: Path, make: bool = False) -> str:
    """What a document should say now."""
    import format_table
    import scenario_reference
    import study_reference

    if document == SCENARIO_PAGE:
        return scenario_reference.page()
    if document == STUDY_PAGE:
        return study_reference.page()
    text = document.read_text(encoding="utf-8")
    return refreshed(format_table.renewed(text) if document == FORMATS_PAGE else text, folder, make)


def differing(write: bool, make: bool = False) -> list[Path]:
    """The documents that differ from what is true now; `write` puts them right."""
    found = []
    for document in DOCUMENTS:
        before = document.read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory() as folder:
            after = current(document, Path(folder), make)
        if after != before:
            found.append(document)
            if write:
                document.write_text(after, encoding="utf-8")
    return found


def main() -> int:
    """Refresh, or check; gives the exit code."""
    write = "--check" not in sys.argv[1:]
    found = differing(write, "--make" in sys.argv[1:])
    for document in found:
        print(document.relative_to(PROJECT), "is rewritten" if write else "differs")
    if write:
        from pictures import draw

        draw(PROJECT / "docs/images")
    return 0 if write or not found else 1


if __name__ == "__main__":
    sys.exit(main())
