"""Groups of cells: a question, the cell that is meant, and cells of the same table that are nearly it."""

from __future__ import annotations

import ast
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mixrag_cli.models.bundled_reader import cell_text
from training.embedder.lessons import words
from training.reader.groups import Group, part_of
from training.reader.jsonl import read_jsonl

SHARES = {"wtq": 4_000, "sqa": 1_500}  # questions with exact cells, which FeTaQA has not; HiTab's are all taken
KEPT_PARTS = 10  # one table in so many of WTQ and SQA is left for calibration
HITAB_FOLDS = 5  # of which the first is left for measuring
CELLS = (5, 7)  # of a group
MISSING = 0.12  # of the groups lose their right cell
UNTITLED = 0.25
BESIDE = 0.3  # of the flat tables' groups show the row's other cells though the question names none of them
MAX_CELL = 120  # characters of a cell


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table's cells with their paths. others: each row's cells by column name, only for flat tables."""

    title: str
    values: Mapping[tuple[int, int], str]
    rows: Mapping[int, Sequence[str]]
    columns: Mapping[int, Sequence[str]]
    is_flat: bool


def read_tables(folder: Path, headers: Path, rng: random.Random) -> Iterator[Group]:
    """All groups of cells. folder: reader_train. headers: the folder of HiTab's training tables."""
    yield from _hitab_groups(headers, rng)
    rows: dict[str, list[dict[str, Any]]] = {source: [] for source in SHARES}
    for row in read_jsonl(folder / "table.jsonl.gz"):
        if row["cells"] and row["cells_exact"] and not row.get("history") and part_of(row["group"], KEPT_PARTS):
            rows[row["source"]].append(row)
    for source, share in SHARES.items():
        for row in rng.sample(rows[source], min(share, len(rows[source]))):
            sheet = flat_sheet(row)
            places = [(r, c) for r, c in row["cells"] if (r, c) in sheet.values]
            if places:
                yield from _group(row["question"], sheet, places, source, row["group"], rng)


def fold_of(table: str) -> int:
    """The fold of a HiTab table, by a hash of its name."""
    return part_of(table, HITAB_FOLDS)


def hitab_questions(headers: Path) -> Iterator[dict[str, Any]]:
    """HiTab's training questions on the tables that are trained on."""
    for asked in read_jsonl(headers / "hitab_train_questions.jsonl.gz"):
        if fold_of(asked["table_id"]):
            yield asked


def hitab_sheets(headers: Path) -> dict[str, Sheet]:
    """HiTab's tables by their names, with their gold paths."""
    sheets = {}
    for gold in read_jsonl(headers / "hitab_train.jsonl.gz"):
        rows = {int(row): path for row, path in gold["row_paths"].items()}
        columns = {int(column): path for column, path in gold["col_paths"].items()}
        values = {
            (r, c): gold["texts"][r][c]
            for r in rows
            for c in columns
            if r < len(gold["texts"]) and c < len(gold["texts"][r]) and gold["texts"][r][c]
        }
        sheets[gold["id"]] = Sheet(gold["title"], values, rows, columns, is_flat=False)
    return sheets


def flat_sheet(row: Mapping[str, Any]) -> Sheet:
    """A Wikipedia table: the first column names the rows."""
    header, lines = row["table"]["header"], row["table"]["rows"]
    values = {(r, c): cell for r, line in enumerate(lines) for c, cell in enumerate(line) if cell}
    rows = {r: [line[0]] if line and line[0] else [] for r, line in enumerate(lines)}
    return Sheet(row.get("caption") or "", values, rows, {c: [name] for c, name in enumerate(header)}, is_flat=True)


def _hitab_groups(headers: Path, rng: random.Random) -> Iterator[Group]:
    sheets = hitab_sheets(headers)
    for asked in hitab_questions(headers):
        linked = asked["linked_cells"]["quantity_link"].get("[ANSWER]", {})
        sheet = sheets.get(asked["table_id"])
        if sheet is None or asked["aggregation"] != ["none"] or len(linked) != 1:
            continue
        place = ast.literal_eval(next(iter(linked)))
        if place in sheet.values:
            yield from _group(asked["question"], sheet, [place], "hitab", asked["table_id"], rng)


def _group(
    question: str, sheet: Sheet, places: Sequence[tuple[int, int]], source: str, group: str, rng: random.Random
) -> Iterator[Group]:
    """A right cell among its nearest others, where there are any."""
    right = rng.choice(places)
    asked = set(words(question))
    titled = rng.random() >= UNTITLED
    beside = sheet.is_flat and (rng.random() < BESIDE or _names_others(asked, sheet, right))
    texts = [_text(sheet, right, titled, beside)]
    size = rng.randint(*CELLS)
    for place in _nearest(asked, sheet, right, rng):
        text = _text(sheet, place, titled, beside)
        if place not in places and text not in texts and _label(sheet, place) != _label(sheet, right):
            texts.append(text)
        if len(texts) == size:
            break
    if len(texts) < 3:
        return
    if rng.random() < MISSING:
        yield Group(question, tuple(texts[1:]), None, (), "pair", False, source, group)
        return
    order = rng.sample(range(len(texts)), len(texts))
    yield Group(question, tuple(texts[at] for at in order), order.index(0), (), "pair", False, source, group)


def _nearest(asked: set[str], sheet: Sheet, right: tuple[int, int], rng: random.Random) -> Iterator[tuple[int, int]]:
    """Other cells, by turns of the same column, of the same row and of anywhere; more of the question's words first."""

    def by_words(places: list[tuple[int, int]]) -> list[tuple[int, int]]:
        rng.shuffle(places)
        return sorted(places, key=lambda place: -len(asked & set(words(_label(sheet, place)))))

    row, column = right
    others = [place for place in sheet.values if place != right]
    lists = [
        by_words([(r, c) for r, c in others if c == column]),
        by_words([(r, c) for r, c in others if r == row]),
        by_words(rng.sample(others, min(30, len(others)))),
    ]
    while any(lists):
        chosen = rng.choices(lists, [0.5, 0.3, 0.2])[0]
        if chosen:
            yield chosen.pop(0)


def _label(sheet: Sheet, place: tuple[int, int]) -> str:
    return f"{' '.join(sheet.rows.get(place[0], ()))} {' '.join(sheet.columns.get(place[1], ()))}"


def _others(sheet: Sheet, place: tuple[int, int]) -> dict[str, str]:
    """The other cells of a row, its key apart."""
    row, column = place
    return {
        " ".join(name): sheet.values[row, c][:40]
        for c, name in sheet.columns.items()
        if c not in (0, column) and (row, c) in sheet.values
    }


def _names_others(asked: set[str], sheet: Sheet, place: tuple[int, int]) -> bool:
    return bool(asked & set(words(" ".join(_others(sheet, place).values()))))


def _text(sheet: Sheet, place: tuple[int, int], titled: bool, beside: bool) -> str:
    row, column = place
    others = _others(sheet, place) if beside else None
    title = sheet.title if titled else ""
    return cell_text(
        title, sheet.rows.get(row, ()), sheet.columns.get(column, ()), sheet.values[place][:MAX_CELL], others
    )
