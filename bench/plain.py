"""How fast this machine is: the plainest load of the same papers, against which `bench/stores.py` holds ours.

What they keep is a title, an abstract, a year, an area and the citations: no identifiers but one, no provenance, no reasons.
"""

from __future__ import annotations

import csv
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Final, TypeVar

from neo4j import Driver, GraphDatabase

from corpus.local_neo4j import endpoint
from corpus.local_neo4j.admin import import_files
from corpus.model import Paper

_T = TypeVar("_T")
_TABLES: Final = """
CREATE TABLE paper(n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, title TEXT, year INT, area TEXT, citations INT NOT NULL DEFAULT 0);
CREATE TABLE abstract(n INTEGER PRIMARY KEY, text TEXT);
CREATE TABLE cites(citing INT, cited INT, PRIMARY KEY(citing, cited)) WITHOUT ROWID;
CREATE INDEX cited ON cites(cited, citing);
CREATE VIRTUAL TABLE words USING fts5(title, content='paper', content_rowid='n', prefix='2 3 4', tokenize='unicode61 remove_diacritics 2');
CREATE TRIGGER titled AFTER INSERT ON paper WHEN new.title IS NOT NULL BEGIN
  INSERT INTO words(rowid, title) VALUES(new.n, new.title);
END;
"""
_SCHEMA: Final = (
    "CREATE CONSTRAINT FOR (p:Paper) REQUIRE p.id IS UNIQUE",
    "CREATE CONSTRAINT FOR (p:Paper) REQUIRE p.n IS UNIQUE",
    "CREATE INDEX FOR (p:Paper) ON (p.year)",
    "CREATE FULLTEXT INDEX FOR (p:Paper) ON EACH [p.title] OPTIONS {indexConfig: {`fulltext.analyzer`: 'standard-folding'}}",
    "CALL db.awaitIndexes()",
)
_ROWS: Final = 5_000
_HEAD: Final = [":ID(Paper)", "id", "n:int", "title", "abstract", "year:int", "area", "citations:int"]


def load_sqlite(papers: Sequence[Paper], folder: Path) -> None:
    """20,000 papers, or 100,000 citations, in a transaction; citations are counted at the end."""
    connection = sqlite3.connect(folder / "plain.sqlite", isolation_level=None)
    for pragma in ("journal_mode=WAL", "synchronous=NORMAL", "cache_size=-100000"):
        connection.execute(f"PRAGMA {pragma}")
    connection.executescript(_TABLES)
    for rows in _chunks(_records(papers), 20_000):
        connection.execute("BEGIN IMMEDIATE")
        connection.executemany("INSERT INTO paper(id, title, year, area) VALUES(:id, :title, :year, :area)", rows)
        connection.executemany("INSERT INTO abstract SELECT n, :abstract FROM paper WHERE id = :id", rows)
        connection.execute("COMMIT")
    for pairs in _chunks(_citations(papers), 100_000):
        connection.execute("BEGIN IMMEDIATE")
        ends = sorted({(end,) for pair in pairs for end in pair})
        connection.executemany("INSERT OR IGNORE INTO paper(id) VALUES(?)", ends)
        connection.executemany(
            "INSERT OR IGNORE INTO cites SELECT a.n, b.n FROM paper a, paper b WHERE a.id = ? AND b.id = ?", pairs
        )
        connection.execute("COMMIT")
    connection.execute("UPDATE paper SET citations = (SELECT count(*) FROM cites WHERE cited = paper.n)")
    connection.close()


def load_neo4j(papers: Sequence[Paper], data: Path) -> None:
    """Managed transactions of 5,000 rows into the local server that runs in `data`; citations are counted at the end."""
    place = endpoint(data)
    with GraphDatabase.driver(place.url, auth=(place.user, place.password)) as driver:
        for statement in _SCHEMA:
            driver.execute_query(statement)
        for rows in _chunks(_records(papers), _ROWS):
            driver.execute_query(
                "UNWIND $rows AS r MERGE (p:Paper {id: r.id}) SET p.n = r.n, p.title = r.title,"
                " p.abstract = r.abstract, p.year = r.year, p.area = r.area",
                rows=sorted(rows, key=lambda row: row["id"]),
            )
        for pairs in _chunks(_citations(papers), _ROWS):
            _cite(driver, pairs)
        driver.execute_query(
            "MATCH (p:Paper) CALL (p) { SET p.citations = COUNT { (p)<-[:CITES]-() } } RETURN count(p) AS papers"
        )


def import_neo4j(folder: Path, data: Path) -> None:
    """The import program over files that are there (`write_files`), into the local server of `data`, which is stopped."""
    import_files(data, {"Paper": [folder / "papers.csv"]}, {"CITES": [folder / "cites.csv"]}, delimiter=";")


def write_files(papers: Sequence[Paper], folder: Path) -> None:
    """The two files of the plain import."""
    with (folder / "papers.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(_HEAD)
        for row in _records(papers):
            values = [row[name] for name in ("n", "id", "n", "title", "abstract", "year", "area")]
            writer.writerow([*values, 0])
    with (folder / "cites.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([":START_ID(Paper)", ":END_ID(Paper)"])
        numbers = {paper.address: n for n, paper in enumerate(papers)}
        writer.writerows((numbers[citing], numbers[cited]) for citing, cited in _citations(papers))


def _cite(driver: Driver, pairs: list[list[str]]) -> None:
    ends = sorted({end for pair in pairs for end in pair})
    driver.execute_query("UNWIND $ids AS id MERGE (:Paper {id: id})", ids=ends)
    driver.execute_query(
        "UNWIND $rows AS r MATCH (a:Paper {id: r[0]}) MATCH (b:Paper {id: r[1]}) MERGE (a)-[:CITES]->(b)",
        rows=sorted(pairs),
    )


def _records(papers: Iterable[Paper]) -> Iterator[dict[str, Any]]:
    for n, paper in enumerate(papers):
        yield {
            "n": n,
            "id": paper.address,
            "title": paper.title,
            "abstract": paper.abstract,
            "year": paper.year,
            "area": paper.areas[0] if paper.areas else None,
        }


def _citations(papers: Iterable[Paper]) -> Iterator[list[str]]:
    return ([paper.address, cited] for paper in papers for cited in paper.references or ())


def _chunks(rows: Iterable[_T], size: int) -> Iterator[list[_T]]:
    rest = iter(rows)
    while chunk := list(islice(rest, size)):
        yield chunk
