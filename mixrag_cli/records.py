"""The shared records: what flows between the workers, from a source file to an answer.

    SourceFile ─► Document(blocks, grids) ─► Table ─► Chunk ─► Hit ─► Evidence ─► Answer

Every record is frozen. Ids are hashes of content and place, so the same input gives the same store.
This module imports nothing of the project.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Literal

Modality = Literal[
    "pdf", "markdown", "code", "sheet", "html", "notebook", "text", "document", "slides", "mail", "image"
]
BlockKind = Literal["heading", "paragraph", "list", "code", "definition", "table"]
ChunkKind = Literal["prose", "code", "table", "row"]
FaithfulnessLevel = Literal["high", "borderline", "risk"]
Decider = Literal["built-in", "calculator", "model"]
Grade = Literal["answered", "likely", "abstained"]
CandidateKind = Literal["cell", "fact", "span", "sentence", "passage", "column", "computed"]
TableKind = Literal["table", "facts"]
FactSort = Literal[
    "constant",  # NAME = 5; a class attribute; a member of an enumeration
    "entry",  # a key of a literal mapping, a field of a literal record, a keyword argument of a module's call
    "default",  # of a parameter
    "option",  # of a command line
    "case",  # an arm of a match or switch: the subject, the pattern
    "return",  # a function's literal answer, its condition in the path
    "setting",  # a key of a configuration file or of front matter
    "label",  # "Label: value"
    "definition",  # a term and what it means
    "version",  # of a change log, with its date
]
FactColumn = Literal["value", "default", "type", "help", "date"]
Representation = Literal["h-rcl-rows", "h-rcl", "rcl", "table"]  # of a table, as texts to search by


def stable_id(*parts: str | bytes | int) -> str:
    """Hash the parts, in order, to 32 hex digits.

    Parts are length-prefixed, so ("ab", "c") and ("a", "bc") differ.
    """
    digest = hashlib.sha256()
    for part in parts:
        raw = part if isinstance(part, bytes) else str(part).encode("utf-8", "surrogatepass")
        digest.update(len(raw).to_bytes(8, "big"))
        digest.update(raw)
    return digest.hexdigest()[:32]


def path_from_root(path: str, root: str) -> str:
    """A display path from the indexed folder on: the folders above it speak of the disk, not of the document.

    Example: path "/home/ann/filings/2023/q1.pdf", root "/home/ann/filings" -> "filings/2023/q1.pdf".
    """
    return path.removeprefix(root.rpartition("/")[0]).lstrip("/") if path.startswith(f"{root}/") else path


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A regular file that the walk found.

    root: absolute path of the indexed folder; path: relative to it. Both are bytes: the file system's own.
    encoding: that the user says its text is in, "" where it is to be found out.
    """

    root: bytes
    path: bytes
    size: int
    mtime_ns: int
    device: int
    inode: int
    encoding: str = ""


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file or folder that is not in the index, and why.

    path: cleaned for display, relative to the root. code: a stable word. by_rule: left out on purpose
    (ignored, hidden, secret, …) rather than unreadable; only the latter turns the exit code into 3.
    """

    path: str
    code: str
    reason: str
    by_rule: bool = False


@dataclass(frozen=True, slots=True)
class LineMarks:
    """Where an extracted text stands in its file: from character chars[i] on, on line lines[i]; chars ascend."""

    chars: Sequence[int] = ()
    lines: Sequence[int] = ()


@dataclass(frozen=True, slots=True)
class Locator:
    """A place in a source: characters of the extracted text always, and what the format has besides.

    chars: [start, end) in the extracted text. page: from 1. bbox: (x0, top, x1, bottom) in points from the
    page's top left; of slides the page is the slide. lines: first and last of the file, from 1. cells: an A1 range such
    as "B4:C4". last_page: of a table that goes on over pages; its bbox is that of its part on the first. section: the
    heading, chapter, message or attachment that it stands under, in formats that have neither pages nor lines of their
    own; there sheet is "Table 2", counted through the document. cell, last_cell: of a notebook, from 1; last_cell where
    a passage goes on over cells. marks: within a passage's text, where its line breaks are not those of its file.
    """

    chars: tuple[int, int]
    page: int | None = None
    bbox: tuple[float, float, float, float] | None = None
    lines: tuple[int, int] | None = None
    sheet: str | None = None
    cells: str | None = None
    last_page: int | None = None
    section: str | None = None
    cell: int | None = None
    last_cell: int | None = None
    marks: LineMarks = LineMarks()

    def to_json(self) -> dict[str, Any]:
        """The locator's known fields as plain JSON values; its marks only in to_plain."""
        known: dict[str, Any] = {"chars": list(self.chars)}
        for name in ("page", "last_page", "sheet", "cells", "section", "cell", "last_cell"):
            if (value := getattr(self, name)) is not None:
                known[name] = value
        if self.lines is not None:
            known["lines"] = list(self.lines)
        if self.bbox is not None:
            known["bbox"] = [round(edge, 1) for edge in self.bbox]
        return known

    def to_plain(self) -> dict[str, Any]:
        """All of the locator as plain JSON values, as the store keeps it."""
        known = self.to_json()
        if self.marks.chars:
            known["marks"] = [list(self.marks.chars), list(self.marks.lines)]
        return known

    @classmethod
    def from_json(cls, known: Mapping[str, Any]) -> Locator:
        """The inverse of to_json and of to_plain."""
        return cls(
            chars=(known["chars"][0], known["chars"][1]),
            page=known.get("page"),
            bbox=tuple(known["bbox"]) if known.get("bbox") else None,
            lines=(known["lines"][0], known["lines"][1]) if known.get("lines") else None,
            sheet=known.get("sheet"),
            cells=known.get("cells"),
            last_page=known.get("last_page"),
            section=known.get("section"),
            cell=known.get("cell"),
            last_cell=known.get("last_cell"),
            marks=LineMarks(*map(tuple, known["marks"])) if known.get("marks") else LineMarks(),
        )


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of running text with one kind and one place.

    heading_path: enclosing headings, outermost first; for code the enclosing scopes ("class Session", …).
    level: depth of a heading, from 1; 0 for all else. grid: for kind "table" the index into Document.grids;
    text is then the raw table, so that it stays in the running text. name: for kind "definition" the
    qualified name ("Session.send").
    """

    text: str
    kind: BlockKind
    locator: Locator
    heading_path: tuple[str, ...] = ()
    level: int = 0
    grid: int | None = None
    name: str = ""


@dataclass(frozen=True, slots=True)
class GridCell:
    """One cell as its format gives it, before anyone decides what is a header.

    row, column: of its top left corner, from 0, within the grid. text: as shown to a person. number: the
    stored number where the format has typed cells. indent, bold: style hints where the format has them.
    address: "B6" in sheets. locator-like hints: bbox in PDF, line (from 1) in text formats. page: where it is not the
    grid's own, in a table that goes on over pages. last_line: of a text over several lines.
    """

    row: int
    column: int
    text: str
    row_span: int = 1
    column_span: int = 1
    number: Decimal | None = None
    is_percent: bool = False
    is_date: bool = False
    is_header: bool = False
    bold: bool = False
    indent: int = 0
    address: str | None = None
    bbox: tuple[float, float, float, float] | None = None
    line: int | None = None
    page: int | None = None
    last_line: int | None = None


@dataclass(frozen=True, slots=True)
class ColumnProfile:
    """What a streamed column holds over all its rows (the sums are over rows with a number)."""

    index: int
    count: int
    numbers: int
    total: Decimal | None = None
    low: Decimal | None = None
    high: Decimal | None = None
    low_row: int | None = None
    high_row: int | None = None
    distinct: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RowLine:
    """One row of a sampled table as a line of text, with its lines in the source or its row in a sheet, from 1."""

    text: str
    lines: tuple[int, int] | None = None
    sheet_row: int | None = None


@dataclass(frozen=True, slots=True)
class Grid:
    """A rectangular region of cells that a reader took for one table.

    caption: text bound to the table from outside (a title line above it, a figure legend).
    total_rows: rows in the source; above n_rows when the grid holds a sample and profiles cover the rest. row_lines:
    then all rows as lines of text, the first of them the header, where they are not too many to be searched by words.
    """

    n_rows: int
    n_columns: int
    cells: tuple[GridCell, ...]
    locator: Locator
    caption: str = ""
    notes: tuple[str, ...] = ()
    total_rows: int = 0
    profiles: tuple[ColumnProfile, ...] = ()
    confidence: float = 1.0
    row_lines: tuple[RowLine, ...] = ()


@dataclass(frozen=True, slots=True)
class FactValue:
    """One thing said of a key. line: of the file, from 1; None where the format has no lines."""

    column: FactColumn
    text: str
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Fact:
    """What a file says of one key. path: outermost first, e.g. ("Session", "send", "timeout"). cell: of a notebook."""

    path: tuple[str, ...]
    sort: FactSort
    values: tuple[FactValue, ...]
    cell: int | None = None


@dataclass(frozen=True, slots=True)
class Document:
    """What a reader made of one file.

    text: the whole extracted text; every locator's chars point into it. warnings: for people, one line each. marks:
    the file's lines for the text, where the format has lines. facts: in the order of the file.
    """

    modality: Modality
    title: str
    text: str
    blocks: tuple[Block, ...]
    grids: tuple[Grid, ...] = ()
    language: str = ""
    warnings: tuple[str, ...] = ()
    marks: LineMarks = LineMarks()
    facts: tuple[Fact, ...] = ()


@dataclass(frozen=True, slots=True)
class Header:
    """One data column or data row of a table with its full header path, outermost first."""

    index: int
    path: tuple[str, ...]
    is_total: bool = False

    @property
    def leaf(self) -> str:
        """The innermost label, "" for a header without any."""
        return self.path[-1] if self.path else ""


@dataclass(frozen=True, slots=True)
class Cell:
    """A data cell: what it says, what it is worth and where it stands.

    row, column: grid indices, as in Header.index. value: the number as written (-1234 for "(1,234)"; 35.3
    for "35.3 %"); multiply by scale for base units. unit: "%", "USD", … or "". page, last_line: as in GridCell.
    """

    row: int
    column: int
    text: str
    value: Decimal | None = None
    unit: str = ""
    scale: int = 1
    address: str | None = None
    bbox: tuple[float, float, float, float] | None = None
    line: int | None = None
    row_span: int = 1
    column_span: int = 1
    page: int | None = None
    last_line: int | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """A table read through its headers (paper 000, 3.1: T = {top headers, left headers, data}).

    unit, scale: those the caption or a unit row gives to the whole table ("USD", 1_000_000). confidence: in
    [0, 1], how sure the header inference is. total_rows: as in Grid. kind: "facts" where the rows are keys
    (Header.path is the key path) and the columns are ("constant", "value"), ("option", "help"), …: a FactSort over a
    FactColumn. A document has one such table, a notebook one a cell.
    """

    id: str
    title: str
    columns: tuple[Header, ...]
    rows: tuple[Header, ...]
    cells: tuple[Cell, ...]
    locator: Locator
    unit: str = ""
    scale: int = 1
    notes: tuple[str, ...] = ()
    confidence: float = 1.0
    total_rows: int = 0
    profiles: tuple[ColumnProfile, ...] = ()
    kind: TableKind = "table"


@dataclass(frozen=True, slots=True)
class Chunk:
    """What is embedded, searched and cited.

    text: as a person reads it. context: heading path or scope or table title, put in front when embedding.
    words: what the full-text index sees beyond text and context (split identifiers, plain numbers, names).
    parent: id of the table that a row or table chunk shows, else "". row: the table row a "row" chunk shows.
    """

    id: str
    document: str
    kind: ChunkKind
    modality: Modality
    text: str
    context: str
    words: str
    locator: Locator
    position: int
    parent: str = ""
    row: int | None = None

    @property
    def is_words_only(self) -> bool:
        """Whether it is a block of a long table's rows, which has no vector and is searched by words alone."""
        return self.kind == "row" and self.row is None


@dataclass(frozen=True, slots=True)
class DocumentRow:
    """A file as the store remembers it.

    status: "indexed", "empty", "skipped" (unreadable) or "left_out" (by rule). path: cleaned for display. key: the raw
    path. content_hash: sha256 of the bytes, hex, "" where never read; "+NAME" follows where the user said the encoding.
    seen_ns: when the scan that read it began.
    """

    id: str
    root: bytes
    key: bytes
    path: str
    status: Literal["indexed", "empty", "skipped", "left_out"]
    size: int = 0
    mtime_ns: int = 0
    device: int = 0
    inode: int = 0
    seen_ns: int = 0
    content_hash: str = ""
    modality: str = ""
    title: str = ""
    code: str = ""
    reason: str = ""
    chunks: int = 0
    tokens: int = 0
    stale: bool = False
    warnings: tuple[str, ...] = ()

    @property
    def path_below(self) -> str:
        """The path from the indexed folder on: all of it that is searched."""
        return path_from_root(self.path, os.fsdecode(self.root))

    @property
    def encoding(self) -> str:
        """The encoding that the user said when the file was read, "" where none."""
        return self.content_hash.partition("+")[2]


@dataclass(frozen=True, slots=True)
class Extraction:
    """All that a worker process makes of one file: ready to embed and to store.

    n_words_only: how many of the chunks, at their end, are searched by words alone and get no vector.
    """

    modality: Modality
    title: str
    chunks: tuple[Chunk, ...]
    tables: tuple[Table, ...]
    n_characters: int
    warnings: tuple[str, ...] = ()
    n_words_only: int = 0


@dataclass(frozen=True, slots=True)
class Hit:
    """A candidate passage with its raw score from each source of evidence.

    path: the document's display path. scores: "words" (BM25), "meaning" (cosine), …; a source that did not return it is
    absent. score: the fused score in [0, 1], by which hits are ordered. probability: calibrated, where a map is fitted.
    threshold: what the raw score of the source judged_by had to reach; where it did, accepted_by is that source.
    ceiling: the highest BM25 score that the words of its query can reach, without which "words" means nothing.
    terms: of the passage in the full-text index, in order, joined by blanks. root: the indexed folder in which an
    absolute path lies, "" for one that is relative. collection: which it is of, "" where only one is asked. vector:
    (dim,) float32 of length 1 where the store keeps one; it does not count where hits are compared.
    """

    chunk: Chunk
    path: str
    title: str
    scores: Mapping[str, float]
    score: float
    probability: float | None = None
    accepted_by: str | None = None
    threshold: float | None = None
    ceiling: float = 0.0
    judged_by: str | None = None
    terms: str = ""
    root: str = ""
    collection: str = ""
    vector: Any = field(default=None, compare=False, repr=False)

    @property
    def path_below(self) -> str:
        """The path from the indexed folder on."""
        return path_from_root(self.path, self.root)


@dataclass(frozen=True, slots=True)
class Evidence:
    """A quoted piece that an answer rests on.

    id: "e1", "e2", …, as formulas name it. source: index into Answer.sources, from 1. quote: verbatim from
    the source. value: the number in it, as written; scale: its multiplier to base units.
    """

    id: str
    source: int
    quote: str
    label: str
    value: Decimal | None = None
    unit: str = ""
    scale: int = 1
    locator: Locator | None = None


@dataclass(frozen=True, slots=True)
class Source:
    """A cited passage: the hit and the narrower place in it that the answer uses."""

    ref: int
    hit: Hit
    locator: Locator
    text: str


@dataclass(frozen=True, slots=True)
class Candidate:
    """What may be the answer, in the passage that it stands in.

    text: what it would answer; of a passage the sentence that decides. probability: calibrated, of being right. source:
    its text is the passage as it is shown. marks: [start, end) of the deciding words in source.text.
    """

    kind: CandidateKind
    text: str
    probability: float
    source: Source
    value: Decimal | None = None
    unit: str = ""
    marks: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Check:
    """One exact check of an answer. name: "numbers", "citations" or "quotes"; failed: those that did not hold."""

    name: str
    checked: int
    failed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Faithfulness:
    """How far an answer rests on what it cites. score: cosine of answer and context, in [-1, 1]."""

    score: float
    level: FaithfulnessLevel
    checks: tuple[Check, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer with its RECAP steps; or, where none is sure enough to state, what probably holds it; or neither.

    text: the answer; else the reason for not stating one. value, unit: of a numeric answer. present: the answer as a
    sentence, "" where text is all there is to say. decided_by: whose answer it is. confidence: the calibrated
    probability that the answer is right. candidates: best first, from different places; of a stated answer the first is
    what it says.
    """

    question: str
    status: Grade
    text: str
    kind: str
    asks: str
    value: Decimal | None = None
    unit: str = ""
    confidence: float = 0.0
    evidence: tuple[Evidence, ...] = ()
    formula: str = ""
    result: Decimal | None = None
    sources: tuple[Source, ...] = ()
    refused: tuple[Hit, ...] = ()
    candidates: tuple[Candidate, ...] = ()
    present: str = ""
    decided_by: Decider = "built-in"
    faithfulness: Faithfulness | None = None
    degraded: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    models: Mapping[str, str] = field(default_factory=dict)
    timings_ms: Mapping[str, float] = field(default_factory=dict)
    tokens: Mapping[str, int] = field(default_factory=dict)
