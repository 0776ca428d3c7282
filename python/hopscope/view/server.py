"""The server of the page: on this machine alone, for holders of its token, for the given folders."""

import hmac
import json
import secrets
from collections.abc import Awaitable, Callable
from functools import lru_cache
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from hopscope.escaping import visible_lines
from hopscope.extras import extra
from hopscope.report import page as building
from hopscope.report.page import Page
from hopscope.view import pages
from hopscope.view.jobs import Jobs
from hopscope.view.library import Library

with extra("view"):
    from starlette.applications import Starlette
    from starlette.concurrency import run_in_threadpool
    from starlette.middleware import Middleware
    from starlette.requests import Request
    from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
    from starlette.routing import Route
    from starlette.types import ASGIApp, Receive, Scope, Send

LOOPBACK = "127.0.0.1"
_LARGEST_BODY = 100_000
_PAGES_KEPT = 6
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}


Handler = Callable[[Request], Awaitable[Response]]


class Server:
    """The pages of a library over HTTP. Every request needs the token and names this server as its host."""

    def __init__(self, library: Library, host: str, port: int) -> None:
        """A server for this address, with a token of its own."""
        self.token = secrets.token_urlsafe(24)
        self.jobs = Jobs(library.admit)
        self._library = library
        self._cookie = f"hopscope-{port}"
        self._hosts = {f"{name}:{port}" for name in (host, LOOPBACK, "localhost")}
        self._page = lru_cache(maxsize=_PAGES_KEPT)(lambda name, other: pages.of(library, name, other))

    def app(self) -> Starlette:
        """The application."""
        return Starlette(
            routes=[
                Route("/", self._home),
                Route("/view", self._view),
                Route("/api/document", self._guarded(self._document)),
                Route("/api/block/{name}", self._guarded(self._block)),
                Route("/api/jobs", self._guarded(self._told)),
                Route("/api/try", self._guarded(self._try), methods=["POST"]),
                Route("/api/cancel", self._guarded(self._cancel), methods=["POST"]),
                Route("/api/under-way", self._guarded(self._under_way)),
                Route("/api/stop", self._guarded(self._stop), methods=["POST"]),
            ],
            middleware=[Middleware(_Checked, hosts=self._hosts)],
        )

    async def _home(self, request: Request) -> Response:
        """The address that was printed: its token becomes a cookie, which no other site's page can use.

        It leads to the list of results, or to the only one that was given.
        """
        if not self._is_token(request.query_params.get("token", "")):
            return _refused("open the address that `hopscope view` printed; it holds a token")
        only = await run_in_threadpool(self._library.only)
        answer = RedirectResponse(f"/view?{urlencode({'run': only})}" if only else "/view", status_code=303)
        answer.set_cookie(self._cookie, self.token, httponly=True, samesite="strict")
        return answer

    async def _view(self, request: Request) -> Response:
        if not self._is_token(request.cookies.get(self._cookie, "")):
            return _refused("open the address that `hopscope view` printed; it holds a token")
        policy = building.served_policy()
        html = building.frame("Results", "", "", policy, self.token)
        return Response(html, media_type="text/html", headers={"Content-Security-Policy": policy})

    async def _document(self, request: Request) -> Response:
        page = await run_in_threadpool(self._of, request)
        return JSONResponse(page.data())

    async def _block(self, request: Request) -> Response:
        page = await run_in_threadpool(self._of, request)
        content = page.blocks.get(request.path_params["name"])
        if content is None:
            return PlainTextResponse("the page has no such block", status_code=404)
        return Response(content, media_type="application/octet-stream")

    def _of(self, request: Request) -> Page:
        """The page that an address of the browser stands for."""
        asked = parse_qs(urlsplit(request.query_params.get("of", "")).query)
        if "run" not in asked:
            return pages.listing(self._library)
        name, other = asked["run"][0], asked.get("with", [None])[0]
        if other is None and self._library.experiment(name) is not None:
            # It may grow: nothing is kept of its page.
            return pages.of(self._library, name)
        return self._page(name, other)

    async def _told(self, request: Request) -> Response:
        name = request.query_params.get("id")
        if name is None:
            return JSONResponse([job.data() for job in self.jobs.all()])
        job = self.jobs.find(name)
        return _missing() if job is None else JSONResponse(job.data())

    async def _try(self, request: Request) -> Response:
        asked = await _body(request)
        entry = self._library.find(str(asked["run"]))
        settings = [f"{path}={value}" for path, value in asked["set"]]
        job = self.jobs.run(entry.folder / "scenario.toml", f"{entry.folder.name}-changed", settings)
        if job is None:
            return PlainTextResponse("too many runs wait already; cancel one of them", status_code=429)
        return JSONResponse(job.data())

    async def _cancel(self, request: Request) -> Response:
        job = self.jobs.find(str((await _body(request))["id"]))
        if job is None:
            return _missing()
        job.stop.set()
        return JSONResponse(job.data())

    async def _under_way(self, request: Request) -> Response:
        """Experiments under way, by any process."""
        known = await run_in_threadpool(self._library.under_way)
        return JSONResponse(
            [
                {"experiment": name, "word": word.name, "fraction": word.fraction, "figures": word.figures}
                for name, word in known
            ]
        )

    async def _stop(self, request: Request) -> Response:
        asked = str((await _body(request))["word"])
        is_known = await run_in_threadpool(self._library.stop, asked)
        return JSONResponse({}) if is_known else _missing()

    def _guarded(self, handler: Handler) -> Handler:
        """Only for the page itself, which has the token; a mistake of the user is reported in words."""

        async def answered(request: Request) -> Response:
            if not self._is_token(request.headers.get("x-hopscope-token", "")):
                return _refused("the token is missing")
            try:
                return await handler(request)
            except (ValueError, KeyError, TypeError) as failure:
                return PlainTextResponse(visible_lines(str(failure)), status_code=400)

        return answered

    def _is_token(self, told: str) -> bool:
        return hmac.compare_digest(told.encode(), self.token.encode())


class _Checked:
    """Refuses requests for other hosts (DNS rebinding) and from other sites; adds the headers of all."""

    def __init__(self, app: ASGIApp, hosts: set[str]) -> None:
        self._app = app
        self._hosts = hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        origin = headers.get("origin")
        is_ours = origin is None or _host(origin) in self._hosts

        async def with_headers(message: Any) -> None:
            if message["type"] == "http.response.start":
                own = [(name.lower().encode(), value.encode()) for name, value in _HEADERS.items()]
                message = {**message, "headers": [*message["headers"], *own]}
            await send(message)

        if headers.get("host") not in self._hosts or not is_ours:
            refused = PlainTextResponse("this server answers to its own address only", status_code=421)
            await refused(scope, receive, with_headers)
            return
        await self._app(scope, receive, with_headers)


async def _body(request: Request) -> dict[str, Any]:
    """A small object of JSON. Raises ValueError for anything else."""
    taken = b""
    async for part in request.stream():
        taken += part
        if len(taken) > _LARGEST_BODY:
            raise ValueError("the request is too large")
    asked = json.loads(taken)
    if not isinstance(asked, dict):
        raise ValueError("an object was expected")
    return asked


def _host(origin: str) -> str | None:
    """The host of an origin; None for an invalid one, which no browser sends."""
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return None


def _refused(words: str) -> Response:
    return PlainTextResponse(words, status_code=403)


def _missing() -> Response:
    return PlainTextResponse("there is no such run under way", status_code=404)
