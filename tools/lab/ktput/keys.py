# SPDX-License-Identifier: GPL-2.0
"""Members of records: the only place that names them.

A path is the keys from the document down, joined by dots.
Documentation/measure/record.schema.json says what each one means, and its unit.
"""

from typing import Final

#: The version that this package reads. A record without a version has this one.
VERSION: Final = 1
RECORD_VERSION: Final = "record_version"

COMMAND: Final = "command"
INTERVALS: Final = "intervals"
RESULT: Final = "result"
ENDS: Final = ("source", "sink")
BEGIN: Final = "begin"
CPUS: Final = "cpus"
STREAMS: Final = "streams"
XDP_MODE: Final = "sink.xdp_mode"

# Documents of other commands.
PROFILE: Final = "profile"
LADDER: Final = "ladder"
SCENARIO: Final = "scenario"
#: Member of the record of a run that a scenario made: which one it is.
SCENARIO_RUN: Final = "scenario_run"
MESH: Final = "mesh"
#: Likewise of a run of a mesh.
MESH_PAIR: Final = "mesh_pair"
#: Likewise of a run of a ladder.
LADDER_RUN: Final = "ladder_run"
AB: Final = "ab"
#: Likewise of a run of a comparison of A and B.
AB_RUN: Final = "ab_run"
#: Likewise of a search for what helps.
IMPROVE: Final = "improve"
IMPROVE_RUN: Final = "improve_run"
#: Likewise of round trips before, during and after a load.
LOAD: Final = "load"
LOAD_RUN: Final = "load_run"
#: What a run may be a part of, and the member that says so.
PART_OF: Final = {LADDER: LADDER_RUN, MESH: MESH_PAIR, AB: AB_RUN,
                  IMPROVE: IMPROVE_RUN, LOAD: LOAD_RUN}
#: In the place of a result, of a command that a scenario timed.
COMMAND_RUN: Final = "command_run"
CLOCK_UNIT: Final = "clock_unit"
SWEEP: Final = "sweep"
SWEEP_SIZES: Final = "sizes"
SUMMARY: Final = "summary"
PEER: Final = "peer"
#: Of a comparison, and of a setup in it, whose ladder is in it.
COMPARISON: Final = ("compare", "compare_setup")
LIST: Final = "runs"

#: Start of a run, on the boot clock. Nanoseconds.
BEGUN: Final = ("source.begin.run.begun_ns", "sink.begin.run.begun_ns")

# Of a result.
VALID: Final = "valid"
INTERRUPTED: Final = "interrupted"
#: Other work used too large a share of the CPUs' time.
DISTURBED: Final = "disturbed"
DISTURBED_BY: Final = "disturbed_by"
INVALID_BECAUSE: Final = "invalid_because"
REASON: Final = "result.reason"
GOODPUT: Final = "result.goodput_bps"
#: Of both directions together, where both were sent in.
BOTH_GOODPUT: Final = "both.goodput_bps"
PACKETS: Final = "result.packets_per_s"
#: Cycles of the run itself; not in a record that cannot tell whose cycles they were.
OWN_PER_BYTE: Final = "result.own_cycles_per_byte"
OWN_PER_PACKET: Final = "result.own_cycles_per_packet"
OWN_PER_TRIP: Final = "result.own_cycles_per_round_trip"
#: Parts of a CPU's attribution that are the run's own.
OWN_PARTS: Final = ("attribution.source_cycles", "attribution.sink_cycles",
                    "attribution.worker_cycles", "attribution.own_softirq_cycles")
PER_BYTE: Final = "result.busy_cycles_per_byte"
PER_PACKET: Final = "result.busy_cycles_per_packet"
PER_TRIP: Final = "result.busy_cycles_per_round_trip"
ROUND_TRIPS: Final = "result.round_trips_per_s"
LATENCY: Final = "result.latency_ns"
LATENCY_MEAN: Final = "result.latency_ns.mean"
LATENCY_MEDIAN: Final = "result.latency_ns.p50"
LATENCY_P99: Final = "result.latency_ns.p99"
HISTOGRAM: Final = "result.histogram"
CEILINGS: Final = "result.ceilings"
CHAIN: Final = "result.chain"
BINDING: Final = "result.binding"
BINDING_BECAUSE: Final = "result.binding_because"
TRY: Final = "result.try"
REMEDIES: Final = "result.remedies"
SURE: Final = "result.sure"
WIRE: Final = "result.wire"
WIRE_PAYLOAD: Final = "result.wire.payload_bytes"
RESULT_CPUS: Final = "result.cpus"
RESULT_TCP: Final = "result.tcp"
STATISTICS: Final = "result.statistics"
CPU_BYTES: Final = "result.cpu_bytes"
CPU_PACKETS: Final = "result.cpu_packets"
LOSS_SHARE: Final = "result.datagrams.loss_share"

# Of the configuration.
TRANSPORT: Final = ("source.config.transport", "sink.config.transport")
ENGINE: Final = "source.config.engine"
SOURCE_LAYER: Final = "source.config.layer"
SOURCE_METHOD: Final = "source.config.method"
SINK_LAYER: Final = "sink.config.layer"
SINK_METHOD: Final = "sink.config.method"
MESSAGE_BYTES: Final = "source.config.size_bytes"
CONFIG_STREAMS: Final = "source.config.streams"
MTU: Final = "route.mtu_bytes"
ROUTE_DEVICE: Final = "route.device"
KERNEL: Final = ("environment.kernel.release", "environment.kernel")
DEVICE: Final = "environment.source.device"
CLOCK: Final = "clock"

#: Members that are settings, or whose leaves are settings.
SETTINGS: Final = (
    "source.config", "source.xdp_mode", "sink.config", "sink.xdp_mode",
    "route", "module_version", "clock", "clock_hz", "environment",
)
ENVIRONMENT: Final = "environment."
#: Outside of that member: the kernel calibrates its clock anew at each boot.
OF_MACHINE: Final = ("clock_hz",)

#: Values that are new for each run, or that change when a device is recreated.
PASSING: Final = frozenset((
    "source.config.cookie", "sink.config.cookie",
    "source.config.remote_port", "sink.config.local_port",
    "source.config.from_mac", "source.config.mac",
    "source.config.dev_index", "sink.config.dev_index",
))

#: Contexts that a CPU's cycles go into: key and name, in the order drawn.
CONTEXTS: Final = (
    ("source_cycles", "source"), ("sink_cycles", "sink"),
    ("worker_cycles", "worker"),
    ("softirq_receive_cycles", "softirq receive"),
    ("softirq_transmit_cycles", "softirq transmit"),
    ("softirq_other_cycles", "softirq other"), ("hardirq_cycles", "hardirq"),
    ("kernel_cycles", "other kernel"), ("user_cycles", "user"),
    ("idle_cycles", "idle"),
)

#: Percentiles of a ping-pong: key and share of round trips, 0 to 1.
PERCENTILES: Final = (
    ("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("p99_9", 0.999),
    ("p99_99", 0.9999), ("p99_999", 0.99999),
)

#: Numbers of an interval: key in the record, and its factor to the unit used here.
INTERVAL: Final = {
    "from_s": ("from_ns", 1e-9), "to_s": ("to_ns", 1e-9),
    "bytes": ("bytes", 1.0), "goodput_bps": ("goodput_bps", 1.0),
    "packets_per_s": ("packets_per_s", 1.0), "busy_share": ("busy_share", 1.0),
    "own_cycles": ("own_cycles", 1.0),
    "retransmissions": ("retransmissions", 1.0),
    "lost_datagrams": ("lost_datagrams", 1.0),
    "round_trips_per_s": ("round_trips_per_s", 1.0),
    "latency_mean_ns": ("latency_mean_ns", 1.0),
    "latency_p50_ns": ("latency_p50_ns", 1.0),
    "latency_p99_ns": ("latency_p99_ns", 1.0), "timeouts": ("timeouts", 1.0),
}
WARM_UP: Final = "warm_up"
