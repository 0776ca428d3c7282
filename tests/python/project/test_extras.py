"""The plain install: every verb without any library of an extra, and every import of one through `extra`."""

import ast
import os
import re
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions, requires
from pathlib import Path

import pytest

from conftest import PROJECT
from hopscope.cli import entry
from hopscope.errors import MissingExtraError
from hopscope.extras import EXTRAS, extra, require
from plain_install import STEPS, begin, complaints

PACKAGE = PROJECT / "python/hopscope"
METADATA = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
HIDE = "import sys\nsys.modules.update(dict.fromkeys({names!r}))\n"


def project_name(requirement: str) -> str:
    """The name in a requirement, as metadata compares them."""
    found = re.match(r"[A-Za-z0-9._-]+", requirement)
    assert found is not None, requirement
    return re.sub(r"[-_.]+", "-", found[0]).lower()


def with_their_own(names: set[str]) -> set[str]:
    """Distributions with all that they need."""
    seen: set[str] = set()
    while names:
        name = names.pop()
        seen.add(name)
        needed = [each for each in requires(name) or [] if "extra ==" not in each]
        names |= {project_name(each) for each in needed} - seen
    return seen


CORE = with_their_own({project_name(each) for each in METADATA["dependencies"]})
HOMES = {
    module: {project_name(each) for each in distributions}
    for module, distributions in packages_distributions().items()
}


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """An environment in which everything is hidden that a plain install does not have."""
    folder = tmp_path_factory.mktemp("site")
    beside = {name for name, homes in HOMES.items() if not homes & (CORE | {"hopscope"})}
    hidden = sorted(name for name in beside if not name.startswith("_"))
    assert {"polars", "altair", "numpy", "networkx"} <= set(hidden)
    (folder / "sitecustomize.py").write_text(HIDE.format(names=hidden), encoding="utf-8")
    return os.environ | {"PYTHONPATH": str(folder)}


def test_the_plain_install_is_ten_packages_at_most():
    assert len(CORE | {"hopscope"}) <= 10, CORE


def test_every_verb_does_its_work_or_names_the_extra(plain: dict[str, str], here: Path):
    begin(here)
    found = []
    for step in STEPS:
        line = [sys.executable, "-m", "hopscope", *step.words]
        done = subprocess.run(line, capture_output=True, text=True, cwd=here, env=plain, check=False)
        found += complaints(step, done, here)
    assert not found, "\n".join(found)


def test_every_verb_is_among_the_steps():
    assert {step.verb for step in STEPS} == set(entry._VERBS)


def test_a_run_without_frames_tells_it_in_one_line(plain: dict[str, str], here: Path):
    line = [sys.executable, "-m", "hopscope", "run", "queueing-mm1", "--set", "measure.messages=2000"]
    done = subprocess.run(line, capture_output=True, text=True, cwd=here, env=plain, check=False)
    assert done.stderr.splitlines()[-1] == (
        "warning: report.html was not drawn: frames and the tables of a run need polars: "
        "pip install 'hopscope[frames]'"
    )
    assert "throughput" in done.stdout


@pytest.mark.parametrize(
    ("words", "named"),
    [
        ("run.metrics", "frames"),
        ("run.plot()", "charts"),
        ("hopscope.topology('an1-tandem').graph()", "graph"),
        ("hopscope.study('an1/table3')", "frames"),
    ],
)
def test_from_python_the_extra_is_named(plain: dict[str, str], here: Path, words: str, named: str):
    script = f"""
import hopscope
run = hopscope.run("queueing-mm1", set={{"measure.messages": 2000}})
assert run.metric("latency.mean") and run._repr_html_() and run.save("kept", report=False).exists()
try:
    {words}
except hopscope.MissingExtraError as missing:
    print(missing.extra)
"""
    line = [sys.executable, "-c", script]
    done = subprocess.run(line, capture_output=True, text=True, cwd=here, env=plain, check=False)
    assert done.stdout == f"{named}\n", done.stderr


def test_an_extra_brings_the_modules_that_it_says():
    offered = METADATA["optional-dependencies"]
    assert set(offered) == {*EXTRAS, "all", "dev"}
    for name, about in EXTRAS.items():
        parts = [name, *re.findall(r"hopscope\[(\w+)\]", " ".join(offered[name]))]
        brought = {project_name(each) for part in parts for each in offered[part]} - {"hopscope"}
        assert {home for module in about.modules for home in HOMES[module] & brought} == brought, name


def test_all_is_every_extra():
    assert re.findall(r"\w+", METADATA["optional-dependencies"]["all"][0])[1:] == sorted(EXTRAS)


def test_only_a_module_of_the_extra_counts_as_missing(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "polars", None)
    said = r"frames .* need polars: pip install 'hopscope\[frames\]'"
    with pytest.raises(MissingExtraError, match=said), extra("frames"):
        import polars
    with pytest.raises(MissingExtraError, match=r"hopscope\[frames\]"):
        require("frames")
    with pytest.raises(ModuleNotFoundError, match="polars"), extra("ray"):
        import polars  # noqa: F401


def outside_imports(tree: ast.AST, inside: str | None = None) -> list[tuple[str, int, str | None]]:
    """What a file imports but for types: the module, the line, and the extra that the import stands in."""
    found: list[tuple[str, int, str | None]] = []
    for node in ast.iter_child_nodes(tree):
        here = inside
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        if isinstance(node, ast.With) and isinstance(node.items[0].context_expr, ast.Call):
            call = node.items[0].context_expr
            if ast.unparse(call.func) == "extra":
                here = ast.literal_eval(call.args[0])
        if isinstance(node, ast.Import):
            found += [(each.name, node.lineno, inside) for each in node.names]
        elif isinstance(node, ast.ImportFrom):
            found.append((node.module or "", node.lineno, inside))
        found += outside_imports(node, here)
    return found


def unnamed(text: str) -> list[str]:
    """The imports of libraries beyond the plain install that no fitting extra stands around."""
    wrong = []
    for name, line, within in outside_imports(ast.parse(text)):
        module = name.partition(".")[0]
        if module in sys.stdlib_module_names or module == "hopscope" or HOMES.get(module, set()) & CORE:
            continue
        if within is None or module not in EXTRAS[within].modules:
            wrong.append(f"{line}: {name}")
    return wrong


def test_every_import_of_a_further_library_names_its_extra():
    wrong = {
        str(path.relative_to(PACKAGE)): found
        for path in PACKAGE.rglob("*.py")
        if (found := unnamed(path.read_text(encoding="utf-8")))
    }
    assert not wrong


def test_an_import_without_its_extra_would_be_found():
    assert unnamed("def f():\n    import polars as pl\n") == ["2: polars"]
    assert unnamed("with extra('ray'):\n    from polars import col\n") == ["2: polars"]
    assert not unnamed("with extra('frames'):\n    import polars\n")
