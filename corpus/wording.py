"""The words that readers see for every reason and mark. `docs/reasons.md` has a heading for each.

A text speaks in counts, never in adjectives, and what is unknown is said to be unknown.
"""

from __future__ import annotations

from typing import Final

from corpus import sentences
from corpus.phrases import (
    BY_CITERS,
    CITED,
    CITERS,
    GIVE_LIST,
    INGEST,
    INGEST_SOURCE,
    LAYOUT,
    LAYOUT_AGAIN,
    LIST,
    NEVER,
    NOT_APPLICABLE,
    NOW,
    TEXT,
    UNKNOWN,
    Expected,
    Wording,
    says,
)
from corpus.reasons import Mark, Reason

__all__ = ["MARKS", "WORDING", "Expected", "Wording"]

WORDING: Final[dict[Reason, Wording]] = {
    Reason.NOT_UNDERSTOOD: Wording(
        "Not understood",
        sentences.not_understood,
        (
            "Paste an identifier (arXiv, DOI, OpenAlex, PMID, PMCID, Semantic Scholar), its link, or the whole title.",
            "Pick one of the near matches, if there are any.",
        ),
        (),
        None,
        NOT_APPLICABLE,
    ),
    Reason.AMBIGUOUS: Wording(
        "Several papers have this title",
        sentences.ambiguous,
        ("Choose one of them, or paste an identifier.",),
        ("If two of them are one paper, ingest a record that carries the identifiers of both: they are then merged.",),
        None,
        NOT_APPLICABLE,
    ),
    Reason.NOT_IN_CORPUS: Wording(
        "Not in this corpus",
        sentences.not_in_corpus,
        (
            "Check the identifier.",
            "Ask the operator to ingest the paper, or give a record of it in the neutral format.",
        ),
        ("Ingest a source that has it (`paperatlas ingest FILE`), then run `paperatlas layout`.",),
        says("A record of the paper with a reference list, and a layout after it."),
        INGEST,
    ),
    Reason.ARRIVES_LATER: Wording(
        "Newer than the data",
        sentences.arrives_later,
        ("Come back when the data date has passed it.",),
        ("Ingest newer data, then run `paperatlas layout`.",),
        says("Data of a later date that holds the paper, and a layout after it."),
        INGEST,
    ),
    Reason.KNOWN_ONLY_AS_CITED: Wording(
        "Known only as cited",
        sentences.known_only_as_cited,
        (CITERS, "Give the operator a record of it in the neutral format."),
        ("Ingest a source that has a record of it, then run `paperatlas layout`.",),
        says("A record of the work with a reference list, and a layout after it."),
        INGEST,
    ),
    Reason.REJECTED_AT_INGEST: Wording(
        "Its record was rejected",
        says(
            "A record of this paper was read and set aside, because it had no usable identifier or could not be read."
        ),
        ("Tell the operator.",),
        ("Look for its line in the rejects under the data directory, mend the record and ingest it again.",),
        says("A record with one usable identifier."),
        INGEST,
    ),
    Reason.WITHDRAWN: Wording(
        "Withdrawn",
        says(
            "Its source says that it was withdrawn. Its page and its citations are kept; it gets no place on the map."
        ),
        ("Read the withdrawal notice at the source.", CITERS),
        ("If the source is wrong, ingest a corrected record.",),
        None,
        NEVER,
        ("status",),
    ),
    Reason.NOT_A_PAPER: Wording(
        "Not a paper",
        says("Its source describes it as front matter, an index, an editorial notice or the like, not as a paper."),
        ("If that is a mistake, report it to the source.",),
        ("Ingest a corrected record, then run `paperatlas layout`.",),
        says("A record whose type is that of a paper."),
        INGEST,
    ),
    Reason.DUPLICATE_OF: Wording(
        "Shown under another record",
        says("It is the same paper as another record of this corpus, which stands on the map in its place."),
        ("Open the other record.", "If they are two papers, tell the operator."),
        ("Correct the identifiers of the two records and ingest them again.",),
        None,
        NEVER,
    ),
    Reason.OUT_OF_SCOPE: Wording(
        "Outside the scope of this map",
        says("The operator has limited this map to areas or dates that do not include it."),
        ("Ask the operator to widen the scope.",),
        ("Change the scope in the settings, then run `paperatlas layout`.",),
        says("A wider scope."),
        NEVER,
    ),
    Reason.EXCLUDED_BY_RULE: Wording(
        "Excluded by the operator",
        says("A rule of the operator keeps it off this map."),
        ("Ask the operator why.",),
        ("Lift the rule, then run `paperatlas layout`.",),
        says("The rule lifted."),
        NEVER,
    ),
    Reason.NOT_YET_LAID_OUT: Wording(
        "Not yet laid out",
        sentences.not_yet_laid_out,
        ("Come back after the next layout.",),
        (LAYOUT_AGAIN,),
        says("The next layout, unless another reason is named beside this one."),
        LAYOUT,
        (*LIST, *CITED, "abstract_characters"),
    ),
    Reason.LAYOUT_FAILED: Wording(
        "The last layout failed",
        says("The layout that would have placed it ended with an error; the map before it is still shown."),
        ("Come back later.",),
        ("Read the error that `paperatlas layout` ended with, mend its cause and run it again.",),
        says("A layout that ends well."),
        LAYOUT,
    ),
    Reason.NO_POSITION_RETURNED: Wording(
        "The layout gave no position",
        says("It passed every test, but the layout gave no finite position for it; none was invented."),
        ("Tell the operator.",),
        ("Run `paperatlas layout` again; if it stays so, report it with the manifest of the build.",),
        says("A finite position in the next layout."),
        LAYOUT,
        LIST + CITED,
    ),
    Reason.NO_REFERENCE_LIST: Wording(
        "No reference list yet",
        sentences.no_reference_list,
        (CITERS, GIVE_LIST),
        (INGEST_SOURCE, BY_CITERS),
        sentences.enough_list,
        INGEST,
        LIST + CITED,
    ),
    Reason.REFERENCE_LIST_FAILED: Wording(
        "Its reference list could not be read",
        sentences.reference_list_failed,
        (CITERS, GIVE_LIST),
        ("Fetch the list again, or " + INGEST_SOURCE[0].lower() + INGEST_SOURCE[1:],),
        sentences.enough_list,
        INGEST,
        LIST + CITED,
    ),
    Reason.REFERENCE_LIST_EMPTY: Wording(
        "Its reference list is empty",
        sentences.reference_list_empty,
        ("If the paper does cite, report the empty list to the source.", GIVE_LIST),
        (INGEST_SOURCE, BY_CITERS),
        sentences.enough_list,
        UNKNOWN,
        LIST + CITED,
    ),
    Reason.REFERENCES_UNRESOLVED: Wording(
        "None of its references could be identified",
        sentences.references_unresolved,
        (GIVE_LIST,),
        ("Ingest a source that gives the identifiers of the cited works, then run `paperatlas layout`.",),
        sentences.enough_entry,
        INGEST,
        LIST + CITED,
    ),
    Reason.REFERENCES_OUTSIDE_CORPUS: Wording(
        "Its references lead outside the corpus",
        sentences.references_outside_corpus,
        ("Look at its reference list.",),
        ("Ingest more of the works that it cites, then run `paperatlas layout`.",),
        sentences.enough_signal,
        INGEST,
        (*LIST, "references_shared", *CITED),
    ),
    Reason.NO_LINKS: Wording(
        "No links to other papers",
        sentences.no_links,
        (GIVE_LIST,),
        ("Ingest more of the works around it, then run `paperatlas layout`.",),
        sentences.enough_signal,
        UNKNOWN,
        (*LIST, "references_shared", *CITED),
    ),
    Reason.COMPONENT_TOO_SMALL: Wording(
        "Its group is too small",
        says("It is linked only to a few papers that are linked to nothing else; groups under the limit get no place."),
        ("Look at its references and citers.",),
        ("Ingest more of the works around the group, or lower the limit.",),
        says("One link from the group to the rest of the map."),
        UNKNOWN,
        LIST + CITED,
    ),
    Reason.NO_USABLE_TEXT: Wording(
        "No usable title and abstract",
        sentences.no_usable_text,
        ("Give the operator the abstract in a record in the neutral format.",),
        ("Ingest a source that has its abstract, then run `paperatlas layout`.",),
        sentences.enough_text,
        INGEST,
        TEXT,
    ),
    Reason.VECTOR_FAILED: Wording(
        "Its text could not be turned into numbers",
        says("Its title and abstract gave no usable vector: no term of it is known here, or the computation failed."),
        ("Tell the operator.",),
        ("Run `paperatlas layout` again; if it stays so, report the paper.",),
        sentences.enough_text,
        LAYOUT,
        TEXT,
    ),
    Reason.HIDDEN_BY_FILTER: Wording(
        "Hidden by a filter",
        says("It is on the map; a filter that you have set hides it."),
        ("Clear the filter.",),
        (),
        says("The filter cleared."),
        NOW,
    ),
    Reason.HIDDEN_BY_ZOOM: Wording(
        "Shown when you zoom in",
        says("It is on the map; at this zoom, more cited papers near it are drawn instead."),
        ("Zoom in.",),
        (),
        says("A deeper zoom."),
        NOW,
    ),
}
"""By reason, in the order in which reasons bind."""

MARKS: Final[dict[Mark, tuple[str, str]]] = {
    Mark.RETRACTED: ("Retracted", "Its source says that the paper was retracted. It stays on the map, marked."),
    Mark.WEAK_EVIDENCE: (
        "Weak evidence",
        "Its place rests on few links and little text: take its neighbours as a hint, not as a finding.",
    ),
}
"""Title and text by mark."""
