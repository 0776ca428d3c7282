"""Results for pandas and xarray: the same rows with the same names."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from hopscope.extras import extra

if TYPE_CHECKING:
    import pandas
    import xarray

    from hopscope.results.sweep import SweepResult

ENDS = ("value", "low", "high")


def frame(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> "pandas.DataFrame":
    """Rows as a frame of pandas."""
    with extra("data"):
        import pandas

    return pandas.DataFrame.from_records(list(rows), columns=list(columns))


def dataset(sweep: "SweepResult") -> "xarray.Dataset":
    """A sweep as labelled arrays: a variable for each metric, over the swept paths, the seed and `end`.

    `end` is the value, or the low or high end of its 95 % interval. A missing number is NaN. Units are in
    `attrs`, as xarray's own tools expect.
    """
    with extra("data"):
        import numpy

        with extra("data"):
            import xarray

    first = sweep.first.summary
    units = {key: first.metric_row(key)["unit"] for key in first.keys()}  # noqa: SIM118 - no mapping
    shape = (*(len(values) for values in sweep.over.values()), len(sweep.seeds), len(ENDS))
    arrays = {key: numpy.full((len(sweep.points), len(sweep.seeds), len(ENDS)), numpy.nan) for key in units}
    for at, point in enumerate(sweep.points):
        for nth, run in enumerate(point.runs):
            for key, array in arrays.items():
                found = run.summary.find(key)
                if found is not None:
                    array[at, nth] = [getattr(found, end) for end in ENDS]
    dims = (*sweep.over, "seed", "end")
    coordinates = {path: [_label(value) for value in values] for path, values in sweep.over.items()}
    return xarray.Dataset(
        {key: (dims, array.reshape(shape), {"units": units[key]}) for key, array in arrays.items()},
        coords={**coordinates, "seed": sweep.seeds, "end": list(ENDS)},
        attrs={"title": sweep.title, "hopscope": first.fields["hopscope"]},
    )


def _label(value: Any) -> Any:
    """A value of a scenario as a coordinate: a list or a section becomes text."""
    return str(value) if isinstance(value, list | dict) else value
