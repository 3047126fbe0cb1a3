# SPDX-License-Identifier: GPL-2.0
"""Configurations of sources and sinks of frames that are refused."""

import errno

from ktput import index

STATION = bytes.fromhex("020000000002")


def refusals():
    """Configurations that are refused: title, errno, sentence, attributes."""
    d0, v0 = {"dev": index("d0")}, {"dev": index("v0")}
    lo = {"dev": index("lo")}
    frame = {"layer": "driver", "local": "10.9.0.1", "remote": "10.9.0.2",
             "local_port": 1000, "remote_port": 2000,
             "mac": STATION, **d0}
    taker = {"role": "sink", "layer": "ingress", "local_port": 2000, **v0}
    size = "a frame of IPv4.* has 6[026] bytes at least"
    for title, error, sentence, changes in (
            ("loopback", errno.EOPNOTSUPP, "^dev: loopback", lo),
            ("loopback's queue", errno.EOPNOTSUPP, "^dev: loopback",
             {**lo, "layer": "queue"}),
            ("no such device", errno.ENODEV, "^dev: none", {"dev": 9999}),
            ("no device", errno.EINVAL, "^dev is required",
             {"dev": None}),
            ("reuse on veth", errno.EOPNOTSUPP, "^reuse: this device does not",
             {**v0, "reuse": True}),
            ("reuse of a range", errno.EINVAL, "^reuse sends one frame",
             {"reuse": True, "size_max": 99}),
            ("a device without XDP", errno.EOPNOTSUPP, "^dev: its driver cannot",
             {"layer": "xdp"}),
            ("loopback at the XDP layer", errno.EOPNOTSUPP, "^dev: loopback",
             {**lo, "layer": "xdp"}),
            ("a peer without GRO and program", errno.ENXIO,
             "^dev sends no frames of XDP as it is", {**v0, "layer": "xdp"}),
            ("a queue at the XDP layer", errno.EINVAL, "^queues is for the queue",
             {**v0, "layer": "xdp", "queues": "0"}),
            ("reuse at the XDP layer", errno.EINVAL, "^reuse is for the driver",
             {**v0, "layer": "xdp", "reuse": True}),
            ("the pace of XDP", errno.EINVAL, "^pace-only is for the driver",
             {"pace_only": True, "layer": "xdp", "packet_rate": 1}),
            ("round trips of XDP", errno.EOPNOTSUPP, "^layer is not supported",
             {**v0, "layer": "xdp", "pattern": "ping-pong"}),
            ("reuse in a queue", errno.EINVAL, "^reuse is for the driver",
             {"reuse": True, "layer": "queue"}),
            ("the pace of a queue", errno.EINVAL, "^pace-only is for the driver",
             {"pace_only": True, "layer": "queue", "packet_rate": 1}),
            ("the pace of one frame", errno.EINVAL, "^pace-only sends no frame",
             {"pace_only": True, "reuse": True, "packet_rate": 1}),
            ("no pace", errno.EINVAL, "^pace-only needs packet-rate or pace",
             {"pace_only": True}),
            ("burst 0", errno.ERANGE, "^burst must be 1 to", {"burst": 0}),
            ("burst 129", errno.ERANGE, "^burst must be 1 to 128",
             {"burst": 129}),
            ("burst in a queue", errno.EINVAL, "^burst is for the driver",
             {"burst": 2, "layer": "queue"}),
            ("queue 7 of 4", errno.ERANGE, "^queues: the device has not",
             {"queues": "7"}),
            ("queue 4 of 4", errno.ERANGE, "^queues: the device has not",
             {"queues": "4"}),
            ("queue x", errno.EINVAL, "^queues must be a list",
             {"queues": "x"}),
            ("mix without weight", errno.EINVAL, "^mix must be",
             {"mix": "60"}),
            ("mix of weight 0", errno.EINVAL, "^mix must be", {"mix": "60:0"}),
            ("mix of weights beyond 256", errno.ERANGE, "^the weights of mix",
             {"mix": "60:200,70:100"}),
            ("mix with a frame of 59 bytes", errno.ERANGE, size,
             {"mix": "59:1,60:1"}),
            ("mix beyond the MTU", errno.EMSGSIZE, "larger than MTU",
             {"mix": "1515:1"}),
            ("frame beyond the MTU", errno.EMSGSIZE, "larger than MTU",
             {"size_min": 1515}),
            ("frame of 59 bytes", errno.ERANGE, size, {"size_min": 59}),
            ("frame of 61 bytes with a tag", errno.ERANGE, size,
             {"size_min": 61, "vlan": 1}),
            ("range upside down", errno.ERANGE, "^size-max must not",
             {"size_min": 80, "size_max": 70}),
            ("range and mix", errno.EINVAL, "contradict mix",
             {"size_min": 80, "mix": "60:1"}),
            ("no mac", errno.EDESTADDRREQ, "mac$",
             {"mac": None}),
            ("from-mac of a group", errno.EINVAL, "^from-mac must be",
             {"from_mac": b"\1" + bytes(5)}),
            ("no local-port", errno.EINVAL, "^local-port is required",
             {"local_port": None}),
            ("ports beyond the last", errno.ERANGE, "^local-port plus",
             {"from_ports": 65000}),
            ("no addresses", errno.ERANGE, "^addresses must be",
             {"addresses": 0}),
            ("a seed of one flow", errno.EINVAL, "^flow-seed needs a range",
             {"flow_seed": 1}),
            ("inner tag alone", errno.EINVAL, "^vlan-inner needs vlan",
             {"vlan_inner": 1}),
            ("packet-rate 0", errno.ERANGE, "^packet-rate must be",
             {"packet_rate": 0}),
            ("size", errno.EINVAL, "^size is for the socket",
             {"size": 100})):
        yield title, error, sentence, {**frame, **changes}
    for title, error, sentence, changes in (
            ("a sink on loopback", errno.EOPNOTSUPP, "^dev: loopback", lo),
            ("a sink with CPUs", errno.EINVAL, "^cpus: a sink at the ingress",
             {"cpus": "0"}),
            ("a sink of XDP", errno.EOPNOTSUPP, "^layer is not supported",
             {"layer": "xdp"}),
            ("a sink with a burst", errno.EINVAL, "^burst is for a source",
             {"burst": 2})):
        yield title, error, sentence, {**taker, **changes}
