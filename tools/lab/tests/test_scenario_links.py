# SPDX-License-Identifier: GPL-2.0
"""Two NICs of this host as the link of a scenario."""

import pytest

from ktput.output import CommandError
from ktput.scenario import links


@pytest.fixture
def nics(tmp_path, monkeypatch):
    """Devices of this host: a and b of one driver, c of another, d without."""
    for device, driver in (("a", "e1000e"), ("b", "e1000e"), ("c", "igb")):
        (tmp_path / device / "device").mkdir(parents=True)
        (tmp_path / "drivers" / driver).mkdir(parents=True, exist_ok=True)
        (tmp_path / device / "device" / "driver").symlink_to(
            tmp_path / "drivers" / driver)
    (tmp_path / "d").mkdir()
    monkeypatch.setattr(links, "NETWORK", tmp_path)
    told = {"mtu": 1400, "txqlen": 5, "gso_max_segs": 9, "flags": ["UP"]}
    monkeypatch.setattr(links, "_told", lambda _: told)
    return told


def test_pairs_of_nics(nics):
    assert links.pairs(["a,b"]) == {"e1000e": ["a", "b"]}
    for given in ("a", "a,a", "a,c", "a,b,c", ""):
        with pytest.raises(CommandError):
            links.pairs([given])
    for given in ("a,d", "a,../a", "a,x"):
        with pytest.raises(CommandError, match="there is no NIC"):
            links.pairs([given])
    nics["addr_info"] = [{"scope": "link", "local": "fe80::1"}]
    assert links.pairs(["a,b"])
    nics["addr_info"].append({"scope": "global", "local": "192.0.2.1"})
    with pytest.raises(CommandError, match=r"a has the address 192.0.2.1"):
        links.pairs(["a,b"])


def test_a_nic_is_restored(nics, monkeypatch):
    said = ["Coalesce parameters for a:\n\nrx-usecs:\t3\nrx-frames:\tn/a\n"]
    monkeypatch.setattr(links.subprocess, "run", lambda *_, **__: type(
        "", (), {"stdout": said[0]}))
    assert links.restoring("a") == [
        "ip link set a mtu 1400 txqueuelen 5 gso_max_segs 9 up",
        "ethtool -C a rx-usecs 3 2>/dev/null || :"]
    nics["flags"] = []
    said[0] = "netlink error: Operation not supported"
    assert links.restoring("a") == [
        "ip link set a mtu 1400 txqueuelen 5 gso_max_segs 9"]
