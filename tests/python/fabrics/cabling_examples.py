"""Two leaves below a spine with a host each, as each form of another tool that hopscope imports."""

import json
from pathlib import Path

from hopscope.importing.forms import Imported, import_file


def seen(port: str, far: str, at: str, kind: str) -> dict[str, object]:
    chassis = {far: {"capability": [{"type": kind, "enabled": True}]}}
    return {port: {"chassis": chassis, "port": {"id": {"type": "ifname", "value": at}}}}


LLDP = json.dumps(
    {
        name: {"lldp": {"interface": [seen(*each) for each in ports]}}
        for name, ports in {
            "leaf1": [("swp1", "h1", "eth0", "Station"), ("swp49", "spine", "swp1", "Bridge")],
            "leaf2": [("swp1", "h2", "eth0", "Station"), ("swp49", "spine", "swp2", "Router")],
            "spine": [("swp1", "leaf1", "swp49", "Bridge"), ("swp2", "leaf2", "swp49", "Bridge")],
        }.items()
    },
    indent=1,
)

SHEET = '''Side A;Port A;Side B;Port B;Speed;Remark
h1;eth0;leaf1;Ethernet1;25G;"row 1; left"
h2;eth0;leaf2;Ethernet1;25G;
leaf1;Ethernet49;"spine";Ethernet1;100GbE;"said ""new"""
leaf2;Ethernet49;spine;Ethernet2;100 Gbit/s;
'''

NETBOX = """ID,Label,side_a_device,side_a_type,side_a_name,side_b_device,side_b_type,side_b_name,status
1,,h1,dcim.interface,eth0,leaf1,dcim.interface,Ethernet1/1,connected
2,,h2,dcim.interface,eth0,leaf2,dcim.interface,Ethernet1/1,connected
3,,leaf1,dcim.interface,Ethernet1/49,spine,dcim.interface,Ethernet1/1,connected
4,,leaf2,dcim.interface,Ethernet1/49,spine,dcim.interface,Ethernet1/2,connected
5,,leaf2,dcim.interface,Ethernet1/50,spine,dcim.interface,Ethernet1/3,planned
"""

CONTAINERLAB = """name: lab
topology:
  nodes:
    leaf1: {kind: nokia_srlinux}
    leaf2: {kind: nokia_srlinux}
    spine: {kind: nokia_srlinux}
    h1: {kind: linux}
    h2: {kind: linux}
  links:
    - endpoints: ["h1:eth1", "leaf1:e1-1"]
    - endpoints: ["h2:eth1", "leaf2:e1-1"]
    - endpoints: ["leaf1:e1-49", "spine:e1-1"]
    - endpoints: ["leaf2:e1-49", "spine:e1-2"]
"""

SONIC = json.dumps(
    {
        name: {
            "DEVICE_METADATA": {"localhost": {"hostname": name}},
            "PORT": {port: {"speed": speed} for port, _, _, speed in ports},
            "DEVICE_NEIGHBOR": {port: {"name": far, "port": at} for port, far, at, _ in ports},
            "DEVICE_NEIGHBOR_METADATA": {
                far: {"type": "Server" if far[0] == "h" else "SpineRouter"} for _, far, _, _ in ports
            },
        }
        for name, ports in {
            "leaf1": [("Ethernet0", "h1", "eth0", "25000"), ("Ethernet4", "spine", "Ethernet0", "100000")],
            "leaf2": [("Ethernet0", "h2", "eth0", "25000"), ("Ethernet4", "spine", "Ethernet4", "100000")],
        }.items()
    },
    indent=1,
)


def link(a: str, a_port: str, b: str, b_port: str) -> str:
    return (
        "<DeviceLinkBase><ElementType>DeviceInterfaceLink</ElementType>"
        f"<StartDevice>{a}</StartDevice><StartPort>{a_port}</StartPort>"
        f"<EndDevice>{b}</EndDevice><EndPort>{b_port}</EndPort><Bandwidth>100000</Bandwidth></DeviceLinkBase>\n"
    )


MINIGRAPH = (
    '<DeviceMiniGraph xmlns="urn:x" xmlns:i="urn:i"><PngDec><DeviceInterfaceLinks>\n'
    + link("h1", "eth0", "leaf1", "Ethernet0")
    + link("h2", "eth0", "leaf2", "Ethernet0")
    + link("leaf1", "Ethernet4", "spine", "Ethernet0")
    + link("leaf2", "Ethernet4", "spine", "Ethernet4")
    + '</DeviceInterfaceLinks><Devices><Device i:type="Server"><Hostname>h1</Hostname></Device>'
    '<Device i:type="Server"><Hostname>h2</Hostname></Device>'
    '<Device i:type="LeafRouter"><Hostname>leaf1</Hostname></Device></Devices></PngDec></DeviceMiniGraph>\n'
)

HTSIM = """# two tiers
Nodes 2
Tiers 2
Podsize 2
Tier 0
Downlink_speed_Gbps 100
Radix_Up 1
Radix_Down 1
Downlink_Latency_ns 1000
Tier 1
Downlink_speed_Gbps 100
Radix_Down 2
Downlink_Latency_ns 1000
"""

HPCC = """5 3 4
2 3 4
0 2 100Gbps 0.001ms 0
1 3 100Gbps 0.001ms 0
2 4 400Gbps 0.001ms 0
3 4 400Gbps 0.001ms 0
"""

SIMAI = """5 1 2 1 4 H100
2 3
4
0 2 100Gbps 0.001ms 0
1 3 100Gbps 0.001ms 0
2 4 400Gbps 0.001ms 0
3 4 400Gbps 0.001ms 0
"""

GML = """graph [
  node [ id 0 label "leaf1" ]
  node [ id 1 label "leaf2" ]
  node [ id 2 label "spine" ]
  node [ id 3 label "h1" kind "host" ]
  node [ id 4 label "h2" kind "host" ]
  edge [ source 3 target 0 rate "25G" ]
  edge [ source 4 target 1 rate "25G" ]
  edge [ source 0 target 2 rate "100G" delay "50 ns" ]
  edge [ source 1 target 2 rate "100G" delay "50 ns" ]
]
"""

NODE_LINK = json.dumps(
    {
        "directed": False,
        "multigraph": False,
        "graph": {},
        "nodes": [{"id": "leaf1"}, {"id": "leaf2"}, {"id": "spine"}, {"id": "h1"}, {"id": "h2"}],
        "links": [
            {"source": "h1", "target": "leaf1"},
            {"source": "h2", "target": "leaf2"},
            {"source": "leaf1", "target": "spine", "rate": "100G"},
            {"source": "leaf2", "target": "spine"},
        ],
    },
    indent=1,
)


def _port(kind: str, guid: int, port: int, far_kind: str, far: int, far_port: int, names: str) -> str:
    return f"{kind:2} {guid:5} {port:2} 0x{guid:016x} 4x EDR - {far_kind:2} {far:5} {far_port:2} 0x{far:016x} ( {names} )\n"  # noqa: E501 - as the tool prints it


PORTS = (
    _port("SW", 1, 1, "CA", 4, 1, "'leaf' - 'h1 HCA-1'")
    + _port("SW", 1, 9, "SW", 3, 1, "'leaf' - 'spine'")
    + f"SW {1:5} {10:2} 0x{1:016x} 4x SDR {'':36}'leaf'\n"
    + _port("SW", 2, 1, "CA", 5, 1, "'leaf' - 'h2 HCA-1'")
    + _port("SW", 2, 9, "SW", 3, 2, "'leaf' - 'spine'")
    + _port("SW", 3, 1, "SW", 1, 9, "'spine' - 'leaf'")
    + _port("SW", 3, 2, "SW", 2, 9, "'spine' - 'leaf'")
    + _port("CA", 4, 1, "SW", 1, 1, "'h1 HCA-1' - 'leaf'")
    + _port("CA", 5, 1, "SW", 2, 1, "'h2 HCA-1' - 'leaf'")
)

GRAPHVIZ = """// two leaves
graph "a pod" {
  rankdir = TB; node [shape=box, kind="switch"];
  edge [rate="100G"]
  subgraph cluster_hosts { node [kind=host]; h1; "h2" [label="h2\\nhost"] }
  h1 -- leaf1:swp1:n [rate="25G" delay="5ns"];
  h2 -- leaf2:swp1 /* the other */
  { leaf1:swp49; leaf2:swp49 } -- spine;
}
"""

GOOD = {
    "lldp": LLDP,
    "spreadsheet": SHEET,
    "containerlab": CONTAINERLAB,
    "sonic": SONIC,
    "minigraph": MINIGRAPH,
    "htsim": HTSIM,
    "ns3": HPCC,
    "gml": GML,
    "graphviz": GRAPHVIZ,
    "node-link": NODE_LINK,
    "ibnetdiscover-p": PORTS,
}


def imported(folder: Path, text: str, form: str | None = None) -> Imported:
    """A text as a file, imported."""
    file = folder / "file"
    file.write_text(text)
    return import_file(file, form)
