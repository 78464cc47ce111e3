"""Summaries of groups of passages, the source "tiers": through a real index, with a script in the generator's place."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scripted_generator import Line, ScriptedGenerator

from mixrag_cli.errors import ModelUnusable
from mixrag_cli.generator import Request
from mixrag_cli.output.payloads import index_to_json
from mixrag_cli.retrieval.group_summaries import MAX_CHARACTERS, extract_summary, group_request, read_group_summary
from mixrag_cli.retrieval.sources.passages import Passages, read_passages
from mixrag_cli.retrieval.sources.tree import KeptTree, Tier, grow_tree, keys_of
from mixrag_cli.settings import Settings
from mixrag_cli.store import open_reader
from mixrag_cli.stories.grouping import EXTRACTIVE, GroupReport
from mixrag_cli.stories.indexing import build_index
from mixrag_cli.stories.kept_tree import TREE_FILE, read_tree
from mixrag_cli.stories.scope import Scope
from mixrag_cli.stories.session import open_session
from mixrag_cli.stories.wishes import IndexWishes

pytestmark = pytest.mark.slow

PLAIN = Settings(sources="tiers")
SCRIPTED = Settings(sources="tiers", generator="scripted")
SUBJECTS = ("barley", "sluices", "wages", "bridges", "herons", "ledgers", "tunnels", "bakeries", "glaciers", "violins")
DEEDS = ("were counted", "were repaired", "were sold", "were praised", "were lost", "were insured")
PLACES = ("Ashby", "Corfe", "Dunmow", "Elstow", "Filey")
EDITED = "wages-2-3.md"
NEW_TEXT = "Comets were watched from the tower of Elstow by night."


class Silent:
    """Watches a run and says nothing."""

    def phase(self, name: str, total: int | None) -> None: ...

    def advance(self, done: int, detail: str = "") -> None: ...

    def note(self, message: str) -> None: ...


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory, model_cache: Path) -> Path:
    """An index of 300 passages, so that there are groups of groups."""
    folder = tmp_path_factory.mktemp("shire")
    for subject in SUBJECTS:
        for deed, done in enumerate(DEEDS):
            for number, place in enumerate(PLACES):
                text = f"The {subject} of {place} {done} in 19{deed}{number}. Of {subject} more is told elsewhere."
                (folder / f"{subject}-{deed}-{number}.md").write_text(text, "utf-8")
    build_index([folder], Settings(), events=Silent())
    return folder


@pytest.fixture
def folder(base: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(base, tmp_path / "shire"))


def told(request: Request) -> str:
    """A summary that says what the group's first passage begins with."""
    shown = request.messages[1].text.split("p1>>\n")[1].split()
    return json.dumps({"summary": "A group about " + " ".join(shown[:3])})


def scripted(*lines: Line) -> ScriptedGenerator:
    return ScriptedGenerator(lines or (told,), repeat=not lines)


def run(folder: Path, settings: Settings, generator: ScriptedGenerator | None = None) -> GroupReport:
    report = build_index([folder], settings, events=Silent(), generator=lambda: generator)
    assert report.groups is not None
    return report.groups


def grown(folder: Path) -> tuple[Passages, list[Tier]]:
    """The passages and the groups of the kept tree over them."""
    kept = read_tree(folder / ".mixrag")
    assert kept is not None
    with open_reader(folder / ".mixrag") as reader:
        passages = read_passages(reader.passages())
    return passages, grow_tree(passages.vectors, kept.centres)


def groups_of(name: str, passages: Passages, tiers: list[Tier]) -> list[set[int]]:
    """By tier, the groups in which the file's only passage lies."""
    (row,) = [row for row, passage in enumerate(passages.kept) if passage.path.endswith(name)]
    return [set(np.flatnonzero(tier.leaves[:, row]).tolist()) for tier in tiers]


def test_an_edit_makes_the_path_above_it_again_and_nothing_else(folder: Path) -> None:
    first = scripted()
    report = run(folder, SCRIPTED, first)
    passages, before = grown(folder)
    assert len(before) == 2 and report.groups == report.made == len(first.requests) > 20
    held = groups_of(EDITED, passages, before)

    (folder / EDITED).write_text(NEW_TEXT, "utf-8")
    second = scripted()
    again = run(folder, SCRIPTED, second)
    passages, after = grown(folder)
    holds = groups_of(EDITED, passages, after)
    lowest = held[0] | holds[0]
    above = {group for each in lowest for group in np.flatnonzero(after[1].children[:, each]).tolist()}
    assert len(second.requests) == again.made == len(lowest) + len(above) < report.groups / 3
    asked = [request.messages[1].text for request in second.requests]
    assert sum(NEW_TEXT in text for text in asked) == len(holds[0])
    assert all("A group about" in text for text in asked[len(lowest) :]), "a higher group is told by those in it"
    assert again.kept == again.groups - again.made and again.left == 0

    third = scripted()
    assert run(folder, SCRIPTED, third).made == 0 and not third.requests


def test_a_group_is_found_by_what_is_written_of_it_and_its_passages_are_shown(folder: Path) -> None:
    def about_comets(request: Request) -> str:
        text = request.messages[1].text
        return json.dumps({"summary": "Astronomers observe comets" if "herons" in text else "Things of the shire"})

    run(folder, SCRIPTED, ScriptedGenerator([about_comets], repeat=True))
    question = "Which comets did astronomers observe?"
    found = {hit.chunk.id: hit for hit in open_session(folder, PLAIN).search(question, Scope(), 40).hits}
    herons = [hit.scores["tiers"] for hit in found.values() if "herons" in hit.chunk.text]
    others = [hit.scores["tiers"] for hit in found.values() if "herons" not in hit.chunk.text]
    assert herons and min(herons) > max(others, default=0) and min(herons) > 0.6
    assert not [hit for hit in found.values() if "stronomers" in hit.chunk.text]


def test_without_a_generator_sentences_of_the_groups_midst_stand_for_it(folder: Path) -> None:
    report = run(folder, PLAIN)
    kept = read_tree(folder / ".mixrag")
    assert kept is not None and (report.maker, report.left, report.tokens) == (EXTRACTIVE, 0, 0)
    texts = [found.text for found in kept.summaries.values()]
    assert len(texts) == report.groups and all(0 < len(text) <= MAX_CHARACTERS for text in texts)
    passages, tiers = grown(folder)
    (lowest, *_) = keys_of(passages.texts, tiers)
    said = " ".join(" ".join(passages.texts).split())
    assert all(kept.summaries[key].text.split(". ")[0] in said for key in lowest if key)
    refreshed = build_index([folder], SCRIPTED, events=Silent(), wishes=IndexWishes(groups=False))
    assert refreshed.groups is None, "as --sync does it"
    other = scripted()
    assert run(folder, SCRIPTED, other).made == len(other.requests) == report.groups, "another maker writes its own"
    assert index_to_json(build_index([folder], SCRIPTED, events=Silent()))["groups"]["made"] == 0


def test_what_the_budget_left_is_taken_up_by_the_next_run(folder: Path) -> None:
    whole = run(folder, SCRIPTED, scripted())
    (folder / ".mixrag" / TREE_FILE).unlink()
    some = run(folder, replace(SCRIPTED, summary_tokens=whole.tokens // 3), scripted())
    assert some.stopped == "tokens" and 0 < some.made < whole.made and some.left == whole.groups - some.made
    failing = scripted(told, ModelUnusable("the server is gone"))
    gone = run(folder, SCRIPTED, failing)
    assert (gone.stopped, gone.made, gone.kept) == ("the server is gone", 1, some.made)
    rest = run(folder, SCRIPTED, scripted())
    assert rest.left == 0 and rest.made == whole.groups - some.made - 1


def test_a_reply_that_cannot_be_read_leaves_the_sentences(folder: Path) -> None:
    assert run(folder, SCRIPTED, ScriptedGenerator(["I cannot."], repeat=True)).left == 0
    kept = read_tree(folder / ".mixrag")
    assert kept is not None and all(
        " of " in each.text and "cannot" not in each.text for each in kept.summaries.values()
    )


def test_a_damaged_tree_is_no_tree_and_is_grown_anew(folder: Path) -> None:
    made = run(folder, PLAIN).made
    file = folder / ".mixrag" / TREE_FILE
    text = file.read_text("utf-8")
    file.write_text(text.replace("The barley", "The barlex", 1), "utf-8")
    assert "The barlex" in file.read_text("utf-8") and read_tree(folder / ".mixrag") is None
    assert open_session(folder, PLAIN).search("barley of Ashby", Scope(), 3).hits
    assert run(folder, PLAIN).made == made and read_tree(folder / ".mixrag") is not None


def test_a_tree_fits_a_collection_of_about_its_size() -> None:
    centres = (np.eye(4, dtype=np.float32),)
    kept = KeptTree("m", 100, centres)
    assert kept.fits(np.ones((200, 4), np.float32)) and not kept.fits(np.ones((201, 4), np.float32))
    assert not kept.fits(np.ones((100, 5), np.float32))
    assert not KeptTree("m", 20, ()).fits(np.ones((30, 4), np.float32)), "there were too few for any group"


def test_a_request_holds_as_many_passages_as_the_window_does() -> None:
    generator = ScriptedGenerator([], context_tokens=1_000)
    texts = [f"passage {number} " + "word " * 200 for number in range(9)]
    request = group_request(texts, generator, 8_192)
    shown = [number for number in range(9) if f"passage {number} " in request.messages[1].text]
    assert shown == list(range(len(shown))) and 0 < len(shown) < 9
    assert generator.count_prompt_tokens(request.messages) + request.max_tokens <= 1_000
    assert read_group_summary('{"summary": "wages and ledgers together"}') == "wages and ledgers together"
    assert read_group_summary("no") == "" and extract_summary(["A b. C d.", "A b.", "E f."]) == "A b. E f."
