"""Rows of stations: what is planted follows from utilisations and Pollaczek's and Khinchine's formula."""

from collections.abc import Sequence

from hopscope.cause import Cause
from hopscope.planted.case import Case, Draws, at

MESSAGES = 20_000


def _text(load: float, stations: Sequence[str], process: str = "poisson") -> str:
    listed = "".join(f"[[station]]\n{station}\n" for station in stations)
    return (
        f'model = "queueing"\n[arrivals]\nload = {load:.3f}\nprocess = "{process}"\n{listed}'
        f"[measure]\nmessages = {MESSAGES}\n"
    )


def _station(us: float, form: str = "exponential", servers: int = 1) -> str:
    if form == "uniform":
        service = f'uniform = {{ shortest = "{0.5 * us:.4f} us", longest = "{1.5 * us:.4f} us" }}'
    elif form == "erlang":
        service = f'erlang = {{ mean = "{us:.4f} us", phases = 3 }}'
    else:
        service = f'{form} = "{us:.4f} us"'
    return f"servers = {servers}\nservice = {{ {service} }}"


def _calm(draws: Draws, us: float) -> str:
    return _station(us, draws.one_of(("exponential", "uniform", "erlang")))


def slow_station(draws: Draws) -> Case:
    """One station is nearly always busy; all others are at most half as busy."""
    count, load = draws.whole(2, 8), draws.between(0.85, 0.97)
    slow, us = draws.whole(1, count), draws.between(5, 50)
    stations = [
        _calm(draws, us if at == slow else us * draws.between(0.1, 0.5)) for at in range(1, count + 1)
    ]
    return Case(
        f"station {slow} of {count} slow, load {load:.2f}",
        _text(load, stations),
        Cause.RESOURCE,
        (at(f"station {slow}"),),
    )


def too_few_servers(draws: Draws) -> Case:
    """A station of several servers has too few."""
    servers, load = draws.whole(2, 6), draws.between(0.93, 0.98)
    us, count = draws.between(5, 50), draws.whole(2, 5)
    slow = draws.whole(1, count)
    stations = [
        _station(us * servers, servers=servers) if at == slow else _calm(draws, us * draws.between(0.1, 0.5))
        for at in range(1, count + 1)
    ]
    name = f"{servers} servers of station {slow} too few, load {load:.2f}"
    return Case(name, _text(load, stations), Cause.RESOURCE, (at(f"station {slow}"),))


def two_slow_stations(draws: Draws) -> Case:
    """Two stations are busy; the busier one makes over twice as many wait."""
    load, us = draws.between(0.92, 0.96), draws.between(5, 50)
    count = draws.whole(3, 6)
    first, second = draws.shuffled(range(1, count + 1))[:2]
    shares = {first: 1.0, second: draws.between(0.78, 0.84) / load}
    stations = [_station(us * shares.get(at, draws.between(0.1, 0.4))) for at in range(1, count + 1)]
    name = f"stations {first} and {second} of {count} busy at {load:.2f}"
    return Case(name, _text(load, stations), Cause.RESOURCE, (at(f"station {first}"),))


def variable_service(draws: Draws) -> Case:
    """A station with spare time, whose rare long services make all others wait."""
    load, us, count = draws.between(0.3, 0.5), draws.between(5, 50), draws.whole(1, 4)
    there, share = draws.whole(1, count), draws.between(0.95, 0.985)
    short = 0.2 * us
    long = (us - share * short) / (1 - share)
    form = draws.one_of(("bimodal", "hyperexponential"))
    variable = (
        f'servers = 1\nservice = {{ {form} = {{ short = "{short:.4f} us", long = "{long:.4f} us", '
        f"short_share = {share:.4f} }} }}"
    )
    stations = [
        variable if at == there else _calm(draws, us * draws.between(0.3, 0.7)) for at in range(1, count + 1)
    ]
    name = f"{form} service at station {there} of {count}, load {load:.2f}"
    return Case(name, _text(load, stations), Cause.VARIABILITY, (at(f"station {there}"),))


def slow_service(draws: Draws) -> Case:
    """A station at which hardly anything waits, but where most of the lifetime is spent.

    Its servers are far busier than those of the others: it is not a pool sized for long services.
    """
    us, count, servers = draws.between(5, 20), draws.whole(2, 5), draws.whole(60, 200)
    there, load = draws.whole(1, count), draws.between(0.2, 0.45)
    stations = [
        _station(us * servers, "fixed", servers)
        if at == there
        else _calm(draws, us * draws.between(0.05, 0.15))
        for at in range(1, count + 1)
    ]
    name = f"long services at station {there} of {count}, {servers} servers"
    return Case(name, _text(load, stations), Cause.SLOW_SERVICE, (at(f"station {there}"),))


def overload(draws: Draws) -> Case:
    """More arrives than the busiest station can serve."""
    load, us, count = draws.between(1.1, 2.0), draws.between(5, 50), draws.whole(1, 5)
    there = draws.whole(1, count)
    stations = [
        _calm(draws, us if at == there else us * draws.between(0.2, 0.45)) for at in range(1, count + 1)
    ]
    return Case(f"load {load:.2f}", _text(load, stations), Cause.OVERLOAD, (at(f"station {there}"),))


def healthy(draws: Draws) -> Case:
    """Every station is idle more than half of the time."""
    load, us, count = draws.between(0.05, 0.4), draws.between(5, 50), draws.whole(1, 6)
    stations = [_calm(draws, us * draws.between(0.5, 1.0)) for _ in range(count)]
    process = draws.one_of(("poisson", "regular"))
    return Case(f"healthy, load {load:.2f}", _text(load, stations, process), Cause.HEALTHY)


def healthy_clockwork(draws: Draws) -> Case:
    """Regular arrivals and constant services: nothing waits, however busy the stations are."""
    load, us, count = draws.between(0.7, 0.98), draws.between(5, 50), draws.whole(1, 5)
    stations = [_station(us * draws.between(0.5, 1.0), "fixed") for _ in range(count)]
    return Case(f"healthy clockwork, load {load:.2f}", _text(load, stations, "regular"), Cause.HEALTHY)


PLANTS = (
    slow_station,
    too_few_servers,
    two_slow_stations,
    variable_service,
    slow_service,
    overload,
    healthy,
    healthy_clockwork,
)
