"""Port names as evidence: servers and switches name their ports differently."""

import re
from enum import Enum, auto


class Owner(Enum):
    """The kind of node that a port name indicates."""

    SERVER = auto()
    SWITCH = auto()


# Linux names them `eth0`, `eno1`, `ens1f0np0`, `enp3s0`, `ib0`, `bond0`; RDMA devices are `mlx5_0`, one port
# `mlx5_0/1`; tables have `HCA-1` and `NIC 2`.
_SERVER = re.compile(
    r"(?:eth|em|ib|bond)\d+|en[opsx]\w+|ibp\w+|(?:mlx|bnxt_re|irdma|efa)\d*_\d+(?:/\d+)?"
    r"|(?:hca|nic|gpu|pcie?)[ _-]?\w+(?:[/ ]\w+)?",
    re.IGNORECASE,
)
# `swp1s0` of Cumulus, `Ethernet48` of SONiC and EOS, `et1` of EOS; whatever counts modules and ports:
# `Eth1/1`, `xe-0/0/1`, `ethernet-1/49`, `HundredGigE1/0/1`, `e1-1`.
_SWITCH = re.compile(
    r"swp\d+(?:s\d+)?|ethernet ?\d+|et\d+|e\d+-\d+|[a-z][a-z-]* ?\d+(?:[/:]\d+){1,3}", re.IGNORECASE
)


def owner(port: str) -> Owner | None:
    """The kind of node with a port of this name; None if both kinds may have it."""
    if _SERVER.fullmatch(port):
        return Owner.SERVER
    return Owner.SWITCH if _SWITCH.fullmatch(port) else None
