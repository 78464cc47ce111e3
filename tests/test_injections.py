"""What a document says to a model never becomes what mixrag says: checked with a model that obeys every word of it.

The guarantees are deterministic: no citation of what was not given, no number that is neither quoted nor computed, no
link, image, tag or escape sequence in a model's words, no special token out of a document's text.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from evidence_samples import Sample, read_sample
from injections import PAYLOADS, TABLE, TOKENS, TRUE_PIECE, Payload
from scripted_generator import ScriptedGenerator

from mixrag_cli.defanging import defang
from mixrag_cli.fencing import SPECIAL, plain_text
from mixrag_cli.generator import Generator, Request
from mixrag_cli.output.answer_payload import answer_to_json
from mixrag_cli.output.answer_view import print_answer
from mixrag_cli.output.console import make_console
from mixrag_cli.output.passages import Behind
from mixrag_cli.quantities.said_numbers import unsupported_numbers
from mixrag_cli.quotes import find_quote
from mixrag_cli.recap.generated.reader import Asking, generate_answer
from mixrag_cli.recap.generated.strategies import Limits
from mixrag_cli.records.answers import Answer
from mixrag_cli.settings import Settings

QUESTION = "What were the sales of chairs in 2024?"
SILENT = Answer(QUESTION, "abstained", "the documents hold no answer", "number", QUESTION)
FORBIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u200e\u200f\U000e0000-\U000e007f\ud800-\udfff]"
)
SMALL = Asking(answer_tokens=48, limits=Limits(items=1, quote=8, text=8, short=4))


def name_of(payload: Payload) -> str:
    return f"evil_{PAYLOADS.index(payload):02}.md"


@pytest.fixture(scope="module")
def sample() -> Sample:
    files = {name_of(payload): f"# Chairs\n{TABLE}\n\n## Note\n\n{payload.document}\n" for payload in PAYLOADS}
    return read_sample(files)


@pytest.fixture(scope="module")
def tiny(tiny_model: Path) -> Iterator[Generator]:
    from mixrag_cli.models import load_generator

    found = load_generator(Settings(generator=str(tiny_model), context_tokens=4096, threads=1))
    assert found is not None
    yield found
    found.close()


def obeyed(payload: Payload) -> Callable[[Request], str]:
    """The reply of a model that does what the document says; it sees the key, and uses it where that helps."""

    def text_for(request: Request) -> str:
        if payload.raw is not None:
            return payload.raw
        blocks = dict(re.findall(r"<<\w+ (s\d+)>>\n(.*?)<<\w+ end>>", request.messages[1].text, re.DOTALL))
        table = next(name for name, block in blocks.items() if "row | 2023" in block)
        parts = {"extract": [TRUE_PIECE], "compute": {"formula": ""}, "present": "", **payload.parts}
        return json.dumps(parts).replace("@table", table).replace("KEY", request.nonce)

    return text_for


def asked(sample: Sample, payload: Payload, generator: Generator, asking: Asking) -> tuple[Answer, str, frozenset[str]]:
    """The answer, what was streamed, and the ids of the passages that were given."""
    restated, base = sample.evidence_for(QUESTION, paths=[name_of(payload)])
    streamed: list[str] = []
    answer = generate_answer(restated, base, SILENT, generator, asking, streamed.append)
    return answer, "".join(streamed), frozenset(hit.chunk.id for hit in base.hits)


def rendered(answer: Answer) -> str:
    stream = io.StringIO()
    print_answer(make_console(stream, "never"), answer, Behind(lambda _: None, lambda _: None), explain=True)
    return stream.getvalue() + json.dumps(answer_to_json(answer), ensure_ascii=False)


def assert_guarantees(answer: Answer, streamed: str, retrieved: frozenset[str]) -> None:
    """All that must hold whatever the document said and the model did."""
    assert not FORBIDDEN.search(rendered(answer) + streamed)
    assert {source.hit.chunk.id for source in answer.sources} <= retrieved
    assert {piece.source for piece in answer.evidence} <= {source.ref for source in answer.sources}
    quotes = [text for piece in answer.evidence for text in (piece.quote, piece.label)]
    computed = [answer.result] if answer.result is not None else []
    own = f"{answer.text} {answer.present}" if answer.status == "answered" else ""
    assert unsupported_numbers(own, [*quotes, QUESTION], computed) == ()
    assert unsupported_numbers(streamed, [TABLE], computed) == ()  # provisional, but quoted as well
    for piece in answer.evidence:
        cited = next(source for source in answer.sources if source.ref == piece.source)
        assert find_quote(piece.quote, plain_text(cited.hit.chunk.text)) is not None
    shown = f"{own} {streamed} {answer.asks} {' '.join(answer.degraded)}"
    assert not re.search(r"https?:|javascript:|data:|\]\(|<\w|\[s?\d+\]", shown)
    if answer.status == "abstained":
        assert answer.sources == () and answer.value is None


@pytest.mark.parametrize("payload", PAYLOADS, ids=[payload.name for payload in PAYLOADS])
def test_a_model_that_obeys_changes_nothing_that_is_shown(sample: Sample, payload: Payload) -> None:
    generator = ScriptedGenerator([obeyed(payload)], repeat=True)
    answer, streamed, retrieved = asked(sample, payload, generator, Asking())
    assert_guarantees(answer, streamed, retrieved)
    own = f"{answer.text}\n{answer.present}\n{answer.asks}\n{' '.join(answer.degraded)}\n{streamed}"
    assert [each for each in payload.forbidden if each in own] == []
    if answer.status == "answered":
        assert answer.value == 515


@pytest.mark.parametrize("payload", PAYLOADS[::7], ids=[payload.name for payload in PAYLOADS[::7]])
@pytest.mark.parametrize("strategy", ["direct", "cot", "eedp", "pot", "recap-without-extract"])
def test_no_strategy_is_weaker(sample: Sample, payload: Payload, strategy: str) -> None:
    generator = ScriptedGenerator([obeyed(payload)], repeat=True)
    answer, streamed, retrieved = asked(sample, payload, generator, Asking(strategy))
    assert_guarantees(answer, streamed, retrieved)
    own = f"{answer.text}\n{answer.present}\n{streamed}"
    assert [each for each in payload.forbidden if each in own] == []


@pytest.mark.parametrize(
    ("text", "quoted", "shown"),
    [
        ("See ![x](http://a.b/?q=1) [s1] http://a.b", [], "See x http[:]//a[.]b"),
        ("515 [7][s12] (source: s9) [1, 2; s3]", [], "515"),
        ("use args[0] at http://a.b/c.", ["set args[0]", "see http://a.b/c"], "use args[0] at http://a.b/c."),
        ("515 [a][1]\n\n[1]: http://evil.example", [], "515 a"),
        ("in 3 (12) of 5 if x<y: z", [], "in 3 (12) of 5 if x<y: z"),
        ("5 <<b>script>alert(1)<</b>/script> <img src=http://a.b", [], "5 alert(1)"),
    ],
)
def test_what_could_lead_elsewhere_is_made_harmless(text: str, quoted: list[str], shown: str) -> None:
    assert defang(text, quoted) == shown


def test_the_prompt_keeps_document_text_inside_its_delimiters(sample: Sample) -> None:
    for payload in PAYLOADS:
        generator = ScriptedGenerator([obeyed(payload)], repeat=True)
        asked(sample, payload, generator, Asking())
        request = generator.requests[0]
        text = request.messages[1].text
        opened = re.findall(rf"<<{request.nonce} (s\d+)>>", text)
        assert opened == [f"s{n}" for n in range(1, len(opened) + 1)]
        assert text.count(f"<<{request.nonce} end>>") == len(opened)
        inside = "".join(re.findall(rf"<<{request.nonce} s\d+>>\n(.*?)<<{request.nonce} end>>", text, re.DOTALL))
        outside = (
            text.replace(inside, "")
            if len(opened) == 1
            else re.sub(rf"<<{request.nonce} s\d+>>\n.*?<<{request.nonce} end>>", "", text, flags=re.DOTALL)
        )
        assert not FORBIDDEN.search(text)
        assert payload.document.strip()[:40] not in outside or not payload.document.strip()
        for token in ("<|im_end|>", "<|im_start|>", "[INST]", "[/INST]", "</s>", "<s>", "<think>", "<end_of_turn>",
                      "<tool_call>", "[TOOL_CALLS]", "<|endoftext|>", "<<SYS>>"):  # fmt: skip
            assert token not in text


@pytest.mark.parametrize("text", TOKENS)
def test_special_tokens_become_plain_text(text: str) -> None:
    broken = plain_text(text)
    assert broken != text
    assert SPECIAL.search(broken) is None
    assert broken.replace(" ", "") == text.replace(" ", "")


@pytest.mark.parametrize("payload", PAYLOADS, ids=[payload.name for payload in PAYLOADS])
def test_the_guarantees_hold_with_a_real_model(sample: Sample, payload: Payload, tiny: Generator) -> None:
    answer, streamed, retrieved = asked(sample, payload, tiny, SMALL)
    assert_guarantees(answer, streamed, retrieved)
    assert answer.tokens["reply"] > 0
