"""Identifiers of papers: every form that people paste, one canonical form `scheme:value`.

A paper's address is a pure function of its identifiers: the first scheme in `PRECEDENCE`, then the smallest value.
Bare digits are never guessed. Forms and traps: docs/identifiers.md.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote, unquote

from corpus.arxiv import read_arxiv
from corpus.errors import BadIdentifier

PRECEDENCE: Final = ("arxiv", "doi", "openalex", "pmid", "pmcid", "s2")
MAX_BYTES: Final = 2048
"""Longest identifier, UTF-8: index keys of Neo4j end at about 8 kB."""
_MAX_INPUT: Final = 8192
_FORMS: Final = (
    "arXiv, DOI, OpenAlex (W...), PMID:..., PMC..., Semantic Scholar (CorpusId:...), links to them, scheme:value"
)


@dataclass(frozen=True, slots=True)
class Identifier:
    """An identifier; `str` gives the canonical form, without the version."""

    scheme: str
    value: str
    version: int | None = None

    def __str__(self) -> str:
        return f"{self.scheme}:{self.value}"


def parse(text: str) -> Identifier:
    """Read any accepted form; raise `BadIdentifier` that says what was tried."""
    found = recognise(text)
    if found is None:
        shown = "".join(character for character in text[:60] if character.isprintable())
        raise BadIdentifier(f"'{shown}' is no identifier in a known form ({_FORMS})")
    return found


def canonical(text: str) -> str:
    """Return `scheme:value`; raise `BadIdentifier`."""
    return str(parse(text))


def recognise(text: str) -> Identifier | None:
    """Read any accepted form, or return None."""
    if len(text) > _MAX_INPUT:
        return None
    bare = _trimmed(text)
    if not bare or len(bare.encode("utf-8", "replace")) > MAX_BYTES or _has_control(bare):
        return None
    for _ in range(2):  # `URL:https://...`
        if bare[:4].lower() == "url:":
            bare = bare[4:].strip()
    url = _URL.match(bare)
    if url:
        return _from_url(url[1].lower(), bare[url.end() :])
    return _from_prefix(bare) or _from_shape(bare)


def sort_ids(ids: Iterable[str]) -> tuple[str, ...]:
    """Distinct canonical identifiers in order of address precedence."""
    return tuple(sorted(set(ids), key=_rank))


def address(ids: Iterable[str]) -> str:
    """The identifier that a paper with these identifiers is shown under."""
    return min(ids, key=_rank)


def link(identifier: str) -> tuple[str, str] | None:
    """Label and link out for a canonical identifier; None where no page is known."""
    scheme, _, value = identifier.partition(":")
    form = _LINKS.get(scheme)
    if form is None:
        return None
    label, before = form
    if scheme == "s2":
        before += "CorpusID:" if value.isdigit() else ""
    return f"{label} {value}".strip(), before + quote(value, safe="/.:()-_~")


_LINKS: Final = {
    "arxiv": ("arXiv", "https://arxiv.org/abs/"),
    "doi": ("DOI", "https://doi.org/"),
    "openalex": ("OpenAlex", "https://openalex.org/"),
    "pmid": ("PubMed", "https://pubmed.ncbi.nlm.nih.gov/"),
    "pmcid": ("PubMed Central", "https://www.ncbi.nlm.nih.gov/pmc/articles/"),
    "s2": ("Semantic Scholar", "https://api.semanticscholar.org/"),
}

_URL: Final = re.compile(
    r"(?i:https?)://(?:[^/?#@]*@)?(?i:www\.)?([A-Za-z0-9.-]{1,253})(?::\d{1,5})?(?=[/?#]|$)", re.ASCII
)
_DOI: Final = re.compile(r"10\.\d{4,9}(?:\.\d+)*/\S+")
_ARXIV_DOI: Final = "10.48550/arxiv."
_SCHEME: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]{0,31}):(.+)", re.ASCII | re.DOTALL)
_OPENALEX: Final = re.compile(r"[Ww](\d{1,12})", re.ASCII)
_PMID: Final = re.compile(r"0*([1-9]\d{0,9})", re.ASCII)
_PMCID: Final = re.compile(r"(?i:PMC)?0*([1-9]\d{0,9})(?:\.\d+)?", re.ASCII)
_HEX: Final = re.compile(r"[0-9a-f]{40}", re.ASCII | re.IGNORECASE)
_NOT_SCHEMES: Final = frozenset(
    {"http", "https", "ftp", "file", "javascript", "data", "url", "mailto", "vbscript", "info"}
)


def _rank(identifier: str) -> tuple[int, str]:
    scheme = identifier.partition(":")[0]
    return (PRECEDENCE.index(scheme) if scheme in PRECEDENCE else len(PRECEDENCE), identifier)


def _trimmed(text: str) -> str:
    kept = "".join(character for character in text if unicodedata.category(character) != "Cf")
    return kept.strip()


def _has_control(text: str) -> bool:
    return any(unicodedata.category(character) in {"Cc", "Cs", "Zl", "Zp"} for character in text)


def _read_doi(text: str) -> Identifier | None:
    low = text.strip().lower()
    if not _DOI.fullmatch(low):
        return None
    if low.startswith(_ARXIV_DOI) and (found := read_arxiv(low[len(_ARXIV_DOI) :])):
        return Identifier("arxiv", *found)
    return Identifier("doi", low)


def _read_arxiv(text: str) -> Identifier | None:
    found = read_arxiv(text.strip())
    return Identifier("arxiv", *found) if found else None


def _read_openalex(text: str) -> Identifier | None:
    match = _OPENALEX.fullmatch(text.strip())
    return Identifier("openalex", f"W{match[1]}") if match else None


def _read_pmid(text: str) -> Identifier | None:
    match = _PMID.fullmatch(text.strip())
    return Identifier("pmid", match[1]) if match else None


def _read_pmcid(text: str) -> Identifier | None:
    match = _PMCID.fullmatch(text.strip())
    return Identifier("pmcid", f"PMC{match[1]}") if match else None


def _read_s2(text: str) -> Identifier | None:
    bare = text.strip()
    if _HEX.fullmatch(bare):
        return Identifier("s2", bare.lower())
    match = _PMID.fullmatch(bare.removeprefix("CorpusId:").removeprefix("CorpusID:"))
    return Identifier("s2", match[1]) if match else None


_PREFIXES: Final[dict[str, Callable[[str], Identifier | None]]] = {
    "arxiv": lambda text: _read_arxiv(text) or (_from_url_text(text)),
    "doi": _read_doi,
    "openalex": _read_openalex,
    "pmid": _read_pmid,
    "pubmed": _read_pmid,
    "pmcid": _read_pmcid,
    "pmc": _read_pmcid,
    "s2": _read_s2,
    "corpusid": _read_s2,
}


def _from_prefix(text: str) -> Identifier | None:
    if text[:4].lower() == "doi " and (found := _read_doi(text[4:])):
        return found
    match = _SCHEME.fullmatch(text)
    if match is None:
        return None
    scheme, value = match[1].lower(), match[2].strip()
    if scheme in _PREFIXES:
        return _PREFIXES[scheme](value)
    if scheme in _NOT_SCHEMES or not value or value.startswith("//"):
        return None
    return Identifier(scheme, value)


def _from_shape(text: str) -> Identifier | None:
    """Read what needs no prefix; bare digits are nobody's."""
    if text[:3].lower() == "pmc":
        return _read_pmcid(text)
    if _HEX.fullmatch(text):
        return _read_s2(text)
    return _read_arxiv(text) or _read_doi(text) or _read_openalex(text)


def _from_url_text(text: str) -> Identifier | None:
    url = _URL.match(text)
    return _from_url(url[1].lower(), text[url.end() :]) if url else None


def _from_url(host: str, rest: str) -> Identifier | None:
    path = unquote(rest.split("#")[0].split("?")[0]).removeprefix("/")
    if _has_control(path):
        return None
    for suffix, read in _HOSTS:
        if host == suffix or host.endswith("." + suffix):
            return read(path)
    return None


def _from_arxiv_path(path: str) -> Identifier | None:
    head, _, tail = path.strip("/").partition("/")
    if head.lower() not in {"abs", "pdf", "html", "ps", "format", "e-print", "src"}:
        return None
    low = tail.lower()
    return _read_arxiv(tail[:-4] if low.endswith(".pdf") else tail[:-3] if low.endswith(".ps") else tail)


def _last(path: str) -> str:
    return path.rstrip("/").rsplit("/", 1)[-1]


def _from_ncbi_path(path: str) -> Identifier | None:
    head = path.lower()
    if head.startswith("pubmed/"):
        return _read_pmid(_last(path))
    return _read_pmcid(_last(path)) if "articles/" in head else None


def _from_s2_path(path: str) -> Identifier | None:
    tail = _last(path)
    return _read_s2(tail) if tail.lower().startswith("corpusid:") or _HEX.fullmatch(tail) else None


_HOSTS: Final[tuple[tuple[str, Callable[[str], Identifier | None]], ...]] = (
    ("arxiv.org", _from_arxiv_path),
    ("doi.org", _read_doi),
    ("openalex.org", lambda path: _read_openalex(_last(path))),
    ("pubmed.ncbi.nlm.nih.gov", lambda path: _read_pmid(_last(path))),
    ("ncbi.nlm.nih.gov", _from_ncbi_path),
    ("semanticscholar.org", _from_s2_path),
)
