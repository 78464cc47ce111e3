"""What of a table is shown below a citation: the columns that the question names, and the cells that decide."""

from __future__ import annotations

import io

import pytest

from mixrag_cli.output.answer_view import print_answer
from mixrag_cli.output.console import make_console
from mixrag_cli.output.passages import Behind
from mixrag_cli.output.table_view import table_layout
from mixrag_cli.records.answers import Candidate, Source
from tests.evidence_samples import read_bytes
from tests.northmere import hit_of, likely

WIDE = """\
compound,NF54,K1,D6,W2,V1S,logD,solubility,protein binding,rat clearance,rat half-life,dog clearance
MMV048,28,25,31,30,22,3.6,5,97,1,10.7,4
KAE609,0.5,0.6,1,0.9,1.4,4.8,12,99,3.48,24,2
DSM265,30,28,33,41,36,3.2,8,98,5,11,7
"""


def page_of(name: str, text: str, question: str, *deciding: tuple[str, str], width: int = 80) -> str:
    """A likely answer out of a table's rows. deciding: words of each row, and those that decide, after a bar if any."""
    chunks, tables, _ = read_bytes(name, text.encode(), 160)
    found = []
    for row, words in deciding:
        lead, _, words = words.rpartition("|")
        chunk = next(each for each in chunks if each.row is not None and row in each.text and lead + words in each.text)
        start = chunk.text.index(lead + words) + len(lead)
        source = Source(1, hit_of(name, chunk), chunk.locator, chunk.text)
        found.append(Candidate("passage", words, 0.5, source, marks=((start, start + len(words)),)))
    stream = io.StringIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", str(width))
        print_answer(make_console(stream, "never"), likely(question, *found), Behind(lambda _: None, tables.get))
    return stream.getvalue()


@pytest.mark.parametrize("width", [80, 50])
def test_a_slice_of_a_wide_table_shows_the_column_that_is_asked_for(width: int) -> None:
    page = page_of("rats.csv", WIDE, "What is the half-life of KAE609?", ("KAE609", "0.5"), width=width)
    assert "half-life" in page and " 24" in page and "[0.5]" in page and "KAE609" in page


def test_a_slice_shows_by_what_its_row_was_chosen() -> None:
    """The question gives the player; the slice that shows an owner shows him, and not the columns beside the owner."""
    picks = "pick,round,Owner,Player ID,Bye,Slot,Keeper,Points,Player Name,Cost\n" + "".join(
        f"{n},1,Owner {n},30{n},7,RB{n},no,{n}1,{name},{n}0\n"
        for n, name in enumerate(("Nick Chubb", "Derrick Henry", "Travis Kelce"), 1)
    )
    page = page_of("draft.csv", picks, "Who drafted Derrick Henry?", ("Derrick", "Owner 2"), width=60)
    assert "[Owner 2]" in page and "Derrick Henry" in page and "Bye" not in page


def test_a_mark_all_over_a_row_marks_what_is_asked_or_its_name() -> None:
    row = "compound KAE609: NF54 0.5; K1 0.6; D6 1; W2 0.9"
    asked = page_of("rats.csv", WIDE, "Is KAE609 weak on K1?", ("KAE609", row))
    assert "[0.6]" in asked and asked.count("[") == 1
    unnamed = page_of("rats.csv", WIDE, "Is KAE609 any good?", ("KAE609", row))
    assert "[KAE609]" in unnamed and unnamed.count("[") == 1


def test_of_equal_cells_that_is_marked_whose_header_leads_the_words() -> None:
    same = WIDE.replace("30,28,33", "30,30,30")
    assert "    30   [30]   30  " in page_of("rats.csv", same, "Which is it?", ("DSM265", "K1 |30"))


def test_a_guess_marks_no_cell_that_the_question_gives() -> None:
    page = page_of("rats.csv", WIDE, "What has an NF54 of 28?", ("MMV048", "NF54 |28"))
    assert "[28]" not in page and "[MMV048]" in page


@pytest.mark.parametrize("width", [80, 50])
def test_long_cells_and_labels_are_cut_and_the_marked_words_stay(width: int) -> None:
    story = " ".join(f"Sentence {n} tells of the year {1900 + n}." for n in range(40))
    table = f"name,unit,kind,code,note\nAbstract,NA,text,blank,{story}\n{'Long name ' * 30},NA,text,blank,{story}\n"
    marked = "Sentence 20 tells of the year 1920."
    page = page_of("notes.csv", table, "Which sentence?", ("Abstract", marked), width=width)
    assert "1920." in page
    assert page.count("Sentence") < 12 and page.count("…") >= 3 and len(page.splitlines()) < 40


VOTES = """\
number,topic,kind,yes,no
456,Functions callable at any time,errata,34,0
500,Events of the tools interface,errata,35,0
495,Changes in the chapter on files,vote,35,2
"""


def whole(text: str, width: int) -> list[str]:
    """The lines of a csv's table as the terminal shows it."""
    _, tables, _ = read_bytes("votes.csv", text.encode(), 160)
    stream = io.StringIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", str(width))
        console = make_console(stream, "never")
        (table,) = tables.values()
        console.print(table_layout(console, table)[0])
    return [line.rstrip() for line in stream.getvalue().splitlines()]


def test_names_in_several_columns_stay_columns_where_no_rows_share_one() -> None:
    lines = whole(VOTES, 80)
    assert [line.split()[0] for line in lines if line and line[0] != "─"] == ["number", "456", "500", "495"]
    assert lines[0].split() == ["number", "topic", "kind", "yes", "no"]


def test_names_that_leave_no_room_for_figures_are_an_outline_beside_these() -> None:
    lines = whole(VOTES, 40)
    assert lines[0].split() == ["yes", "no"]
    assert [line for line in lines if line[:1].isdigit()] == ["456", "500", "495"]
