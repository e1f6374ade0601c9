"""A run: its books balance whatever happens, and what it wrote is whole batches."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from corpus.errors import BadInput, StoreError
from corpus.model import Paper, PartialDate
from corpus.sqlite import SqliteStore
from corpus.store import Run
from ingest.opening import open_file
from ingest.records import Found, Rejected
from ingest.report import Progress, Report
from ingest.run import TRIAL, _records, ingest
from tests.ingest.making import addresses, balanced, exported, jsonl, packed, paper, rejects, run, store_in

PAPERS = [paper(number) for number in range(25)]


def ledger(folder: Path) -> dict[str, Any]:
    (file,) = sorted((folder / "ledger").iterdir())
    content: dict[str, Any] = json.loads(file.read_bytes())
    return content


def test_the_books_of_a_run(tmp_path: Path) -> None:
    content = jsonl([paper(1), paper(2), paper(1), paper(2, ids=["test:2", "doi:10.1000/2"]), {"title": "no ids"}])
    content += b"{bad\n[]\n\n" + jsonl([paper(3, ids=["test:1", "doi:10.1000/2"])])
    report = run(tmp_path, content)
    tally = report.tally
    assert (tally.read, tally.accepted, tally.duplicates) == (8, 2, 1)
    assert tally.rejected == {"no_identifier": 1, "bad_json": 1, "not_an_object": 1}
    assert tally.merged == {"updated": 1, "joined_papers": 1}
    assert balanced(report)
    assert (report.papers, report.rejected, report.incomplete) == (1, 3, 0)
    assert (report.files[0].records, report.files[0].rejected, report.files[0].complete) == (8, 3, True)


def test_the_ledger_holds_the_report_and_nothing_half_written_stays(tmp_path: Path) -> None:
    report = run(tmp_path, jsonl(PAPERS) + b"{bad\n")
    data = tmp_path / "data"
    written = ledger(data)
    assert written["run"] == report.run
    assert written["tally"]["accepted"] == 25
    assert written["schema"] == "ingest/1"
    assert [path.name for path in (data / "ledger").iterdir()] == [f"{report.run}.json"]
    assert [path.name for path in (data / "rejects").iterdir()] == [f"{report.run}.jsonl.gz"]
    with store_in(data) as store:
        (held,) = store.runs()
        assert held.finished is not None
        assert (held.id, held.tally, held.files) == (report.run, report.tally, (str(tmp_path / "in-0"),))


def test_a_reject_is_kept_with_file_line_reason_and_start(tmp_path: Path) -> None:
    long = b'{"title": "' + b"x" * 500 + b'"}'
    report = run(tmp_path, jsonl([paper(1)]) + b'{"bad \x1b \xff\n' + long + b"\n", jsonl([paper(2), {"ids": []}]))
    first, second = (str(tmp_path / name) for name in ("in-0", "in-1"))
    rows = rejects(report)
    assert [(row["file"], row["line"], row["reason"]) for row in rows] == [
        (first, 2, "bad_json"),
        (first, 3, "no_identifier"),
        (second, 2, "no_identifier"),
    ]
    assert rows[0]["start"] == '{"bad \x1b \\xff\n'
    assert rows[1]["start"] == long[:200].decode()
    assert all(row["message"] for row in rows)


def test_without_rejects_there_is_no_rejects_file(tmp_path: Path) -> None:
    report = run(tmp_path, jsonl(PAPERS))
    assert report.rejects_file is None
    assert not (tmp_path / "data" / "rejects").exists()


def test_a_file_of_which_a_fifth_is_rejected_is_given_up_and_the_next_is_read(tmp_path: Path) -> None:
    good, bad = jsonl([paper(1)]), b"[]\n"
    content = (good * 79 + bad * 21) * (TRIAL // 100) + jsonl([paper(2)])
    report = run(tmp_path, content, jsonl([paper(3)]))
    first, second = report.files
    assert (first.records, first.rejected, first.complete) == (TRIAL, TRIAL * 21 // 100, False)
    assert first.problem == "2,100 of its first 10,000 records are rejected: is it papers format, JSON lines?"
    assert (second.records, second.complete) == (1, True)
    assert addresses(tmp_path) == ["test:1", "test:3"]
    assert balanced(report)


def test_a_fifth_exactly_is_read_on(tmp_path: Path) -> None:
    content = (jsonl([paper(1)]) * 80 + b"[]\n" * 20) * (TRIAL // 100) + jsonl([paper(2)])
    report = run(tmp_path, content)
    assert report.incomplete == 0
    assert addresses(tmp_path) == ["test:1", "test:2"]


def test_progress_tells_records_and_bytes(tmp_path: Path) -> None:
    told: list[Progress] = []
    contents = [jsonl(PAPERS), packed(jsonl(PAPERS))]
    run(tmp_path, *contents, progress=told.append, batch=10)
    assert told[-1].records == 50
    assert told[-1].bytes_read == told[-1].bytes_total == sum(map(len, contents))
    assert [one.records for one in told] == sorted(one.records for one in told)
    assert all(one.rate > 0 for one in told)


def test_a_stream_of_nothing_but_rejects_tells_its_progress_too(tmp_path: Path) -> None:
    told: list[Progress] = []
    run(tmp_path, b"1\n" * 100, format="papers", progress=told.append, batch=10)
    assert len(told) >= 10


def test_the_data_date_is_the_newest_that_a_source_vouches_for_and_never_in_the_future(tmp_path: Path) -> None:
    report = run(
        tmp_path, jsonl([paper(1, updated="2024-05-06"), paper(2, updated="2099-01-01"), paper(3, updated="2023")])
    )
    assert report.data_date == "2024-05-06"
    assert report.tally.flags == {"updated_in_future": 1}
    assert run(tmp_path, jsonl([paper(4)]), data_date=PartialDate.parse("2025-01-02")).data_date == "2025-01-02"
    assert run(tmp_path, jsonl([paper(5)]), data_date=PartialDate.parse("2020")).data_date == "2025-01-02"


def test_flags_are_counted_bounded_and_printable(tmp_path: Path) -> None:
    odd = [paper(number, **{f"field {number}\x1b\u202e": 1}) for number in range(500)]
    report = run(tmp_path, jsonl(odd))
    flags = report.tally.flags
    assert len(flags) <= 201
    assert sum(flags.values()) == 500
    assert flags["other"] >= 300
    assert all(name.isascii() and name.isprintable() for name in flags)


class Failing(SqliteStore):
    """A store that lets the first batches through and then fails."""

    def __init__(self, data: Path, after: int, error: BaseException, *, written: bool = False) -> None:
        data.mkdir(parents=True)
        super().__init__(data / "corpus.sqlite")
        self.after, self.error, self.written = after, error, written

    def put(self, papers: Sequence[Paper], run: Run) -> None:
        if not self.after:
            if self.written:
                super().put(papers, run)
            raise self.error
        self.after -= 1
        super().put(papers, run)


@pytest.mark.parametrize("error", [StoreError("disk full"), KeyboardInterrupt(), RuntimeError("a fault of ours")])
def test_of_a_batch_that_cannot_be_written_nothing_is_there_and_nothing_is_counted(
    tmp_path: Path, error: BaseException
) -> None:
    file = tmp_path / "papers"
    file.write_bytes(b"{bad\n" + jsonl(PAPERS) + b"[]\n")
    store = Failing(tmp_path / "data", 2, error)
    with pytest.raises(type(error)):
        ingest([file], store, tmp_path / "data", batch=10)
    (held,) = store.runs()
    store.close()
    assert (held.tally.read, held.tally.accepted) == (22, 20)
    assert held.tally.rejected == {"bad_json": 1, "not_an_object": 1}, "also what came after the last batch written"
    assert held.tally.balanced
    assert held.finished is not None
    assert addresses(tmp_path) == sorted(f"test:{number}" for number in range(20))
    (told,) = ledger(tmp_path / "data")["files"]
    assert (told["records"], told["complete"], told["problem"]) == (22, False, "the run was broken off")


def test_a_batch_that_was_written_counts_though_the_run_broke_off_right_behind_it(tmp_path: Path) -> None:
    file = tmp_path / "papers"
    file.write_bytes(jsonl(PAPERS))
    store = Failing(tmp_path / "data", 1, KeyboardInterrupt(), written=True)
    with pytest.raises(KeyboardInterrupt):
        ingest([file], store, tmp_path / "data", batch=10)
    assert store.runs()[0].tally.accepted == store.size().papers == 20
    store.close()


def test_a_store_that_is_gone_leaves_the_first_error(tmp_path: Path) -> None:
    class Gone(Failing):
        def runs(self) -> list[Run]:
            raise StoreError("gone")

    file = tmp_path / "papers"
    file.write_bytes(jsonl(PAPERS))
    store = Gone(tmp_path / "data", 1, StoreError("the first"))
    with pytest.raises(StoreError, match="the first"):
        ingest([file], store, tmp_path / "data", batch=10)
    store.close()


def test_an_interrupted_run_keeps_what_it_wrote_and_the_next_one_does_the_rest(tmp_path: Path) -> None:
    calm = tmp_path / "calm"
    run(calm, jsonl(PAPERS))

    def interrupt(progress: Progress) -> None:
        if progress.records >= 20:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(tmp_path, jsonl(PAPERS), batch=10, progress=interrupt)
    with store_in(tmp_path / "data") as store:
        (held,) = store.runs()
        assert (held.tally.read, held.tally.accepted) == (20, 20)
        assert store.size().papers == 20
    report = run(tmp_path, jsonl(PAPERS), batch=10)
    assert (report.tally.accepted, report.tally.duplicates) == (5, 20)
    assert exported(tmp_path) == exported(calm)


class Stumbling:
    """A reader that cannot read on in the middle of a file."""

    NAME, TITLE = "stumbling", "Stumbling"

    def __init__(self, error: Exception) -> None:
        self.error = error

    def recognises(self, sample: object) -> bool:
        return bool(sample)

    def records(self, opened: object) -> Iterator[Found | Rejected]:
        yield Rejected(1, "bad", str(opened)[:0])
        raise self.error


@pytest.mark.parametrize("error", [OSError(5, "Input/output error"), BadInput("what now")])
def test_a_file_that_cannot_be_read_on_ends_there(tmp_path: Path, error: Exception) -> None:
    (tmp_path / "file").write_bytes(b"x")
    with open_file(tmp_path / "file") as opened:
        found = list(_records(opened, Stumbling(error)))
        assert len(found) == 1
        assert opened.trouble.incomplete is not None
        assert str(error) in opened.trouble.incomplete


def test_a_file_that_vanishes_during_the_run_is_reported_and_the_next_is_read(tmp_path: Path) -> None:
    for number in (0, 1, 2):
        (tmp_path / f"{number}").write_bytes(jsonl([paper(number)]))
    gone: list[Progress] = []

    def vanish(progress: Progress) -> None:
        gone.append(progress)
        (tmp_path / "1").unlink(missing_ok=True)

    report = run(tmp_path, *(tmp_path / f"{number}" for number in (0, 1, 2)), progress=vanish)
    assert [file.complete for file in report.files] == [True, False, True]
    assert report.incomplete == 1
    assert report.tally.accepted == 2


def test_a_run_of_no_files_is_a_run(tmp_path: Path) -> None:
    report: Report = run(tmp_path)
    assert (report.tally.read, report.files, report.papers) == (0, (), 0)
