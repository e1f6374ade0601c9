"""Every question of docs/cypher.md, asked of a real server, gives the answer that plain Python works out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from neo4j import Driver, GraphDatabase, RoutingControl
from neo4j.exceptions import ClientError

from corpus.folding import fold
from corpus.model import Record
from corpus.store import Run, Tally
from corpus.stores import open_store
from layout.arrays import read_corpus
from layout.eligibility import judge
from layout.parameters import Parameters
from tests.corpus.cypher_answers import ANSWERS, SHORT
from tests.corpus.cypher_doc import TEXT, questions
from tests.corpus.cypher_small import ASKED, DEFAULTS, EDITION, VALUES, address, fill, verdicts
from tests.corpus.cypher_world import World
from tests.databases import Database, emptied

QUESTIONS = questions()


@pytest.fixture(scope="module")
def world(neo4j: Database, tmp_path_factory: pytest.TempPathFactory) -> World:
    """The small corpus, in the server and beside it."""
    folder = tmp_path_factory.mktemp("cypher")
    emptied(neo4j)
    embedded = open_store("sqlite", folder)
    graph = open_store(neo4j.url, folder, access=neo4j.access)
    try:
        fill(embedded)
        fill(graph)
        told = verdicts(embedded)
        graph.publish(EDITION, told)
        return World.of(embedded, EDITION, told, ASKED)
    finally:
        embedded.close()
        graph.close()


@pytest.fixture(scope="module")
def driver(neo4j: Database, world: World) -> Iterator[Driver]:
    """A client like any other, of a server that holds the small corpus."""
    assert world.papers
    auth = None if neo4j.access.password is None else (neo4j.access.user, neo4j.access.password)
    with GraphDatabase.driver(neo4j.url, auth=auth) as opened:
        yield opened


def test_every_question_of_the_docs_has_an_answer_to_compare_with_and_there_are_enough_of_them() -> None:
    assert QUESTIONS.keys() == ANSWERS.keys()
    assert len(QUESTIONS) >= 20


@pytest.mark.parametrize("heading", QUESTIONS)
def test_the_graph_answers_as_plain_python_does(heading: str, world: World, driver: Driver, neo4j: Database) -> None:
    question = QUESTIONS[heading]
    found = 0
    for chosen in VALUES:
        values = DEFAULTS | chosen
        rows = question.ask(driver, values, neo4j.access.database)
        assert rows == ANSWERS[heading](world, values)[: question.limit], values
        found += len(rows)
    assert found, "the small corpus says nothing about this question"


def test_what_is_cut_is_cut_by_a_limit_and_every_long_answer_is_in_order() -> None:
    single = {heading for heading, question in QUESTIONS.items() if question.limit is None}
    assert single == {
        "Which paper has this identifier?",
        "What are the counts behind `paperatlas why`?",
        "How far apart are two papers, whoever cites whom?",
        "What does the corpus hold, and which map is published?",
    }
    assert all("ORDER BY" in question.cypher for heading, question in QUESTIONS.items() if heading not in single)


def test_answers_that_can_be_counted_by_hand(driver: Driver, neo4j: Database, world: World) -> None:
    def ask(heading: str, **values: Any) -> list[list[Any]]:
        return QUESTIONS[heading].ask(driver, DEFAULTS | values, neo4j.access.database)

    assert ask("Which papers cite each other?") == [[address("a6"), address("a7"), 2010, 2010]]
    assert ask("Which papers cite themselves?") == [[address("a8"), "Paper a8"]]
    cycles = [[address(name) for name in ("b5", "b6", seventh, "b5")] for seventh in ("b7", "e7")]
    assert ask("Which cycles of citations go through a paper?", a=address("b5")) == [[cycle, 3] for cycle in cycles]
    assert ask("Which works are missing from the corpus, the most cited first?")[0] == [address("x1"), 5]
    both = ask("Which papers cite both A and B?", a=address("a1"), b=address("b1"))
    assert sorted(row[0] for row in both) == [address(name) for name in ("a4", "b2", "b8", "c2", "u6")]
    reasons = dict(ask("How many papers are unplaced, by reason?"))
    assert reasons == {
        "no_reference_list": 2,
        "reference_list_empty": 1,
        "references_unresolved": 2,
        "references_outside_corpus": 1,
        "no_links": 1,
        "withdrawn": 1,
        "not_a_paper": 1,
        "not_yet_laid_out": 1,
    }
    assert world.papers[address("m1")].ids == (address("m1"), "openalex:W1")
    assert ask("Which paper has this identifier?", id="pmid:9")[0][0] == address("m1")


def test_one_reference_places_exactly_the_papers_that_are_said_to_be_one_short(
    world: World, driver: Driver, neo4j: Database, tmp_path: Path
) -> None:
    question = QUESTIONS["Which papers are one reference short of being placed?"]
    rows = question.ask(driver, {}, neo4j.access.database)
    short = {row[0]: row[4] for row in rows}
    laid = {one for one in world.papers if world.reason(one) in SHORT}
    known = {one.id for one in world.verdicts.values() if one.unplaced is not None}
    assert laid == short.keys()
    assert known > short.keys()
    for one in sorted(known):
        assert _placed_with(world, one, address("a1"), tmp_path / f"{one[-2:]}-in") == (one in short)
        if short.get(one):
            assert _placed_with(world, one, "doi:10.9/unheard-of", tmp_path / f"{one[-2:]}-out")
    assert sum(short.values()) == 2


def _placed_with(world: World, one: str, reference: str, folder: Path) -> bool:
    """Whether the paper is placed once its list has this reference too."""
    store = open_store("sqlite", folder)
    try:
        store.put(list(world.papers.values()), Run("r", "2026-12-01T10:00:00+00:00", None, (), Tally()))
        old = world.papers[one]
        record = Record(
            key=one, ids=old.ids, status=old.status, type=old.type, references=(*(old.references or ()), reference)
        )
        store.put([fold([record])], Run("r", "2026-12-01T10:00:00+00:00", None, (), Tally()))
        corpus = read_corpus(store)
    finally:
        store.close()
    tests = judge(corpus, np.zeros(corpus.n, np.int32), Parameters())
    return bool(tests.placeable[[ids[0] for ids in corpus.ids].index(one)])


def test_the_drawing_names_every_label_relationship_and_property_and_no_other(driver: Driver, neo4j: Database) -> None:
    def ask(cypher: str) -> list[list[Any]]:
        return [list(row.values()) for row in driver.execute_query(cypher, database_=neo4j.access.database).records]

    held: dict[str, set[str]] = {}
    for labels, name in ask("MATCH (n) UNWIND keys(n) AS name RETURN DISTINCT labels(n), name"):
        held.setdefault(":".join(labels), set()).add(name)
    drawn: dict[str, set[str]] = {}
    label = ""
    for first, names in re.findall(r"^\|([^|]*)\|([^|]*)\|[^|]*\|$", TEXT.split("## Papers")[0], re.MULTILINE):
        label = first.strip(" `") or label
        drawn.setdefault(label, set()).update(re.findall(r"`(\w+)`", names))
    del held["Writer"]
    assert {label: drawn[label] for label in held} == held
    relationships = ask("MATCH (n)-[r]->(m) RETURN DISTINCT labels(n)[0], type(r), labels(m)[0]")
    for start, kind, end in relationships:
        assert f"`(:{start})-[:{kind}]->(:{end})`" in TEXT
    assert len(relationships) == len(re.findall(r"^\| `\(:", TEXT, re.MULTILINE))


def test_a_client_that_connects_for_reading_cannot_write(driver: Driver, neo4j: Database) -> None:
    with pytest.raises(ClientError, match=r"(?i)read access mode"):
        driver.execute_query("CREATE (:Note)", database_=neo4j.access.database, routing_=RoutingControl.READ)
