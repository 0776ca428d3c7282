"""The imported forms, one line each: the table by which forms are detected and listed."""

import codecs
import io
import json
import re
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from hopscope import _core
from hopscope.errors import UsageError
from hopscope.importing import containerlab, dot, graphs, htsim, lldp, ns3, port_report, sonic, spreadsheet
from hopscope.importing.attached import Attach
from hopscope.importing.cabling import HEADING, Cabling, EdgeList, edge_list
from hopscope.importing.source import Source


@dataclass(frozen=True)
class Form:
    """A form: its name, its tool and file, its detector, its reader."""

    name: str
    known_as: str
    looks_like: Callable[[str], bool]
    read: Callable[[Source], Cabling]


FORMS = (
    Form("ibnetdiscover-p", "`ibnetdiscover -p`", port_report.looks_like, port_report.read),
    Form("lldp", "`lldpctl -f json` of several machines", lldp.looks_like, lldp.read),
    Form("sonic", "SONiC's config_db.json", sonic.looks_like_config, sonic.read_config),
    Form("minigraph", "SONiC's minigraph.xml", sonic.looks_like_minigraph, sonic.read_minigraph),
    Form("containerlab", "containerlab topology (YAML)", containerlab.looks_like, containerlab.read),
    Form("htsim", "htsim topology", htsim.looks_like, htsim.read),
    Form("ns3", "topology of ns-3's RDMA simulators (HPCC, SimAI)", ns3.looks_like, ns3.read),
    Form("node-link", "node-link JSON", graphs.looks_like_node_link, graphs.read_node_link),
    Form("graphviz", "Graphviz's DOT language", dot.looks_like, dot.read),
    Form("gml", "GML", graphs.looks_like_gml, graphs.read_gml),
    Form("spreadsheet", "CSV of cables, NetBox's export of cables", spreadsheet.looks_like, spreadsheet.read),
)
FLOWS = "ns3-flows"
NAMES = (*(form.name for form in FORMS), FLOWS)
# The beginning of a list of cables that every verb takes as a fabric.
_FABRIC_HEADING = ",".join(HEADING.split(",")[:2])
# A line of Slurm's topology.conf.
_SLURM = re.compile(r"^\s*(SwitchName)\s*=\s*\S+\s+(?:Nodes|Switches)\s*=", re.MULTILINE | re.IGNORECASE)
# Text in another encoding has no byte 0, and at most one control in this many bytes.
CONTROLS = 100
SPACE = ord(" ")
# How a text in TOML begins, and none of the forms: with a section, or with a key that is set.
_TOML = re.compile(r"\[\[?[\w\s\"'.-]+\]|[\w\s\"'.-]+=")


@dataclass(frozen=True)
class Imported:
    """The result of an import: text for hopscope, the form, and notes."""

    form: str
    text: str
    switches: int
    hosts: int
    cables: int
    flows: int
    notes: Sequence[str]


def import_file(file: str | Path, form: str | None = None, attach: Sequence[Attach] = ()) -> Imported:
    """Read a file of another tool. Its form is detected by content, or is the one named.

    `attach` are hosts that the file does not have.

    Raises UsageError with file, line and column of what is wrong.
    """
    source = _source(Path(file))
    text = source.text
    if not text.strip():
        raise source.fault("the file is empty", "a file of another tool", 0)
    if form == FLOWS and not ns3.looks_like_flows(text):
        raise source.fault(f"this is no {FLOWS}", "the number of flows, then a line for each", 0)
    if form in (None, FLOWS) and ns3.looks_like_flows(text):
        listed, flows = ns3.read_flows(source)
        return Imported(FLOWS, listed, 0, 0, 0, flows, ())
    chosen = _told_by(text) if form is None else next(each for each in FORMS if each.name == form)
    if chosen is None:
        raise _unknown(source)
    if not chosen.looks_like(text):
        if chosen.read is spreadsheet.read and (table := spreadsheet.not_cables(source)) is not None:
            raise table
        raise source.fault(f"this is no {chosen.name}", chosen.known_as, 0)
    found: EdgeList = edge_list(source, chosen.read(source), attach)
    return Imported(chosen.name, found.text, found.switches, found.hosts, found.cables, 0, found.notes)


def _unknown(source: Source) -> UsageError | _core.ScenarioError:
    """The error for a file of unknown form."""
    if (slurm := no_cables(Path(source.name))) is not None:
        return slurm
    refused = _refused_by_engine(source.name)
    if refused is None:
        return UsageError(
            f"{source.name}: there is nothing to import: every command reads this file as it is",
            f"give it to one, as in `hopscope run {shlex.quote(source.name)}`",
        )
    if (table := spreadsheet.not_cables(source)) is not None:
        return table
    if _is_called_as_fabric(Path(source.name)):
        return refused
    known = "; ".join(f"{each.name} ({each.known_as})" for each in FORMS)
    return source.fault("the form of this file is not known", known, 0, "name it by --form")


def no_cables(file: Path) -> UsageError | None:
    """The error for Slurm's topology.conf, which does not list cables; None for any other file."""
    try:
        source = _source(file)
    except UsageError:
        return None
    begins = _SLURM.search(source.text)
    if begins is None:
        return None
    problem = "this is Slurm's topology.conf, which names the nodes below each switch, and no cables"
    hint = "give the fabric as `ibnetdiscover` prints it, or its cables to `hopscope import`"
    return source.fault(problem, "a fabric with its cables", begins.start(1), hint)


def no_heading(file: Path) -> UsageError | None:
    """What is told of a list of cables as CSV whose first line names no columns; None for any other file."""
    if file.suffix.lower() != ".csv":
        return None
    try:
        source = _source(file)
    except UsageError:
        return None
    return None if source.text.startswith(_FABRIC_HEADING) else spreadsheet.not_cables(source)


def told_by_content(file: Path) -> str | None:
    """The name of an importable file's form; None for others, for TOML and for fabrics."""
    try:
        text = _source(file).text
    except UsageError:
        return None
    if text.lstrip().startswith(_FABRIC_HEADING) or _begins_as_toml(text):
        return None
    form = _told_by(text)
    return None if form is None else form.known_as


def _begins_as_toml(text: str) -> bool:
    """Whether the first significant line is one of TOML.

    Reading all of it would take long where keys have many levels, and only the engine says what is wrong.
    """
    lines = (line.strip() for line in io.StringIO(text))
    first = next((line for line in lines if line and not line.startswith("#")), "")
    return _TOML.match(first) is not None


def _refused_by_engine(file: str) -> _core.ScenarioError | None:
    """Why the engine does not read the file; None for a scenario, and for a fabric in its own formats."""
    try:
        _core.load(file, network_alone=True)
    except _core.ScenarioError as refused:
        return refused
    return None


def _is_called_as_fabric(file: Path) -> bool:
    """Whether a file has the ending of a fabric that every command reads: then its own error is shown."""
    endings = {ending for each in json.loads(_core.fabric_formats()) for ending in each["endings"]}
    return file.suffix.removeprefix(".").lower() in endings - {"csv"}


def _told_by(text: str) -> Form | None:
    return next((form for form in FORMS if form.looks_like(text)), None)


def _source(file: Path) -> Source:
    try:
        if file.exists() and not file.is_file():
            raise UsageError(f"{file}: this is not a regular file", "give a text file in UTF-8")
        # Editors of Windows begin a file in UTF-8 with a byte-order mark, which is not part of its text.
        written = file.read_bytes().removeprefix(codecs.BOM_UTF8)
    except FileNotFoundError as failure:
        raise UsageError(f"there is no file `{file}`", "check the path") from failure
    except OSError as failure:
        reason = failure.strerror or failure
        raise UsageError(f"{file}: cannot be read ({reason})", "give a file that you may read") from failure
    try:
        return Source(
            str(file), io.IncrementalNewlineDecoder(None, translate=True).decode(written.decode(), True)
        )
    except UnicodeDecodeError as failure:
        raise _not_utf8(file, written, failure.start) from failure


def _not_utf8(file: Path, written: bytes, at: int) -> UsageError:
    """The error for bytes that are not UTF-8, in the words of the engine's readers."""
    before = Source(str(file), written[:at].decode())
    problem, hint = "this is not UTF-8 text", "is it compressed, or another kind of file?"
    controls = sum(byte < SPACE and not bytes([byte]).isspace() for byte in written)
    if 0 not in written and CONTROLS * controls <= len(written):
        hint = "letters in another encoding? save it as UTF-8: editors and `iconv -f ISO-8859-1 -t UTF-8` can"
    if written.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        problem = "this is UTF-16 text"
        hint = "save it as UTF-8: editors and `iconv -f UTF-16 -t UTF-8` can"
    return before.fault(problem, "text in UTF-8", len(before.text), hint)
