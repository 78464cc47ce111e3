"""Passages: the best hits as the trained reader reads them, and the sentence of each that decides.

1. Each of the READ_HITS best hits is read in windows, its context in front, as the reader was trained.
2. A span's probability is joint over all windows of all hits and "none": what another passage says better is worth
   less here (reader.md's joint normalisation; Clark and Gardner, Simple and Effective Multi-Paragraph Reading
   Comprehension, ACL 2018, section 3.2, shared-norm).
3. A sentence is as good as its spans, its words and what the reader makes of it by itself together say: in its passage
   it gains by what its neighbours say, and the line above the right one reads almost as well. A statement of code, and
   a block of text that was set line by line, have lines instead of sentences.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter

from mixrag_cli.reading import LEAST_LOG, Reading, joint_total, log_sum
from mixrag_cli.recap.evidence import EvidenceBase
from mixrag_cli.recap.restate import Restated
from mixrag_cli.records.passages import Hit
from mixrag_cli.sentences import line_spans, split_sentences, whole_stretch
from mixrag_cli.words import match_term, stems_of

READ_HITS = 10  # the right passage is among ten in 82 % of questions on folders never seen, among five in 74 %
WINDOW_CHARS = 900  # of a passage that are read at once: with its question it fits the reader's 256 tokens
CONTEXT_CHARS = 160  # of the headings in front of it
MAX_SENTENCES = 16  # that are read by themselves for the choice
# What has so many lines, and in text so many characters, is no sentence: statements, a block that is set line by line.
CODE_LINES, TEXT_LINES, TEXT_CHARS = 2, 3, 400
# What each says of a sentence, chosen by hand: the log probability of its spans, the words of the question that it has,
# and the log odds that a span of it answers where it is read by itself. Of 167 passages of three folders that hold the
# answer the best of the first four sentences says it in .659 where the embedder's cosine is in the third's place, and
# in .701, .713, .731 and .743 with .075, .1, .15 and .25 of the third.
SPAN_PART, WORDS_PART, ALONE_PART = 0.12, 1.0, 0.25

Stretches = list[tuple[int, int]]  # [start, end) of a hit's text


@dataclass(frozen=True, slots=True)
class ScoredSpan:
    """A stretch of a passage. start, end: characters of the hit's text. log: its joint log probability."""

    start: int
    end: int
    log: float


@dataclass(frozen=True, slots=True)
class ReadPassage:
    """A hit as the reader read it.

    holds: the logit that it answers the question, of its best window. sentence: the one that decides, with score;
    its log is that of all spans in it. span: the best in that sentence, None where the reader names none. spans: all.
    alone: what the reader makes of the sentence by itself, under its headings.
    """

    hit: Hit
    holds: float
    sentence: ScoredSpan
    score: float
    span: ScoredSpan | None
    spans: tuple[ScoredSpan, ...]
    alone: Reading

    @property
    def said(self) -> str:
        """The deciding sentence as it stands in the hit."""
        return self.hit.chunk.text[self.sentence.start : self.sentence.end]


@dataclass(frozen=True, slots=True)
class Window:
    """A part of a hit's text: where it begins there, and how much context stands in front of it when it is read."""

    rank: int
    start: int
    text: str
    lead: str


@dataclass(slots=True)
class _Passage:
    """A hit as its windows are read: the logit that the best of them answers, and the spans of all."""

    hit: Hit
    holds: float = -math.inf
    spans: list[ScoredSpan] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Sentence:
    """A sentence of a passage. text: with headings in front. words: the part of the question's words that it says."""

    passage: _Passage
    span: ScoredSpan
    text: str
    words: float

    def score(self, alone: Reading | None = None) -> float:
        """How well it answers; alone: what the reader makes of it by itself."""
        return sentence_score(self.span.log, self.words, alone)


def read_passages(restated: Restated, base: EvidenceBase) -> tuple[list[ReadPassage], float]:
    """The best hits, each with its deciding sentence, in their order; the log probability that none holds an answer."""
    passages = [_Passage(hit) for hit in base.hits[:READ_HITS]]
    windows = windows_of([one.hit for one in passages])
    texts = [window.lead + window.text for window in windows]
    readings = base.reader.read(restated.question, texts)
    total = joint_total(readings)
    for window, reading in zip(windows, readings, strict=True):
        one, shift = passages[window.rank], window.start - len(window.lead)
        one.holds = max(one.holds, reading.holds)
        one.spans += [
            ScoredSpan(span.start + shift, span.end + shift, span.logit - total)
            for span in reading.spans
            if span.start >= len(window.lead)
        ]
    return _with_sentences(restated, base, passages, dict(zip(texts, readings, strict=True))), -total


def windows_of(hits: Sequence[Hit]) -> list[Window]:
    """What the trained reader reads of the hits."""
    return [window for rank, hit in enumerate(hits) for window in _windows(rank, hit)]


def _windows(rank: int, hit: Hit) -> list[Window]:
    """A hit's text in pieces that end with a sentence; a short one is one piece."""
    text = hit.chunk.text
    lead = _lead_of(hit)
    found: list[Window] = []
    start = end = 0
    for first, last in stretches_of(hit):
        if last - start > WINDOW_CHARS and end > start:
            found.append(Window(rank, start, text[start:end], lead))
            start = first
        end = last
    return [*found, Window(rank, start, text[start : max(end, start + 1)][: 2 * WINDOW_CHARS], lead)]


def _lead_of(hit: Hit) -> str:
    """The headings that a part of the hit is read under, with a line's end."""
    return f"{hit.chunk.context[-CONTEXT_CHARS:]}\n" if hit.chunk.context else ""


def stretches_of(hit: Hit) -> Stretches:
    """The sentences of a hit, or lines where it has none: [start, end) of its text."""
    text = hit.chunk.text
    most_lines, most_chars = (CODE_LINES, 0) if hit.chunk.kind == "code" else (TEXT_LINES, TEXT_CHARS)
    found: Stretches = []
    for start, end in split_sentences(text):
        said = text[start:end]
        is_one = len(said) <= most_chars or said.count("\n") < most_lines
        found += [(start, end)] if is_one else _lines(text, start, end)
    return found or [(0, len(text))]


def _lines(text: str, start: int, end: int) -> Stretches:
    spans = [(start + first, start + last) for first, last in line_spans(text[start:end])]
    return [(last - len(text[first:last].lstrip()), last) for first, last in spans]


def sentence_score(spans: float, words: float, alone: Reading | None = None) -> float:
    """How well a sentence answers. spans: their log probability. words: the part of the question's that it says.

    alone: what the reader makes of it by itself, None before it has read it.
    """
    read = ALONE_PART * alone.bounded_total if alone is not None else 0.0
    return SPAN_PART * max(spans, LEAST_LOG) + WORDS_PART * words + read


def _with_sentences(
    restated: Restated, base: EvidenceBase, passages: Sequence[_Passage], known: Mapping[str, Reading]
) -> list[ReadPassage]:
    """The passages, each with the sentence that decides. known: by its text, what has been read already.

    Each passage keeps its best sentence by words and spans; the best of all are read by themselves, too.
    """
    own = [_sentences(restated, base, one) for one in passages]
    first = [max(sentences, key=_Sentence.score) for sentences in own]
    others = [one for sentences, best in zip(own, first, strict=True) for one in sentences if one is not best]
    others.sort(key=_Sentence.score, reverse=True)
    compared = [*first, *others[: max(MAX_SENTENCES - len(first), 0)]]
    new = [text for text in dict.fromkeys(one.text for one in compared) if text not in known]
    alone = {**known, **dict(zip(new, base.reader.read(restated.question, new), strict=True))}
    found = []
    for one in passages:
        best = max((each for each in compared if each.passage is one), key=lambda each: each.score(alone[each.text]))
        answer = max(answers_in(best.span, one.hit, one.spans), key=attrgetter("log"), default=None)
        read = alone[best.text]
        found.append(ReadPassage(one.hit, one.holds, best.span, best.score(read), answer, tuple(one.spans), read))
    return found


def _sentences(restated: Restated, base: EvidenceBase, passage: _Passage) -> list[_Sentence]:
    terms, found = restated.whole.terms, []
    for start, end in stretches_of(passage.hit):
        log = log_sum(span.log for span in passage.spans if start <= span.start < end)
        text = passage.hit.chunk.text[start:end]
        stems = stems_of(text)
        words = base.part_said(terms, [match_term(term, stems) for term in terms])
        found.append(_Sentence(passage, ScoredSpan(start, end, log), _lead_of(passage.hit) + text, words))
    return found


def answers_in(sentence: ScoredSpan, hit: Hit, spans: Sequence[ScoredSpan]) -> Iterator[ScoredSpan]:
    """The spans of a sentence that may be an answer, each as whole as it is written there, none over two paragraphs."""
    for span in spans:
        if sentence.start <= span.start < sentence.end:
            said = hit.chunk.text[span.start : span.end].partition("\n\n")[0]
            start, end = whole_stretch(hit.chunk.text, span.start, span.start + len(said), sentence.end)
            if end > start:
                yield replace(span, start=start, end=end)
