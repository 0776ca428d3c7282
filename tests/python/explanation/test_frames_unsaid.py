"""What a run of frames says of what nobody has given, and of those who are in the way of a full link."""

from typing import Any

import hopscope

ASSUMED = "assumed: links of 100 Mbit/s, as AN1 has them, because nothing sets link.rate"


def _star(**sections: Any) -> dict[str, Any]:
    return {
        "model": "fabric",
        "network": {"star": {"arms": 0, "hosts_per_arm": 0, "hosts_at_hub": 4, "servers": 0}},
        "traffic": {"load": 0.1},
        "measure": {"messages": 200},
        **sections,
    }


def test_frames_on_links_without_a_rate_say_which_rate_they_have():
    assert ASSUMED in hopscope.run(_star(frames={})).notes
    assert ASSUMED not in hopscope.run(_star(frames={}, link={"rate": "100 Gbit/s"})).notes
    assert ASSUMED not in hopscope.run(_star()).notes, "AN1's links have AN1's rate"


def test_hosts_with_rates_of_their_own_need_no_other():
    hosts = [{"name": f"h{nth}", "at": "s", "rate": "10 Gbit/s"} for nth in range(2)]
    network = {"custom": {"switches": ["s"], "links": [], "hosts": hosts}}
    assert ASSUMED not in hopscope.run(_star(frames={}, network=network)).notes


def test_a_backlog_of_messages_is_as_many_victims_as_it_has_pairs_of_hosts():
    """Four hosts at either end of a slow trunk: those who send within their own switch are in the way."""
    hosts = [{"name": f"h{nth}", "at": "ab"[nth // 4]} for nth in range(8)]
    trunk = [{"between": ["a", "b"], "rate": "10 Gbit/s"}]
    run = hopscope.run(
        _star(
            network={"custom": {"switches": ["a", "b"], "links": trunk, "hosts": hosts}},
            link={"rate": "100 Gbit/s"},
            frames={},
            traffic={"load": 0.6, "sizes": {"fixed": "4 KiB"}},
            measure={"messages": 20_000},
        )
    )
    assert run.outcome == "saturated"
    victims = [note.rpartition("; ")[2] for note in run.notes if "root b:0 -> a:0" in note]
    assert victims == ["up to 12 victim flows, such as h4 -> h5"], "each of four hosts sends to three others"
