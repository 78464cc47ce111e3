"""The sources beside the usual ones: levels, graph, hops, refined vectors and tiers, each over real passages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from scripted_generator import ScriptedGenerator

from mixrag_cli.errors import WrongUsage
from mixrag_cli.records.passages import Chunk, Hit
from mixrag_cli.records.places import Locator
from mixrag_cli.retrieval.candidates import find_more
from mixrag_cli.retrieval.sources import EXTRAS, graph, hops, levels, make_sources, refined, tiers, tree
from mixrag_cli.retrieval.sources.base import Query
from mixrag_cli.retrieval.sources.passages import Passages, read_passages
from mixrag_cli.retrieval.sources.routing import LEVELS, Router, read_router
from mixrag_cli.settings import Settings, check_value, source_weights
from mixrag_cli.stories.clock import Clock
from mixrag_cli.stories.scope import Scope
from mixrag_cli.stories.session import Session
from mixrag_cli.stories.unindexed import open_files
from training.router import soft_labels, train_router

SAMPLES = Path(__file__).parent / "samples" / "northmere"
FILES = [SAMPLES / "handbook.md", SAMPLES / "meter_readings.py", SAMPLES / "pumping-stations.csv"]
QUESTION = "Who lifted the boil notice?"


@dataclass(frozen=True)
class Stored:
    """A passage as a store would return it."""

    chunk: Chunk
    path: str
    vector: np.ndarray
    title: str = ""
    score: float = 0.0
    terms: str = ""


def stored(
    number: int, text: str = "", *, context: str = "", parent: str = "", kind: str = "prose", file: str = "a.md"
):
    chunk = Chunk(f"{file}-{number}", file, kind, "text", text, context, "", Locator((0, 0)), number, parent)
    return Stored(chunk, f"docs/{file}", np.eye(8, dtype=np.float32)[number % 8])


def ties_of(*kept: Stored) -> set[tuple[int, int]]:
    return {tuple(sorted(pair)) for pair in graph.tie(read_passages(kept)).ends.tolist()}


@pytest.fixture(scope="module")
def session() -> Session:
    return open_files(FILES, Settings(sources="levels+graph+hops+refined+tiers"))


# --- the setting ------------------------------------------------------------------------------------------------------


def test_the_setting_names_sources_with_or_without_a_weight() -> None:
    assert source_weights("none") == {}
    assert source_weights("graph+tiers:0.5+title:0") == {"graph": None, "tiers": 0.5, "title": 0.0}
    assert check_value("sources", "levels") == "levels"


@pytest.mark.parametrize("value", ["grapf", "graph+", "graph:much", "graph:-1", "graph:nan", "words"])
def test_a_setting_that_names_no_source_or_no_weight_is_refused(value: str) -> None:
    with pytest.raises(WrongUsage, match="sources"):
        check_value("sources", value)


# --- in a search ------------------------------------------------------------------------------------------------------


def test_a_search_is_what_it_was_where_no_source_is_named(session: Session) -> None:
    plain = Session(session.reader, session.embedder, Settings())
    hits = plain.search(QUESTION, Scope(), 10).hits
    assert not {name for hit in hits for name in hit.scores} & set(EXTRAS)
    off = Session(session.reader, session.embedder, Settings(sources="graph:0"))
    assert off.search(QUESTION, Scope(), 10).hits == hits


def test_a_usual_source_can_be_turned_off(session: Session) -> None:
    hits = session.gather(QUESTION, None, Clock())
    plain, off = (Session(session.reader, session.embedder, Settings(sources=each)) for each in ("none", "phrase:0"))
    without = [replace(hit, scores={k: v for k, v in hit.scores.items() if k != "phrase"}) for hit in hits]
    assert [hit.score for hit in off._fused(hits)] == [hit.score for hit in plain._fused(without)]
    assert [hit.score for hit in off._fused(hits)] != [hit.score for hit in plain._fused(hits)]


def test_named_sources_score_what_is_found_and_say_how_long_they_took(session: Session) -> None:
    result = session.search(QUESTION, Scope(), 10)
    assert {"levels", "graph", "hops", "refined", "tiers"} <= {name for hit in result.hits for name in hit.scores}
    assert "propose" in result.timings_ms
    assert result.hits[0].path.endswith("handbook.md")


def test_what_is_proposed_is_read_by_all_other_sources(session: Session) -> None:
    narrow = Session(
        session.reader, session.embedder, replace(session.settings, words_candidates=1, meaning_candidates=2)
    )
    few = Session(session.reader, session.embedder, Settings(words_candidates=1, meaning_candidates=2))
    before = {hit.chunk.id for hit in few.gather(QUESTION, None, Clock())}
    new = [hit for hit in narrow.gather(QUESTION, None, Clock()) if hit.chunk.id not in before]
    assert new and all({"meaning", "phrase", "title", "rerank"} <= set(hit.scores) for hit in new)
    assert len({hit.chunk.id for hit in new}) == len(new)


def test_a_restricted_question_gets_no_proposal_from_elsewhere(session: Session) -> None:
    hits = session.gather(QUESTION, None, Clock())
    query = replace(session._query(QUESTION, None), where="document = 'ab'")
    assert find_more(session._extras, session._finders, query, hits[:2]) == []


# --- levels and their router ------------------------------------------------------------------------------------------


def test_every_level_holds_the_finer_one_whole() -> None:
    kept = [stored(n, context="One" if n < 6 else "Two") for n in range(9)] + [stored(0, file="b.md")]
    nested = levels.nest(read_passages(kept))
    assert nested.of[:, 1].tolist() == [0, 0, 0, 0, 1, 1, 2, 2, 2, 3]  # windows of four, that stay in their section
    assert nested.of[:, 2].tolist() == [0] * 6 + [1] * 3 + [2]
    assert nested.of[:, 3].tolist() == [0] * 9 + [1]
    for finer, coarser in zip(nested.of.T, nested.of.T[1:], strict=False):
        assert all(len(set(coarser[finer == snippet])) == 1 for snippet in set(finer))


def test_a_generator_reads_what_is_found_at_the_level_that_counts_most(session: Session) -> None:
    kept = read_passages([stored(n, context="One" if n < 3 else "Two") for n in range(6)])
    zeros = np.zeros((8, 1), np.float32)
    to_sections = Router(zeros, np.ones(1, np.float32), np.array([[0, 0, 3, 0]], np.float32), np.zeros(4, np.float32))
    source = levels.Levels(kept, levels.nest(kept), to_sections)
    query = Query("?", kept.vectors[0], 1.0)
    hits = [Hit(kept.chunks[row], "docs/a.md", "", {"words": 1.0}, score) for row, score in ((4, 0.9), (1, 0.5))]
    widened = source.widen(query, hits)
    assert [(hit.chunk.position, hit.score, bool(hit.scores)) for hit in widened] == [
        (4, 0.9, True), (3, 0.9, False), (5, 0.9, False), (1, 0.5, True), (0, 0.5, False), (2, 0.5, False),
    ]  # fmt: skip
    row = replace(hits[0], chunk=replace(kept.chunks[4], parent="t"))
    assert source.widen(query, [row]) == [row]
    fine = replace(source, router=replace(to_sections, second=np.array([[3, 0, 0, 0]], np.float32)))
    assert fine.widen(query, hits) == hits


def test_an_answer_may_cite_what_stands_around_a_hit() -> None:
    asked = open_files(FILES, Settings(sources="levels"))
    generator = ScriptedGenerator(["{}"], repeat=True)
    asked.use_generator(generator)
    hits = asked.search(QUESTION, Scope(), 3).hits
    (levels_source,) = [each for each in asked._extras if isinstance(each, levels.Levels)]
    wide = replace(levels_source, router=replace(levels_source.router, second_bias=np.array([0, 0, 0, 99], np.float32)))
    asked.__dict__["_extras"] = (wide,)
    known = {hit.chunk.id for hit in hits}
    around = [hit.chunk for hit in asked.widen(QUESTION, hits) if hit.chunk.id not in known]
    asked.ask(QUESTION, Scope())
    prompt = generator.requests[0].messages[-1].text
    assert around and all(chunk.text[:20] in prompt for chunk in around[:2])
    assert Session(asked.reader, asked.embedder, Settings()).widen(QUESTION, hits) is hits


def test_any_source_that_knows_what_stands_around_a_passage_is_asked() -> None:
    asked = open_files(FILES, Settings())
    hits = asked.search(QUESTION, Scope(), 3).hits
    asked.__dict__["_extras"] = (Everything(read_passages([stored(0)])), Twice())
    assert asked.widen(QUESTION, hits) == [*hits, *hits]


def test_a_snippet_beyond_the_best_of_its_level_counts_nothing() -> None:
    assert levels.keep_best(np.array([0.1, 0.3, 0.2], np.float32), 2).tolist() == pytest.approx([0, 0.3, 0.2])
    assert levels.keep_best(np.array([-0.5, 0.2], np.float32)).tolist() == pytest.approx([0, 0.2])


def test_soft_labels_are_the_papers() -> None:
    assert soft_labels(np.array([[0.1, 0.9, 0.5, 0.2], [0.3, 0.3, 0.1, 0.0]], np.float32)).tolist() == [
        pytest.approx([0, 0.8, 0.2, 0]),
        pytest.approx([0.8, 0.2, 0, 0]),
    ]


def test_the_router_learns_which_questions_want_which_level() -> None:
    random = np.random.default_rng(3)
    vectors = random.normal(size=(200, 12)).astype(np.float32)
    wanted = (vectors[:, 0] > 0).astype(int) * 3  # the finest or the coarsest, by one axis
    nearness = np.full((200, len(LEVELS)), 0.1, np.float32)
    nearness[np.arange(200), wanted] = 0.9
    router = train_router(vectors, soft_labels(nearness))
    right = np.argmax(router.weights(vectors), axis=1) == wanted
    assert right.mean() > 0.9
    again = Router(**{name: np.array(part, np.float32) for name, part in router.to_json().items()})
    assert again.weights(vectors[0]) == pytest.approx(router.weights(vectors[0]), abs=0.02)


def test_vectors_of_another_model_are_routed_to_all_levels_alike() -> None:
    assert read_router(7).weights(np.ones(7, np.float32)).tolist() == [0.5] * len(LEVELS)


# --- graph ------------------------------------------------------------------------------------------------------------


def test_neighbours_rows_and_sections_are_tied() -> None:
    table = [stored(n, parent="t", kind="row") for n in (2, 3, 4)]
    assert ties_of(stored(0), stored(1), *table) == {(0, 1), (1, 2), (2, 3), (3, 4), (2, 4)}
    assert ties_of(stored(0, context="A"), stored(1), stored(2, context="A")) == {(0, 1), (1, 2), (0, 2)}


def test_what_a_passage_refers_to_is_tied_to_it() -> None:
    kept = [stored(n, f"Filler {n}.") for n in range(5)]
    kept[0] = stored(0, "The costs (see Table 3) rose.")
    kept[4] = stored(4, "Table 3. Costs by region")
    assert (0, 4) in ties_of(*kept)
    other = [stored(0, "As Table 3 says."), stored(0, "Table 3. Costs", file="b.md")]
    assert ties_of(*other) == set()  # Table 3 of another file is another table


def test_files_that_are_named_or_imported_are_tied() -> None:
    named = [stored(0, "Read billing.py first."), stored(0, "def bill(): ...", kind="code", file="billing.py")]
    assert ties_of(*named) == {(0, 1)}
    imported = [
        stored(0, "from shop import billing", kind="code", file="cart.py"),
        stored(0, file="shop.py", kind="code"),
    ]
    assert ties_of(*imported) == {(0, 1)}


def test_the_walk_is_personalised_pagerank() -> None:
    ties = graph.tie(read_passages([stored(0), stored(1)]))
    start = np.array([1.0, 0.0])
    mass = graph.walk(ties, start)
    # of two tied passages: x = .15 + .85 (1 - x), so x = 1 / 1.85
    assert mass == pytest.approx([1 / 1.85, 0.85 / 1.85], abs=0.03) and mass.sum() == pytest.approx(1)
    alone = graph.tie(read_passages([stored(0), stored(0, file="b.md")]))
    assert graph.walk(alone, start) == pytest.approx([1, 0])


# --- hops -------------------------------------------------------------------------------------------------------------


def test_a_range_holds_what_so_many_ties_lead_to_and_the_nearer_first() -> None:
    chain = graph.tie(read_passages([stored(0), stored(1), stored(2), stored(0, file="b.md")]))
    assert hops.within(chain, 4, 0) == [[0], [1], [2], [3]]
    assert hops.within(chain, 4, 1) == [[0, 1], [1, 0, 2], [2, 1], [3]]
    assert hops.within(chain, 4, 2) == [[0, 1, 2], [1, 0, 2], [2, 1, 0], [3]]


def test_a_row_is_near_what_its_table_is_near(session: Session) -> None:
    kept = read_passages([stored(0, kind="table", parent="t"), stored(9), stored(5, kind="row", parent="t")])
    source = hops.ROW.make(replace(session._means(None), passages=lambda: kept))
    assert source is not None
    query = Query("?", kept.vectors[0], 1.0)  # as the table's own passage
    table, beside, row = source.score(query, [Hit(each.chunk, each.path, "", {}, 0.0) for each in kept.kept])
    assert table is not None and beside is not None and row is not None
    assert table > beside > 0 and row > 0  # alone neither would be like the question at all


# --- refined ----------------------------------------------------------------------------------------------------------


def test_tied_passages_come_nearer_and_untied_ones_stay_as_they_are() -> None:
    random = np.random.default_rng(5)
    vectors = random.normal(size=(120, 16)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    edges = {"next": {(row, row + 1) for row in range(0, 100, 2)}, "entity": set()}
    found = refined.refine(vectors, edges)
    assert np.linalg.norm(found, axis=1) == pytest.approx(np.ones(120), abs=1e-5)
    before, after = ((each[:100:2] * each[1:100:2]).sum(axis=1).mean() for each in (vectors, found))
    assert after > before + 0.05
    assert found[100:] == pytest.approx(vectors[100:], abs=1e-6)
    assert refined.refine(vectors, {"next": set()}) is vectors


def test_the_slopes_are_those_of_the_loss() -> None:
    random = np.random.default_rng(6)
    vectors = random.normal(size=(12, 5)).astype(np.float64)
    around = {"next": refined.mean_around(vectors, np.array([[row, row + 1] for row in range(11)]))}
    pairs = np.array([[0, 1], [4, 5], [8, 9]])
    matrix = random.normal(size=(5, 5)) * 0.1

    def loss(tried: np.ndarray) -> float:
        here, there = (refined._forward(vectors, around, {"next": tried}, pairs[:, side])[0] for side in (0, 1))
        logits = refined.SCALE * here @ there.T
        return float(np.mean(np.log(np.exp(logits).sum(axis=1)) - np.diag(logits)))

    slope = refined._slopes(vectors, around, {"next": matrix}, pairs)["next"]
    step = np.zeros((5, 5))
    step[1, 3] = 1e-5
    assert slope[1, 3] == pytest.approx((loss(matrix + step) - loss(matrix - step)) / 2e-5, rel=1e-3)


def test_passages_that_mean_the_same_are_tied() -> None:
    vectors = np.array([[1, 0], [0.9, 0.1], [0, 1]], np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    assert set(refined.tie_alike(vectors)) == {(0, 1)}


# --- tiers ------------------------------------------------------------------------------------------------------------


def vectors_of(*centres: Sequence[float], each: int = 30) -> np.ndarray:
    random = np.random.default_rng(1)
    found = np.concatenate([random.normal(centre, 0.1, (each, len(centre))) for centre in centres])
    return (found / np.linalg.norm(found, axis=1, keepdims=True)).astype(np.float32)


def test_groups_are_soft_and_of_what_means_the_same() -> None:
    vectors = vectors_of([1, 0, 0, 0], [0, 1, 0, 0])
    centres = tree.find_centres(vectors, 2)
    assert tree.belonging(vectors, centres).sum(axis=1) == pytest.approx(np.ones(60), abs=1e-4)
    assert np.linalg.norm(centres, axis=1) == pytest.approx([1, 1], abs=1e-3)
    (lowest,) = tree.grow_tree(vectors)
    assert lowest.leaves.shape == (len(lowest.centres), 60) and lowest.leaves.any(axis=0).all()


def test_few_passages_have_no_tiers() -> None:
    assert tree.grow_tree(vectors_of([1, 0, 0], each=9)) == []


def test_a_passage_without_a_vector_is_in_no_group() -> None:
    vectors = vectors_of([1, 0, 0, 0], [0, 1, 0, 0])
    vectors[7] = 0
    (lowest,) = tree.grow_tree(vectors)
    assert not lowest.leaves[:, 7].any() and lowest.leaves[:, 8].any()


def test_found_groups_are_replaced_by_their_passages() -> None:
    vectors = vectors_of([1, 0, 0, 0], [0, 1, 0, 0])
    kept = [replace(stored(n), vector=vector) for n, vector in enumerate(vectors)]
    passages = read_passages(kept)
    source = tiers.joined(tree.grow_tree(passages.vectors), passages)
    query = Query("?", np.array([1, 0, 0, 0], np.float32), 1.0)
    (seed,) = find_more([Everything(passages)], [], query, ())[:1]
    proposed = source.propose(query, [seed])
    assert 0 < len(proposed) <= tiers.BUDGET
    assert {proposal.passage.chunk.id for proposal in proposed} <= set(passages.places) - {seed.chunk.id}
    assert all(float(proposal.passage.vector @ query.vector) > 0.8 for proposal in proposed)


@dataclass(frozen=True)
class Everything:
    """Proposes all passages."""

    passages: Passages
    name: str = "words"

    def propose(self, query: Query, seeds: Sequence[object]):
        return self.passages.propose(range(len(self.passages.kept)), query, (), 5)

    def score(self, query: Query, hits: Sequence[object]) -> list[None]:
        return [None] * len(hits)


class Twice:
    """Wants each hit to be read twice."""

    def widen(self, query: Query, hits: Sequence[Hit]) -> list[Hit]:
        return [*hits, *hits]


def test_a_collection_without_passages_has_none_of_these_sources(session: Session) -> None:
    means = replace(session._means(None), passages=lambda: read_passages([]))
    assert make_sources(EXTRAS, means) == ()
