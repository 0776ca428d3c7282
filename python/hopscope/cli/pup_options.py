"""What the verbs of `hopscope pup` share: how addresses are written, and the options of a session."""

import functools
import re
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from ipaddress import AddressValueError, IPv4Address
from pathlib import Path
from typing import Any

import click

from hopscope.cli import options
from hopscope.errors import UsageError
from hopscope.pup_link import LOOPBACK, Link, PupPort, UdpAddress, open_link

MOST_UDP_PORT = 65_535
_MOST_HOST = 0o377
_MOST_SOCKET = 0xFFFF_FFFF


class PupPortType(click.ParamType):
    """[NET#]HOST[#SOCKET] in octal."""

    name = "port"

    def __init__(self, *, with_socket: bool) -> None:
        """Whether a socket may follow."""
        self.with_socket = with_socket

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Read the text, or refuse it with what was expected."""
        if not isinstance(value, str):
            return value
        form = "[NET#]HOST" if not self.with_socket else "NET#HOST#SOCKET or NET#HOST"
        if not re.fullmatch(r"[0-7]{1,11}(#[0-7]{1,11}){0,2}", value):
            self.fail(f"`{value}` is no Pup address: {form} in octal was expected, such as 1#42", param, ctx)
        numbers = [int(part, 8) for part in value.split("#")]
        if len(numbers) == 1:
            numbers = [0, *numbers]
        if len(numbers) > (3 if self.with_socket else 2):
            self.fail(f"`{value}` has a socket: {form} was expected", param, ctx)
        net, host, socket = [*numbers, 0][:3]
        if net > _MOST_HOST or not 1 <= host <= _MOST_HOST or socket > _MOST_SOCKET:
            self.fail(f"`{value}` is out of range: network 0 to 377, host 1 to 377, in octal", param, ctx)
        return PupPort(net, host, socket)


class UdpAddressType(click.ParamType):
    """ADDRESS[:PORT]."""

    name = "address"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Read the text, or refuse it with what was expected."""
        if not isinstance(value, str):
            return value
        from hopscope import _core

        host, _, port = value.partition(":")
        try:
            address = str(IPv4Address(LOOPBACK if host == "localhost" else host))
            found = UdpAddress(address, int(port) if port else _core.pup_udp_port())
        except (AddressValueError, ValueError):
            self.fail(f"`{value}`: an IPv4 address was expected, such as 127.0.0.1:42424", param, ctx)
        if not 1 <= found.port <= MOST_UDP_PORT:
            self.fail(f"`{value}`: a port is from 1 to 65535", param, ctx)
        return found


class SocketType(click.ParamType):
    """A socket in octal."""

    name = "socket"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Read the text, or refuse it with what was expected."""
        if isinstance(value, int):
            return value
        if not re.fullmatch(r"[0-7]{1,11}", value) or int(value, 8) > _MOST_SOCKET:
            self.fail(f"`{value}` is no socket: up to 32 bits in octal were expected", param, ctx)
        return int(value, 8)


@dataclass(frozen=True)
class Session:
    """The options of one session on a UDP port."""

    udp: int
    listen: str
    to: tuple[UdpAddress, ...]
    own: PupPort
    tries: int
    capture: Path | None
    quiet: bool

    def open(self, *, gateway: bool = False) -> AbstractContextManager[Link]:
        """The host on its port. Raises UsageError as `open_link` does, and for an invalid address."""
        try:
            address = str(IPv4Address(LOOPBACK if self.listen == "localhost" else self.listen))
        except AddressValueError as wrong:
            raise UsageError(
                f"`{self.listen}` is no IPv4 address",
                "--listen 127.0.0.1 is this machine, 0.0.0.0 every interface",
            ) from wrong
        return open_link(
            UdpAddress(address, self.udp),
            self.own,
            peers=list(self.to),
            tries=self.tries,
            gateway=gateway,
            capture=self.capture,
        )

    def announce(self, link: Link, what: str) -> None:
        """Say on stderr what the host does, and where."""
        from hopscope.cli.talk import say

        say(f"{what} at host {self.own.net:o}#{self.own.host:o}, UDP {link.address}", self.quiet)

    def need(self, peer: PupPort | None) -> PupPort:
        """The remote port, which has to be given. Raises UsageError."""
        if not self.to:
            raise UsageError("nobody is named to send to", "name the UDP address with --to 127.0.0.1:42424")
        if peer is None:
            raise UsageError("no Pup port is named to send to", "name it with --peer, such as --peer 1#101")
        return peer


def session(own: str) -> options.Decorator:
    """The options of a session, which the verb gets as one; `own` is the host's own address by default."""
    decorators: list[options.Decorator] = [
        click.option(
            "--udp",
            type=options.WholeNumber(0, MOST_UDP_PORT),
            required=True,
            metavar="PORT",
            help="Own UDP port; 0: any free one.",
        ),
        click.option(
            "--listen",
            metavar="ADDRESS",
            default=LOOPBACK,
            show_default=True,
            help="IPv4 address to bind; 0.0.0.0 opens the port to other machines.",
        ),
        click.option(
            "--to",
            type=UdpAddressType(),
            multiple=True,
            metavar="ADDRESS[:PORT]",
            help="UDP address of the others; repeatable.  [default port: 42424]",
        ),
        click.option(
            "--own",
            type=PupPortType(with_socket=False),
            default=own,
            show_default=True,
            metavar="[NET#]HOST",
            help="Own Pup address; network 0 is learnt from a gateway.",
        ),
        click.option(
            "--tries",
            type=options.WholeNumber(1, 10_000),
            default=46,
            show_default=True,
            help="Repeats in a row without an answer before giving up.",
        ),
        options.to_write("--capture", words="Write every frame to FILE (pcapng)."),
        options.quiet,
    ]

    def decorate(verb: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(verb)
        def with_session(**given: Any) -> Any:
            names = Session.__dataclass_fields__
            found = Session(**{name: given.pop(name) for name in names})
            return verb(found, **given)

        decorated: Callable[..., Any] = with_session
        for option in reversed(decorators):
            decorated = option(decorated)
        return decorated

    return decorate
