"""Brings the pages of the site together before mkdocs reads them.

The documents stand as they do in the project, so that their links hold: a copy of every file that is under
version control and read by people goes to target/site. The gallery and the reference of names are written
there.
"""

import os
import re
import shutil
import subprocess
from collections import defaultdict
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).resolve().parents[2]
STAGE = PROJECT / "target/site"
# What documents link to: other documents, pictures, scenarios, tables of published values, programs.
KEPT = re.compile(
    r".*\.(md|svg|css|ipynb)|(scenarios|studies|published|docs|tests/python|tests/fingerprints)/.*|LICENSE-.*"
    r"|(CITATION|Cargo|ruff|clippy|deny)\..*|tests/tidy/.*\.toml|python/hopscope/.*\.py(i)?|crates/.*\.rs"
)
LINK = re.compile(r"(?<!!)\[(?P<words>[^\]]*)\]\((?P<target>[^)#:\s]+)\)")
FENCE = re.compile(r"^```(?P<language>\w+) (?P<words>\S.*)$", re.MULTILINE)
MODELS = {
    "fabric": "Fabrics: InfiniBand, RoCE and cut-through switches",
    "arpanet": "The ARPANET",
    "pup": "The Pup internet",
    "sna": "SNA: pacing and windows",
    "queueing": "Queues with a closed form",
}

LIVE = {
    "an1-mstage": {"measure.messages": 20_000},
    "arpanet-1975-05": {"duration": "60 s"},
    "dragonfly-36": {},
    "pup-epr-gateway": {},
    "queueing-mm1": {"measure.messages": 100_000},
    "sna-virtual-route": {},
}
"""Scenarios that readers of the site run in a browser: one of each model, as short as a click may take."""


def on_config(config: Any) -> None:
    """Write everything that mkdocs reads. Called by mkdocs first."""
    shutil.rmtree(STAGE, ignore_errors=True)
    _charts_as_pictures(PROJECT / "target/site-profile")
    line = ["git", "ls-files"]
    listed = subprocess.run(line, cwd=PROJECT, capture_output=True, text=True, check=True).stdout
    for name in filter(KEPT.fullmatch, listed.splitlines()):
        target = STAGE / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(PROJECT / name, target)
    pictures, live = STAGE / "docs/images/gallery", STAGE / "docs/live"
    (STAGE / "docs/gallery.md").write_text(gallery(pictures, live), encoding="utf-8")
    (STAGE / "docs/reference/python-names.md").write_text(names(), encoding="utf-8")


def _charts_as_pictures(profile: Path) -> None:
    """Have the notebooks draw their charts as SVG: the site loads nothing from elsewhere."""
    startup = profile / "profile_default/startup/charts.py"
    startup.parent.mkdir(parents=True, exist_ok=True)
    startup.write_text("import altair\n\naltair.renderers.enable('svg')\n", encoding="utf-8")
    os.environ["IPYTHONDIR"] = str(profile)


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """The document in the words of mkdocs. Called by mkdocs for every page.

    A link to a folder leads to its README, as it does where the source is browsed. The words behind a block's
    language (`toml lab.toml`, `console exit=1`) become its title where they name a file.
    """
    folder = Path(page.file.abs_src_path).parent

    def readme(link: re.Match[str]) -> str:
        place = folder / link["target"]
        if not place.is_dir() and (folder / link["target"]).exists():
            return link[0]
        inside = place / "README.md"
        return (
            f"[{link['words']}]({link['target'].rstrip('/')}/README.md)" if inside.exists() else link["words"]
        )

    def fence(head: re.Match[str]) -> str:
        return f"```{head['language']}" + ("" if "=" in head["words"] else f' title="{head["words"]}"')

    parts = re.split(r"(^```.*?^```$)", markdown, flags=re.MULTILINE | re.DOTALL)
    for at, part in enumerate(parts):
        if part.startswith("```"):
            parts[at] = FENCE.sub(fence, part, count=1)
        else:
            parts[at] = LINK.sub(readme, part)
    return "".join(parts)


def with_engine(folder: Path) -> set[str]:
    """Pages that run a scenario in the browser; none where the engine for pages is not built."""
    import hopscope
    from hopscope.report import page
    from hopscope.view.pages import exported

    try:
        page.engine()
    except hopscope.UsageError as failure:
        print(f"the site has no live pages: {failure}")
        return set()
    folder.mkdir(parents=True)
    for name, settings in LIVE.items():
        run = hopscope.run(name, set=settings)
        (folder / f"{name}.html").write_text(exported(run, with_engine=True), encoding="utf-8")
    return set(LIVE)


def gallery(pictures: Path, live: Path) -> str:
    """A card for each ready scenario: the drawing of its network, its title, the command that runs it."""
    import hopscope

    pictures.mkdir(parents=True)
    can_run = with_engine(live)
    cards = defaultdict(list)
    for name, model, title in hopscope.scenarios():
        try:
            (pictures / f"{name}.svg").write_text(hopscope.topology(name).svg(), encoding="utf-8")
            drawn = f"![The network of {name}](images/gallery/{name}.svg)\n\n"
        except hopscope.UsageError:
            drawn = ""  # a model without a network
        source = f"[`{name}`](../scenarios/{name}.toml)"
        here = f" · [run it in this browser](live/{name}.html)" if name in can_run else ""
        cards[model].append(f"<div markdown>\n{drawn}{title}\n\n{source}{here}\n\n</div>")
    parts = [
        "# Gallery",
        "Each of these is ready to run: `hopscope run NAME`. `hopscope show NAME` prints it, and "
        "`hopscope init --from NAME` writes a copy to change.",
    ]
    for model, heading in MODELS.items():
        parts += [f"## {heading}", '<div class="gallery" markdown>', *cards[model], "</div>"]
    return "\n\n".join(parts) + "\n"


def names() -> str:
    """The reference of every public name, for mkdocstrings to fill in."""
    import hopscope

    parts = [
        "# Python, name by name",
        "The [overview](python.md) has examples. Names are imported from `hopscope`.",
    ]
    groups: dict[str, list[str]] = {"Functions": [], "Results and values": [], "Errors": []}
    for name, home in hopscope._HOME_OF.items():
        kind = "Errors" if home == "errors" else "Functions" if name[0].islower() else "Results and values"
        # The native module states what it raises in its stub.
        place = f"hopscope._core.{name}" if name == "ScenarioError" else f"hopscope.{home}.{name}"
        groups[kind].append(f"::: {place}")
    for heading, entries in groups.items():
        parts += [f"## {heading}", *entries]
    return "\n\n".join(parts) + "\n"
