"""Files as they come: packed, cut, damaged, and what is no file of records at all."""

from __future__ import annotations

import gzip
import io
import json
import os
import random
import subprocess
import sys
import zlib
from pathlib import Path

import pytest

from corpus.errors import BadInput
from ingest.opening import Counted, Gunzip, Trouble, open_file
from tests.ingest.making import addresses, balanced, jsonl, packed, paper, rejects, run

ROOT = Path(__file__).resolve().parents[2]
PAPERS = [paper(number, abstract=f"{random.Random(number).random()} words") for number in range(400)]
LINES = jsonl(PAPERS)


def unpacked(content: bytes, step: int = 1 << 16) -> tuple[bytes, Trouble]:
    """What comes out of a gzip content, read `step` bytes at a time."""
    trouble = Trouble()
    stream = Gunzip(Counted(io.BytesIO(content)), trouble)
    got = b""
    while data := stream.read(step):
        got += data
    return got, trouble


def whole_lines(content: bytes) -> list[bytes]:
    return [line for line in content.splitlines(keepends=True) if line.endswith(b"\n")]


@pytest.mark.parametrize("level", [0, 1, 9])
def test_of_a_file_cut_anywhere_every_byte_before_the_cut_is_had(level: int) -> None:
    whole = packed(LINES, level)
    least = 0
    for cut in sorted(random.Random(4).sample(range(2, len(whole)), 200)):
        got, trouble = unpacked(whole[:cut])
        assert LINES.startswith(got)
        assert len(got) >= least
        assert trouble.incomplete == "the gzip stream ends in the middle"
        least = len(got)
    assert unpacked(whole[:-1])[0] == LINES, "only the checksum is cut"


def test_of_a_highly_compressible_file_nothing_stays_inside_zlib() -> None:
    content = b"a" * 5000 + b"\n"
    whole = packed(content)
    for cut in range(12, len(whole)):
        for step in (1, 7):
            got, trouble = unpacked(whole[:cut], step)
            assert got == zlib.decompressobj(wbits=31).decompress(whole[:cut])
            assert trouble.incomplete
    assert unpacked(whole[:-8], step=7)[0] == content


@pytest.mark.parametrize("step", [1, 2, 3, 258, 4095, 1 << 20])
def test_the_size_of_the_reads_does_not_matter(step: int) -> None:
    content = LINES[:20_000]
    assert unpacked(packed(content[:9000]) + packed(content[9000:]), step) == (content, Trouble())


def test_a_cut_file_gives_its_whole_lines_and_says_so(tmp_path: Path) -> None:
    whole = packed(LINES)
    for cut in (len(whole) // 3, len(whole) - 1, len(whole) - 4, len(whole) - 8):
        folder = tmp_path / str(cut)
        report = run(folder, whole[:cut], format="papers")
        expected = whole_lines(unpacked(whole[:cut])[0])
        (file,) = report.files
        assert not file.complete
        assert file.problem == "the gzip stream ends in the middle"
        assert report.incomplete == 1
        assert report.tally.accepted == len(expected)
        assert sorted(addresses(folder)) == sorted(json.loads(line)["ids"][0] for line in expected)
        assert balanced(report)
        assert {row["reason"] for row in rejects(report)} <= {"cut"}


def test_a_last_line_that_is_whole_is_kept_though_the_file_is_cut_behind_it(tmp_path: Path) -> None:
    content = jsonl([paper(1), paper(2)]).rstrip(b"\n")
    report = run(tmp_path, packed(content)[:-8])
    assert report.tally.accepted == 2
    assert report.incomplete == 1


def test_a_number_at_the_cut_is_no_whole_record(tmp_path: Path) -> None:
    report = run(tmp_path, packed(jsonl([paper(1)]) + b"12")[:-8])
    assert report.tally.rejected == {"cut": 1}


def test_a_file_cut_between_two_members_reads_as_complete(tmp_path: Path) -> None:
    """Nothing in a gzip file says how many members it has; docs/papers-format.md tells to compare the count of records."""
    first, second = LINES[:10_000], LINES[10_000:]
    report = run(tmp_path / "cut", packed(jsonl(PAPERS[:10])), format="papers")
    assert report.tally.accepted == 10
    assert report.incomplete == 0
    assert unpacked(packed(first) + packed(second)) == (LINES, Trouble())


def test_one_byte_of_a_further_member_is_a_cut() -> None:
    got, trouble = unpacked(packed(b"a\n") + b"\x1f")
    assert (got, trouble.incomplete) == (b"a\n", "the gzip stream ends in the middle")


def test_a_wrong_checksum_costs_no_line(tmp_path: Path) -> None:
    whole = bytearray(packed(LINES))
    whole[-6] ^= 1
    report = run(tmp_path, bytes(whole))
    assert report.tally.accepted == len(PAPERS)
    assert report.files[0].problem is not None
    assert "damaged" in report.files[0].problem
    assert not report.files[0].complete


def test_of_a_file_with_a_flipped_byte_all_before_it_is_had_and_it_is_never_complete() -> None:
    whole = packed(LINES)
    for place in random.Random(6).sample(range(10, len(whole)), 60):
        damaged = bytearray(whole)
        damaged[place] ^= 0x55
        got, trouble = unpacked(bytes(damaged))
        sound = unpacked(whole[:place])[0]
        assert got.startswith(sound[:-300]), "zlib runs a few bytes ahead of what it has given"
        assert trouble.incomplete


def test_zeros_behind_the_end_are_padding_and_anything_else_a_warning(tmp_path: Path) -> None:
    assert unpacked(packed(b"x\n") + bytes(100_000)) == (b"x\n", Trouble())
    assert unpacked(packed(b"x\n") + bytes(70_000) + packed(b"y\n")) == (b"x\ny\n", Trouble())
    report = run(tmp_path, packed(LINES) + b"junk")
    assert report.files[0].complete
    assert report.files[0].warnings == {"junk_after_gzip": 1}
    assert report.tally.accepted == len(PAPERS)


def test_a_bomb_is_given_up_early_and_in_bounded_memory(tmp_path: Path) -> None:
    file = tmp_path / "bomb.jsonl.gz"
    piece = bytes(1 << 20)
    with gzip.open(file, "wb", 6) as out:
        out.write(jsonl([paper(1)]))
        for _ in range(300):
            out.write(piece)
    code = (
        "import sys; from pathlib import Path; from tests.ingest.making import run;"
        "report = run(Path(sys.argv[1]), Path(sys.argv[2]));"
        "assert report.tally.accepted == 1 and report.incomplete == 1, report;"
        "assert '200 times' in report.files[0].problem, report;"
        "print(Path('/proc/self/status').read_text().partition('VmHWM:')[2].split()[0])"
    )  # not ru_maxrss: a child begins with its parent's
    done = subprocess.run(
        [sys.executable, "-c", code, tmp_path, file], cwd=ROOT, capture_output=True, text=True, check=True, timeout=60
    )
    assert int(done.stdout) < 320 << 10, "kB"


def test_what_is_no_file_of_records_is_named_and_never_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "empty").touch()
    (tmp_path / "link").symlink_to(tmp_path / "gone")
    for name, words in {
        "": "is a directory: name the files in it",
        "fifo": "is no regular file",
        "empty": "is empty",
        "gone": "cannot be read: No such file",
        "link": "cannot be read: No such file",
    }.items():
        with pytest.raises(BadInput, match=words):
            open_file(tmp_path / name)
    with pytest.raises(BadInput, match="no regular file"):
        open_file(Path("/dev/zero"))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_named(tmp_path: Path) -> None:
    file = tmp_path / "secret"
    file.write_bytes(LINES)
    file.chmod(0)
    with pytest.raises(BadInput, match="Permission denied"):
        open_file(file)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("pack", [bytes, packed])
def test_utf_16_is_named_with_the_remedy(tmp_path: Path, encoding: str, pack: type[bytes]) -> None:
    with pytest.raises(BadInput, match="UTF-16; convert it first: iconv"):
        run(tmp_path, pack(LINES.decode().encode(encoding)))


@pytest.mark.parametrize("pack", [bytes, packed])
def test_a_byte_order_mark_is_skipped(tmp_path: Path, pack: type[bytes]) -> None:
    report = run(tmp_path, pack(b"\xef\xbb\xbf" + LINES))
    assert report.tally.accepted == len(PAPERS)


def test_a_small_first_member_hides_nothing(tmp_path: Path) -> None:
    """Whoever looks at the beginning of the file must see more than the first member's one byte."""
    report = run(
        tmp_path, packed(b"\xef") + packed(b"\xbb\xbf") + packed(b"[") + packed(LINES.replace(b"\n", b",\n") + b"]")
    )
    assert report.files[0].format == "papers"
    assert report.tally.accepted == len(PAPERS)


def test_bytes_read_are_those_on_disk(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(packed(LINES))
    with open_file(file) as opened:
        opened.stream.read()
        assert opened.bytes_read == opened.size == file.stat().st_size
