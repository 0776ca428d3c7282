"""`hopscope import`: a network from a file of another tool."""

from dataclasses import asdict
from pathlib import Path

import click

from hopscope.cli import options
from hopscope.cli.terminal import show, show_json


@click.command("import", short_help="Make a network from a file of another tool.")
@click.argument("file", metavar="FILE")
@click.option("--form", metavar="FORM", help="Format of the file.  [default: recognised by its content]")
@click.option(
    "--hosts",
    metavar="PATTERN=N",
    multiple=True,
    help="Attach N hosts to each switch whose name matches, as in 'leaf*=8'; repeatable.",
)
@options.to_write("--out", words="File to write, replaced if it exists.  [default: stdout]")
@options.as_json
@options.quiet
def command(
    file: str, form: str | None, hosts: tuple[str, ...], out: Path | None, as_json: bool, quiet: bool
) -> int:
    """Convert a file of another tool into a list of cables: CSV that every command takes as a fabric.

    FILE is `ibnetdiscover -p`, `lldpctl -f json` of several machines, SONiC's config_db.json or
    minigraph.xml, a topology of containerlab or htsim, a topology or flow file of ns-3's RDMA simulators,
    GML, node-link JSON, a spreadsheet of cables as CSV, or NetBox's export of cables.
    """
    from hopscope import atomic
    from hopscope.cli.talk import say
    from hopscope.errors import none_such
    from hopscope.importing import forms
    from hopscope.importing.attached import Attach
    from hopscope.numerals import amount

    if form is not None and form not in forms.NAMES:
        raise none_such(f"form `{form}`", forms.NAMES)
    if out is not None:
        atomic.check_replaceable(out, "--out", [file])
    found = forms.import_file(file, form, [Attach.of_text(each) for each in hosts])
    if out is not None:
        atomic.write_file(out, found.text, "--out")
    if as_json:
        show_json({**asdict(found), "file": None if out is None else str(out)})
    elif out is None:
        show(found.text.removesuffix("\n"))
    for note in found.notes:
        say(note, quiet)
    if found.flows:
        say(f"{found.form}: {amount(found.flows, 'flow', 'flows')}", quiet)
    else:
        counts = ", ".join(
            (
                amount(found.switches, "switch", "switches"),
                amount(found.hosts, "host", "hosts"),
                amount(found.cables, "cable", "cables"),
            )
        )
        say(f"{found.form}: {counts}", quiet)
    if out is not None:
        say(f"written to {out}", quiet)
    return 0
