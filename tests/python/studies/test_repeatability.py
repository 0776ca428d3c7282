"""How well RFC 619's tables of August and December 1973 predict each other: what Tables 2 and 4 tell at all.

The two studies' READMEs print these counts beside the model's share. A cell of one week is predicted by the
published value of the same sites in the other week, by the cell's own tolerance.

    .venv/bin/python tests/python/studies/test_repeatability.py
"""

import csv
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[3]

AUGUST = "aug"
WITHOUT_STATUS = "dec-without-status"
WITH_STATUS = "dec-with-status"


def weeks(table: str) -> dict[str, dict[str, dict[str, str]]]:
    """The round trips of a table: by week, then by site or pair of sites."""
    found: dict[str, dict[str, dict[str, str]]] = {}
    with (PROJECT / "published" / "arpanet.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            source, name, quantity, week, *sites = [*row["id"].split("/"), "", "", ""][:6]
            if (source, name, quantity) == ("rfc619", table, "rtt"):
                found.setdefault(week, {})["/".join(filter(None, sites))] = row
    return found


def predicted(table: str, of: str, by: str) -> tuple[int, int]:
    """Of the judged cells of one week those that the other week predicts, and all that it has a value for."""
    both = weeks(table)
    pairs = [
        (cell, both[by][sites])
        for sites, cell in both[of].items()
        if cell["role"] == "predicts" and sites in both[by] and both[by][sites]["value"]
    ]
    within = [
        abs(float(other["value"]) - float(cell["value"])) <= float(cell["tolerance"]) * float(cell["value"])
        for cell, other in pairs
    ]
    return sum(within), len(within)


def sentences() -> dict[str, str]:
    """The sentence that the README of each study must hold."""
    [december, august] = [predicted("table4", "dec", AUGUST), predicted("table4", AUGUST, "dec")]
    without, with_status = [predicted("table2", week, AUGUST) for week in (WITHOUT_STATUS, WITH_STATUS)]
    back = predicted("table2", AUGUST, WITHOUT_STATUS)
    predict = "August's published values predict"
    return {
        "table4": f"{predict} {december[0]} of {december[1]} of December's cells within the tolerance,"
        f" and December's {august[0]} of {august[1]} of August's.",
        "table2": f"{predict} {without[0]} of {without[1]} of December's rows without status reports within"
        f" the tolerance and {with_status[0]} of {with_status[1]} of those with them,"
        f" and December's rows without them {back[0]} of {back[1]} of August's.",
    }


def test_the_readmes_tell_how_far_the_published_tables_repeat_each_other():
    for table, sentence in sentences().items():
        text = (PROJECT / "studies" / "rfc619" / table / "README.md").read_text()
        assert sentence in " ".join(text.split()), table


if __name__ == "__main__":
    for table, sentence in sentences().items():
        print(f"{table}: {sentence}")
