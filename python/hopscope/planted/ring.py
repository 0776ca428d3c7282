"""Up*/down* routes round a ring of switches with the root s0: what its links carry, by counting pairs."""

from itertools import pairwise

Edge = tuple[int, int]


def busiest_pairs_at_root(count: int) -> float:
    """Pairs of switches whose route crosses the busiest link at the root of a ring, one way.

    Of two legal routes of one length each has half.
    """
    crossing: dict[Edge, float] = {}
    for start in range(count):
        for end in range(count):
            routes = _legal_routes(count, start, end) if start != end else []
            for route in routes:
                for edge in route:
                    crossing[edge] = crossing.get(edge, 0.0) + 1 / len(routes)
    return max(pairs for edge, pairs in crossing.items() if 0 in edge)


def _legal_routes(count: int, start: int, end: int) -> list[list[Edge]]:
    """The shortest of the two directions that never go up after they have gone down."""
    ways = [_way(count, start, end, step) for step in (1, -1)]
    legal = [way for way in ways if _is_legal(count, way)]
    shortest = min(len(way) for way in legal)
    return [way for way in legal if len(way) == shortest]


def _way(count: int, start: int, end: int, step: int) -> list[Edge]:
    here, way = start, []
    while here != end:
        way.append((here, (here + step) % count))
        here = (here + step) % count
    return way


def _is_legal(count: int, way: list[Edge]) -> bool:
    ups = [_rank(count, after) < _rank(count, before) for before, after in way]
    return all(up <= before for before, up in pairwise(ups))


def _rank(count: int, switch: int) -> tuple[int, int]:
    """Switches nearer to the root are further up; at equal distance those with smaller numbers."""
    return min(switch, count - switch), switch
