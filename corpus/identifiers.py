"""Identifiers of papers: every form that people paste, one canonical form `scheme:value`.

A paper's address is a pure function of its identifiers: the first scheme in `PRECEDENCE`, then the smallest value.
Bare digits are never guessed: they may be a PMID as well as a corpus id of Semantic Scholar.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Final
from urllib.parse import quote, unquote

from corpus.arxiv import read_arxiv
from corpus.errors import BadIdentifier

PRECEDENCE: Final = ("arxiv", "doi", "openalex", "pmid", "pmcid", "s2")
MAX_BYTES: Final = 2048
"""Longest canonical form, UTF-8: index keys of Neo4j end at about 8 kB."""
_MAX_INPUT: Final = 8192
"""Characters looked at; a percent-encoded link is up to three times as long as what it says."""
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
    if not bare or _has_control(bare):
        return None
    if bare[:4].lower() == "url:":
        bare = bare[4:].strip()
    found = _from_link(bare) or _from_prefix(bare) or _from_shape(bare)
    return found if found and len(str(found).encode()) <= MAX_BYTES else None


def out_of_prose(text: str) -> str:
    """Take off what clings to an identifier that is copied out of a sentence: quotes, brackets without a partner, final points."""
    bare = text.strip()
    while bare:
        last = bare[-1]
        if _OPENING.get(bare[0]) == last:  # no identifier begins with a bracket
            bare = bare[1:-1].strip()
        elif last in ".,;:'\"”’»" or (last in _CLOSING and bare.count(last) > bare.count(_CLOSING[last])):
            bare = bare[:-1].rstrip()
        elif bare[0] in "'\"“‘«" or bare[0] in _OPENING:
            bare = bare[1:].lstrip()
        else:
            break
    return bare


_CLOSING: Final = {")": "(", "]": "[", ">": "<", "}": "{"}
_OPENING: Final = {opening: closing for closing, opening in _CLOSING.items()}


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
    if scheme == "s2" and value.isdigit():
        before = "https://api.semanticscholar.org/CorpusID:"
    return f"{label} {value}".strip(), before + quote(value, safe="/.:()-_~")


_LINKS: Final = {
    "arxiv": ("arXiv", "https://arxiv.org/abs/"),
    "doi": ("DOI", "https://doi.org/"),
    "openalex": ("OpenAlex", "https://openalex.org/"),
    "pmid": ("PubMed", "https://pubmed.ncbi.nlm.nih.gov/"),
    "pmcid": ("PubMed Central", "https://www.ncbi.nlm.nih.gov/pmc/articles/"),
    "s2": ("Semantic Scholar", "https://www.semanticscholar.org/paper/"),
}

_LINK: Final = re.compile(
    r"(?:(?i:https?)://(?:[^/?#@]*@)?)?(?P<host>[A-Za-z0-9.-]{1,253})(?::[0-9]{1,5})?(?=[/?#]|$)", re.ASCII
)
_DOI: Final = re.compile(r"10\.[0-9]{4,9}(?:\.[0-9]+)*/\S+")
_LOWER: Final = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}
"""DOIs are case-insensitive in ASCII alone (DOI Handbook, "Case sensitivity")."""
_ARXIV_DOI: Final = "10.48550/arxiv."
_SCHEME: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]{0,31}):(.+)", re.ASCII | re.DOTALL)
_OPENALEX: Final = re.compile(r"[Ww](\d{1,12})", re.ASCII)
_PMID: Final = re.compile(r"0*([1-9]\d{0,9})", re.ASCII)
_PMCID: Final = re.compile(r"(?i:PMC)?0*([1-9]\d{0,9})(?:\.\d+)?", re.ASCII)
_CLASS: Final = re.compile(r"\[[a-z-]{2,20}(?:\.[a-z-]{2,20})?\](?: \d{1,2} [a-z]{3} \d{4})?", re.ASCII | re.IGNORECASE)
"""What follows an identifier in arXiv's own way to cite: `[cs.LG]`, and the date on a first page."""
_CORPUS: Final = re.compile(r"(?:corpusid:)?0*([1-9]\d{0,9})", re.ASCII | re.IGNORECASE)
_HEX: Final = re.compile(r"[0-9a-f]{40}", re.ASCII | re.IGNORECASE)
_NOT_SCHEMES: Final = frozenset({"http", "https", "ftp", "file", "javascript", "data", "url", "mailto", "vbscript"})


def _rank(identifier: str) -> tuple[int, str]:
    scheme = identifier.partition(":")[0]
    return (PRECEDENCE.index(scheme) if scheme in PRECEDENCE else len(PRECEDENCE), identifier)


def _is_plain(text: str) -> bool:
    """Whether a text is of printable ASCII alone, as most are: it holds nothing to trim or refuse."""
    return text.isascii() and text.isprintable()


def _trimmed(text: str) -> str:
    if _is_plain(text):
        return text.strip()
    kept = "".join(character for character in text if unicodedata.category(character) != "Cf")
    return kept.strip()


def _has_control(text: str) -> bool:
    return not _is_plain(text) and any(
        unicodedata.category(character) in {"Cc", "Cs", "Zl", "Zp"} for character in text
    )


def _read_doi(text: str) -> Identifier | None:
    low = text.strip().translate(_LOWER)
    if not _DOI.fullmatch(low):
        return None
    if low.startswith(_ARXIV_DOI) and (found := read_arxiv(low[len(_ARXIV_DOI) :])):
        return Identifier("arxiv", *found)
    return Identifier("doi", low)


def _read_arxiv(text: str) -> Identifier | None:
    bare, _, after = text.strip().partition(" ")
    found = read_arxiv(bare) if not after or _CLASS.fullmatch(after.strip()) else None
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
    match = _CORPUS.fullmatch(bare)
    return Identifier("s2", match[1]) if match else None


_PREFIXES: Final[dict[str, Callable[[str], Identifier | None]]] = {
    "arxiv": _read_arxiv,
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
        return _PREFIXES[scheme](value) or _from_link(value)
    if scheme == "info":  # info:doi/10.1000/1, RFC 4452
        kind, _, rest = value.partition("/")
        return _PREFIXES[kind.lower()](rest) if kind.lower() in _PREFIXES else None
    title_like = match[2][0].isspace()  # "Scientometrics: an overview"
    if scheme in _NOT_SCHEMES or not value or value.startswith("//") or title_like:
        return None
    return Identifier(scheme, " ".join(value.split()))  # as people type it


def _from_shape(text: str) -> Identifier | None:
    """Read what needs no prefix; bare digits are nobody's."""
    if text[:3].lower() == "pmc":
        return _read_pmcid(text)
    if _HEX.fullmatch(text):
        return _read_s2(text)
    return _read_arxiv(text) or _read_doi(text) or _read_openalex(text)


def _from_link(text: str) -> Identifier | None:
    """Read an address of a known host, with or without `https://`."""
    link = _LINK.match(text)
    if link is None:
        return None
    host = "." + link["host"].lower()
    read = next((read for name, read in _HOSTS if host.endswith("." + name)), None)
    path = _trimmed(unquote(text[link.end() :].split("#")[0].split("?")[0])).lstrip("/")
    return None if read is None or _has_control(path) else read(path)


def _parts(path: str) -> list[str]:
    return [part for part in path.split("/") if part.strip()]


def _after(parts: list[str], *heads: str) -> str:
    """The part that follows the first of `heads`; empty where none does."""
    return next((after for head, after in pairwise(parts) if head.lower() in heads), "")


def _from_arxiv_path(path: str) -> Identifier | None:
    head, _, tail = path.strip("/ ").partition("/")
    if head.lower() not in {"abs", "pdf", "html", "ps", "format", "e-print", "src"}:
        return None
    for ending in (".pdf", ".ps"):
        tail = tail[: -len(ending)] if tail.lower().endswith(ending) else tail
    return _read_arxiv(tail[6:] if tail[:6].lower() == "arxiv:" else tail)


def _from_ncbi_path(path: str) -> Identifier | None:
    parts = _parts(path)
    return _read_pmid(_after(parts, "pubmed")) or _read_pmcid(_after(parts, "articles"))


def _from_europe_path(path: str) -> Identifier | None:
    parts = _parts(path)
    return _read_pmid(_after(parts, "med")) or _read_pmcid(_after(parts, "pmc", "articles"))


def _from_s2_path(path: str) -> Identifier | None:
    parts = _parts(path)
    named = next((part for part in parts if part.lower().startswith("corpusid:") or _HEX.fullmatch(part)), "")
    return _read_s2(named)


_HOSTS: Final[tuple[tuple[str, Callable[[str], Identifier | None]], ...]] = (
    ("arxiv.org", _from_arxiv_path),
    ("doi.org", _read_doi),
    ("openalex.org", lambda path: _read_openalex("".join(_parts(path)[-1:]))),
    ("pubmed.ncbi.nlm.nih.gov", lambda path: _read_pmid("".join(_parts(path)[:1]))),
    ("ncbi.nlm.nih.gov", _from_ncbi_path),
    ("europepmc.org", _from_europe_path),
    ("semanticscholar.org", _from_s2_path),
)
