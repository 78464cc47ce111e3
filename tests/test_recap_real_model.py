"""RECAP with a real llama.cpp: a tiny model with random weights is bound to the schema, whatever it would say."""

import json
from collections.abc import Iterator
from pathlib import Path

import jsonschema
import pytest
from evidence_samples import REPORT, Sample, read_sample

from mixrag_cli.generator import Generator, Message, Request
from mixrag_cli.recap.generated.drafts import text_to_draft
from mixrag_cli.recap.generated.reader import Asking, generate_answer
from mixrag_cli.recap.generated.strategies import STRATEGIES, Limits
from mixrag_cli.recap.reader import read_answer
from mixrag_cli.settings import Settings

TINY = Limits(items=1, quote=6, text=8, short=3)  # so that a reply of noise ends within its tokens
MOST_TOKENS = 415  # characters of the largest reply within these limits (recap's, eedp's); a token is one at least


@pytest.fixture(scope="module")
def generator(tiny_model: Path) -> Iterator[Generator]:
    from mixrag_cli.models import load_generator

    found = load_generator(Settings(generator=str(tiny_model), context_tokens=4096, threads=1))
    assert found is not None
    yield found
    found.close()


@pytest.fixture(scope="module")
def sample() -> Sample:
    return read_sample({"report.md": REPORT})


def test_schema_bound_replies_are_valid_100_times_in_100(generator: Generator) -> None:
    valid = 0
    for seed in range(100):
        strategy = list(STRATEGIES.values())[seed % len(STRATEGIES)] if seed % 2 else STRATEGIES["recap"]
        schema = strategy.schema(["s1", "s2"], TINY)
        messages = (Message("system", "Reply with JSON."), Message("user", f"Question {seed}: what is it?"))
        reply = generator.reply(Request(messages, schema, MOST_TOKENS, temperature=1.0, seed=seed))
        assert reply.finish == "stop"
        jsonschema.validate(json.loads(reply.text), schema)
        assert text_to_draft(reply.text) is not None
        valid += 1
    assert valid == 100


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_noise_ends_as_the_rule_says(generator: Generator, sample: Sample, strategy: str) -> None:
    restated, base = sample.evidence_for("What were the sales of chairs in 2024?")
    built_in = read_answer(restated, base)
    streamed: list[str] = []
    answer = generate_answer(
        restated, base, built_in, generator, Asking(strategy, 4096, 300, limits=TINY), streamed.append
    )
    assert answer.decided_by == "built-in"
    assert answer.degraded or answer.status == "abstained"
    assert answer.tokens["prompt"] > 300 and answer.tokens["reply"] > 0
    assert "".join(streamed).strip() == ""
