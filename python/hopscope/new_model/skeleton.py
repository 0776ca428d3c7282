"""Writes the skeleton of a model: a crate that works, the engine's lines for it, and its scenarios."""

import re
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from hopscope.errors import UsageError

TEMPLATES = Path(__file__).parent / "templates"
_NAME = re.compile(r"[a-z][a-z0-9]*(?:[-_][a-z0-9]+)*")
_LONGEST_NAME = 30

# Names that Rust keeps for itself, and crates of which a project has one.
_WORDS_OF_RUST = """
abstract as async await become box break const continue crate do dyn else enum extern false
final fn for gen if impl in let loop macro match mod move mut override priv pub ref return self
static struct super trait true try type typeof unsafe unsized use virtual where while yield core
std alloc test proc-macro
"""
_RESERVED = frozenset(_WORDS_OF_RUST.split())

# The names of modules and types of the engine beside its models.
_TAKEN = frozenset(
    {"advice", "capacity", "drawing", "fabric-facts", "flow-files", "routing-engines", "machine"}
)

# The templates of files outside of the crate.
_MODEL, _SCENARIO, _BAD_SCENARIO = "model.rs.in", "scenario.toml.in", "bad-scenario.toml.in"


@dataclass(frozen=True, slots=True)
class Names:
    """A model's name in its forms."""

    kebab: str

    @property
    def snake(self) -> str:
        """As a module of Rust."""
        return self.kebab.replace("-", "_")

    @property
    def type(self) -> str:
        """As a type of Rust."""
        return "".join(part.capitalize() for part in self.kebab.split("-"))

    @property
    def words(self) -> str:
        """In words."""
        return self.kebab.replace("-", " ")

    def filled(self, template: str) -> str:
        """The text of a template with the name in it."""
        text = (TEMPLATES / template).read_text(encoding="utf-8")
        forms = {"kebab": self.kebab, "snake": self.snake, "Type": self.type, "words": self.words}
        forms["Words"] = self.words.capitalize()
        for form, name in forms.items():
            text = text.replace(f"@{form}@", name)
        return text


def write(name: str, folder: Path) -> list[Path]:
    """Write the skeleton into the checkout around `folder`; returns its files, new before changed ones.

    If rustfmt is installed, it formats them: line breaks depend on the name. Raises UsageError if there is no
    checkout, for a name that is invalid or taken, and if a file of the checkout is not as expected. Nothing
    is written then.
    """
    root = checkout(folder)
    names = _checked(name, root)
    new = {f"crates/{names.kebab}/{name.removesuffix('.in')}": names.filled(name) for name in _of_crate()}
    new[f"crates/engine/src/models/{names.snake}.rs"] = names.filled(_MODEL)
    new[f"scenarios/{names.kebab}.toml"] = names.filled(_SCENARIO)
    new[f"tests/bad-scenarios/{names.kebab}-load-zero.toml"] = names.filled(_BAD_SCENARIO)
    for path in new:
        if (root / path).exists():
            raise UsageError(f"`{path}` exists already", "choose another name")
    changed = {path: _changed(root, path, change) for path, change in _changes(names).items()}
    for path, text in (new | changed).items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    written = [root / path for path in (*new, *changed)]
    _lay_out([path for path in written if path.suffix == ".rs"], root)
    return written


def _of_crate() -> list[str]:
    """The templates of the crate itself, by their paths."""
    names = sorted(path.relative_to(TEMPLATES).as_posix() for path in TEMPLATES.rglob("*.in"))
    return [name for name in names if name not in (_MODEL, _SCENARIO, _BAD_SCENARIO)]


def _lay_out(files: list[Path], root: Path) -> None:
    if shutil.which("rustfmt"):
        how = ["--edition", "2024", "--config-path", str(root)]
        subprocess.run(["rustfmt", *how, *map(str, files)], check=False, capture_output=True)


def checkout(folder: Path) -> Path:
    """The root of the source checkout that a folder is in. Raises UsageError if it is in none."""
    for place in (folder, *folder.parents):
        if (place / "crates/engine/src/registry.rs").is_file() and (place / "Cargo.toml").is_file():
            return place
    raise UsageError(
        f"`{folder}` is in no source checkout of hopscope, which a model is a part of",
        "clone the project and run this in its folder; an installed hopscope has no crates",
    )


def _checked(name: str, root: Path) -> Names:
    kebab = name.replace("_", "-")
    if not _NAME.fullmatch(name) or len(name) > _LONGEST_NAME:
        raise UsageError(
            f"`{name}` cannot be the name of a model",
            f"small letters and digits, words joined by dashes, at most {_LONGEST_NAME}: token-ring",
        )
    if kebab in _RESERVED:
        raise UsageError(f"`{name}` is a word that Rust keeps for itself", f"such as {kebab}-network")
    taken = {path.parent.name for path in (root / "crates").glob("*/Cargo.toml")} | _TAKEN
    if kebab in taken:
        raise UsageError(f"the name `{name}` is taken", "crates and models are " + ", ".join(sorted(taken)))
    return Names(kebab)


def _changes(names: Names) -> dict[str, Callable[[str], str]]:
    """The changes of existing files."""
    crate, kebab, snake, rust = f"hopscope-{names.kebab}", names.kebab, names.snake, names.type
    return {
        "Cargo.toml": lambda text: text.replace(
            "hopscope-formats = {",
            f'{crate} = {{ path = "crates/{kebab}" }}\nhopscope-formats = {{',
            1,
        ),
        "crates/engine/Cargo.toml": lambda text: sorted_in(
            text, r"hopscope-[a-z0-9-]+(?:\.workspace| = ).*", f"{crate}.workspace = true"
        ),
        "crates/engine/src/models/mod.rs": lambda text: sorted_in(
            sorted_in(text, r"(?:pub\(crate\) )?mod [a-z0-9_]+;", f"mod {snake};"),
            r"pub\(crate\) use [a-z0-9_]+::\w+;",
            f"pub(crate) use {snake}::{rust};",
        ),
        "crates/engine/src/registry.rs": lambda text: sorted_in(
            text, r"    &Entry::<models::\w+>::NEW,", f"    &Entry::<models::{rust}>::NEW,"
        ),
        "ARCHITECTURE.md": lambda text: re.sub(
            r"^(models: queueing, .*)$", rf"\1, {kebab}", text, count=1, flags=re.MULTILINE
        ),
    }


def _changed(root: Path, path: str, change: Callable[[str], str]) -> str:
    before = (root / path).read_text(encoding="utf-8")
    after = change(before)
    if after == before:
        raise UsageError(
            f"`{path}` is not as expected: the model's line has no place there", "update the checkout"
        )
    return after


def sorted_in(text: str, pattern: str, line: str) -> str:
    """The text with a line inserted, in order, in its first block of lines of this pattern, if any."""
    lines = text.split("\n")
    fits = [re.fullmatch(pattern, each) is not None for each in lines]
    if True not in fits:
        return text
    first = fits.index(True)
    last = first
    while last < len(lines) and fits[last]:
        last += 1

    def name(each: str) -> str:
        return each.removeprefix("pub(crate) ").rstrip(";")

    block = sorted([*lines[first:last], line], key=name)
    return "\n".join([*lines[:first], *block, *lines[last:]])
