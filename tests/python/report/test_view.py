"""The server answers to itself, to its token and to no other client, and only knows the given folders."""

import http.client
import json
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from click.testing import Result

import hopscope
import pages
from conftest import QUEUE
from hopscope.errors import UsageError
from hopscope.results import folder as reading
from hopscope.results.run import RunResult
from hopscope.view import pages as view_pages
from hopscope.view.library import Library
from hopscope.view.server import LOOPBACK, Server

uvicorn = pytest.importorskip("uvicorn")


@pytest.fixture
def library(tmp_path: Path, network_run: RunResult) -> Library:
    """One run in a folder, beside one that was not given."""
    network_run.save(tmp_path / "given" / "one", report=False)
    network_run.save(tmp_path / "secret", report=False)
    (tmp_path / "given" / "way-out").symlink_to(tmp_path / "secret")
    return Library([tmp_path / "given"])


@pytest.fixture
def server(library: Library) -> Iterator[tuple[Server, int]]:
    """A server of that library, and its port."""
    import socket

    listening = socket.create_server((LOOPBACK, 0))
    port = listening.getsockname()[1]
    made = Server(library, LOOPBACK, port)
    running = uvicorn.Server(uvicorn.Config(made.app(), log_level="error", lifespan="off"))
    thread = Thread(target=running.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    yield made, port
    running.should_exit = True
    thread.join(timeout=10)


def ask(port: int, path: str, body: bytes | None = None, **headers: str) -> tuple[int, str]:
    """Status and text of an answer; redirections are followed with no cookie."""
    request = urllib.request.Request(f"http://{LOOPBACK}:{port}{path}", body)
    for name, value in headers.items():
        request.add_header(name.replace("_", "-"), value)
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as refusal:
        return refusal.code, refusal.read().decode()


def test_only_what_lies_in_the_folders_is_found(library: Library):
    assert [entry.id for entry in library.entries()] == ["given/one"]
    for name in ("secret", "../secret", "given/../secret", "given/way-out", "/etc"):
        with pytest.raises(UsageError):
            library.find(name)


def test_a_folder_that_is_one_result_opens_its_page(tmp_path: Path, network_run: RunResult):
    network_run.save(tmp_path / "runs" / "one", report=False)
    assert Library([tmp_path / "runs" / "one"]).only() == "one"
    assert Library([tmp_path / "runs"]).only() is None
    network_run.save(tmp_path / "runs" / "two", report=False)
    assert Library([tmp_path / "runs" / "one", tmp_path / "runs" / "two"]).only() is None


def test_the_address_leads_to_the_list_of_several_results(server: tuple[Server, int]):
    made, port = server
    assert landing(made, port) == (303, "/view")
    made._library = Library([made._library.entries()[0].folder])
    assert landing(made, port) == (303, "/view?run=one")


def landing(made: Server, port: int) -> tuple[int, str | None]:
    """Status and target of the printed address, which is not followed."""
    connection = http.client.HTTPConnection(LOOPBACK, port, timeout=20)
    connection.request("GET", f"/?token={made.token}")
    answer = connection.getresponse()
    return answer.status, answer.getheader("location")


def test_a_request_for_another_host_is_refused(server: tuple[Server, int]):
    made, port = server
    for host in ("evil.example", f"evil.example:{port}", LOOPBACK, f"{LOOPBACK}:{port}.evil.example"):
        status, text = ask(port, "/api/jobs", Host=host, X_Hopscope_Token=made.token)
        assert (status, text) == (421, "this server answers to its own address only")


def test_a_request_from_another_site_is_refused(server: tuple[Server, int]):
    made, port = server
    asked = {"X_Hopscope_Token": made.token, "Origin": "http://evil.example"}
    assert ask(port, "/api/jobs", **asked)[0] == 421


@pytest.mark.parametrize(
    "path", ["/", "/?token=wrong", "/view", "/api/document", "/api/jobs", "/api/block/network0"]
)
def test_nothing_is_told_without_the_token(server: tuple[Server, int], path: str):
    status, text = ask(server[1], path)
    assert status == 403
    assert "given" not in text


def test_with_the_token_a_document_is_told(server: tuple[Server, int]):
    made, port = server
    status, text = ask(port, "/api/document?of=/view%3Frun%3Dgiven/one", X_Hopscope_Token=made.token)
    assert status == 200
    assert json.loads(text)["kind"] == "run"


@pytest.mark.parametrize("origin", ["http://[bad", "http://[", "null"])
def test_an_origin_that_is_no_address_is_refused(server: tuple[Server, int], origin: str):
    _, port = server
    assert ask(port, "/api/jobs", Origin=origin)[0] == 421


def test_a_damaged_table_is_told_in_words(server: tuple[Server, int], library: Library):
    made, port = server
    table = library.find("given/one").folder / "timeline.parquet"
    table.write_bytes(b"")
    status, text = ask(port, "/api/document?of=%3Frun%3Dgiven/one", **{"X-Hopscope-Token": made.token})
    assert (status, text) == (400, f"`{table}` is damaged\nhint: run the scenario of the folder again")


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"{}", b'{"run": "secret", "set": []}', b'{"run": "given/one", "set": 3}']
)
def test_a_senseless_request_is_refused_in_words(server: tuple[Server, int], body: bytes):
    made, port = server
    status, text = ask(port, "/api/try", body, X_Hopscope_Token=made.token)
    assert status == 400
    assert "Traceback" not in text


def test_a_request_that_is_too_large_is_refused(server: tuple[Server, int]):
    made, port = server
    status, text = ask(port, "/api/try", b"x" * 200_000, X_Hopscope_Token=made.token)
    assert (status, text) == (400, "the request is too large")


def test_an_export_is_one_file_with_the_data_in_it(
    command: Callable[..., Result], here: Path, network_run: RunResult
):
    network_run.save(here / "one", report=False)
    assert command("view", "one", "--export", "page.html").exit_code == 0
    page = (here / "page.html").read_text(encoding="utf-8")
    assert pages.document(page)["title"] == network_run.title
    assert "connect-src 'none'" in page


@pytest.fixture
def table(command: Callable[..., Result], here: Path) -> Path:
    """The folder of a study; one of its cells is a miss."""
    assert command("study", "ien138/table", "--quick", "--out", "table").exit_code == 1
    return here / "table"


def test_the_page_of_a_study_is_its_report_as_data(command: Callable[..., Result], here: Path, table: Path):
    report = (table / "report.html").read_text(encoding="utf-8")
    hostile = report.replace("</body>", "<script>stolen()</script></body>").replace(
        '"sections":[', '"sections":[{"kind":"try","heading":"x","note":"","run":"x","fields":[]},'
    )
    (table / "report.html").write_text(hostile, encoding="utf-8")
    assert command("view", "table", "--export", "page.html").exit_code == 0
    page = (here / "page.html").read_text(encoding="utf-8")
    assert "stolen" not in page
    assert pages.document(page) == pages.document(report)
    assert view_pages.of(Library([here]), f"{here.name}/table").data() == pages.document(report)
    refused = command("view", "table", "--export", "other.html", "--engine")
    assert refused.exit_code == 2
    assert "a study has no form" in refused.stderr


def test_without_its_report_a_study_shows_its_cells(command: Callable[..., Result], here: Path, table: Path):
    (table / "report.html").write_text("no page", encoding="utf-8")
    assert command("view", "table", "--export", "page.html").exit_code == 0
    assert pages.document((here / "page.html").read_text(encoding="utf-8"))["title"].endswith("table")


def test_an_export_makes_no_folder(command: Callable[..., Result], here: Path, network_run: RunResult):
    network_run.save(here / "one", report=False)
    done = command("view", "one", "--export", "nosuch/page.html")
    assert done.exit_code == 2
    assert done.stderr == (
        "error: there is no folder `nosuch`\nhint: make it, or choose another file for --export\n"
    )
    assert not (here / "nosuch").exists()


def test_an_export_of_no_result_or_over_a_file_is_refused(command: Callable[..., Result], here: Path):
    (here / "empty").mkdir()
    (here / "there.html").write_text("mine", encoding="utf-8")
    assert command("view", "empty", "--export", "page.html").exit_code == 2
    assert command("view", "empty", "--export", "there.html").exit_code == 2
    assert command("view", "no-such-folder").exit_code == 2
    assert (here / "there.html").read_text(encoding="utf-8") == "mine"
    assert not (here / "page.html").exists()


def listed(folder: Path) -> dict[str, Any]:
    """The only result of a folder, as the list has it."""
    [section] = view_pages.listing(Library([folder])).data()["sections"]
    [entry] = section["entries"]
    return entry


@pytest.mark.parametrize("file", ["summary.json", "why.json"])
def test_a_damaged_run_says_so_in_the_list_and_is_not_exported(
    command: Callable[..., Result], here: Path, network_run: RunResult, file: str
):
    network_run.save(here / "one", report=False)
    (here / "one" / file).write_text('{"a": ', encoding="utf-8")
    entry = listed(Path("one"))
    refused = command("view", "one", "--export", "page.html")
    assert (refused.exit_code, (here / "page.html").exists()) == (2, False)
    assert entry["outcome"] == "cannot be read"
    assert [f"error: {entry['words'][0]}", *entry["words"][1:]] == refused.stderr.splitlines()
    assert entry["words"][1].startswith("hint: ")


def test_no_reason_in_the_list_holds_a_character_that_is_not_seen(
    monkeypatch: pytest.MonkeyPatch, here: Path, network_run: RunResult
):
    def read(_: Path) -> RunResult:
        raise UsageError("the key `\x1b[31m\u202e` is missing", "look at it")

    network_run.save(here / "one", report=False)
    monkeypatch.setattr(reading, "read", read)
    assert listed(Path("one"))["words"] == ["the key `\\u001b[31m\\u202e` is missing", "hint: look at it"]


def test_a_run_of_an_earlier_version_is_shown_with_a_word_of_what_it_lacks(
    command: Callable[..., Result], here: Path, network_run: RunResult
):
    network_run.save(here / "one", report=False)
    (here / "one/why.json").unlink()
    entry = listed(Path("one"))
    assert (entry["title"], entry["outcome"]) == (network_run.title, network_run.outcome)
    assert command("view", "one", "--export", "page.html").exit_code == 0
    answer = pages.section((here / "page.html").read_text(encoding="utf-8"), "Answer")
    assert answer["verdict"] == ""
    assert answer["warnings"] == entry["words"]
    assert "why.json" in entry["words"][0]


def test_runs_of_one_title_are_told_apart_by_what_differs_in_them(here: Path, network_run: RunResult):
    swept = hopscope.sweep("an1-mstage", {"traffic.load": [0.2, 0.5]}, set={"measure.messages": 500})
    swept.save(here / "loads", report=False)
    [section] = view_pages.listing(Library([here / "loads"])).data()["sections"]
    told = [entry["set"] for entry in section["entries"] if entry["kind"] == "run"]
    assert told == [["traffic.load=0.2"], ["traffic.load=0.5"]]
    network_run.save(here / "alone", report=False)
    assert listed(here / "alone")["set"] == []


def test_the_form_has_every_value_with_its_meaning(network_run: RunResult):
    from hopscope.view import form

    fields = {field["path"]: field for field in form.fields(network_run)}
    assert fields["traffic.load"]["value"] == "0.5"
    assert "multi-path" in fields["routing.choice"]["choices"]
    assert all(field["meaning"] for field in fields.values())
    assert all(not field["open"] or field["expects"].endswith(".") for field in fields.values())
    load, warmup, size = (fields[path] for path in ("traffic.load", "measure.warmup", "traffic.sizes.fixed"))
    assert (load["least"], load["most"]) == (0, 1)
    assert load["expects"] == "A number of at most 1, or saturated."
    assert (warmup["open"], warmup["choices"]) == (True, ["auto", "none"])
    assert (size["meaning"], size["expects"]) == ("An amount of data.", "A quantity with its unit.")
    assert (fields["routing.rule"]["open"], fields["routing.rule"]["expects"]) == (False, "")
    assert hopscope.run("an1-mstage", set={"measure.messages": 200}).settings


def test_a_file_that_another_program_calls_as_a_store_is_no_result(library: Library, tmp_path: Path):
    other = tmp_path / "given" / "shop"
    other.mkdir()
    (other / "store.json").write_text('{"format": 99}')
    assert library.experiments() == []
    assert library.under_way() == []
    with pytest.raises(UsageError, match=r'expected \{"hopscope store": 1\}'):
        Library([other]).experiments()


def test_a_store_without_an_experiment_has_no_page(command: Callable[..., Result], here: Path):
    few = ("--set", "measure.messages=300", "--over", "arrivals.load=0.2,0.3")
    assert command("sweep", QUEUE, *few, "--store", "s", "--on", "threads", "--out", "o").exit_code == 0
    done = command("view", "s", "--export", "page.html")
    assert done.exit_code == 2
    assert "the store holds no experiment" in done.stderr
    assert "folder of results" in done.stderr


@pytest.mark.parametrize(
    ("host", "words"),
    [
        ("", "'--host': it is empty"),
        ("no..host", "there is no host `no..host`"),
        ("192.0.2.1", "cannot listen on"),
    ],
)
def test_a_host_that_cannot_be_listened_on_is_refused(command: Callable[..., Result], host: str, words: str):
    done = command("view", ".", "--host", host, "--no-browser")
    assert done.exit_code == 2
    assert words in done.stderr
    assert "--port" not in done.stderr.splitlines()[-1]
