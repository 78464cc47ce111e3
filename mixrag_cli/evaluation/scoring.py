"""From what the program did with a question to its score by each measure.

A score is a value and a weight: a question that a measure does not ask about has the weight 0, so that precision and
recall of refusing are means like all others. A likely is neither an answer nor a refusal.

    nDCG@k Recall@k MRR@k Success@k (HiT@k) P@k     the ranking, of questions that have something relevant
    EM F1 value                                     the answer, of questions that have one
    refusal-precision refusal-recall                refusing, of what was refused and of what cannot be answered
    stated-precision coverage                       stating, of what was stated and of what can be answered
    likely-holds                                    of what was likely: one of the first candidates is right
    faithfulness CP AF AR CR overall                answer, passages and question beside each other, by their vectors
    CP-judged AF-judged AR-judged CR-judged         the same by a language model that reads them
    overall-judged
    tokens                                          what a generator read and wrote

Source: FinanceRAG study, section 5 (rankings); MixRAG, appendix B (HiT@K, EM, tokens); Enhanced RAG, section IV-C (CP
to overall, faithfulness: section III-E, eq. 7); "Beyond the Reranker", section 5 (F1, support). Grades are ours.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from mixrag_cli.errors import WrongUsage
from mixrag_cli.evaluation.answers import candidates_hold, is_right, is_right_value, score_words
from mixrag_cli.evaluation.datasets import DataSet, Question
from mixrag_cli.evaluation.judging import Judged
from mixrag_cli.evaluation.measures import (
    RankingMeasure,
    ndcg_at,
    precision_at,
    recall_at,
    reciprocal_rank_at,
    success_at,
)
from mixrag_cli.evaluation.nearness import Nearness
from mixrag_cli.records.answers import Answer

MAX_K = 1000
RANKING_MEASURES: Mapping[str, RankingMeasure] = {
    "nDCG": ndcg_at,
    "Recall": recall_at,
    "MRR": reciprocal_rank_at,
    "Success": success_at,
    "P": precision_at,
}
BY_VECTORS = ("CP", "AF", "AR", "CR", "overall")
JUDGED = "-judged"  # after the name of one of them: as a language model judges it
ALIASES = {"support": f"AF{JUDGED}", "hit": "Success", "r": "Recall", "rr": "MRR", "precision": "P"}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the program did with one question.

    ranking: ids of documents or passages, best first. relevant: of the same ids. answer: None where none was asked for.
    search_ms, answer_ms: wall time; 0 where not done.
    """

    ranking: tuple[str, ...] = ()
    relevant: Mapping[str, float] = field(default_factory=dict)
    answer: Answer | None = None
    nearness: Nearness | None = None
    judged: Judged | None = None
    search_ms: float = 0.0
    answer_ms: float = 0.0


@dataclass(frozen=True, slots=True)
class Score:
    """A question's value by one measure, and how much it counts."""

    value: float
    weight: float = 1.0


NOT_ASKED = Score(0.0, 0.0)
AnswerMeasure = Callable[[Question, Answer, Outcome], Score]


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure by its name as reports print it. k: of a ranking measure, else 0."""

    name: str
    base: str
    k: int = 0

    @property
    def needs_answer(self) -> bool:
        """Whether questions have to be answered for it, not only searched for."""
        return not self.k

    @property
    def needs_vectors(self) -> bool:
        """Whether answers and passages have to be embedded for it."""
        return self.base in BY_VECTORS

    @property
    def needs_judge(self) -> bool:
        """Whether a language model has to judge answers and passages for it."""
        return self.base.endswith(JUDGED)

    def score(self, question: Question, outcome: Outcome) -> Score:
        """What the outcome is worth."""
        if self.k:
            # Evidence that no passage covers enough of can be found by nobody: the question counts, with 0.
            asked = bool(question.spans) or any(grade > 0 for grade in outcome.relevant.values())
            value = RANKING_MEASURES[self.base](outcome.ranking, outcome.relevant, self.k)
            return Score(value) if asked else NOT_ASKED
        if outcome.answer is None:
            return NOT_ASKED
        return ANSWER_MEASURES[self.base](question, outcome.answer, outcome)


def parse_measure(text: str) -> Measure:
    """The measure of that name, "HiT@5" or "f1" alike. Raises WrongUsage, naming the nearest that exists."""
    found = re.fullmatch(r"([A-Za-z][A-Za-z0-9-]*)(?:@(\d{1,4}))?", text.strip())
    name, k = (found.group(1).lower(), int(found.group(2) or 0)) if found else ("", 0)
    bases = {base.lower(): base for base in (*RANKING_MEASURES, *ANSWER_MEASURES)} | ALIASES
    base = bases.get(name, "")
    if base in RANKING_MEASURES and 1 <= k <= MAX_K:
        return Measure(f"{base}@{k}", base, k)
    if base in ANSWER_MEASURES and not k:
        return Measure(base, base)
    if base:
        rule = f"wants a cut from @1 to @{MAX_K}" if base in RANKING_MEASURES else "takes no cut"
        raise WrongUsage(f"measure {text!r}: {base} {rule}")
    close = difflib.get_close_matches(name, bases, n=1)
    nearest = f" (nearest: {bases[close[0]]})" if close else ""
    raise WrongUsage(f"unknown measure {text!r}{nearest}", "mixrag eval --help")


def default_measures(
    dataset: DataSet, cuts: Sequence[int], *, with_answers: bool, with_judge: bool = False
) -> tuple[Measure, ...]:
    """The measures that make sense for a data set; answers first where they are asked for."""
    ranked = any(question.relevant or question.spans for question in dataset.questions)
    names = [f"{base}@{k}" for k in cuts for base in ("nDCG", "Success", "Recall", "MRR")] if ranked else []
    if with_answers:
        judged = [f"{name}{JUDGED}" for name in BY_VECTORS] if with_judge else []
        names = [*_answer_measures(dataset), *judged, *names]
    return tuple(map(parse_measure, names))


def _answer_measures(dataset: DataSet) -> list[str]:
    names = ["F1", "EM"] if any(question.answers for question in dataset.questions) else []
    if any(question.value is not None for question in dataset.questions):
        names.insert(0, "value")
    if any(not question.is_answerable for question in dataset.questions):
        names += ["refusal-precision", "refusal-recall"]
    if any(map(_has_gold, dataset.questions)):
        names += ["stated-precision", "coverage", "likely-holds"]
    return [*names, "faithfulness", "CP", "AF", "AR", "CR", "tokens"]


# --- measures of answers -------------------------------------------------------------------------------------------


def _score_exact(question: Question, answer: Answer, _: Outcome) -> Score:
    return Score(score_words(question, answer)[0]) if question.answers else NOT_ASKED


def _score_f1(question: Question, answer: Answer, _: Outcome) -> Score:
    return Score(score_words(question, answer)[1]) if question.answers else NOT_ASKED


def _score_value(question: Question, answer: Answer, _: Outcome) -> Score:
    return Score(float(is_right_value(question, answer))) if question.value is not None else NOT_ASKED


def _score_refusal_precision(question: Question, answer: Answer, _: Outcome) -> Score:
    return Score(float(not question.is_answerable), float(answer.status == "abstained"))


def _score_refusal_recall(question: Question, answer: Answer, _: Outcome) -> Score:
    return Score(float(answer.status == "abstained"), float(not question.is_answerable))


def _score_stated_precision(question: Question, answer: Answer, _: Outcome) -> Score:
    if question.is_answerable and not _has_gold(question):
        return NOT_ASKED
    return Score(float(is_right(question, answer)), float(answer.status == "answered"))


def _score_coverage(question: Question, answer: Answer, _: Outcome) -> Score:
    return Score(float(answer.status == "answered"), float(question.is_answerable))


def _score_likely_holds(question: Question, answer: Answer, _: Outcome) -> Score:
    if question.is_answerable and not _has_gold(question):
        return NOT_ASKED
    return Score(float(candidates_hold(question, answer)), float(answer.status == "likely"))


def _has_gold(question: Question) -> bool:
    return bool(question.answers) or question.value is not None


def _score_faithfulness(_: Question, answer: Answer, __: Outcome) -> Score:
    return _known(answer.faithfulness.score if answer.faithfulness else None)


def _score_tokens(_: Question, answer: Answer, __: Outcome) -> Score:
    return Score(float(sum(answer.tokens.values())))


def _score_part(found: Nearness | Judged | None, name: str) -> Score:
    return _known(getattr(found, name) if found is not None else None)


def _score_overall(found: Nearness | Judged | None) -> Score:
    """The mean of the four, where all are known. Source: Enhanced RAG, section IV-C, eq. 12."""
    parts = [None] if found is None else [found.cp, found.af, found.ar, found.cr]
    known = [part for part in parts if part is not None]
    return Score(sum(known) / len(known)) if len(known) == len(parts) else NOT_ASKED


def _known(value: float | None) -> Score:
    return NOT_ASKED if value is None else Score(value)


ANSWER_MEASURES: Mapping[str, AnswerMeasure] = {
    "EM": _score_exact,
    "F1": _score_f1,
    "value": _score_value,
    "refusal-precision": _score_refusal_precision,
    "refusal-recall": _score_refusal_recall,
    "stated-precision": _score_stated_precision,
    "coverage": _score_coverage,
    "likely-holds": _score_likely_holds,
    "faithfulness": _score_faithfulness,
    "CP": lambda _, __, found: _score_part(found.nearness, "cp"),
    "AF": lambda _, __, found: _score_part(found.nearness, "af"),
    "AR": lambda _, __, found: _score_part(found.nearness, "ar"),
    "CR": lambda _, __, found: _score_part(found.nearness, "cr"),
    "overall": lambda _, __, found: _score_overall(found.nearness),
    f"CP{JUDGED}": lambda _, __, found: _score_part(found.judged, "cp"),
    f"AF{JUDGED}": lambda _, __, found: _score_part(found.judged, "af"),
    f"AR{JUDGED}": lambda _, __, found: _score_part(found.judged, "ar"),
    f"CR{JUDGED}": lambda _, __, found: _score_part(found.judged, "cr"),
    f"overall{JUDGED}": lambda _, __, found: _score_overall(found.judged),
    "tokens": _score_tokens,
}
