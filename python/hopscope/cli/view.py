"""`hopscope view`: the page of results, served on this machine or exported as one file."""

import errno
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hopscope.cli import options
from hopscope.cli.terminal import show_json
from hopscope.errors import UsageError
from hopscope.extras import extra

if TYPE_CHECKING:
    from hopscope.view.library import Library

LARGEST_PORT = 65_535
_OWN_HOST = "give an address or name of this machine with --host, such as 127.0.0.1"


@click.command("view", short_help="Show results as a page.")
@click.argument("folders", nargs=-1, metavar="[FOLDER...]")
@options.to_write("--export", words="Write the page of one result to FILE, which opens offline.")
@click.option(
    "--engine",
    is_flag=True,
    help="With --export: include the simulator, so that the page itself can run the scenario.",
)
@click.option(
    "--host", type=options.Filled(), default="127.0.0.1", show_default=True, help="Address to listen on."
)
@click.option(
    "--port", type=options.WholeNumber(0, LARGEST_PORT), default=0, help="Port.  [default: a free one]"
)
@click.option("--browser/--no-browser", default=True, help="Open the page in the browser.  [default: yes]")
@options.as_json
def command(
    folders: Sequence[str],
    export: Path | None,
    engine: bool,
    host: str,
    port: int,
    browser: bool,
    as_json: bool,
) -> int:
    """Show runs, sweeps, studies and experiments in a page: results, map, timelines, bottleneck.

    FOLDER is a run, a sweep, a study, a store (also by its URL), or a folder that contains them; by default
    runs/. The page shows experiments under way, and can stop them. It can also change the scenario of a run,
    run it again and compare the two. Ctrl-C stops the server.
    """
    from hopscope.view.library import Library

    if engine and export is None:
        raise UsageError(
            "--engine belongs to --export", "a served page has the engine behind it: leave it out"
        )
    chosen = folders or ("runs",)
    library = Library(chosen)
    if export is not None:
        return _export(chosen, export, engine, as_json)
    return _serve(library, host, port, browser, as_json)


def _export(folders: Sequence[str], target: Path, engine: bool, as_json: bool) -> int:
    from hopscope import atomic
    from hopscope.cli.talk import say

    if len(folders) != 1:
        raise UsageError("--export writes the page of one result", "give one folder")
    if not target.absolute().parent.exists():
        raise UsageError(
            f"there is no folder `{target.parent}`", "make it, or choose another file for --export"
        )
    atomic.check_file(target, "--export")
    html = _exported(folders[0], engine)
    with atomic.new_file(target, "--export") as partial:
        partial.write_text(html, encoding="utf-8")
    if as_json:
        show_json({"file": str(target)})
    say(f"written to {target}")
    return 0


def _exported(folder: str, engine: bool) -> str:
    from hopscope.results.folder import read
    from hopscope.store.store import open_store
    from hopscope.view import pages
    from hopscope.view.library import holds_study

    store, is_study = open_store(folder), holds_study(folder)
    if engine and (is_study or store.is_there()):
        what = "a study" if is_study else "an experiment"
        raise UsageError(f"{what} has no form, so its page runs nothing", "give the folder of one run")
    if is_study:
        return pages.exported_study(Path(folder))
    return pages.exported_experiment(store) if store.is_there() else pages.exported(read(folder), engine)


def _serve(library: "Library", host: str, port: int, browser: bool, as_json: bool) -> int:
    import socket
    import webbrowser

    from hopscope.cli.talk import say

    with extra("view"):
        import uvicorn

        from hopscope.view.server import Server
    from hopscope.report import page

    page.script()
    try:
        socket.getaddrinfo(host, port)
        listening = socket.create_server((host, port))
    except (socket.gaierror, UnicodeError):  # the latter where it cannot even be a name
        raise UsageError(f"there is no host `{host}`", _OWN_HOST) from None
    except OSError as failure:
        hint = _OWN_HOST if failure.errno == errno.EADDRNOTAVAIL else "give another --port"
        why = failure.strerror if failure.errno is None else os.strerror(failure.errno)
        raise UsageError(f"cannot listen on {host}, port {port}: {why}", hint) from None
    port = listening.getsockname()[1]
    server = Server(library, host, port)
    address = f"http://{host}:{port}/?token={server.token}"
    if as_json:
        show_json({"address": address})
    say(f"open {address}\nCtrl-C ends it")
    if browser:
        webbrowser.open(address)
    config = uvicorn.Config(
        server.app(), log_level="warning", access_log=False, server_header=False, lifespan="off"
    )
    try:
        uvicorn.Server(config).run(sockets=[listening])
    except KeyboardInterrupt:
        pass
    finally:
        server.jobs.stop()
        listening.close()
    return 0
