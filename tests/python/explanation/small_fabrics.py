"""Small fabrics that several tests describe."""

from typing import Any


def fabric(network: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Switches with links of 100 Gbit/s and shortest paths."""
    return {
        "model": "fabric",
        "network": network,
        "link": {"rate": "100 Gbit/s", "delay": "100 ns"},
        "routing": {"rule": "shortest"},
        **more,
    }
