#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""spdx.py TARBALL: an SPDX 2.3 document of it, in tag-value form, to stdout.

Each file has the licence that its SPDX-License-Identifier names; one that cannot have
such a line has that of COPYING. All of it comes from the tarball, the date too: the
same tarball gives the same document.
"""

import hashlib
import os
import re
import sys
import tarfile
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime

# What COPYING has, and what the short name of it is in SPDX by now.
OWN = "GPL-2.0-only"
LICENCE = re.compile(rb"SPDX-License-Identifier: *([^\n*#>]*[^\n*#> {}-])")
# As selftests/ci/static.sh: it is in the first lines.
LINES_MAX = 3


def licence_of(content: bytes) -> str | None:
    """Return the licence expression that a file states, or None."""
    head = b"\n".join(content.split(b"\n")[:LINES_MAX])
    found = LICENCE.search(head)
    if not found:
        return None
    return re.sub(r"GPL-2\.0\b(?!-)", OWN, found[1].decode())


def parts_of(expression: str) -> list[str]:
    """Return the licences of an expression, each with its exception."""
    return [part.strip("() ") for part in re.split(r" (?:AND|OR) ", expression)]


def sha1(content: bytes) -> str:
    """Return the hash that the standard asks for; it protects nothing here."""
    return hashlib.sha1(content, usedforsecurity=False).hexdigest()


def document(path: str) -> Iterator[str]:
    """Give the lines of the document."""
    with open(path, "rb") as file:
        whole = hashlib.sha256(file.read()).hexdigest()
    files: list[tuple[str, bytes, str | None]] = []
    with tarfile.open(path) as tar:
        members = [one for one in tar.getmembers() if one.isfile()]
        made = datetime.fromtimestamp(members[0].mtime, UTC)
        for one in sorted(members, key=lambda member: member.name):
            opened = tar.extractfile(one)
            content = opened.read() if opened else b""
            files.append((one.name.partition("/")[2], content, licence_of(content)))
    name = os.path.basename(path).removesuffix(".tar.gz")
    # Hashes of the files in order, by which a package is known.
    sums = sorted(sha1(content) for _, content, _ in files)
    stated = {part for *_, licence in files if licence for part in parts_of(licence)}

    yield "SPDXVersion: SPDX-2.3"
    yield "DataLicense: CC0-1.0"
    yield "SPDXID: SPDXRef-DOCUMENT"
    yield f"DocumentName: {name}"
    yield ("DocumentNamespace: https://spdx.org/spdxdocs/"
           f"{name}-{uuid.uuid5(uuid.NAMESPACE_OID, whole)}")
    yield "Creator: Tool: ktput-packaging-spdx.py"
    yield f"Created: {made:%Y-%m-%dT%H:%M:%SZ}"
    yield ""
    yield "PackageName: ktput"
    yield "SPDXID: SPDXRef-ktput"
    yield f"PackageVersion: {name.partition('-')[2]}"
    yield f"PackageFileName: {os.path.basename(path)}"
    yield "PackageDownloadLocation: NOASSERTION"
    yield "FilesAnalyzed: true"
    yield f"PackageVerificationCode: {sha1(''.join(sums).encode())}"
    yield f"PackageChecksum: SHA256: {whole}"
    yield f"PackageLicenseConcluded: {OWN}"
    for licence in sorted(stated):
        yield f"PackageLicenseInfoFromFiles: {licence}"
    yield f"PackageLicenseDeclared: {OWN}"
    yield "PackageCopyrightText: NOASSERTION"
    yield "Relationship: SPDXRef-DOCUMENT DESCRIBES SPDXRef-ktput"
    for number, (file_name, content, stated_by) in enumerate(files):
        yield ""
        yield f"FileName: ./{file_name}"
        yield f"SPDXID: SPDXRef-file-{number}"
        yield f"FileChecksum: SHA1: {sha1(content)}"
        yield f"FileChecksum: SHA256: {hashlib.sha256(content).hexdigest()}"
        yield f"LicenseConcluded: {stated_by or OWN}"
        for part in parts_of(stated_by) if stated_by else ["NONE"]:
            yield f"LicenseInfoInFile: {part}"
        yield "FileCopyrightText: NOASSERTION"


if __name__ == "__main__":
    print("\n".join(document(sys.argv[1])))
