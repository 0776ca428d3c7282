"""Traffic between the sites of October 1974 and of 1975, made of what RFC 619 measured in December 1973.

    .venv/bin/python docs/arpanet_traffic.py

writes `scenarios/arpanet-traffic-1974-10.csv` and `scenarios/arpanet-traffic-1975.csv`. A pair of sites that
were there in December 1973 keeps its messages a minute. A site that came later sends to each other site, and
receives from it, what the sites of its kind did on average: the mean of the terminal IMPs (TIPs), or of the
other IMPs. Sites that the approximate nets of 1974 and 1975 lack are left out. How much the traffic grew is
one factor, the scenarios' own.
"""

import csv
from collections.abc import Iterable
from pathlib import Path

SCENARIOS = Path(__file__).parents[1] / "scenarios"

# The sites of December 1973 by their names of 1974 and 1975. TIPs have names that end in T, and XROX.
NAMES = {
    "UCLA": "UCLA",
    "SRI": "SRI",
    "UCSB": "UCSB",
    "UTAH": "UTAH",
    "BBN": "BBN",
    "MIT": "MIT-IPC",
    "RAND": "RAND",
    "SDC": "SDC",
    "HARV": "HARVARD",
    "LL": "LINCOLN",
    "STAN": "STANFORD",
    "ILL": "ILLINOIS",
    "CASE": "CASE",
    "CMU": "CMU",
    "AMES": "AMES",
    "AMST": "AMES-TIP",
    "MTRT": "MITRE",
    "RADT": "RADC",
    "NBST": "NBS",
    "ETAT": "ETAC",
    "LLL": "LLL",
    "ISI": "USC-ISI",
    "USCT": "USC",
    "GWCT": "GWC",
    "DOCT": "DOCB",
    "SDAT": "SDAC",
    "BELV": "BELVOIR",
    "ARPT": "ARPA",
    "ABRD": "ABERDEEN",
    "BBNT": "BBN-TIP",
    "CCAT": "CCA",
    "XROX": "XEROX",
    "FNWT": "FNWC",
    "LBL": "LBL",
    "UCSD": "UCSD",
    "HAWT": "HAWAII",
    "RMLT": "RML",
    "NCCT": "NCC",
    "NSAT": "NORSAR",
    "LONT": "LONDON",
    "TYMT": "TYMSHARE",
    "MIT2": "MIT-MAC",
    "MOFF": "MOFFETT",
    "RUTT": "RUTGERS",
    "WPAT": "WPAFB",
}
TIPS = {NAMES[site] for site in NAMES if site.endswith("T")} | {"XEROX"}
LATER_TIPS = {"KIRTLAND", "AFWL", "ARGONNE", "EGLIN", "GUNTER"}
# BBN's TIP stood in its Research Computer Center in 1975.
RENAMED_1975 = {"BBN-TIP": "RCC"}

# The least rate that four decimals show.
LEAST = 0.00005

Rates = dict[tuple[str, str], float]


def december(renamed: dict[str, str]) -> Rates:
    """Messages a minute between the sites of December 1973, by their later names."""
    rows = _rows(SCENARIOS / "arpanet-traffic-1973-12.csv")
    name = {old: renamed.get(new, new) for old, new in NAMES.items()}
    return {(name[row["from"]], name[row["to"]]): float(row["msgs_per_min"]) for row in rows}


def traffic(lines: str, renamed: dict[str, str]) -> Rates:
    """Messages a minute between the sites that a file of lines joins."""
    measured = december(renamed)
    known = {site for pair in measured for site in pair}
    tips = {renamed.get(site, site) for site in TIPS}
    sites = sorted({row[end] for row in _rows(SCENARIOS / lines) for end in ("a", "b")})

    def like(site: str) -> list[str]:
        """The site itself, or all of December 1973 that are of its kind."""
        if site in known:
            return [site]
        return sorted(tips if site in LATER_TIPS else known - tips)

    def rate(origin: str, target: str) -> float:
        if origin == target:
            pairs = [(site, site) for site in like(origin)]
        else:
            pairs = [(a, b) for a in like(origin) for b in like(target) if a != b]
        return sum(measured.get(pair, 0.0) for pair in pairs) / len(pairs)

    return {(a, b): rate(a, b) for a in sites for b in sites}


def text(lines: str, renamed: dict[str, str], year: str) -> str:
    """The file of a year's traffic."""
    head = (
        f"# Messages a minute between the sites of {year}, before the growth since 1973:\n"
        "# those of RFC 619, and for sites that came later the mean of their like.\n"
        "# Written by docs/arpanet_traffic.py.\n"
        "from,to,msgs_per_min\n"
    )
    rates = traffic(lines, renamed)
    return head + "".join(f"{a},{b},{rate:.4f}\n" for (a, b), rate in rates.items() if rate >= LEAST)


def files() -> Iterable[tuple[str, str]]:
    """The name and the text of each file."""
    yield "arpanet-traffic-1974-10.csv", text("arpanet-lines-1974-10.csv", {}, "October 1974")
    yield "arpanet-traffic-1975.csv", text("arpanet-lines-1975.csv", RENAMED_1975, "1975")


def _rows(path: Path) -> list[dict[str, str]]:
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    return list(csv.DictReader(lines))


if __name__ == "__main__":
    for name, content in files():
        (SCENARIOS / name).write_text(content, encoding="utf-8")
