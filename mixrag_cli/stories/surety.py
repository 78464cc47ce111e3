"""How sure answers of a collection are: the shipped surety, moved by as much as its user's judged answers say.

how sure the program was of each answer, and whether it was right ─► one offset of the log odds ─► the store's record

Source: Steyerberg et al., Validation and updating of predictive logistic regression models, Statistics in Medicine 23,
2004 (recalibration in the large, with shrinkage).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np
import numpy.typing as npt

from mixrag_cli.reading import log_odds
from mixrag_cli.recap.grading import Grading, shipped_grading
from mixrag_cli.records.files import stable_id
from mixrag_cli.retrieval.curves import expected_calibration_error
from mixrag_cli.store import CommitRecord
from mixrag_cli.stories.extras import SURETY

FEWEST_ANSWERS = 10  # by fewer the offset would say little
# Judged answers that the shipped surety is worth, so to say: the precision of the offset's prior, which lies at 0. Of
# 41 domains left out, half of each judged: in folders of files what is stated keeps its precision (.868, .870), in
# collections of one kind of text or table 159 of 192 are right instead of 134 of 168, AUC .838 instead of .795. 3 to 8
# are alike, an offset by tables and text apart is, too, and a slope beside it.
PRIOR = 5.0
FARTHEST = 6.0  # log odds that an offset may be
HALVINGS = 40
FOLDS = 10
DIGITS = 4

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class JudgedAnswer:
    """The best answer to a question, stated or not. sure: the shipped probability that it is right when stated."""

    sure: float
    is_right: bool


@dataclass(frozen=True, slots=True)
class Stated:
    """What a surety would state of judged answers. error: expected calibration error of all of them."""

    stated: int
    right: int
    error: float


@dataclass(frozen=True, slots=True)
class SuretyFit:
    """What judged answers make of the surety. questions: judged. right: of their best answers.

    before, after: as shipped and as fitted, each answer by a fit without it. is_better: whether the fitted one promises
    those left out better. offset: in log odds.
    """

    questions: int
    right: int
    offset: float
    before: Stated
    after: Stated
    is_better: bool


@dataclass(frozen=True, slots=True)
class KeptSurety:
    """What an index keeps. error: of answers left out while fitting. graded_by: the grading that the offset is of."""

    offset: float
    questions: int
    right: int
    error: float
    graded_by: str


def grading_of(record: CommitRecord) -> Grading:
    """The shipped grading, moved by what the index keeps."""
    kept = kept_surety(record)
    return shipped_grading() if kept is None else shipped_grading().shifted(kept.offset)


def kept_surety(record: CommitRecord) -> KeptSurety | None:
    """What the index keeps; None for nothing, or what was fitted to the grading of another version of the program."""
    try:
        kept = KeptSurety(**record.extra[SURETY])
    except (KeyError, TypeError):
        return None
    return kept if kept.graded_by == _name_of(shipped_grading()) else None


def outdated_surety(record: CommitRecord) -> tuple[str, ...]:
    """For people, where what the index keeps was fitted to another version's grading, and so is not used."""
    if not record.extra.get(SURETY) or kept_surety(record) is not None:
        return ()
    return ("answers were judged for another version of mixrag (again: mixrag calibrate LABELS)",)


def to_extra(fit: SuretyFit) -> dict[str, object]:
    """What the store's record is to keep of a fit."""
    kept = KeptSurety(fit.offset, fit.questions, fit.right, fit.after.error, _name_of(shipped_grading()))
    return {SURETY: asdict(kept)}


def _name_of(grading: Grading) -> str:
    """Another one after each training: a forest that is fitted anew has a surety of its own."""
    return stable_id(str(sorted(grading.surety.items())))


def fit_surety(questions: int, judged: Sequence[JudgedAnswer]) -> SuretyFit:
    """The offset of all judged answers, and what it is worth on those left out of a fit.

    questions: that were asked; to some no answer was found.
    """
    sure = np.array([log_odds(each.sure) for each in judged])
    right = np.array([each.is_right for each in judged], dtype=float)
    moved = sure.copy()
    for fold in range(FOLDS):
        is_left = np.arange(len(judged)) % FOLDS == fold
        moved[is_left] += fit_offset(sure[~is_left], right[~is_left])
    return SuretyFit(
        questions=questions,
        right=int(right.sum()),
        offset=round(fit_offset(sure, right), DIGITS),
        before=_stated(sure, right),
        after=_stated(moved, right),
        is_better=_log_loss(moved, right) < _log_loss(sure, right),
    )


def fit_offset(sure: Floats, right: Floats) -> float:
    """The likeliest offset of these log odds, under a normal prior of mean 0 and precision PRIOR.

    sure, right: (n,). The derivative falls with the offset, so that halving finds where it is 0.
    """
    low, high = -FARTHEST, FARTHEST
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        is_too_low = float((right - _chances(sure + middle)).sum()) > PRIOR * middle
        low, high = (middle, high) if is_too_low else (low, middle)
    return (low + high) / 2


def _stated(sure: Floats, right: Floats) -> Stated:
    chances = _chances(sure)
    is_stated = chances >= shipped_grading().stated
    error = round(expected_calibration_error(chances, right), DIGITS)
    return Stated(int(is_stated.sum()), int(right[is_stated].sum()), error)


def _log_loss(sure: Floats, right: Floats) -> float:
    return float(np.logaddexp(0.0, np.where(right > 0, -sure, sure)).mean())


def _chances(sure: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-sure)))
