"""Grids of parameter values."""

import re
from itertools import count

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hopscope
from conftest import QUEUE
from hopscope.errors import UsageError
from hopscope.experiments.definition import Experiment
from hopscope.grid import grid, parse_over, swept_values


def test_a_list_of_values_keeps_their_types():
    path, values = parse_over("link.x=1,0.5,true,cut-through,100 Mbit/s")
    assert path == "link.x"
    assert values == [1, 0.5, True, "cut-through", "100 Mbit/s"]
    assert [type(value) for value in values] == [int, float, bool, str, str]


def test_a_range_holds_both_ends_and_exact_decimals():
    assert parse_over("traffic.load=0.1..0.7:0.1")[1] == [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]


def test_a_range_of_whole_numbers_stays_whole():
    values = parse_over("traffic.bursts.window=1..5:2")[1]
    assert values == [1, 3, 5]
    assert all(isinstance(value, int) for value in values)


def test_numbers_are_taken_as_people_type_them():
    assert parse_over("traffic.load=50%,7%,0.1%")[1] == [0.5, 0.07, 0.001]
    assert parse_over("measure.messages=100k,1e5,2M")[1] == [100_000, 100_000, 2_000_000]
    assert parse_over("traffic.load=10%..30%:10%")[1] == [0.1, 0.2, 0.3]
    assert parse_over("measure.messages=1k..3k:1k")[1] == [1000, 2000, 3000]
    assert all(isinstance(value, int) for value in parse_over("a=100k,1e5,1k..3k:1k")[1])


@pytest.mark.parametrize(
    ("values", "offered"),
    [
        ("0.1..0.9", "0.1..0.9:0.1"),
        ("1..400", "1..400:50"),  # whole ends belong to whole numbers
        ("5..1", "1..5:1"),
        ("0.5..0.5", "0.5..0.5:1"),
    ],
)
def test_a_range_without_a_step_is_answered_with_one(values: str, offered: str):
    with pytest.raises(UsageError, match=rf"such as {re.escape(offered)}$"):
        parse_over(f"traffic.load={values}")


def test_a_range_of_other_programs_is_answered_with_ours():
    with pytest.raises(UsageError, match=r"FROM\.\.TO:STEP: 0\.05\.\.0\.2:0\.05"):
        parse_over("traffic.load=0.05:0.2:0.05")


def test_commas_within_tables_do_not_split():
    _, values = parse_over(
        'traffic.sizes={ fixed = "100 B" },{ bimodal = { short = "100 B", long = "1500 B" } }'
    )
    assert values == [{"fixed": "100 B"}, {"bimodal": {"short": "100 B", "long": "1500 B"}}]


@pytest.mark.parametrize(
    "text", ["traffic.load", "=1", "a=", "a=1,,2", "a=1..0:0.1", "a=0..1:0", "a=0..1:1e-9"]
)
def test_what_cannot_be_swept_is_refused_with_a_hint(text: str):
    with pytest.raises(UsageError, match="hint: "):
        parse_over(text)


def test_a_grid_is_every_combination_with_the_last_path_fastest():
    points = grid({"a": [1, 2], "b": ["x", "y"]})
    assert [dict(point.set) for point in points] == [
        {"a": 1, "b": "x"},
        {"a": 1, "b": "y"},
        {"a": 2, "b": "x"},
        {"a": 2, "b": "y"},
    ]


def test_every_point_runs_with_every_seed():
    points = grid({"a": [1, 2]}, [7, 8])
    assert [(dict(point.set)["a"], point.seed) for point in points] == [(1, 7), (1, 8), (2, 7), (2, 8)]


@pytest.mark.parametrize("values", [[], "0.1", [0.1, 0.1]])
def test_no_values_and_doubled_values_are_refused(values: list):
    with pytest.raises(UsageError):
        grid({"traffic.load": values})


def test_anything_that_gives_values_one_by_one_is_swept_over():
    given = {
        "array": np.linspace(0.1, 0.3, 3).round(1),
        "range": range(1, 4),
        "generator": (nth / 10 for nth in (1, 2, 3)),
        "list": [np.int64(1), True, "cut-through"],
    }
    listed = swept_values(given)
    assert listed["array"] == [0.1, 0.2, 0.3]
    assert listed["range"] == [1, 2, 3]
    assert listed["generator"] == [0.1, 0.2, 0.3]
    assert listed["list"] == [1, True, "cut-through"]
    assert {type(value) for values in listed.values() for value in values} == {float, int, bool, str}


@pytest.mark.parametrize("value", [0.5, np.float64(0.5), np.array(0.5), "0.1..0.3:0.1", {"fixed": 1}])
def test_one_value_is_no_list_of_values(value: object):
    with pytest.raises(UsageError, match="`a` is swept over one value") as refused:
        swept_values({"a": value})
    assert refused.value.hint == 'give a list, as in over={"a": [0.1, 0.2]}'


def test_values_of_numpy_are_doubled_as_others_are():
    with pytest.raises(UsageError, match="the same value twice"):
        swept_values({"a": [0.1, np.float64(0.1)]})


def test_more_than_can_be_held_is_refused_before_it_is_made():
    thousands = {path: range(10_000) for path in ("a", "b", "c")}
    with pytest.raises(UsageError, match="more than 1000000 settings"):
        grid(thousands)
    with pytest.raises(UsageError, match="more than 1000000 settings"):
        grid({"a": count()})
    with pytest.raises(UsageError, match="more than 100000 runs"):
        grid({"a": range(1_000)}, range(101))
    with pytest.raises(UsageError, match="out of range"):
        hopscope.sweep(QUEUE, over={"arrivals.load": [0.2]}, seeds=10**30)


@pytest.mark.parametrize(
    "value", ["[" * 700 + "]" * 700, "{ " + ".".join("a" * 50_000) + " = 1 }", '["a", {b = ' + "[" * 63]
)
def test_a_value_that_is_nested_too_deep_is_refused_before_it_is_read(value: str):
    with pytest.raises(UsageError, match=r"\.\.\.`: lists and sections are nested more than 64 deep"):
        parse_over(f"traffic.load={value},0.1")


@pytest.mark.parametrize("value", ["[" * 64 + "]" * 64, '{ a.b = "' + "[." * 99 + '" }', "../" * 99])
def test_what_only_looks_deep_is_a_value(value: str):
    assert len(parse_over(f"a={value}")[1]) == 1


def test_seeds_are_not_varied_like_values():
    for vary in (hopscope.sweep, lambda source, over: hopscope.compare(source, source, over=over)):
        with pytest.raises(UsageError, match="the seed is no path to vary"):
            vary(QUEUE, over={"seed": [1, 2]})
    with pytest.raises(UsageError, match="the seed is no path to vary"):
        Experiment(QUEUE, settings=[{"arrivals.load": 0.2}, {"seed": 2}])


@given(st.integers(-500, 500), st.integers(1, 40), st.integers(1, 60))
def test_a_range_steps_evenly_from_end_to_end(first: int, step: int, count: int):
    last = first + step * (count - 1)
    text = f"a={first / 100:.2f}..{last / 100:.2f}:{step / 100:.2f}"
    assert parse_over(text)[1] == [(first + step * index) / 100 for index in range(count)]
