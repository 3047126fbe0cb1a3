# SPDX-License-Identifier: GPL-2.0
"""What joins the two ends of a scenario: a veth pair, or two NICs of this host."""

import json
import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from ..output import CommandError
from .description import FAR, NEAR, Point, Scenario, driver_of, points_of

PREFIX = 24
NETWORK = Path("/sys/class/net")
#: Two devices, near and far, by their driver.
Nics: TypeAlias = Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class End:
    """An end of a link."""

    namespace: str
    device: str
    address: str


#: Both ends, by NEAR and FAR.
Link: TypeAlias = Mapping[str, End]


def links_of(scenario: Scenario, names: Mapping[str, str],
             nics: Nics) -> dict[str, Link]:
    """Return each link of a scenario, by the driver of its NICs; the veth pair's is "".

    *names* are those of the namespaces. NICs that are not among *nics* have names that
    say what they are.
    """
    drivers = sorted({"", *(driver_of(scenario, one) for one in points_of(scenario))})
    return {driver: {end: End(names[end], device, f"10.1.{subnet}.{host}")
                     for host, (end, device) in enumerate(zip(
                         (NEAR, FAR), nics.get(driver) or _generic(driver),
                         strict=True), 1)}
            for subnet, driver in enumerate(drivers)}


def _generic(driver: str) -> Sequence[str]:
    return [f"{driver}-{end}".lstrip("-") for end in (NEAR, FAR)]


def link_of(scenario: Scenario, point: Point, links: Mapping[str, Link]) -> Link:
    """Return the link of a run."""
    return links[driver_of(scenario, point)]


def devices_of(link: Link) -> dict[str, str]:
    """Return what a template may name of a link, beside its variables."""
    return {NEAR: link[NEAR].namespace, FAR: link[FAR].namespace,
            f"{NEAR}_device": link[NEAR].device, f"{FAR}_device": link[FAR].device}


def moves(link: Link, was: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, str]]:
    """Yield what gives two NICs to the namespaces, and what takes each back.

    *was*: by device, command lines that restore what it was.
    """
    for end in link.values():
        yield (f"ip link set {end.device} netns {end.namespace}",
               "; ".join([f"ip -n {end.namespace} link set {end.device} netns $$",
                          *was.get(end.device, ())]))


def pairs(given: Sequence[str]) -> dict[str, Sequence[str]]:
    """Return the NICs that a user gives as *DEVICE,DEVICE*, by their driver.

    Raises CommandError for those that are no pair, or are in use.
    """
    found: dict[str, Sequence[str]] = {}
    for one in given:
        devices = one.split(",")
        drivers = {_driver(device) for device in devices}
        if len(devices) != 2 or len(set(devices)) != 2 or len(drivers) != 1:
            raise CommandError(f"'{one[:80]}' are no two devices of one driver")
        for device in devices:
            for address in _told(device).get("addr_info", []):
                if address.get("scope") == "global":
                    raise CommandError(
                        f"{device} has the address {address['local']} and may be in "
                        f"use: 'ip address flush dev {device}' takes it away")
        found[drivers.pop()] = devices
    return found


def _driver(device: str) -> str:
    driver = NETWORK / device / "device" / "driver"
    if not re.fullmatch(r"[^\s/]{1,15}", device) or not driver.exists():
        raise CommandError(f"there is no NIC '{device[:80]}' here: 'ip link' has names")
    return driver.resolve().name


def _told(device: str) -> dict[str, Any]:
    said = subprocess.run(["ip", "-d", "-j", "address", "show", "dev", device],  # noqa: S607
                          capture_output=True, check=True).stdout
    told: dict[str, Any] = json.loads(said)[0]
    return told


def restoring(device: str) -> Sequence[str]:
    """Return command lines that restore what runs may change of a NIC of this host."""
    told = _told(device)
    lines = [f"ip link set {device} mtu {told['mtu']} txqueuelen {told['txqlen']} "
             f"gso_max_segs {told['gso_max_segs']}" + (
                 " up" if "UP" in told["flags"] else "")]
    said = subprocess.run(["ethtool", "-c", device], capture_output=True,  # noqa: S607
                          text=True, check=False).stdout
    moderation = re.search(r"^rx-usecs:\s*(\d+)$", said, re.MULTILINE)
    if moderation:
        # Refused by a driver whose moderation cannot be set, and then not changed.
        lines.append(f"ethtool -C {device} rx-usecs {moderation[1]} 2>/dev/null || :")
    return lines
