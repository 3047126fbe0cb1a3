# SPDX-License-Identifier: GPL-2.0
"""Messages of generic netlink, made and taken apart without a library.

So a test can send what no library would.
"""

import errno
import re
import socket
import struct
import sys

NETLINK_GENERIC = 16
SOL_NETLINK = 270
NETLINK_CAP_ACK = 10
NETLINK_EXT_ACK = 11
NLM_F_REQUEST, NLM_F_ACK, NLM_F_DUMP = 0x1, 0x4, 0x300
NLMSG_ERROR, NLMSG_DONE = 2, 3
NLMSGERR_ATTR_MSG, NLMSGERR_ATTR_OFFS = 1, 2
NLA_F_NESTED, NLA_TYPE_MASK = 0x8000, 0x3FFF
GENL_ID_CTRL, CTRL_CMD_GETFAMILY = 16, 3
CTRL_ATTR_FAMILY_ID, CTRL_ATTR_FAMILY_NAME = 1, 2


def constants(path):
    """Names and numbers of the enums and plain defines of a header."""
    found = {}
    with open(path, encoding="ascii") as header:
        text = re.sub(r"/\*.*?\*/", "", header.read(), flags=re.S)
    for name, value in re.findall(r"^#define KTPUT_(\w+)\s+(\d+)$", text, re.M):
        found[name] = int(value)
    for body in re.findall(r"enum[ \w]*{(.*?)}", text, re.S):
        number = 0
        for name, value in re.findall(r"(\w+)(?: = (\d+))?,", body):
            number = int(value) if value else number
            found[name.removeprefix("KTPUT_")] = number
            number += 1
    return found


def attribute(kind, payload):
    """A netlink attribute, padded."""
    padding = b"\0" * (-len(payload) % 4)
    return struct.pack("=HH", len(payload) + 4, kind) + payload + padding


def attributes(data):
    """Types and payloads of the attributes in DATA."""
    found = {}
    while len(data) >= 4:
        length, kind = struct.unpack_from("=HH", data)
        if length < 4:
            break
        found[kind & NLA_TYPE_MASK] = data[4:length]
        data = data[(length + 3) & ~3:]
    return found


class Netlink:
    """One request at a time."""

    def __init__(self):
        self.socket = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW,
                                    NETLINK_GENERIC)
        self.socket.bind((0, 0))
        self.socket.settimeout(60)
        for option in NETLINK_CAP_ACK, NETLINK_EXT_ACK:
            self.socket.setsockopt(SOL_NETLINK, option, 1)
        self.sequence = 0
        self.offset = None

    def send(self, family, command, payload=b"", flags=NLM_F_ACK):
        """Ask, and leave the answer to be read."""
        self.sequence += 1
        message = struct.pack("=BBH", command, 1, 0) + payload
        self.socket.send(struct.pack("=IHHII", len(message) + 16, family,
                                     flags | NLM_F_REQUEST, self.sequence, 0) +
                         message)

    def call(self, family, command, payload=b"", flags=NLM_F_ACK):
        """Errno, sentence, the payloads of the replies; keeps where the fault is."""
        self.send(family, command, payload, flags)
        replies = []
        while True:
            data = self.socket.recv(1 << 16)
            while data:
                length, kind = struct.unpack_from("=IH", data)
                body = data[16:length]
                data = data[(length + 3) & ~3:]
                if kind not in (NLMSG_ERROR, NLMSG_DONE):
                    replies.append(body[4:])
                    continue
                error = -struct.unpack_from("=i", body)[0]
                # A capped error repeats the header of the request.
                rest = body[20:] if kind == NLMSG_ERROR else body[4:]
                said = attributes(rest)
                self.offset = said.get(NLMSGERR_ATTR_OFFS)
                sentence = said.get(NLMSGERR_ATTR_MSG, b"\0")
                return error, sentence.rstrip(b"\0").decode(), replies

    def family(self, name):
        """Number of a generic netlink family."""
        payload = attribute(CTRL_ATTR_FAMILY_NAME, name.encode() + b"\0")
        error, _, replies = self.call(GENL_ID_CTRL, CTRL_CMD_GETFAMILY, payload)
        if error:
            sys.exit(f"no family {name}: {errno.errorcode[error]}")
        return struct.unpack("=H", attributes(replies[0])[CTRL_ATTR_FAMILY_ID])[0]
