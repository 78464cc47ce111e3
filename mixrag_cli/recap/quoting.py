"""Quoting: what two ways of reading say of the same words of a passage.

A cell or a fact is read by its header paths, a span word by word. Where both come to the same words in the same place,
each speaks for the other, and where the spans of its passage read otherwise, that speaks against it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from mixrag_cli.reading import log_sum
from mixrag_cli.recap.passages import ReadPassage
from mixrag_cli.recap.signs import Draft
from mixrag_cli.records.answers import DERIVED, STRETCHES
from mixrag_cli.records.passages import Hit
from mixrag_cli.words import words_of

LEAST_QUOTED = -8.0  # of what no span reads, as a log probability or a logit
_Said = tuple[str, tuple[str, ...]]  # a place and the words there


def with_quotes(drafts: Sequence[Draft], read: Sequence[ReadPassage]) -> list[Draft]:
    """The drafts, those that one value answers with how surely the other way of reading says the same."""
    spans: dict[_Said, list[float]] = defaultdict(list)
    for one in read:
        for span in one.spans:
            spans[_said(one.hit, one.hit.chunk.text[span.start : span.end])].append(span.log)
    pairs: dict[_Said, list[float]] = defaultdict(list)
    for draft in drafts:
        if "pair" in draft.signs and draft.kind not in DERIVED:
            pairs[_said(draft.source.hit, draft.evidence[0].quote)].append(draft.signs["pair"])
    places = {one.hit.chunk.belongs_to for one in read}
    return [_with_quote(one, spans, pairs) if one.source.hit.chunk.belongs_to in places else one for one in drafts]


def _with_quote(draft: Draft, spans: Mapping[_Said, list[float]], pairs: Mapping[_Said, list[float]]) -> Draft:
    if draft.kind in (*STRETCHES, *DERIVED):
        return draft
    if draft.kind == "span":
        quoted = max(pairs.get(_said(draft.source.hit, draft.source.text[slice(*draft.marks[0])]), [LEAST_QUOTED]))
    else:
        quoted = log_sum(spans.get(_said(draft.source.hit, draft.evidence[0].quote), [LEAST_QUOTED]))
    return draft.with_signs({"quoted": max(quoted, LEAST_QUOTED)})


def _said(hit: Hit, text: str) -> _Said:
    return hit.chunk.belongs_to, tuple(words_of(text))
