"""Chunks: every one fits the window, says where it is, and together they leave nothing out."""

import itertools
from collections.abc import Sequence
from decimal import Decimal

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mixrag_cli.chunking import Telling, chunk_document
from mixrag_cli.chunking import chunks as chunks_module
from mixrag_cli.chunking.packing import Piece, cut_piece, cutting_place, pack_pieces
from mixrag_cli.chunking.topics import topic_finder, topic_starts
from mixrag_cli.models.tokens import load_token_counter
from mixrag_cli.readers.building import DocumentBuilder
from mixrag_cli.records.documents import Document, Grid, GridCell
from mixrag_cli.records.passages import Chunk
from mixrag_cli.records.places import Locator
from mixrag_cli.records.tables import Cell, Header, Table
from mixrag_cli.sentences import split_sentences
from mixrag_cli.tables.grid import grid_to_table
from tests.bounded import assert_in_line
from tests.evidence_samples import read_bytes

WINDOW = 256
COUNT = load_token_counter()
FAMILY = "\U0001f468‍\U0001f469‍\U0001f467"


def chunk(document: Document, tables=(), *, path="reports/annual.txt", window=WINDOW, **options) -> tuple[Chunk, ...]:
    return chunk_document(document, tables, document_id="d", path=path, count_tokens=COUNT, window=window, **options)


def document_of(*paragraphs: str, modality="text", title="Annual report") -> Document:
    builder = DocumentBuilder(modality, title)
    line = 1
    for paragraph in paragraphs:
        n_lines = paragraph.count("\n") + 1
        builder.add(paragraph, "paragraph", lines=(line, line + n_lines - 1))
        line += n_lines + 1
    return builder.build()


def tokens_of(found: Chunk) -> int:
    return COUNT(f"{found.context}\n{found.text}") + 2


def assert_sound(document: Document, found: tuple[Chunk, ...], window=WINDOW) -> None:
    """What holds of the chunks of running text and code, whatever the document."""
    assert all(tokens_of(each) <= window for each in found)
    assert all(document.text[slice(*each.locator.chars)] == each.text for each in found)
    assert len({each.id for each in found}) == len(found)
    assert [each.position for each in found] == list(range(len(found)))
    covered = [False] * len(document.text)
    for each in found:
        covered[slice(*each.locator.chars)] = [True] * len(each.text)
    left = "".join(character for character, seen in zip(document.text, covered, strict=True) if not seen)
    assert not left.strip()


def sentences_of(n: int) -> str:
    return " ".join(
        f"The {number}th works of the town supplied {number * 37} cubic metres a day." for number in range(n)
    )


# --- any text -----------------------------------------------------------------------------------------------------

HARD_TEXT = st.lists(
    st.one_of(
        st.text(max_size=300),
        st.text(alphabet="abtheorem,.!? \n", max_size=900),
        st.sampled_from(
            [
                "theorem" * 200,
                "a." * 400,
                FAMILY * 60,
                "é" * 300,
                "中文句子。" * 120,
                "\U0001f1e9\U0001f1ea" * 200,
                " \n\n ",
            ]
        ),
        st.builds(sentences_of, st.integers(1, 30)),
    ),
    min_size=1,
    max_size=5,
)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    paragraphs=HARD_TEXT,
    modality=st.sampled_from(["text", "code", "markdown", "pdf"]),
    window=st.sampled_from([64, 256]),
)
def test_every_chunk_fits_the_window_and_nothing_is_left_out(paragraphs, modality, window):
    document = document_of(*paragraphs, modality=modality)
    found = chunk(document, window=window)
    assert_sound(document, found, window)


@settings(max_examples=100, deadline=None)
@given(text=st.text(min_size=1, max_size=600), budget=st.integers(1, 60))
def test_pieces_cover_a_stretch_without_gap_or_overlap(text, budget):
    pieces = list(cut_piece(text, 0, len(text), budget, COUNT))
    assert pieces[0].start == 0
    assert pieces[-1].end == len(text)
    assert all(first.end == second.start for first, second in itertools.pairwise(pieces))
    assert all(COUNT(text[piece.start : piece.end]) <= budget for piece in pieces if piece.end - piece.start > 1)


@pytest.mark.parametrize(
    ("text", "unit"),
    [(FAMILY * 400, 5), ("é" * 3000, 2), ("\U0001f1e9\U0001f1ea" * 1500, 2), ("\U0001f44d\U0001f3fd" * 1500, 2)],
)
def test_no_cut_falls_inside_what_people_see_as_one_character(text, unit):
    document = document_of(text)
    found = chunk(document)
    assert_sound(document, found)
    assert all(edge % unit == 0 for each in found for edge in each.locator.chars)


def test_a_cut_prefers_white_space():
    text = "alpha beta gamma delta"
    assert text[: cutting_place(text, 0, len(text), 11)] == "alpha beta "


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        sentences_of(20_000),
        "x" * 2_000_000,
        ("word " * 400_000).strip(),
        "a\n" * 160_000,
        "á" * 1_000_000,
        '{"key":[1,2,3]},' * 60_000,
    ],
    ids=["sentences", "no space", "no sentence", "short lines", "accents", "json"],
)
@pytest.mark.parametrize("modality", ["text", "code"])
def test_one_giant_paragraph_takes_time_in_line_with_its_length(text, modality, monkeypatch):
    monkeypatch.setattr(chunks_module, "MAX_CHUNKS", 10**9)
    cheap = lambda piece: len(piece) // 4  # noqa: E731 (the tokenizer's own time is linear and not ours)

    def cut(part: str) -> None:
        chunk_document(
            document_of(part, modality=modality), (), document_id="d", path="p", count_tokens=cheap, window=WINDOW
        )

    assert_in_line(cut, text)


@pytest.mark.slow
def test_many_small_blocks_take_time_in_line_with_their_number():
    def cut(lines: str) -> None:
        document = document_of(*lines.splitlines())
        chunk_document(document, (), document_id="d", path="p", count_tokens=lambda text: len(text) // 4, window=WINDOW)

    assert_in_line(cut, "".join(f"Paragraph {number:05} of the ledger.\n" for number in range(16_000)))


def test_a_file_never_has_more_than_its_share_of_chunks(monkeypatch):
    monkeypatch.setattr(chunks_module, "MAX_CHUNKS", 7)
    assert len(chunk(document_of(sentences_of(500)))) == 7


def test_the_same_document_gives_the_same_chunks_and_another_place_other_ids():
    document = document_of(sentences_of(50))
    assert chunk(document) == chunk(document)
    moved = document_of("A new first paragraph.", sentences_of(50))
    assert not {each.id for each in chunk(document)} & {each.id for each in chunk(moved)}


def test_an_empty_document_has_no_chunks():
    assert chunk(document_of()) == ()
    assert chunk(document_of(" \n ")) == ()


# --- prose --------------------------------------------------------------------------------------------------------


def test_neighbours_share_their_last_sentences_and_no_more():
    found = chunk(document_of(sentences_of(60)))
    assert len(found) > 3
    for first, second in itertools.pairwise(found):
        shared = first.locator.chars[1] - second.locator.chars[0]
        assert shared > 0
        assert COUNT(second.text[:shared]) <= 0.15 * WINDOW
        assert second.text.startswith("The ")
        assert first.text.endswith(".")


def test_the_heading_path_stands_in_front_and_top_sections_do_not_mix():
    builder = DocumentBuilder("markdown", "Handbook")
    for section in ("Leave", "Safety"):
        builder.add_heading(section, 1)
        builder.add_heading("The rules", 2)
        builder.add(f"All about {section.lower()}. " + sentences_of(3), "paragraph")
    found = chunk(builder.build())
    assert [each.context for each in found] == ["Handbook > Leave > The rules", "Handbook > Safety > The rules"]
    assert all(("leave" in each.text) != ("safety" in each.text) for each in found)


def test_small_sections_of_one_chapter_share_a_chunk_under_their_common_heading():
    builder = DocumentBuilder("markdown", "Handbook")
    builder.add_heading("Figures", 1)
    for year in (2021, 2022, 2023):
        builder.add_heading(str(year), 2)
        builder.add(f"{year * 3} chairs.", "paragraph")
    (only,) = chunk(builder.build())
    assert only.context == "Handbook > Figures"
    assert "6066 chairs." in only.text


def test_every_part_of_a_long_section_says_its_heading_also_where_a_small_one_stands_before_it():
    builder = DocumentBuilder("markdown", "Handbook")
    builder.add_heading("Figures", 1)
    for name, text in (("Chairs", "Six."), ("Tables", sentences_of(60))):
        builder.add_heading(name, 2)
        builder.add(text, "paragraph")
    first, *others = chunk(builder.build())
    assert "Chairs" in first.text and first.context == "Handbook > Figures"
    assert others and {each.context for each in others} == {"Handbook > Figures > Tables"}


def test_text_that_goes_on_from_the_page_before_says_its_heading():
    builder = DocumentBuilder("pdf", "Handbook")
    builder.add_heading("Rules", 1, page=1)
    builder.add_heading("Pay", 2, page=1)
    builder.add(sentences_of(3), "paragraph", page=1)
    builder.add("It is paid on the last day.", "paragraph", page=2)
    builder.add_heading("Leave", 2, page=2)
    builder.add("It is twenty days.", "paragraph", page=2)
    _, going_on, leave = chunk(builder.build())
    assert (going_on.context, going_on.text) == ("Handbook > Rules > Pay", "It is paid on the last day.")
    assert leave.context == "Handbook > Rules > Leave"


def test_a_chunk_of_a_pdf_is_of_one_page():
    builder = DocumentBuilder("pdf", "Report")
    for page in (1, 2, 3):
        for part in range(3):
            builder.add(
                f"Page {page}, part {part}. " + sentences_of(2), "paragraph", page=page, bbox=(0, part, 9, part + 1)
            )
    found = chunk(builder.build())
    assert [each.locator.page for each in found] == [1, 2, 3]
    assert all(f"Page {each.locator.page}" in each.text and each.text.count("Page") == 3 for each in found)
    assert all(each.locator.bbox is None for each in found)


def test_the_place_of_a_single_block_keeps_its_box():
    builder = DocumentBuilder("pdf", "Report")
    builder.add("One line.", "paragraph", page=4, bbox=(1, 2, 3, 4))
    (only,) = chunk(builder.build())
    assert (only.locator.page, only.locator.bbox) == (4, (1, 2, 3, 4))


@pytest.mark.parametrize("modality", ["text", "code"])
def test_lines_are_those_of_the_source(modality):
    source = "\n".join(f"Line {number} says {number * number} and no more." for number in range(1, 200))
    for each in chunk(document_of(source, modality=modality)):
        first, last = each.locator.lines
        assert source.split("\n")[first - 1].startswith(each.text.split("\n")[0])
        assert source.split("\n")[last - 1].endswith(each.text.split("\n")[-1])


def test_a_long_title_leaves_room_for_the_text():
    document = document_of(sentences_of(40), title="On the supply of water " * 60)
    found = chunk(document)
    assert_sound(document, found)
    assert all(COUNT(each.context) <= 40 for each in found)


def test_a_long_title_leaves_room_for_the_innermost_heading():
    builder = DocumentBuilder("pdf", "On the supply of water and the disposal of waste in the towns of the north " * 3)
    builder.add_heading("Works", 1)
    builder.add_heading("Wells and springs", 2)
    builder.add("There are twelve.", "paragraph")
    (only,) = chunk(builder.build())
    assert only.context.startswith("On the supply") and only.context.endswith(" > Wells and springs")
    assert COUNT(only.context) <= 40


def test_file_name_and_path_are_words_to_search():
    (only,) = chunk(document_of("Short."), path="2023/q3/annual_report.txt")
    assert only.words == "2023 q3 annual_report.txt"


# --- code ---------------------------------------------------------------------------------------------------------


def test_a_definition_is_one_chunk_where_it_fits_else_its_signature_is_repeated():
    builder = DocumentBuilder("code", "prices.py")
    builder.add(
        "def small():\n    return 1", "definition", heading_path=("class Prices",), name="Prices.small", lines=(2, 3)
    )
    body = "\n".join(f"    total_{number} = price_{number} * {number}" for number in range(120))
    builder.add(f"@cached\ndef large(price):\n{body}", "definition", name="large", lines=(5, 126))
    document = builder.build()
    small, *large = chunk(document, path="shop/prices.py")
    assert small.text == "def small():\n    return 1"
    assert "class Prices" in small.context
    assert "Prices.small" in small.words
    assert len(large) > 3
    assert all("def large(price):" in each.context for each in large[1:])
    assert all(each.kind == "code" and tokens_of(each) <= WINDOW for each in large)
    assert [each.locator.lines[0] for each in large] == sorted({each.locator.lines[0] for each in large})


def test_loose_lines_of_code_that_are_cut_have_no_signature():
    builder = DocumentBuilder("code", "train.py")
    builder.add('"""\n' + "\n".join(f"rate_{number} = {number}" for number in range(200)), "code", lines=(1, 201))
    parts = chunk(builder.build(), path="train.py")
    assert len(parts) > 1
    assert {each.context for each in parts} == {"train.py"}


# --- tables -------------------------------------------------------------------------------------------------------


def table_of(n_rows: int, n_columns: int = 3, text: str = "") -> Table:
    columns = tuple(Header(column, ("Volume", f"Year {2000 + column}")) for column in range(1, n_columns + 1))
    rows = tuple(Header(row, ("Works", f"Plant {row}")) for row in range(1, n_rows + 1))
    cells = tuple(
        Cell(
            row.index,
            column.index,
            text or f"{row.index * 7 + column.index}",
            Decimal(row.index * 7 + column.index),
            address=f"{chr(64 + column.index % 26)}{row.index}",
        )
        for row in rows
        for column in columns
    )
    return Table("t", "Water by works", columns, rows, cells, Locator((0, 4), sheet="Water", cells="A1:D9"))


def chunk_table(table: Table, representation="h-rcl-rows") -> tuple[Chunk, ...]:
    builder = DocumentBuilder("sheet", "Supply")
    builder.add("grid", "table", grid=Grid(1, 1, (), Locator((0, 4))))
    return chunk(builder.build(), [(0, table)], path="supply.xlsx", telling=Telling(representation))


def test_a_table_is_one_chunk_for_the_whole_and_one_a_row_with_full_header_paths():
    whole, *rows = chunk_table(table_of(4))
    assert (whole.kind, whole.parent) == ("table", "t")
    assert [(each.kind, each.parent, each.row) for each in rows] == [("row", "t", row) for row in (1, 2, 3, 4)]
    assert rows[1].text == "Works > Plant 2: Volume > Year 2001 15; Volume > Year 2002 16; Volume > Year 2003 17"
    assert rows[1].context == "Supply > Water by works"
    assert (rows[1].locator.sheet, rows[1].locator.cells) == ("Water", "A2:C2")


def test_the_representation_of_a_table_is_chosen():
    table = table_of(4)
    alone = chunk_table(table, "table")
    assert [each.kind for each in alone] == ["table"]
    full = chunk_table(table, "h-rcl")
    assert [each.row for each in full if each.kind == "row"] == [1, 2, 3, 4]
    columns = [each for each in full if each.kind == "table" and each.text.startswith("Volume > Year 2002: ")]
    assert [(each.parent, each.locator.cells) for each in columns] == [("t", "B1:B4")]
    flat = [each for each in chunk_table(table, "rcl") if each.kind == "row"]
    assert flat[1].text == "Plant 2: Year 2001 15; Year 2002 16; Year 2003 17"


def test_a_row_wider_than_the_window_is_cut_between_cells_under_its_path():
    found = chunk_table(table_of(1, 200))
    rows = [each for each in found if each.kind == "row"]
    assert len(rows) > 5
    assert all(each.text.startswith("Works > Plant 1: ") and tokens_of(each) <= WINDOW for each in found[1:])
    together = " ".join(each.text for each in rows)
    assert all(f"Volume > Year {2000 + column} {7 + column}" in together for column in range(1, 201))


def test_a_label_wider_than_the_window_is_whole_in_its_parts():
    label = " ".join(f"word{number}" for number in range(400))
    table = Table("t", "Notes", (Header(1, ("n",)),), (Header(1, (label,)),), (Cell(1, 1, "7"),), Locator((0, 4)))
    rows = [each for each in chunk_table(table) if each.kind == "row"]
    assert all(tokens_of(each) <= WINDOW for each in rows)
    assert set(label.split()) <= {word.strip(":") for each in rows for word in each.text.split()}
    assert rows[-1].text.endswith("n 7")


def test_rows_that_the_table_does_not_say_are_a_chunk_as_they_stand():
    rows = [["Port", "2022", "2023"], ["Hull", "5", "6"], ["Rye", "8", "9"], ["Closed ports:"], ["Deal"], ["Ely"]]
    cells = tuple(
        GridCell(r, c, text, address=f"{'ABC'[c]}{r + 1}") for r, row in enumerate(rows) for c, text in enumerate(row)
    )
    grid = Grid(6, 3, cells, Locator((0, 4), sheet="Ports", cells="A1:C6"))
    builder = DocumentBuilder("sheet", "Ports")
    builder.add("grid", "table", grid=grid)
    table = grid_to_table(grid, document="d", title="Ports")
    assert table is not None
    found = chunk(builder.build(), [(0, table)], path="ports.xlsx")
    (rest,) = (each for each in found if "Deal" in each.text)
    assert (rest.text, rest.kind, rest.locator.cells) == ("Closed ports:\nDeal\nEly", "table", "A4:A6")


def test_like_parts_of_a_wide_row_are_one_chunk():
    columns = tuple(Header(column, ("n",)) for column in range(1, 400))
    cells = tuple(Cell(1, column.index, "0") for column in columns)
    table = Table("t", "Zeros", columns, (Header(1, ("r",)),), cells, Locator((0, 4)))
    found = chunk_table(table)
    assert len({each.id for each in found}) == len(found)
    assert [each.position for each in found] == list(range(len(found)))


def test_rows_of_a_long_table_share_chunks_and_none_is_lost():
    table = table_of(2_500)
    rows = [each for each in chunk_table(table) if each.kind == "row"]
    assert len(rows) < 1_250
    assert all(tokens_of(each) <= WINDOW for each in rows)
    lines = [line for each in rows for line in each.text.split("\n")]
    assert [line.partition(":")[0] for line in lines] == [f"Works > Plant {row}" for row in range(1, 2_501)]
    assert rows[0].locator.cells.startswith("A1:")
    assert [each.row for each in rows] == sorted(each.row for each in rows)


@pytest.mark.slow
def test_huge_cells_do_not_break_the_window():
    for text in ("word " * 2_000, "x" * 50_000, FAMILY * 500):
        for representation in ("h-rcl-rows", "h-rcl", "rcl", "table"):
            found = chunk_table(table_of(3, 3, text), representation)
            assert all(tokens_of(each) <= WINDOW for each in found)


# --- sentences and packing ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "sentences",
    [
        ["It is so.", "See No. 5 of vol. 3."],
        ["Revenue was $ 3.4 million in the U.S. and U.K. markets.", "It rose."],
        ["Dr. A. B. Smith et al. (2017) wrote it.", "Chen et al., 2018 did not."],
        ["He said “No.”", "She left!", "Why?", "3 people saw it…", "Then all."],
        ["Use it as e.g. in Fig. 2 or Sec. 4."],
        ["Он пришёл.", "Она ушла."],
        ["今日は晴れ。", "明日は雨！", "本当？"],
        ["यह सच है।", "वह झूठ है।"],
        ["¿Qué es?", "¡Nada!", "Él lo sabe."],
        ["Prices (in millions).", "[5] The band was active."],
        ["host != location, and x .. y"],
        ["1. First item", "2. Second item"],
    ],
)
def test_sentences(sentences):
    separator = "\n" if sentences[0].startswith("1.") else " "
    text = separator.join(sentences)
    found = [text[start:end] for start, end in split_sentences(text)]
    assert found == sentences


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet='aB1.?! \n"”)。é-*', max_size=200))
def test_sentences_lose_nothing_but_white_space(text):
    spans = split_sentences(text)
    kept = "".join(text[start:end] for start, end in spans)
    assert "".join(kept.split()) == "".join(text.split())
    assert all(first[1] <= second[0] for first, second in itertools.pairwise(spans))


def test_packing_repeats_the_end_of_the_group_before():
    pieces = [Piece(0, 4, 4), Piece(4, 8, 4), Piece(8, 12, 4)]
    assert list(pack_pieces(pieces, 8, 4)) == [pieces[:2], pieces[1:]]
    assert list(pack_pieces(pieces, 8)) == [pieces[:2], pieces[2:]]
    assert list(pack_pieces([], 8)) == []


# --- by topics --------------------------------------------------------------------------------------------------------

BAKING = ("Flour is weighed first.", "Water is warmed.", "The dough rests for an hour.", "It is baked until brown.")
FISHING = (
    "The boat leaves at dawn.",
    "Nets are cast beyond the reef.",
    "The catch is sorted.",
    "It is sold on the quay.",
)


def by_direction(sentences: Sequence[str]) -> npt.NDArray[np.float32]:
    """One axis for what is said of baking, another for all else."""
    known = [sentence.strip() in BAKING for sentence in sentences]
    return np.array([[1.0, 0.0] if baked else [0.0, 1.0] for baked in known], np.float32)


def test_a_topic_begins_where_neighbours_are_further_apart_than_most() -> None:
    assert topic_starts(by_direction((*BAKING, *FISHING))) == [4]
    assert topic_starts(by_direction(BAKING)) == []  # no drop is above the others
    assert topic_starts(by_direction((*BAKING[:2], *FISHING[:1]))) == []  # too few to tell


def test_by_topics_no_passage_goes_over_a_turn_and_no_sentence_is_lost_or_repeated() -> None:
    document = document_of(" ".join((*BAKING, *FISHING)))
    packed = chunk(document)
    cut = chunk(document, telling=Telling(topics=topic_finder(by_direction)))
    assert len(packed) == 1 and [each.text for each in cut] == [" ".join(BAKING), " ".join(FISHING)]
    small = chunk(document, window=24, telling=Telling(topics=topic_finder(by_direction)))
    assert len(small) > 2 and " ".join(each.text for each in small).split() == document.text.split()
    assert_sound(document, small, window=24)


def test_notes_that_the_passage_of_a_wide_table_has_no_room_for_have_their_own() -> None:
    places = [f"district {number}" for number in range(40)]
    rows = [["town", *places], *([f"place {row}", *(str(100 * row + at) for at in range(40))] for row in range(12))]
    notes = ["* Less than one tenth of a percent.", "NOTE: The passengers of the ferry are not counted."]
    text = "\n".join([*(",".join(row) for row in rows), *notes])
    chunks, _, _ = read_bytes("towns.csv", text.encode(), 160)
    (told,) = [chunk for chunk in chunks if "ferry" in chunk.text]
    assert (told.text.splitlines(), told.locator.lines) == (notes, (14, 15))
