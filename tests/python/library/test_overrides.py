"""Overrides as TOML."""

import tomllib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopscope.errors import UsageError
from hopscope.overrides import as_texts, at, toml_text

SCALARS = st.booleans() | st.integers(-(2**60), 2**60) | st.floats(allow_nan=False, allow_infinity=False)
TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]))
VALUES = st.recursive(
    SCALARS | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)


@given(VALUES)
def test_every_value_is_read_back_from_its_toml(value: object):
    assert tomllib.loads(f"value = {toml_text(value)}")["value"] == value


def test_a_mapping_becomes_overrides_in_its_order():
    assert as_texts({"frames.dcqcn": None}) == ["frames.dcqcn="]
    texts = as_texts({"traffic.load": 0.5, "link.rate": "100 Mbit/s", "measure.journeys": True})
    assert texts == ["traffic.load=0.5", 'link.rate="100 Mbit/s"', "measure.journeys=true"]


def test_a_path_leads_through_sections_and_lists_or_to_nothing():
    data = {"station": [{"servers": 2}], "traffic": {"load": 0.5}}
    assert [at(data, path) for path in ("station[0].servers", "traffic.load")] == [2, 0.5]
    assert at(data, "traffic") == {"load": 0.5}
    for path in ("station[1].servers", "station.servers", "traffic.load.x", "frames", "traffic[0]"):
        assert at(data, path) is None


def test_scalars_of_numpy_are_the_values_that_they_stand_for():
    values = {"a": np.float64(0.3), "b": np.int64(1_000), "c": np.bool_(True), "d": [np.float32(0.5)]}
    assert as_texts(values) == ["a=0.3", "b=1000", "c=true", "d=[0.5]"]


def test_texts_pass_as_they_are():
    assert as_texts(["traffic.load=0.5", "link.rate=1 Gbit/s"]) == ["traffic.load=0.5", "link.rate=1 Gbit/s"]
    assert as_texts("traffic.load=0.5") == ["traffic.load=0.5"]
    assert as_texts(None) == []


@pytest.mark.parametrize("overrides", [["traffic.load"], [0.5], {"a": [None]}, {"a": object()}])
def test_what_is_no_override_is_refused(overrides: object):
    with pytest.raises(UsageError):
        as_texts(overrides)
