"""Real records, where the folder with them is."""

from __future__ import annotations

import gzip
from itertools import islice
from pathlib import Path

import pytest

from corpus.model import PartialDate, ReferencesState
from ingest.export import export_papers
from ingest.run import ingest
from tests.ingest.making import balanced, exported, run, store_in

pytestmark = pytest.mark.shared_data


def test_fourteen_hundred_works_of_2023_and_again_nothing_but_duplicates(shared_data: Path, tmp_path: Path) -> None:
    file = shared_data / "openalex" / "openalex-small.jsonl.gz"
    report = run(tmp_path, file)
    assert (report.tally.read, report.tally.accepted, report.rejected) == (1_484, 1_484, 0)
    assert (report.files[0].format, report.files[0].complete) == ("openalex", True)
    assert (report.papers, report.stubs, report.citations) == (1_484, 24_458, 59_247)
    assert report.tally.flags["authors_cut_at_100"] == 2
    assert report.tally.flags["abstract_gaps"] > 0
    with store_in(tmp_path / "data") as store:
        version = store.version()
        held = [stored.paper for stored in store.stream()]
    assert sum(paper.references is not None for paper in held) == 1_397
    assert sum(paper.abstract is not None for paper in held) == 1_415, "of 1,416 one is <p />"
    assert not [paper for paper in held if paper.references == () or paper.abstract == ""]
    again = run(tmp_path, file)
    assert again.tally.duplicates == 1_484
    assert balanced(again)
    with store_in(tmp_path / "data") as store:
        assert store.version() == version


def test_an_export_of_real_works_read_again_gives_the_same_export(shared_data: Path, tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    run(first, shared_data / "openalex" / "openalex-small.jsonl.gz")
    packed = tmp_path / "out.jsonl.gz"
    with store_in(first / "data") as store:
        assert export_papers(store, packed) == 1_484
    report = run(second, packed)
    assert report.tally.accepted == 1_484
    assert report.tally.flags == {}
    assert exported(second) == exported(first)


def test_the_first_works_of_ten_reviews_in_any_order_and_in_part_twice_give_the_same_corpus(
    shared_data: Path, tmp_path: Path
) -> None:
    with gzip.open(shared_data / "openalex" / "openalex-all.jsonl.gz") as file:
        lines = list(islice(file, 800))
    calm, wild = tmp_path / "calm", tmp_path / "wild"
    first = run(calm, b"".join(lines))
    assert (first.tally.read, first.rejected) == (800, 0)
    second = run(wild, b"".join(reversed(lines[300:])), b"".join(lines[:500]), batch=77)
    assert second.tally.read == 1_000
    assert second.papers == first.papers
    assert balanced(second)
    assert exported(wild) == exported(calm)


def test_the_array_of_an_api_of_2026(shared_data: Path, tmp_path: Path) -> None:
    report = run(tmp_path, shared_data / "openalex" / "works_sample_195.json.gz")
    assert (report.tally.accepted, report.papers, report.rejected) == (195, 195, 0)
    assert report.files[0].format == "openalex"
    papers = exported(tmp_path)
    assert sum(paper["abstract"] is not None for paper in papers) == 195
    assert sum(paper["references"] is not None for paper in papers) == 180


def test_one_complete_work_of_2025(shared_data: Path, tmp_path: Path) -> None:
    report = run(tmp_path, shared_data / "openalex" / "W2741809807.json.gz")
    assert report.tally.accepted == 1
    (paper,) = exported(tmp_path)
    assert paper["ids"] == ["doi:10.7717/peerj.4375", "openalex:W2741809807", "pmid:29456894", "pmcid:PMC5815332"]
    assert paper["title"].startswith("The state of OA")
    assert paper["areas"]
    assert paper["references"]


def test_the_paper_that_the_product_was_conceived_from(shared: Path, tmp_path: Path) -> None:
    with store_in(tmp_path) as store:
        report = ingest([shared / "seed-paper.jsonl"], store, tmp_path, data_date=PartialDate(2026, 10, 7))
        assert (report.files[0].format, report.rejected, report.data_date) == ("papers", 0, "2026-10-07")
        stored = store.paper("arxiv:1802.09941")
        assert stored is not None
        assert stored.citations == 154
        assert stored.paper.references_state is ReferencesState.UNKNOWN
        assert stored.paper.date == PartialDate(2018, 2, 26)
        per_year = {2020: 1, 2021: 45, 2022: 20, 2023: 34, 2024: 21, 2025: 15, 2026: 18}
        assert store.citers_per_year("arxiv:1802.09941") == per_year
