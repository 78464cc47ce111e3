"""The JSON form of an answer: its candidates, its evidence, the passages that it stands in."""

from __future__ import annotations

from typing import Any

from mixrag_cli.output.marks import merged, source_marks
from mixrag_cli.output.payload_values import SCORE_DIGITS, locator_to_json, maybe_rounded, number_to_json, rounded
from mixrag_cli.quantities.shown import unit_text
from mixrag_cli.records.answers import Answer, Candidate, Evidence, Faithfulness, Source
from mixrag_cli.records.passages import Hit


def answer_to_json(answer: Answer, *, accept_likely: bool = False) -> dict[str, Any]:
    """mixrag.answer/1. Unless an answer is stated, "answer", "value" and "confidence" are null and "reason" says why.

    accept_likely: of a likely one its guess stands there instead, with the source of that.
    """
    answered = answer.status == "answered"
    taken = answer.guess if accept_likely else None
    said = answer if answered else taken
    sources = [{**source_to_json(source), "marks": source_marks(answer, source)} for source in answer.sources]
    if taken is not None:
        sources = [{**source_to_json(taken.source), "marks": merged(taken.marks)}]
    confidence = answer.confidence if answered else taken.probability if taken else None
    return {
        "schema": "mixrag.answer/1",
        "question": answer.question,
        "status": answer.status,
        "answer": said.text if said else None,
        "reason": None if answered else answer.text,
        "value": number_to_json(said.value) if said else None,
        "unit": said.unit if said else "",
        "confidence": maybe_rounded(confidence),
        "decided_by": answer.decided_by if answered else None,
        "recap": _recap_to_json(answer, answered),
        "sources": sources,
        "candidates": [_candidate_to_json(candidate) for candidate in answer.candidates],
        "refused": [hit_to_json(rank, hit) for rank, hit in enumerate(answer.refused, 1)],
        "faithfulness": _faithfulness_to_json(answer.faithfulness),
        "degraded": list(answer.degraded),
        "warnings": list(answer.warnings),
        "models": dict(answer.models),
        "timings_ms": rounded(answer.timings_ms),
        "tokens": dict(answer.tokens),
    }


def _candidate_to_json(candidate: Candidate) -> dict[str, Any]:
    return {
        "answer": candidate.text,
        "value": number_to_json(candidate.value),
        "unit": candidate.unit,
        "probability": round(candidate.probability, SCORE_DIGITS),
        "kind": candidate.kind,
        "source": source_to_json(candidate.source),
        "marks": [list(mark) for mark in candidate.marks],
    }


def _recap_to_json(answer: Answer, answered: bool) -> dict[str, Any]:
    computed = {"formula": answer.formula, "result": number_to_json(answer.result), "checked_by": "calculator"}
    return {
        "restate": {"type": answer.kind, "asks": answer.asks},
        "extract": [_evidence_to_json(piece) for piece in answer.evidence],
        "compute": computed if answer.formula else None,
        "answer": answer.text if answered else None,
        "present": answer.present or answer.text,
    }


def _evidence_to_json(piece: Evidence) -> dict[str, Any]:
    return {
        "id": piece.id,
        "source": piece.source,
        "label": piece.label,
        "quote": piece.quote,
        "value": number_to_json(piece.value),
        "unit": unit_text(piece.unit, piece.scale),
        "locator": locator_to_json(piece.locator),
    }


def _faithfulness_to_json(found: Faithfulness | None) -> dict[str, Any] | None:
    if found is None:
        return None
    checks = {check.name: {"checked": check.checked, "failed": list(check.failed)} for check in found.checks}
    return {"score": round(found.score, SCORE_DIGITS), "level": found.level, "checks": checks}


def source_to_json(source: Source) -> dict[str, Any]:
    """A cited passage: the hit it comes from, at the narrower place that the answer uses."""
    return {
        **hit_to_json(source.ref, source.hit),
        "locator": source.locator.to_json(),
        "text": source.text,
    }


def hit_to_json(ref: int, hit: Hit) -> dict[str, Any]:
    """A passage with its scores; score, score_source and threshold are those of the source that judged it.

    An infinite threshold (no score would be enough) is null: JSON has no infinity.
    """
    by = hit.accepted_by or hit.judged_by or "fused"
    return {
        "ref": ref,
        "id": hit.chunk.id,
        "path": hit.path,
        **({"collection": hit.collection} if hit.collection else {}),
        "title": hit.title,
        "modality": hit.chunk.modality,
        "kind": hit.chunk.kind,
        "locator": hit.chunk.locator.to_json(),
        "context": hit.chunk.context,
        "text": hit.chunk.text,
        "score": round(hit.scores.get(by, hit.score), SCORE_DIGITS),
        "score_source": by if by in hit.scores else "fused",
        "threshold": maybe_rounded(hit.threshold),
        "probability": maybe_rounded(hit.probability),
        "fused": round(hit.score, SCORE_DIGITS),
        "scores": rounded(hit.scores),
        "accepted_by": hit.accepted_by,
    }
