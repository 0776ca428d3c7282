"""Results are those that are pinned in tests/fingerprints/: a change is seen, and renewed on purpose."""

import fingerprints
import hopscope
from conftest import QUEUE

HINT = "results have changed: if that is right, say why in CHANGELOG.md and run `make fingerprints`"


def compare(kind: str) -> None:
    version, pinned = fingerprints.pinned(kind)
    measured = fingerprints.measured(kind)
    changed = [name for name in sorted(pinned | measured) if pinned.get(name) != measured.get(name)]
    assert not changed, f"{HINT}: {', '.join(changed)}"
    assert version == hopscope.__version__, "a new version: run `make fingerprints`"


def test_ready_scenarios_have_the_pinned_results_in_short_runs():
    compare(fingerprints.QUICK)


def test_settings_of_studies_have_the_pinned_results():
    compare(fingerprints.STUDIES)


def test_a_fingerprint_knows_no_title_and_every_number():
    def of(**set_: object) -> str:
        few = {"measure.messages": 500, **{key.replace("__", "."): value for key, value in set_.items()}}
        return hopscope.run(QUEUE, set=few).summary.data["result_hash"]

    assert of() == of(title="Another name")
    assert of() != of(seed=2)
    assert of() != of(arrivals__load=0.51)
