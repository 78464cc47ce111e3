"""Summaries of tables by a generator: what is asked, how the reply is read, what of it is believed.

    table ─► prompt: the table between delimiters, cut at rows ─► reply ─► summary ─► every number stands in the table?

A summary says in words what a table's headers and figures only show, so that a question in other words finds it. It is
searched and never shown. short: title, brief description, keywords; long: a fuller description, and acronyms expanded.

Source: FinanceRAG study, section 3 (SS and LS) and its appendix for what the prompts must achieve; MixRAG, section 4.1.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal

from mixrag_cli.fencing import KEY_OF_COUNTING, draw_key, fence, fence_rule, one_line
from mixrag_cli.generator import Generator, Message, Request
from mixrag_cli.lenient_json import read_list, read_object, strip_stray_quotes
from mixrag_cli.plain import table_to_plain
from mixrag_cli.quantities.numerals import Value
from mixrag_cli.quantities.prose_numbers import find_numbers
from mixrag_cli.quantities.unit_words import find_unit_and_scale
from mixrag_cli.records.files import stable_id
from mixrag_cli.records.tables import Table
from mixrag_cli.tables.lines import head_lines, row_lines, shown_columns
from mixrag_cli.tables.text import unit_text

Form = Literal["short", "long"]

PROMPT_VERSION = 1  # another prompt means other summaries: raise it, and none is taken from a cache
REASON_TOKENS = 60  # kept free for the reason of a second attempt
MAX_REASON_NUMBERS = 5
MIN_WORDS = 3  # of a description; less says nothing
MAX_TITLE, MAX_KEYWORD, MAX_MEANING = 120, 40, 80  # characters
MAX_KEYWORDS, MAX_ACRONYMS = 12, 8
_KEYS = ("title", "description", "keywords", "acronyms")


@dataclass(frozen=True, slots=True)
class FormLimits:
    """characters: of the description; with title and keywords it fills a passage's 256 tokens in the long form.
    reply_tokens: room for the whole reply."""

    characters: int
    reply_tokens: int


LIMITS: Mapping[Form, FormLimits] = {"short": FormLimits(300, 240), "long": FormLimits(900, 520)}

_TASKS: Mapping[Form, str] = {
    "short": "description: one or two sentences on what the table holds and its main trend.",
    "long": "description: one paragraph on what the table holds: its subject, its rows and columns, the figures that "
    "stand out, trends and comparisons.",
}
_ACRONYMS = "acronyms: each acronym or abbreviation of the table with what it most likely means; none is fine.\n"


@dataclass(frozen=True, slots=True)
class Summary:
    """What a generator says of a table. acronyms: (short form, meaning) pairs."""

    title: str
    description: str
    keywords: tuple[str, ...] = ()
    acronyms: tuple[tuple[str, str], ...] = ()

    @property
    def text(self) -> str:
        """The summary as one text to search by."""
        title = f"{self.title.rstrip('.')}. " if self.title else ""
        parts = [f"{title}{self.description}"]
        if self.keywords:
            parts.append(f"Keywords: {', '.join(self.keywords)}.")
        parts += [f"{short}: {meaning}." for short, meaning in self.acronyms]
        return " ".join(parts)

    def to_json(self) -> dict[str, Any]:
        """The summary as plain JSON values, in the form of a reply."""
        return {
            "title": self.title,
            "description": self.description,
            "keywords": list(self.keywords),
            "acronyms": [{"short": short, "meaning": meaning} for short, meaning in self.acronyms],
        }


def summary_key(table: Table, form: Form, model: str) -> str:
    """The key under which a table's summary is remembered: its content, wherever it stands, the form and the model."""
    plain = table_to_plain(table)
    content = {name: plain[name] for name in ("title", "columns", "rows", "unit", "scale", "notes", "total_rows")}
    texts = [[cell.row, cell.column, cell.text] for cell in table.cells]
    return stable_id("summary", PROMPT_VERSION, form, model, json.dumps([content, texts], sort_keys=True))


# --- what is asked --------------------------------------------------------------------------------------------------


def system_text(form: Form) -> str:
    """The prompt's fixed part, the same for every table, so that a model's work on it is kept."""
    return (
        f"You describe tables so that they can be found by a search. {fence_rule('a table')} The table's first lines "
        "name its title, its unit and its columns; each other line is a row.\n"
        "Reply with one JSON object that has these parts, in this order:\n"
        "title: a concise title of the table.\n"
        f"{_TASKS[form]}\n"
        "keywords: up to ten words or phrases by which somebody would look for the table.\n"
        f"{_ACRONYMS if form == 'long' else ''}"
        "Copy every number as the table writes it. Do not compute, round or rescale, and give no number that the table "
        "does not hold."
    )


def summary_schema(form: Form) -> dict[str, Any]:
    """The reply's JSON Schema, bounded in every direction."""
    properties: dict[str, Any] = {
        "title": _text(MAX_TITLE),
        "description": _text(LIMITS[form].characters),
        "keywords": {"type": "array", "items": _text(MAX_KEYWORD), "maxItems": MAX_KEYWORDS},
    }
    if form == "long":
        pair = _object({"short": _text(MAX_KEYWORD), "meaning": _text(MAX_MEANING)})
        properties["acronyms"] = {"type": "array", "items": pair, "maxItems": MAX_ACRONYMS}
    return _object(properties)


def _text(most: int) -> dict[str, Any]:
    return {"type": "string", "maxLength": most}


def _object(properties: Mapping[str, Any]) -> dict[str, Any]:
    names = list(properties)
    return {"type": "object", "properties": dict(properties), "required": names, "additionalProperties": False}


def fit_table(table: Table, form: Form, generator: Generator, context_tokens: int) -> str:
    """The table as the prompt shows it, with as many rows as fit the window beside prompt and reply."""
    spare = LIMITS[form].reply_tokens + REASON_TOKENS
    window = min(context_tokens, generator.context_tokens) - spare
    room = window - generator.count_prompt_tokens(_messages(form, "", KEY_OF_COUNTING))
    shown = table_for_prompt(table, generator, room)
    while room > 0 and generator.count_prompt_tokens(_messages(form, shown, KEY_OF_COUNTING)) > window:
        room = room * 7 // 8  # the lines together take more tokens than each by itself
        shown = table_for_prompt(table, generator, room)
    return shown


def _messages(form: Form, shown: str, key: str, reason: str = "") -> tuple[Message, ...]:
    again = f"\nAn earlier reply could not be used: {reason}. Reply again, without that mistake." if reason else ""
    text = f"The key is {key}.\n\n{fence(key, 'table', shown)}\n\nReply with the JSON object alone.{again}"
    return Message("system", system_text(form)), Message("user", text)


def summary_request(
    shown: str, form: Form, *, max_tokens: int, seconds: float, seed: int = 0, reason: str = ""
) -> Request:
    """One call, under a key of its own. shown: from fit_table. reason: why an earlier reply could not be used."""
    key = draw_key([shown])
    messages = _messages(form, shown, key, reason)
    return Request(messages, summary_schema(form), max_tokens, seed=seed, seconds=seconds, purpose="summary", nonce=key)


def table_for_prompt(table: Table, generator: Generator, room: int) -> str:
    """The table's head and its first rows, as many as fit the room (tokens); the head alone where none does."""
    columns = shown_columns(table)
    shown = head_lines(table, columns)
    left = room - generator.count_tokens("\n".join(shown)) - 12  # for the line that counts the missing rows
    lines = row_lines(table, columns)
    n_shown = 0
    for row in table.rows:
        left -= generator.count_tokens(lines[row.index]) + 1
        if left < 0:
            break
        shown.append(lines[row.index])
        n_shown += 1
    if missing := max(table.total_rows, len(table.rows)) - n_shown:
        shown.append(f"({missing:,} rows not shown)")
    return "\n".join(shown)


# --- how the reply is read ------------------------------------------------------------------------------------------


def read_summary(text: str, form: Form) -> Summary | None:
    """The summary that a reply holds, however badly it is written; None where it holds none.

    A reply without an object is taken for the description, with what looks like a list behind it as keywords.
    """
    found = read_object(text, _KEYS)
    parts = found if found is not None else _read_prose(text)
    description = _clip(_as_text(parts.get("description")), LIMITS[form].characters)
    if len(description.split()) < MIN_WORDS:
        return None
    return Summary(
        _clip(_as_text(parts.get("title")), MAX_TITLE),
        description,
        tuple(_clip(each, MAX_KEYWORD) for each in _as_items(parts.get("keywords")))[:MAX_KEYWORDS],
        tuple(_acronyms(parts.get("acronyms")))[:MAX_ACRONYMS] if form == "long" else (),
    )


_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=\S)")
_LIST_JOINT = re.compile(r",\s*['\"“‘]")


def _read_prose(text: str) -> dict[str, Any]:
    """Title, description and keywords of a reply that names none of them."""
    sentences = _SENTENCE_END.split(" ".join(text.split()))
    keywords = sentences.pop() if len(sentences) > 1 and _LIST_JOINT.search(sentences[-1]) else ""
    title = sentences.pop(0) if len(sentences) > 1 and len(sentences[0]) <= MAX_TITLE else ""
    return {"title": title, "description": " ".join(sentences), "keywords": keywords}


def _as_text(value: Any) -> str:
    if isinstance(value, list):
        value = " ".join(_as_text(each) for each in value)
    return one_line(strip_stray_quotes(str(value))) if isinstance(value, str | int | float) else ""


def _as_items(value: Any) -> list[str]:
    items = read_list(value) if isinstance(value, str) else value if isinstance(value, list) else []
    plain = (one_line(strip_stray_quotes(str(each))) for each in items if isinstance(each, str | int | float))
    return list(dict.fromkeys(each for each in plain if any(sign.isalnum() for sign in each)))


def _acronyms(value: Any) -> Iterator[tuple[str, str]]:
    """Pairs out of [{"short": …, "meaning": …}], {"EPS": "earnings per share"} or ["EPS: earnings per share"]."""
    if isinstance(value, dict):
        value = [{"short": short, "meaning": meaning} for short, meaning in value.items()]
    for each in value if isinstance(value, list) else []:
        if isinstance(each, dict):
            short, meaning = _as_text(each.get("short")), _as_text(each.get("meaning"))
        else:
            short, _, meaning = (part.strip() for part in str(each).partition(":"))
        if short and meaning:
            yield _clip(short, MAX_KEYWORD), _clip(meaning, MAX_MEANING)


def _clip(text: str, most: int) -> str:
    """At most so many characters, cut at a word."""
    return text if len(text) <= most else text[: most + 1].rsplit(" ", 1)[0][:most].rstrip(" ,;")


# --- what is believed -----------------------------------------------------------------------------------------------

_DIGITS = re.compile(r"\d+(?:,\d+)*(?:\.\d+)?|\.\d+")


def foreign_numbers(text: str, table: Table) -> tuple[str, ...]:
    """The numbers of a summary that do not occur in the table, as written; equal by value, signs apart.

    Example: in a table in millions that holds 64, "64", "$64 million" and "64,000,000" occur, "64 thousand" does not.
    Years, ranges and digits inside words must stand in the table too; its title, headers and notes are part of it.
    """
    plain, full = _numbers_of(table)
    foreign: list[str] = []
    taken: list[tuple[int, int]] = []
    for start, end, value in find_numbers(text):
        taken.append((start, end))
        if not _occurs(value, plain, full):
            foreign.append(value.text)
    for match in _DIGITS.finditer(text):
        inside = any(start <= match.start() < end for start, end in taken)
        if not inside and _to_number(match.group()) not in plain:
            foreign.append(match.group())
    return tuple(dict.fromkeys(foreign))


def _occurs(value: Value, plain: frozenset[Decimal], full: frozenset[Decimal]) -> bool:
    if value.value is None:
        return True
    number = abs(value.value)
    if value.scale > 1:
        return number * value.scale in full
    return number in plain or number in full or (value.unit == "%" and number / 100 in plain)


def _numbers_of(table: Table) -> tuple[frozenset[Decimal], frozenset[Decimal]]:
    """The numbers of the table as written, and in base units."""
    paths = [part for header in (*table.columns, *table.rows) for part in header.path]
    heads = (table.title, unit_text(table), *table.notes, *paths)
    texts = (*heads, *(cell.text for cell in table.cells))
    plain = {_to_number(match.group()) for text in texts for match in _DIGITS.finditer(text)}
    full = {abs(found.value) * found.scale for text in texts for _, _, found in find_numbers(text) if found.value}
    said_scales = {find_unit_and_scale(text)[1] for text in heads}  # by a header, whichever cells it governs
    for cell in table.cells:
        if cell.value is not None and cell.value.is_finite():
            plain.add(abs(cell.value))
            full |= {abs(cell.value) * scale for scale in (cell.scale, *said_scales)}
    return frozenset(plain), frozenset(full)


def _to_number(digits: str) -> Decimal:
    return Decimal(digits.replace(",", ""))


def reason_for(foreign: Sequence[str]) -> str:
    """Why a summary with these numbers is rejected, as a second prompt says it: digits alone, none of its words."""
    digits = [match.group() for number in foreign for match in _DIGITS.finditer(number)][:MAX_REASON_NUMBERS]
    return f"it said {', '.join(digits)}, which the table does not hold"
