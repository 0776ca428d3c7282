"""Graphviz: graphs in the DOT language, without networkx.

    graph pod {
      node [kind=switch];  edge [rate="100G"];
      h1 [kind=host];
      h1 -- leaf1:swp1 [rate="25G"];
      leaf1:swp49 -- { spine1 spine2 };
    }

A node is a host where its `kind`, `type` or `role` says host, server or client. An edge may have `rate`,
`bandwidth`, `capacity` or `speed` with a unit, and `delay`. What `node [...]` and `edge [...]` say holds for
what follows in the same braces. In a digraph an edge each way is one cable.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from hopscope.importing.cabling import Cable, Cabling, End
from hopscope.importing.quantities import delay, rate
from hopscope.importing.source import Source

MOST_DEPTH = 100
_HOSTS = {"host", "server", "client"}
_COMPASS = {"n", "ne", "e", "se", "s", "sw", "w", "nw", "c", "_"}
_HEADING = re.compile(r"\s*(?:strict\s+)?(?:di)?graph\b[^{\[\n]*\{", re.IGNORECASE)
_TOKEN = re.compile(
    r"""(?P<space>\s+|//[^\n]*|/\*.*?\*/|^\#[^\n]*)
    |(?P<quoted>"(?:[^"\\]|\\.)*")
    |(?P<edge>--|->)
    |(?P<mark>[{}\[\];,:=])
    |(?P<word>[A-Za-z_\x80-\U0010ffff][\w\x80-\U0010ffff]*|-?(?:\.\d+|\d+(?:\.\d*)?))""",
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)


def looks_like(text: str) -> bool:
    """Whether a text begins as a graph of Graphviz does."""
    plain = re.sub(r"^\s*(//[^\n]*\n|/\*.*?\*/|#[^\n]*\n)", "", text, flags=re.DOTALL)
    return _HEADING.match(plain) is not None


def read(source: Source) -> Cabling:
    """The edges of a graph. Raises UsageError with the place of what is wrong."""
    reader = _Reader(source, _tokens(source))
    reader.graph()
    hosts = frozenset(name for name, kind in reader.kinds.items() if kind in _HOSTS)
    return Cabling(reader.cables, hosts or None, is_directed=reader.is_directed)


@dataclass(frozen=True)
class _Token:
    """A word, a mark or an edge operator, and its place."""

    text: str
    at: int
    is_name: bool
    is_quoted: bool = False


@dataclass
class _Usual:
    """What `node [...]` and `edge [...]` say for what follows."""

    node: dict[str, str] = field(default_factory=dict)
    edge: dict[str, str] = field(default_factory=dict)

    def copy(self) -> "_Usual":
        return _Usual(dict(self.node), dict(self.edge))


def _tokens(source: Source) -> list[_Token]:
    found, place = [], 0
    while place < len(source.text):
        read = _TOKEN.match(source.text, place)
        if read is None:
            what = source.text[place : place + 1]
            hint = "labels of HTML are not read" if what == "<" else "is the file cut short?"
            raise source.fault(f'"{what}"', "a name, an edge or a mark of the DOT language", place, hint)
        if read.lastgroup == "quoted":
            name = read.group()[1:-1].replace("\\\n", "").replace('\\"', '"')
            found.append(_Token(name, place, is_name=True, is_quoted=True))
        elif read.lastgroup != "space":
            found.append(_Token(read.group(), place, is_name=read.lastgroup == "word"))
        place = read.end()
    return found


class _Reader:
    """Reads the statements of a graph, one token after another."""

    def __init__(self, source: Source, tokens: Sequence[_Token]) -> None:
        self.source, self.tokens, self.next = source, tokens, 0
        self.kinds: dict[str, str] = {}
        self.cables: list[Cable] = []
        self.is_directed = False
        self.depth = 0

    def graph(self) -> None:
        """The heading and the braces."""
        word = self._take()
        if word.text.lower() == "strict":
            word = self._take()
        self.is_directed = word.text.lower() == "digraph"
        if self._here() != "{":
            self._name("a name or {")
        self._block(_Usual())
        if self.next < len(self.tokens):
            raise self._wrong(self.tokens[self.next], "one graph")

    def _block(self, usual: _Usual) -> list[End]:
        """Statements in braces, and the nodes that they name."""
        begins = self._token()
        self._mark("{")
        self.depth += 1
        if self.depth > MOST_DEPTH:
            raise self._wrong(begins, f"at most {MOST_DEPTH} braces in one another")
        named: list[End] = []
        while self._here() != "}":
            if self._here() == ";":
                self._take()
            else:
                named += self._statement(usual)
        self._take()
        self.depth -= 1
        return named

    def _statement(self, usual: _Usual) -> list[End]:
        here = self._here().lower()
        if here in ("graph", "node", "edge") and self._here(1) == "[":
            self._take()
            said = self._attributes()
            {"node": usual.node, "edge": usual.edge}.get(here, {}).update(said)
            return []
        if self._here(1) == "=":
            self._name("a name")
            self._mark("=")
            self._name("a value")
            return []
        at = self._token().at
        groups = [self._operand(usual)]
        while self._here() in ("--", "->"):
            operator = self._take()
            if operator.text != ("->" if self.is_directed else "--"):
                raise self._wrong(operator, "-- in a graph, -> in a digraph")
            groups.append(self._operand(usual))
        said = self._attributes() if self._here() == "[" else {}
        if len(groups) == 1:
            for end in groups[0]:
                self._is(end.node, said)
        for near, far in pairwise(groups):
            for a in near:
                self.cables += [self._cable((a, b), at, usual.edge | said) for b in far]
        return [end for group in groups for end in group]

    def _operand(self, usual: _Usual) -> list[End]:
        """A node with its port, or several in braces."""
        if self._here().lower() == "subgraph":
            self._take()
            if self._here() != "{":
                self._name("a name or {")
        if self._here() == "{":
            return self._block(usual.copy())
        name, port = self._name("a node").text, ""
        while self._here() == ":":
            self._take()
            part = self._name("a port").text
            port = port if port or part in _COMPASS else part
        if name not in self.kinds:
            self.kinds[name] = ""
            self._is(name, usual.node)
        return [End(name, port)]

    def _is(self, node: str, said: Mapping[str, str]) -> None:
        """Notes what a node is said to be."""
        kind = _first(said, "kind", "type", "role")
        self.kinds[node] = kind.lower() or self.kinds[node]

    def _cable(self, ends: tuple[End, End], at: int, said: Mapping[str, str]) -> Cable:
        speed, lag = _first(said, "rate", "bandwidth", "capacity", "speed"), said.get("delay", "")
        return Cable(ends, at, rate(self.source, speed, at), delay(self.source, lag, at) if lag else "")

    def _attributes(self) -> dict[str, str]:
        """One list in brackets after another."""
        said: dict[str, str] = {}
        while self._here() == "[":
            self._take()
            while self._here() != "]":
                if self._here() in (",", ";"):
                    self._take()
                    continue
                key = self._name("an attribute")
                if self._here() != "=":
                    problem = f'"{self._token().text}" after "{key.text}", in a list of attributes'
                    raise self.source.fault(
                        problem, "= and a value", self._token().at, "is a ] missing before?"
                    )
                self._mark("=")
                said[key.text.lower()] = self._name("a value").text
            self._take()
        return said

    def _here(self, ahead: int = 0) -> str:
        """The mark or word at hand; a name in quotation marks is neither."""
        place = self.next + ahead
        if place >= len(self.tokens) or self.tokens[place].is_quoted:
            return ""
        return self.tokens[place].text

    def _token(self) -> _Token:
        if self.next >= len(self.tokens):
            raise self.source.fault(
                "the file ends in the middle of the graph", "}", len(self.source.text), "is it cut short?"
            )
        return self.tokens[self.next]

    def _take(self) -> _Token:
        token = self._token()
        self.next += 1
        return token

    def _name(self, expected: str) -> _Token:
        token = self._take()
        if not token.is_name:
            raise self._wrong(token, expected)
        return token

    def _mark(self, mark: str) -> None:
        token = self._take()
        if token.is_name or token.text != mark:
            raise self._wrong(token, mark)

    def _wrong(self, token: _Token, expected: str) -> Exception:
        return self.source.fault(f'"{token.text}"', expected, token.at)


def _first(said: Mapping[str, str], *keys: str) -> str:
    """The first of these attributes that there is."""
    return next((said[key] for key in keys if said.get(key)), "")
