"""The command lines by which OpenSM, the subnet manager of InfiniBand, uses given routes."""

import shlex


def with_tables(file: str) -> str:
    """OpenSM with the forwarding tables in a file."""
    return f"opensm --routing_engine file --lfts_file {shlex.quote(file)}"


def with_roots(file: str) -> str:
    """OpenSM with up*/down* tables of its own, from the roots whose GUIDs are in a file."""
    return f"opensm --routing_engine updn --root_guid_file {shlex.quote(file)}"
