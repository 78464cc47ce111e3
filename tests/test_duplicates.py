"""Near-duplicates: what says the same goes, what says anything of its own stays."""

import pytest

from mixrag_cli.records.passages import Chunk, Hit
from mixrag_cli.records.places import Locator
from mixrag_cli.retrieval.duplicates import drop_duplicates, limit_files

TEXT = (
    "Every member of the workshop has paid leave in a calendar year. Leave that is not taken by the end of March is "
    "lost. A request is made to the bench lead, Orla Tennick, two weeks ahead, and 27 days are granted."
)


def make_hit(
    number: int, text: str, path: str = "", kind: str = "prose", context: str = "Leave", meaning: float = 0.5
) -> Hit:
    path = path or f"{'abcdefgh'[number]}.md"
    chunk = Chunk(f"{number:032x}", path, kind, "markdown", text, context, "", Locator((0, 1)), number)
    return Hit(chunk, path, "", {"words": 9.0, "meaning": meaning}, 1.0 - number / 100)


def kept(*hits: Hit) -> list[int]:
    return [hit.chunk.position for hit in drop_duplicates(hits)]


@pytest.mark.parametrize(
    "copy",
    [
        TEXT,
        TEXT.replace(" ", "\n"),
        TEXT.upper(),
        TEXT.replace(",", " –"),
        "Leave that is not taken by the end of March is lost. " + TEXT,
    ],
)
def test_the_better_ranked_of_two_that_say_the_same_stays(copy: str) -> None:
    assert kept(make_hit(1, TEXT), make_hit(2, copy)) == [1]
    assert kept(make_hit(2, copy), make_hit(1, TEXT)) == [2]


@pytest.mark.parametrize(
    "other",
    [
        TEXT.replace("27", "25"),
        TEXT.replace("is not taken", "is taken"),
        TEXT.replace("Orla Tennick", "Finn Tennick"),
        TEXT + " Exceptions are listed elsewhere.",
        " ".join(reversed(TEXT.split())),
    ],
)
def test_whatever_adds_or_changes_a_word_or_a_number_stays(other: str) -> None:
    assert kept(make_hit(1, TEXT), make_hit(2, other)) == [1, 2]
    assert kept(make_hit(2, other), make_hit(1, TEXT)) == [2, 1]


def test_another_year_in_the_headings_or_the_path_is_another_fact() -> None:
    assert kept(make_hit(1, TEXT, context="Leave 2023"), make_hit(2, TEXT, context="Leave 2024")) == [1, 2]
    assert kept(make_hit(1, TEXT, "plan-2023.md"), make_hit(2, TEXT, "plan-2024.md")) == [1, 2]


@pytest.mark.parametrize("kind", ["row", "table"])
def test_the_same_figures_in_two_files_are_two_facts(kind: str) -> None:
    row = "Rent > Office: 1,200; Rent > Hall: 800"
    assert kept(make_hit(1, row, "north.csv", kind), make_hit(2, row, "south.csv", kind)) == [1, 2]


def test_vectors_that_lie_apart_keep_both() -> None:
    assert kept(make_hit(1, TEXT, meaning=0.7), make_hit(2, TEXT, meaning=0.4)) == [1, 2]


def test_a_third_copy_goes_too_and_order_stays() -> None:
    other = make_hit(3, "The varnish dries in nine hours.")
    assert kept(make_hit(1, TEXT), other, make_hit(2, TEXT), make_hit(4, TEXT)) == [1, 3]


def test_short_and_empty_texts_are_no_trouble() -> None:
    assert kept(make_hit(1, "Yes."), make_hit(2, "yes"), make_hit(3, ""), make_hit(4, "")) == [1, 3]


def test_at_most_so_many_of_each_file_unless_there_is_only_one() -> None:
    hits = [make_hit(n, f"passage {n}", "a.md" if n % 2 else "b.md") for n in range(6)]
    assert [hit.chunk.position for hit in limit_files(hits, 1)] == [0, 1]
    assert limit_files(hits, 0) == hits
    of_one = [hit for hit in hits if hit.path == "a.md"]
    assert limit_files(of_one, 1) == of_one
