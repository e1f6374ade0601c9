"""Identifiers: every form that people paste, and nothing else."""

from __future__ import annotations

from urllib.parse import quote

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from corpus.arxiv import ARCHIVES
from corpus.errors import BadIdentifier
from corpus.identifiers import MAX_BYTES, address, canonical, link, out_of_prose, parse, recognise, sort_ids

HEX = "0123456789abcdef0123456789abcdef01234567"
FORMS = [
    ("2101.00001", "arxiv:2101.00001"),
    ("arXiv:2101.00001v3", "arxiv:2101.00001"),
    ("ARXIV: 2101.00001", "arxiv:2101.00001"),
    ("https://arxiv.org/abs/2101.00001", "arxiv:2101.00001"),
    ("http://www.arxiv.org/pdf/2101.00001v2.pdf", "arxiv:2101.00001"),
    ("https://export.arxiv.org/abs/hep-th/9901001v1?context=math#x", "arxiv:hep-th/9901001"),
    ("https://arxiv.org/html/2101.00001v1", "arxiv:2101.00001"),
    ("URL:https://arxiv.org/abs/2101.00001", "arxiv:2101.00001"),
    ("10.48550/arXiv.2202.01037", "arxiv:2202.01037"),
    ("https://doi.org/10.48550/arXiv.hep-th/9901001", "arxiv:hep-th/9901001"),
    ("arxiv.org/abs/2101.00001", "arxiv:2101.00001"),
    ("arXiv:https://arxiv.org/abs/2101.00001", "arxiv:2101.00001"),
    ("https://arxiv.org/abs/arXiv:2101.00001v2", "arxiv:2101.00001"),
    ("http://arxiv.org/ps/hep-th/9901001.ps", "arxiv:hep-th/9901001"),
    ("arXiv:2101.00001v1 [cs.LG]", "arxiv:2101.00001"),
    ("arXiv:2101.00001v1  [math.GT] 3 Jan 2021", "arxiv:2101.00001"),
    ("info:arxiv/2101.00001", "arxiv:2101.00001"),
    ("0704.0010", "arxiv:0704.0010"),
    ("1412.0001", "arxiv:1412.0001"),
    ("1501.00001", "arxiv:1501.00001"),
    ("hep-th/9901001", "arxiv:hep-th/9901001"),
    ("math.GT/0309136", "arxiv:math/0309136"),
    ("cs.AI/0501001v2", "arxiv:cs/0501001"),
    ("astro-ph9912010", "arxiv:astro-ph/9912010"),
    ("atom-ph/9601001", "arxiv:atom-ph/9601001"),
    ("physics/9610001", "arxiv:physics/9610001"),
    ("10.1000/ABC", "doi:10.1000/abc"),
    ("doi:10.1000/abc", "doi:10.1000/abc"),
    ("DOI 10.1000/abc", "doi:10.1000/abc"),
    ("https://doi.org/10.1000/abc?x=1#y", "doi:10.1000/abc"),
    ("http://dx.doi.org/10.1000%2Fabc", "doi:10.1000/abc"),
    ("https://www.doi.org/10.1000/abc", "doi:10.1000/abc"),
    (" \u200b10.1000/abc\ufeff\u00a0", "doi:10.1000/abc"),
    (
        "10.1002/(SICI)1099-1476(199902)22:3<267::AID-MMA40>3.0.CO;2-A",
        "doi:10.1002/(sici)1099-1476(199902)22:3<267::aid-mma40>3.0.co;2-a",
    ),
    ("10.1649/0010-065x(2001)055[0411:daposa]2.0.co;2", "doi:10.1649/0010-065x(2001)055[0411:daposa]2.0.co;2"),
    ("10.1000/123-</script>", "doi:10.1000/123-</script>"),
    ("10.1000/a+b", "doi:10.1000/a+b"),
    ("10.1000/a#b", "doi:10.1000/a#b"),
    ("doi.org/10.1000/abc", "doi:10.1000/abc"),
    ("DOI: https://doi.org/10.1000/ABC", "doi:10.1000/abc"),
    ("info:doi/10.1000/abc", "doi:10.1000/abc"),
    ("https://doi.org/10.1000/a%2Fb%2F", "doi:10.1000/a/b/"),
    ("https://doi.org/10.1000/a%E2%80%8B", "doi:10.1000/a"),
    ("10.1000/a%2Fb", "doi:10.1000/a%2fb"),
    ("10.1000/\N{LATIN CAPITAL LETTER I WITH DOT ABOVE}", "doi:10.1000/\N{LATIN CAPITAL LETTER I WITH DOT ABOVE}"),
    ("10.1000.10/1", "doi:10.1000.10/1"),
    ("10.1000/" + "x" * 500, "doi:10.1000/" + "x" * 500),
    ("W2741809807", "openalex:W2741809807"),
    ("w2741809807", "openalex:W2741809807"),
    ("https://openalex.org/W2741809807", "openalex:W2741809807"),
    ("https://api.openalex.org/works/w2741809807", "openalex:W2741809807"),
    ("openalex:w1", "openalex:W1"),
    ("CorpusId:123", "s2:123"),
    ("s2:123", "s2:123"),
    (HEX.upper(), f"s2:{HEX}"),
    (f"https://www.semanticscholar.org/paper/Some-Title/{HEX}", f"s2:{HEX}"),
    ("https://api.semanticscholar.org/CorpusID:123", "s2:123"),
    ("s2:CORPUSID:123", "s2:123"),
    (f"https://www.semanticscholar.org/paper/{HEX}/figure/2", f"s2:{HEX}"),
    ("PMID:00123", "pmid:123"),
    ("https://pubmed.ncbi.nlm.nih.gov/29456894/", "pmid:29456894"),
    ("https://www.ncbi.nlm.nih.gov/pubmed/29456894", "pmid:29456894"),
    ("PMC123", "pmcid:PMC123"),
    ("pmcid:123", "pmcid:PMC123"),
    ("https://www.ncbi.nlm.nih.gov/pmc/articles/PMC123/", "pmcid:PMC123"),
    ("https://www.ncbi.nlm.nih.gov/pmc/articles/PMC123/pdf/main.pdf", "pmcid:PMC123"),
    ("https://pmc.ncbi.nlm.nih.gov/articles/PMC123.1/", "pmcid:PMC123"),
    ("https://europepmc.org/article/MED/29456894", "pmid:29456894"),
    ("https://europepmc.org/articles/PMC123", "pmcid:PMC123"),
    ("fixture:listed-04", "fixture:listed-04"),
    ("MAG:2741809807", "mag:2741809807"),
    ("omid:br/06101801781", "omid:br/06101801781"),
    ("bar:a  b\u00a0c", "bar:a b c"),
]
REFUSED = [
    "",
    "   ",
    "12345678",
    "0112019",
    "1313.0001",
    "2101.0001",
    "1412.00001",
    "2101.00001v0",
    "0703.0001",
    "physics/9601001",
    "nosuch-ph/9901001",
    "hep-th/9913001",
    "hep-th/0704001",
    "10.1000",
    "10.1/x",
    "doi:nothing",
    "arxiv:nothing",
    "javascript:alert(1)",
    "data:text/html,x",
    "file:///etc/passwd",
    "http://example.org/10.1000/abc",
    "https://arxiv.org.evil.example/abs/2101.00001",
    "https://evilarxiv.org/abs/2101.00001",
    "http://doi.org.example/10.1000/abc",
    "https://doi.org@evil.example/10.1000/abc",
    "https://doi.org",
    "https://doi.org/10.1000/a%00b",
    "https://openalex.org/A5023888391",
    "https://www.semanticscholar.org/author/12345",
    "https://pubmed.ncbi.nlm.nih.gov/?term=123",
    "arXiv:2101.00001 and more",
    "10.\u0661\u0662\u0663\u0664/x",
    "a title of a paper",
    "Scientometrics: an overview",
    "\ud800",
    "10.1000/a\x00b",
    "x" * 10_000,
    "scheme:",
    "doi:10.1000/" + "x" * 3000,
]


@pytest.mark.parametrize(("form", "expected"), FORMS, ids=lambda value: value[:50])
def test_every_form_has_one_canonical_form(form: str, expected: str) -> None:
    assert canonical(form) == expected
    assert canonical(expected) == expected


@pytest.mark.parametrize("text", REFUSED, ids=lambda value: repr(value[:40]))
def test_what_is_no_identifier_is_refused_with_the_forms_that_were_tried(text: str) -> None:
    assert recognise(text) is None
    with pytest.raises(BadIdentifier, match="arXiv, DOI, OpenAlex"):
        parse(text)


def test_the_version_is_kept_apart() -> None:
    assert parse("arXiv:2101.00001v3").version == 3
    assert parse("2101.00001").version is None


def test_the_address_is_the_first_scheme_then_the_smallest_value() -> None:
    ids = [
        "zeta:1",
        "s2:9",
        "pmcid:PMC1",
        "pmid:2",
        "openalex:W1",
        "doi:10.1000/b",
        "doi:10.1000/a",
        "alpha:1",
        "arxiv:2101.00002",
    ]
    expected = (
        "arxiv:2101.00002",
        "doi:10.1000/a",
        "doi:10.1000/b",
        "openalex:W1",
        "pmid:2",
        "pmcid:PMC1",
        "s2:9",
        "alpha:1",
        "zeta:1",
    )
    assert sort_ids(ids) == sort_ids(reversed(ids)) == sort_ids(ids * 2) == expected
    assert address(ids) == "arxiv:2101.00002"


@pytest.mark.parametrize(
    "identifier", ["doi:10.1000/123-</script>", 'doi:10.1000/"onload=x', "arxiv:hep-th/9901001", "s2:12"]
)
def test_links_out_are_https_and_escaped(identifier: str) -> None:
    found = link(identifier)
    assert found is not None
    assert found[1].startswith("https://")
    assert not set(found[1]) & set("<>\"' ")


def test_an_unknown_scheme_has_no_link() -> None:
    assert link("fixture:1") is None
    assert link("javascript:alert(1)") is None


PIECES = st.sampled_from(
    "arxiv: doi: DOI pmid: pmc PMCID: s2: CorpusId: openalex: URL: info:doi/ x: http:// https:// @ doi.org/ arxiv.org/abs/ / : . % %20 "
    "%E2%80%8B %00 10.1000/ 10. 2101.00001 hep-th 9901001 v2 W12 PMC7 123 [cs.LG] .pdf ? #".split(" ")
) | st.text(max_size=4)


@given(st.text(max_size=60) | st.lists(PIECES, max_size=8).map("".join))
def test_any_text_is_an_identifier_for_good_or_is_refused(text: str) -> None:
    try:
        once = canonical(text)
    except BadIdentifier:
        assert recognise(text) is None
        return
    assert canonical(once) == once
    assert once == sort_ids([once])[0] == address([once])
    link(once)


@pytest.mark.parametrize(
    "unit", ["a", "10.", "10.1000/", "W1", "https://", "a:", "/", " ", "-", "1", "%", "@", "arxiv:", "\u0130"]
)
def test_the_longest_text_is_read_or_refused_and_stays_within_the_limit(unit: str) -> None:
    for text in (unit * (8192 // len(unit)), f"10.1000/{unit * (2040 // len(unit))}", unit * 100_000):
        found = recognise(text)
        if found:
            assert len(str(found).encode()) <= MAX_BYTES
            assert canonical(str(found)) == str(found)


@given(
    st.text(alphabet=st.characters(exclude_categories=["Cc", "Cs", "Cf", "Zs", "Zl", "Zp"]), min_size=1, max_size=40),
    st.booleans(),
)
def test_any_doi_is_found_by_each_of_its_forms(suffix: str, upper: bool) -> None:
    expected = "doi:10.1000/" + "".join(letter.lower() if letter.isascii() else letter for letter in suffix)
    doi = "10.1000/" + "".join(letter.upper() if upper and letter.isascii() else letter for letter in suffix)
    escaped = quote(doi, safe="")
    forms = [doi, f"doi:{doi}", f"DOI: {doi}", f"DOI {doi}", f" {doi}\u200b ", f"info:doi/{doi}"]
    forms += [
        f"{start}{escaped}" for start in ("https://doi.org/", "http://dx.doi.org/", "doi.org/", "doi:https://doi.org/")
    ]
    assert {canonical(form) for form in forms} == {expected}


@given(
    st.sampled_from(sorted(ARCHIVES)),
    st.integers(1, 12),
    st.integers(98, 99),
    st.integers(1, 999),
    st.integers(1, 99),
    st.booleans(),
)
def test_any_old_arxiv_identifier_is_found_by_each_of_its_forms(
    archive: str, month: int, year: int, number: int, version: int, upper: bool
) -> None:
    assume(archive not in {"nlin", "q-bio"})  # they began later
    bare = f"{archive}/{year:02d}{month:02d}{number:03d}"
    forms = [
        bare,
        f"{bare}v{version}",
        f"arXiv:{bare}",
        f"https://arxiv.org/abs/{bare}v{version}",
        f"10.48550/arXiv.{bare}",
    ]
    assert {canonical(form.upper() if upper else form) for form in forms} == {f"arxiv:{bare}"}


@given(st.integers(15, 40), st.integers(1, 12), st.integers(1, 99_999), st.integers(1, 999))
def test_any_new_arxiv_identifier_is_found_by_each_of_its_forms(
    year: int, month: int, number: int, version: int
) -> None:
    bare = f"{year}{month:02d}.{number:05d}"
    forms = [bare, f"{bare}v{version}", f"https://arxiv.org/pdf/{bare}v{version}.pdf", f"doi:10.48550/ARXIV.{bare}"]
    assert {canonical(form) for form in forms} == {f"arxiv:{bare}"}


@pytest.mark.parametrize(
    ("copied", "meant"),
    [
        ("10.1000/abc.", "10.1000/abc"),
        ("(10.1000/abc).", "10.1000/abc"),
        ("“10.1000/abc”,", "10.1000/abc"),
        ("<https://doi.org/10.1000/abc>", "https://doi.org/10.1000/abc"),
        ("10.1000/a(b)c(d)", "10.1000/a(b)c(d)"),
        ("10.1002/(sici)1:3<2::aid>3.0.co;2-a", "10.1002/(sici)1:3<2::aid>3.0.co;2-a"),
        ("...", ""),
    ],
)
def test_what_clings_to_an_identifier_in_a_sentence_comes_off(copied: str, meant: str) -> None:
    assert out_of_prose(copied) == meant
    assert out_of_prose(meant) == meant
