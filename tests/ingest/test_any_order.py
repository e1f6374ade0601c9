"""What the corpus is does not depend on how the records came: twice, in any order, in pieces, cut off, or out of an export."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpus.folding import fold
from corpus.model import Paper, Record
from corpus.neutral import read, write
from ingest.match import Matcher, Outcome
from tests.ingest.making import addresses, balanced, exported, jsonl, paper, run, store_in

ROOT = Path(__file__).resolve().parents[2]
IDS = ["arxiv:2101.00001", "doi:10.1000/1", "doi:10.1000/2", "openalex:W1", "openalex:W2", "test:a", "test:b"]
CITED = [*IDS, "test:stub", "openalex:W9", "Smith 1990, p. 4"]
TEXTS = st.none() | st.sampled_from(["", "<p />", "A", "B &amp; C", "<i>x</i>", "$\\alpha$", "Ångström", "\u202eevil"])


def raws(dates: st.SearchStrategy[str | None]) -> st.SearchStrategy[dict[str, Any]]:
    """Records that share identifiers, from several sources."""
    return st.fixed_dictionaries(
        {
            "ids": st.lists(st.sampled_from(IDS), min_size=1, max_size=3, unique=True),
            "title": TEXTS,
            "abstract": TEXTS,
            "authors": st.lists(st.sampled_from(["Ann", {"name": "Bo", "orcid": "0000-1"}, " "]), max_size=2),
            "date": st.sampled_from([None, "2001", "2001-02", "2001-02-03", "2002"]),
            "venue": TEXTS,
            "areas": st.lists(st.sampled_from(["x", "y"]), max_size=2),
            "status": st.sampled_from(["normal", "withdrawn", "retracted"]),
            "references": st.none() | st.lists(st.sampled_from(CITED), max_size=4),
            "references_declared": st.sampled_from([None, 0, 3]),
            "cited_by_counts": st.none() | st.dictionaries(st.sampled_from(["s", "t"]), st.integers(0, 3)),
            "source": st.sampled_from(["s", "t", None]),
            "updated": dates,
        }
    )


DATED = raws(st.sampled_from(["2020-01-01", "2020-02", "2021"]))
ANY = raws(st.sampled_from([None, "2020-01-01", "2021"]))


def corpus_of(*batches: Sequence[dict[str, Any]], size: int = 1_000) -> tuple[list[dict[str, Any]], Any]:
    """The export of a corpus of these files, and the last report."""
    with tempfile.TemporaryDirectory() as folder:
        report = run(Path(folder), *(jsonl(batch) or b"\n" for batch in batches), format="papers", batch=size)
        assert balanced(report)
        return exported(Path(folder)), report


@given(st.lists(ANY, max_size=6), st.integers(1, 4))
@settings(max_examples=40, deadline=None)
def test_twice_is_once(records: list[dict[str, Any]], size: int) -> None:
    once, _ = corpus_of(records, size=size)
    twice, report = corpus_of(records, records, size=size)
    assert report.files[1].records == len(records)
    assert twice == once


@given(
    st.lists(DATED, min_size=1, max_size=6).flatmap(lambda some: st.tuples(st.just(some), st.permutations(some))),
    st.integers(1, 4),
)
@settings(max_examples=40, deadline=None)
def test_any_order_and_any_batches_give_the_same_corpus(
    orders: tuple[list[dict[str, Any]], list[dict[str, Any]]], size: int
) -> None:
    first, second = orders
    half = len(second) // 2
    assert corpus_of(first)[0] == corpus_of(second[:half], second[half:], size=size)[0]


@given(st.lists(ANY, max_size=6))
@settings(max_examples=60, deadline=None)
def test_an_export_read_into_an_empty_corpus_gives_the_same_export(records: list[dict[str, Any]]) -> None:
    once, _ = corpus_of(records)
    again, report = corpus_of(once)
    assert again == once
    assert report.tally.accepted == len(once)
    assert report.tally.flags == {}


def test_an_export_read_into_the_same_corpus_changes_nothing(tmp_path: Path) -> None:
    run(
        tmp_path, jsonl([paper(1, references=["test:2", "Smith 1990"]), paper(2), paper(3, source="s", updated="2020")])
    )
    before = exported(tmp_path)
    report = run(tmp_path, jsonl(before))
    assert report.tally.duplicates == 3
    assert exported(tmp_path) == before


class Empty:
    """A store that holds nothing."""

    def resolve(self, ids: object) -> dict[str, str]:
        return dict.fromkeys((), str(ids))

    def papers(self, addresses: object) -> list[Any]:
        return [None for _ in ()] if addresses else []


def folded(records: Sequence[Record]) -> list[dict[str, Any]]:
    matcher = Matcher(Empty(), [])  # type: ignore[arg-type]
    for record in records:
        matcher.add(record)
    return sorted((write(one) for one in matcher.papers()), key=str)


@given(st.lists(DATED, min_size=1, max_size=8).flatmap(lambda some: st.tuples(st.just(some), st.permutations(some))))
@settings(max_examples=500, deadline=None)
def test_matching_does_not_depend_on_the_order(orders: tuple[list[dict[str, Any]], list[dict[str, Any]]]) -> None:
    first, second = ([read(one)[0] for one in order] for order in orders)
    assert folded(first) == folded(second)


@given(st.lists(ANY, min_size=1, max_size=8))
@settings(max_examples=60, deadline=None)
def test_papers_are_the_groups_of_records_that_share_an_identifier(records: list[dict[str, Any]]) -> None:
    groups: list[set[str]] = []
    for record in records:
        ids = set(record["ids"])
        groups = [group for group in groups if not group & ids] + [
            ids.union(*(group for group in groups if group & ids))
        ]
    assert sorted(sorted(one["ids"]) for one in corpus_of(records)[0]) == sorted(map(sorted, groups))


def test_one_record_joins_three_papers_of_one_batch_and_of_the_store(tmp_path: Path) -> None:
    three = [paper(1, ids=["test:1"], references=["test:9"]), paper(2, ids=["test:2"]), paper(3, ids=["test:3"])]
    join = paper(4, ids=["doi:10.1000/4", "test:1", "test:2", "test:3"], updated="2024")
    citing = paper(5, references=["test:1", "test:2", "test:3"])
    for number, files in enumerate(
        [[[*three, join, citing]], [three[:1], [citing], [*three[1:], join]], [three, [citing], [join]]]
    ):
        folder = tmp_path / str(number)
        report = run(folder, *map(jsonl, files))
        assert report.tally.merged == {"joined_papers": 1}
        assert addresses(folder) == ["doi:10.1000/4", "test:5"]
        with store_in(folder / "data") as store:
            stored = store.paper("doi:10.1000/4")
            assert stored is not None
            assert (stored.citations, stored.paper.references) == (1, ("test:9",))
            assert store.resolve(["test:2"]) == {"test:2": "doi:10.1000/4"}


def test_a_record_joins_a_paper_that_its_batch_has_changed(tmp_path: Path) -> None:
    run(tmp_path, jsonl([paper(1), paper(2)]))
    batch = [
        paper(1, title="Changed"),
        paper(1, ids=["test:1", "arxiv:2101.00001"]),
        paper(2, ids=["test:2", "arxiv:2101.00001"]),
    ]
    report = run(tmp_path, jsonl(batch))
    assert report.tally.merged == {"updated": 2, "joined_papers": 1}
    (one,) = exported(tmp_path)
    assert one["ids"] == ["arxiv:2101.00001", "test:1", "test:2"]


def test_an_identifier_that_a_later_record_leaves_out_still_leads_to_the_paper(tmp_path: Path) -> None:
    """Or a third record with it would take the paper's place."""
    run(tmp_path, jsonl([paper(1, ids=["test:1", "doi:10.1000/1"], updated="2020")]))
    run(tmp_path, jsonl([paper(1, updated="2021", title="Newer")]))
    report = run(tmp_path, jsonl([{"ids": ["doi:10.1000/1"], "source": "another", "abstract": "Its abstract"}]))
    assert report.tally.merged == {"same_identifier": 1}
    (one,) = exported(tmp_path)
    assert (one["ids"], one["title"], one["abstract"]) == (["doi:10.1000/1", "test:1"], "Newer", "Its abstract")


def test_an_older_record_that_knows_another_identifier_is_heard(tmp_path: Path) -> None:
    run(tmp_path, jsonl([paper(1, updated="2021", title="Newer"), paper(2)]))
    report = run(tmp_path, jsonl([paper(1, ids=["test:1", "test:2"], updated="2020", title="Older")]))
    assert report.tally.merged == {"joined_papers": 1}
    (one,) = exported(tmp_path)
    assert one["title"] == "Newer"


def test_outcomes() -> None:
    matcher = Matcher(Empty(), [])  # type: ignore[arg-type]

    def add(**raw: Any) -> Outcome:
        return matcher.add(read(raw)[0])

    assert add(ids=["test:1"], source="s", updated="2020") is Outcome.ACCEPTED
    assert add(ids=["test:1"], source="s", updated="2020") is Outcome.DUPLICATE
    assert add(ids=["test:1"], source="s", updated="2019", title="old") is Outcome.DUPLICATE
    assert add(ids=["test:1"], source="s", title="undated") is Outcome.DUPLICATE
    assert add(ids=["test:1"], source="s", updated="2021", title="new") is Outcome.UPDATED
    assert add(ids=["test:1"], source="t", updated="2019") is Outcome.SAME_IDENTIFIER
    assert add(ids=["test:2"]) is Outcome.ACCEPTED
    assert add(ids=["test:2"], title="came later") is Outcome.UPDATED
    assert add(ids=["test:2", "test:1"]) is Outcome.JOINED_PAPERS
    (one,) = matcher.papers()
    assert one.title == "new"


def test_a_stub_becomes_the_paper_and_keeps_its_citations(tmp_path: Path) -> None:
    run(tmp_path, jsonl([paper(1, references=["doi:10.1000/2"])]))
    run(tmp_path, jsonl([paper(2, ids=["test:2", "doi:10.1000/2", "arxiv:2101.00002"])]))
    with store_in(tmp_path / "data") as store:
        stored = store.paper("arxiv:2101.00002")
        assert stored is not None
        assert stored.citations == 1
        assert store.size().stubs == 0


def test_entries_without_an_identifier_survive_the_round_trip(tmp_path: Path) -> None:
    run(
        tmp_path,
        jsonl([paper(1, references=["Smith 1990", "test:2", " Jones  2001 "]), paper(2, references=["only text"])]),
    )
    first, second = exported(tmp_path)
    assert first["references"] == ["test:2", "Smith 1990", " Jones  2001 "]
    assert second["references"] == ["only text"]
    one: Paper = fold([read(second)[0]])
    assert (one.references, one.unresolved) == ((), ("only text",))


KILLED = """
import os, signal, sys
from pathlib import Path
from corpus.sqlite import SqliteStore
from ingest.run import ingest

class Killed(SqliteStore):
    left = int(sys.argv[3])
    def put(self, papers, run):
        if self.left == 0 and sys.argv[4] == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        super().put(papers, run)
        if self.left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        self.left -= 1

data = Path(sys.argv[2])
ingest([Path(sys.argv[1])], Killed(data / "corpus.sqlite"), data, batch=40)
"""


@pytest.mark.parametrize("batch", [0, 1, 3, 6])
@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_killed_run_and_a_new_one_are_a_calm_one(tmp_path: Path, batch: int, moment: str) -> None:
    content = jsonl(
        paper(number % 250, references=[f"test:{(number * 7) % 300}"], updated="2020") for number in range(300)
    )
    content += b"{bad\n"
    calm = run(tmp_path / "calm", content)
    folder = tmp_path / "killed"
    (folder / "data").mkdir(parents=True)
    (folder / "file").write_bytes(content)
    command = [sys.executable, "-c", KILLED, str(folder / "file"), str(folder / "data"), str(batch), moment]
    done = subprocess.run(command, cwd=ROOT, check=False, timeout=60, env={**os.environ, "PYTHONPATH": str(ROOT)})
    assert done.returncode == -signal.SIGKILL
    with store_in(folder / "data") as store:
        runs = store.runs()
        written = batch + (moment == "after")
        assert [run.finished for run in runs] == [None] * min(written, 1)
        assert all(run.tally.balanced and run.tally.read == 40 * written for run in runs)
    report = run(folder, content)
    assert exported(folder) == exported(tmp_path / "calm")
    assert (report.papers, report.stubs, report.citations) == (calm.papers, calm.stubs, calm.citations)
    assert report.tally.rejected == {"bad_json": 1}


def test_exports_are_the_same_bytes_packed_or_not(tmp_path: Path) -> None:
    run(tmp_path, jsonl([paper(2), paper(1)]))
    assert [json.dumps(one) for one in exported(tmp_path)] == [json.dumps(one) for one in exported(tmp_path)]
