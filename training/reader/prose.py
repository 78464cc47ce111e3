"""Groups of prose: a question, the window that answers it, and windows of the same document that only look like it."""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from mixrag_cli.sentences import split_sentences
from training.embedder.lessons import WordIndex
from training.reader.groups import Group, Intent
from training.reader.jsonl import read_jsonl

SHARES = {  # groups a source; PolicyQA, COVID-QA, MultiSpanQA and SQuADShifts' amazon reviews are for measuring
    "squadshifts_new_wiki": 8_000,
    "squad2dev": 6_000,
    "unansq": 6_000,
    "nq_oracle": 2_700,
    "fairytaleqa": 2_500,
    "squadshifts_reddit": 6_000,
    "qamr": 4_000,
    "clapnq": 600,
    "qed": 400,
    "condaqa": 300,
}
YES_NO = 300  # groups of BoolQ: the passage holds the answer, no span does
SIZES = ((1, 0.55), (2, 0.30), (3, 0.15))  # passages a group
WINDOW_CHARS = (240, 800)  # about 55 to 175 tokens
HARD_LIMIT = 1_000  # characters of a window; its tokens are cut at the model's own limit
LEFT_OUT = 0.12  # of the answerable groups lose their right passage
SWAPPED = 0.06  # of the answerable groups ask for another name or year of the same kind
TITLED = 0.4  # of the passages show their title, as the product's chunks do
SAME_DOCUMENT = 0.75  # of the wrong passages come from the same document where it has others
YEAR = re.compile(r"\b(?:1[5-9]|20)\d\d\b")
NAME = re.compile(r"(?<=[a-z,] )[A-Z][a-z]{2,}(?: [A-Z][a-z]+)*")
OWN_TITLES = ("squad2dev", "squadshifts_new_wiki", "fairytaleqa")  # their group's name is a title
WHEN = re.compile(r"\b(?:when|what year|which year|what date|what month)\b", re.I)
WHY_HOW = re.compile(r"^\s*(?:why|how (?!many|much|old|long|far|tall|big|large|often)|what (?:is|are) (?!the))", re.I)
NUMBER = re.compile(
    r"^\W*(?:about |over |around |nearly )?[\d][\d.,]*\s*(?:%|percent|million|billion|[a-z]+)?\W*$", re.I
)

Row = Mapping[str, Any]


def read_prose(folder: Path, rng: random.Random) -> Iterator[Group | Intent]:
    """All groups of prose, and what their questions expect."""
    by_source: dict[str, list[Row]] = defaultdict(list)
    for row in read_jsonl(folder / "prose.jsonl.gz"):
        if row["source"] in SHARES:
            by_source[row["source"]].append(row)
    yes_no = [row for row in read_jsonl(folder / "yesno.jsonl.gz") if row["source"] == "boolq"]
    for source, share in SHARES.items():
        rows = by_source[source]
        yield from _groups(source, rng.sample(rows, min(share, len(rows))), rows, rng)
    yield from _groups("boolq", rng.sample(yes_no, YES_NO), yes_no, rng)


def _groups(source: str, chosen: Sequence[Row], rows: Sequence[Row], rng: random.Random) -> Iterator[Group | Intent]:
    passages = sorted({(row["context"], row["group"]) for row in rows})
    index = WordIndex([text for text, _ in passages])
    by_group: dict[str, list[str]] = defaultdict(list)
    for text, group in passages:
        by_group[group].append(text)
    for row in chosen:
        found = [passages[at][0] for at in index.best(row["question"], 12)]
        spans = _spans(row)
        answers = [answer["text"].lower() for answer in row.get("answers", [])]
        near, far = (
            [text for text in texts if text != row["context"] and not any(a in text.lower() for a in answers)]
            for texts in (_nearest(row["question"], by_group[row["group"]]), found)
        )
        yield _group(source, row, spans, (near, far), rng)
        if expects := _expects(source, row):
            yield Intent(row["question"], "lookup" if rng.random() < 0.2 else "", expects, source, row["group"])


def _nearest(question: str, texts: Sequence[str]) -> list[str]:
    """A document's passages, those that share most words with the question first."""
    sought = set(question.lower().split())
    return sorted(texts, key=lambda text: -len(sought & set(text.lower().split())))[:6]


def _spans(row: Row) -> list[tuple[int, int]]:
    return [(answer["start"], answer["start"] + len(answer["text"])) for answer in row.get("answers", [])]


def _group(
    source: str, row: Row, spans: list[tuple[int, int]], others: tuple[list[str], list[str]], rng: random.Random
) -> Group:
    question, context = row["question"], row["context"]
    is_long = bool(row.get("long")) or source == "boolq"
    is_answerable = source == "boolq" or bool(spans)
    size = rng.choices([size for size, _ in SIZES], [share for _, share in SIZES])[0]
    target = rng.randint(*WINDOW_CHARS)
    fate = rng.random() if is_answerable else 1.0
    swapped = _swap(question, context, others[1], rng) if fate < SWAPPED else None
    is_left_out = SWAPPED <= fate < SWAPPED + LEFT_OUT and any(others)
    wrong = _wrong(others, size - (0 if is_left_out else 1), target, rng)
    title = row.get("title") or (row["group"].split(":", 1)[1] if source in OWN_TITLES else "")
    if is_left_out:
        group = Group(question, tuple(wrong), None, (), "holds", not is_long, source, row["group"])
        return _titled(group, title, rng)
    keep = rng.choice(spans) if spans else None
    start, end = _window(context, keep, target, rng)
    kept = tuple((a - start, b - start) for a, b in spans if start <= a and b <= end)
    is_right = is_answerable and swapped is None
    at = rng.randrange(len(wrong) + 1)
    passages = (*wrong[:at], context[start:end], *wrong[at:])
    right, spans_shown = at if is_right else None, kept if is_right and not is_long else ()
    asked = swapped or question
    group = Group(asked, passages, right, spans_shown, "holds", not is_long, source, row["group"])
    return _titled(group, title, rng)


def _titled(group: Group, title: str, rng: random.Random) -> Group:
    """The group as the product would show it: all passages with their title in front, or none."""
    head = f"{title.replace('_', ' ')}\n" if title and rng.random() < TITLED else ""
    moved = tuple((start + len(head), end + len(head)) for start, end in group.spans)
    return replace(group, passages=tuple(head + text for text in group.passages), spans=moved)


def _wrong(others: tuple[list[str], list[str]], n: int, target: int, rng: random.Random) -> list[str]:
    near, far = (list(texts) for texts in others)
    found: list[str] = []
    while len(found) < n and (near or far):
        texts = near if near and (not far or rng.random() < SAME_DOCUMENT) else far
        text = texts.pop(rng.randrange(min(3, len(texts))))
        start, end = _window(text, None, target, rng)
        found.append(text[start:end])
    return found


def _window(text: str, keep: tuple[int, int] | None, target: int, rng: random.Random) -> tuple[int, int]:
    """A run of whole sentences of about target characters that holds what is kept, at a place of its own."""
    sentences = split_sentences(text) or [(0, len(text))]
    if keep is None:
        first = last = rng.randrange(len(sentences))
    else:
        first = max(at for at, (start, _) in enumerate(sentences) if start <= keep[0] or at == 0)
        last = max(first, min((at for at, (_, end) in enumerate(sentences) if end >= keep[1]), default=first))
    while sentences[last][1] - sentences[first][0] < target and (first > 0 or last + 1 < len(sentences)):
        if first > 0 and (last + 1 == len(sentences) or rng.random() < 0.5):
            first -= 1
        else:
            last += 1
    start, end = sentences[first][0], sentences[last][1]
    if end - start > HARD_LIMIT:
        middle = keep[0] if keep else start
        start = max(start, min(middle - rng.randrange(HARD_LIMIT // 2), end - HARD_LIMIT))
        end = max(start + HARD_LIMIT, keep[1] if keep else 0)
    return start, min(end, len(text))


def _swap(question: str, context: str, others: Sequence[str], rng: random.Random) -> str | None:
    """The question with one name or year that its passage has in place of another that it has not; None where none."""
    for pattern in (YEAR, NAME):
        said = [found for found in pattern.finditer(question) if found[0] in context]
        new: list[str] = sorted({name for text in others for name in pattern.findall(text) if name not in context})
        if said and new:
            found = rng.choice(said)
            return question[: found.start()] + rng.choice(new) + question[found.end() :]
    return None


def _expects(source: str, row: Row) -> str:
    if source == "boolq":
        return "yes-no"
    if row.get("long") or (source != "fairytaleqa" and WHY_HOW.match(row["question"])):
        return "passage"
    if not row.get("answers"):
        return ""
    answer = row["answers"][0]["text"]
    if WHEN.search(row["question"]):
        return "date"
    return "number" if NUMBER.match(answer) else "name" if len(answer) < 40 else ""
