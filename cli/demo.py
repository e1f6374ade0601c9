"""The demo corpus: 613 scientometrics papers out of a package that is published for another purpose.

The package `biblium` 2.16.1 (MIT) carries a CSV export of the OpenAlex web site (CC0 data). Its wheel is
fetched by pip and checked by hash; only the CSV inside is read, and nothing of the package is installed.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Final

from corpus.errors import AtlasError

REQUIREMENT: Final = "biblium==2.16.1 --hash=sha256:956ef0c9d6bc9a143efcd539d4c7f67d4d887dd95663278ee0cd8c995cf48bfd"
MEMBER: Final = "biblium/data/open alex dataset.csv"
MEMBER_SHA256: Final = "ab13b2a16f80ab553c4886278b0bef0b835d46bb4cbd7a1a7d782603f2e6f461"
NAME: Final = "openalex-scientometrics.csv"


class DemoUnavailable(AtlasError):
    """The demo corpus could not be fetched or is not what it should be."""


def demo_corpus(data: Path) -> Path:
    """Return the demo CSV under the data directory; fetch it with pip where it is not there yet."""
    target = data / "demo" / NAME
    if target.is_file() and _sha256(target) == MEMBER_SHA256:
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as scratch:
        wheel = _download(Path(scratch))
        unpacked = Path(scratch) / NAME
        with zipfile.ZipFile(wheel) as archive, archive.open(MEMBER) as source, unpacked.open("wb") as copy:
            shutil.copyfileobj(source, copy)
        if _sha256(unpacked) != MEMBER_SHA256:
            raise DemoUnavailable(f"'{MEMBER}' in {wheel.name} is not the file that the demo was made with")
        unpacked.replace(target)
    return target


def _download(folder: Path) -> Path:
    requirement = folder / "demo.txt"
    requirement.write_text(REQUIREMENT + "\n", encoding="ascii")
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
    command += ["--only-binary", ":all:", "--require-hashes", "--dest", str(folder), "--requirement", str(requirement)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)  # noqa: S603  fixed words
    wheels = list(folder.glob("*.whl"))
    if done.returncode or not wheels:
        cause = (done.stderr.strip().splitlines() or ["pip gave no reason"])[-1]
        raise DemoUnavailable(
            f"the demo corpus could not be fetched with pip ({cause}); try your own file: `paperatlas map FILE`"
        )
    return wheels[0]


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
