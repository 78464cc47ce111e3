"""RECAP by a generator, with a script in its place: every kind of reply ends as the written rule says.

The table below is the rule's documentation: a transcript, the way it ends, and what is then shown. The transcripts are
of the kinds that small models really write.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any, get_args

import pytest
from evidence_samples import REPORT, Sample, read_sample
from scripted_generator import Line, ScriptedGenerator

from mixrag_cli.errors import ModelUnusable
from mixrag_cli.generator import Request
from mixrag_cli.quantities.formula_units import UnitsDisagree, result_unit
from mixrag_cli.quantities.said_numbers import numbers_in, unsupported_numbers
from mixrag_cli.quotes import find_quote
from mixrag_cli.recap.faithfulness import judge_faithfulness, level_of
from mixrag_cli.recap.generated.choosing import Fact, Way, choose
from mixrag_cli.recap.generated.packing import MAX_PASSAGES, pack_evidence
from mixrag_cli.recap.generated.reader import Asking, generate_answer
from mixrag_cli.recap.generated.strategies import STRATEGIES, Limits
from mixrag_cli.recap.reader import read_answer
from mixrag_cli.records.answers import Answer

WIDE = "region," + ",".join(f"year {year}" for year in range(2000, 2020)) + "\n"
WIDE += "".join(f"region {row}," + ",".join(str(row * 100 + year) for year in range(20)) + "\n" for row in range(300))


@pytest.fixture(scope="module")
def sample() -> Sample:
    return read_sample({"report.md": REPORT, "wide.csv": WIDE})


# A claim names its passage by a mark; the script looks up under which id the prompt shows it.
MARKS = {"@table": "row | 2023 | 2024", "@prose": "The new\nsaw", "@costs": "Wages came"}


def piece(name: str, quote: str, value: str = "", unit: str = "", source: str = "@table") -> dict[str, str]:
    return {"id": name, "source": source, "quote": quote, "value": value, "unit": unit}


CHAIRS_2023 = piece("e1", "Chairs | 412", "412", "thousand EUR")
CHAIRS_2024 = piece("e2", "Chairs | 412 | 515", "515", "thousand EUR")
GROWTH = "(e2 - e1) / e1 * 100"


def reply(
    extract: Sequence[dict[str, str]] = (CHAIRS_2023, CHAIRS_2024),
    formula: str = GROWTH,
    answer: str = "25 %",
    present: str = "",
    asks: str = "the growth of the sales of chairs",
) -> str:
    parts = {
        "restate": {"type": "number", "asks": asks},
        "extract": list(extract),
        "compute": {"formula": formula},
        "answer": answer,
        "present": present,
    }
    return json.dumps(parts)


def played(line: Line) -> Line:
    """The line with its marks replaced by the ids that the request's prompt uses."""
    if not isinstance(line, str):
        return line

    def text_for(request: Request) -> str:
        blocks = dict(re.findall(r"<<\w+ (s\d+)>>\n(.*?)<<\w+ end>>", request.messages[1].text, re.DOTALL))
        text = line
        for mark, shown in MARKS.items():
            found = next((name for name, block in blocks.items() if shown in block), "none")
            text = text.replace(mark, found)
        return text

    return text_for


def ask(
    sample: Sample,
    question: str,
    lines: Sequence[Line],
    asking: Asking = Asking(),  # noqa: B008  frozen
    built_in: Answer | None = None,
    **generator: Any,
) -> tuple[Answer, ScriptedGenerator, list[str]]:
    """The answer, the generator with what it was asked, and what was streamed."""
    restated, base = sample.evidence_for(question, paths=["report.md"])
    scripted = ScriptedGenerator([played(line) for line in lines], **generator)
    streamed: list[str] = []
    answer = generate_answer(restated, base, built_in or BUILT_IN[question], scripted, asking, on_text=streamed.append)
    return answer, scripted, streamed


def built_in(question: str, value: str = "", text: str = "", confidence: float = 0.95) -> Answer:
    """What the built-in reader is taken to say: an answer with its own kind of source, or an abstention."""
    if not (value or text):
        return Answer(question, "abstained", "the documents hold no answer", "fact", question)
    return Answer(
        question,
        "answered",
        text or value,
        "number",
        question,
        value=Decimal(value) if value else None,
        confidence=confidence,
    )


# --- the rule -------------------------------------------------------------------------------------------------------

GROWTH_OF_CHAIRS = "By what percentage did the sales of chairs grow from 2023 to 2024?"
SALES_OF_CHAIRS = "What were the sales of chairs in 2024?"
DELAY = "Why was the new saw delayed?"
NOBODY_KNOWS = "What is the colour of the director's bicycle in Reykjavik?"
SENTENCE = piece("e1", "The new\nsaw was delayed because the supplier had lost the drawings.", source="@prose")
TOGETHER = "What are chairs and wages together in 2024?"
BUILT_IN = {
    GROWTH_OF_CHAIRS: built_in(GROWTH_OF_CHAIRS, "25"),
    SALES_OF_CHAIRS: built_in(SALES_OF_CHAIRS, "515"),
    DELAY: built_in(DELAY, text="because of the supplier", confidence=0.7),
    NOBODY_KNOWS: built_in(NOBODY_KNOWS),
    TOGETHER: built_in(TOGETHER),
}
TWICE = 2  # replies that the rule asks for

# transcript, question, replies, who decides ("" for an abstention), the answer's value or words, replies used, degraded
TRANSCRIPTS = [
    ("right", GROWTH_OF_CHAIRS, [reply()], "calculator", Decimal(25), 1, ""),
    ("wrong arithmetic", GROWTH_OF_CHAIRS, [reply(answer="24.1 %")], "calculator", Decimal(25), 1, ""),
    ("no answer but a formula", GROWTH_OF_CHAIRS, [reply(answer="")], "calculator", Decimal(25), 1, ""),
    ("numbers in the formula instead of ids", GROWTH_OF_CHAIRS, [reply(formula="(515 - 412) / 412 * 100")],
     "calculator", Decimal(25), 1, ""),
    ("values in base units", GROWTH_OF_CHAIRS,
     [reply([{**CHAIRS_2023, "value": "412,000"}, {**CHAIRS_2024, "value": "515000"}])],
     "calculator", Decimal(25), 1, ""),
    ("a quoted number, no formula", SALES_OF_CHAIRS, [reply([CHAIRS_2024], "", "515")], "model", Decimal(515), 1, ""),
    ("a formula that names one value", SALES_OF_CHAIRS, [reply([CHAIRS_2024], "e2", "")], "model", Decimal(515), 1, ""),
    ("a quoted sentence", DELAY, [reply([SENTENCE], "", "because the supplier had lost the drawings")],
     "model", "because the supplier had lost the drawings", 1, ""),
    ("wrong quote, then right", GROWTH_OF_CHAIRS, [reply([piece("e1", "Chairs | 421", "421"), CHAIRS_2024]), reply()],
     "calculator", Decimal(25), TWICE, ""),
    ("wrong quote twice", GROWTH_OF_CHAIRS,
     [reply([piece("e1", "Chairs | 421", "421"), CHAIRS_2024], answer="22.3 %")] * 2,
     "built-in", Decimal(25), TWICE, "the quote of e1 does not stand in s"),
    ("a value that the quote does not say", GROWTH_OF_CHAIRS,
     [reply([{**CHAIRS_2023, "value": "421"}, CHAIRS_2024], answer="22.3 %")] * 2,
     "built-in", Decimal(25), TWICE, "the value of e1 is not the number that its quote says"),
    ("forged citation", GROWTH_OF_CHAIRS,
     [reply([{**CHAIRS_2023, "source": "s99"}, CHAIRS_2024], answer="30 %")] * 2,
     "built-in", Decimal(25), TWICE, "e1 cites s99, which was not given"),
    ("a number from nowhere", SALES_OF_CHAIRS, [reply([CHAIRS_2024], "", "999")] * 2,
     "built-in", Decimal(515), TWICE, "neither quoted nor computed"),
    ("a number from nowhere in the formula", GROWTH_OF_CHAIRS, [reply(formula="e1 * 7.77", answer="3,201")] * 2,
     "built-in", Decimal(25), TWICE, "the formula holds 7.77, which was not extracted"),
    ("a formula whose values cancel out", GROWTH_OF_CHAIRS, [reply(formula="e1 / e1 * 12", answer="12")] * 2,
     "built-in", Decimal(25), TWICE, "does not depend on the extracted values"),
    ("a formula that is code", GROWTH_OF_CHAIRS, [reply(formula="__import__('os').system('id')", answer="0")] * 2,
     "built-in", Decimal(25), TWICE, "the formula cannot be calculated"),
    ("a formula over what was not extracted", GROWTH_OF_CHAIRS, [reply(formula="e7 / e1", answer="3")] * 2,
     "built-in", Decimal(25), TWICE, "the formula uses e7"),
    ("units disagree", TOGETHER,
     [reply([CHAIRS_2024, piece("e1", "$1.2 million", "1.2", "USD", "@costs")], "e1 + e2", "1.7 million")] * 2,
     "", None, TWICE, "the formula adds values of different units"),
    ("broken JSON that can be read", GROWTH_OF_CHAIRS,
     ["Sure, here is the JSON:\n```json\n" + reply()[:-2].replace('"answer"', "'answer'") + ",\n```\nHope it helps!"],
     "calculator", Decimal(25), 1, ""),
    ("JSON cut off", GROWTH_OF_CHAIRS, [reply()[: reply().index(', "answer"')]], "calculator", Decimal(25), 1, ""),
    ("no JSON at all, twice", SALES_OF_CHAIRS, ["The sales of chairs were 600."] * 2,
     "built-in", Decimal(515), TWICE, "no JSON object of the agreed form"),
    ("no JSON, then right", SALES_OF_CHAIRS, ["It was 515, I think.", reply([CHAIRS_2024], "", "515")],
     "model", Decimal(515), TWICE, ""),
    ("endless repeat", SALES_OF_CHAIRS, ["515 515 " * 400] * 2,
     "built-in", Decimal(515), TWICE, "it repeats itself without end"),
    ("refusal, and the built-in reader is sure", SALES_OF_CHAIRS, [reply([], "", "not found")],
     "built-in", Decimal(515), 1, "the model found no answer"),
    ("refusal, and nobody knows", NOBODY_KNOWS, [reply([], "", "not found")], "", None, 1, ""),
    ("refusal in prose", NOBODY_KNOWS, ["I am sorry, but I cannot answer that."] * 2, "", None, TWICE, "no JSON"),
    ("the model fails", SALES_OF_CHAIRS, [ModelUnusable("the model ended in mid-sentence")],
     "built-in", Decimal(515), 1, "the model ended in mid-sentence"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("question", "lines", "decided_by", "said", "used", "degraded"),
    [each[1:] for each in TRANSCRIPTS],
    ids=[each[0] for each in TRANSCRIPTS],
)
def test_each_transcript_ends_as_the_rule_says(
    sample: Sample, question: str, lines: list[Line], decided_by: str, said: Decimal | str, used: int, degraded: str
) -> None:
    answer, generator, _ = ask(sample, question, lines)
    assert len(generator.requests) == used
    if not decided_by:
        assert answer.status == "abstained", answer.text
    else:
        assert (answer.status, answer.decided_by) == ("answered", decided_by)
        assert said in (answer.value, answer.text)
        if decided_by != "built-in":
            assert answer.sources
    assert bool(answer.degraded) is bool(degraded)
    assert degraded in " ".join(answer.degraded)


def test_the_rule_decides_for_every_set_of_facts() -> None:
    facts = get_args(Fact)
    sets = [{fact for place, fact in enumerate(facts) if bits >> place & 1} for bits in range(2 ** len(facts))]
    assert {choose(each) for each in sets} == set(get_args(Way))
    assert choose(set()) == "abstain"


def test_a_wrong_quote_never_lends_its_number(sample: Sample) -> None:
    """Even where the built-in reader is silent, the model's unsupported number is not shown."""
    silent = Answer(SALES_OF_CHAIRS, "abstained", "nothing found", "number", "")
    answer, _, _ = ask(sample, SALES_OF_CHAIRS, [reply([CHAIRS_2024], "", "999")] * 2, built_in=silent)
    assert answer.status == "abstained"
    assert "999" not in f"{answer.text} {answer.present} {answer.degraded}"


def test_what_the_built_in_reader_disputes_is_asked_once_more_and_then_not_stated(sample: Sample) -> None:
    """412 is quoted and verified, but of another year than the cell that the built-in reader is sure of."""
    answer, generator, _ = ask(sample, SALES_OF_CHAIRS, [reply([CHAIRS_2023], "", "412")] * 2)
    assert len(generator.requests) == 2
    assert "515" in generator.requests[1].messages[1].text.rpartition("another reading of the tables gives")[2]
    assert answer.status == "likely"
    assert "412" in {one.text.strip("€ thousand") for one in answer.candidates}
    assert answer.value is None


def test_a_second_reply_that_agrees_is_stated(sample: Sample) -> None:
    answer, _, _ = ask(sample, SALES_OF_CHAIRS, [reply([CHAIRS_2023], "", "412"), reply([CHAIRS_2024], "", "515")])
    assert (answer.status, answer.value) == ("answered", Decimal(515))


def test_the_second_attempt_is_told_the_reason_and_shares_the_prompt(sample: Sample) -> None:
    _, generator, _ = ask(sample, GROWTH_OF_CHAIRS, [reply([piece("e1", "Chairs | 421", "421"), CHAIRS_2024]), reply()])
    first, second = generator.requests
    assert first.messages[0] == second.messages[0]
    shared = first.messages[1].text.index("Question:")
    assert first.messages[1].text[:shared] == second.messages[1].text[:shared]
    assert "the quote of e1 does not stand in s" in second.messages[1].text


def test_a_timeout_is_not_asked_again(sample: Sample) -> None:
    answer, generator, _ = ask(
        sample, SALES_OF_CHAIRS, [reply([CHAIRS_2024], "", "515") * 50], replace(Asking(), seconds=0.01), delay_s=0.005
    )
    assert (answer.decided_by, len(generator.requests)) == ("built-in", 1)
    assert "cut off" in answer.degraded[0]


def test_what_the_model_presents_is_shown_only_where_it_says_the_answer(sample: Sample) -> None:
    told = "The sales of chairs grew by 25 % from 2023 to 2024."
    answer, _, _ = ask(sample, GROWTH_OF_CHAIRS, [reply(present=told)])
    assert (answer.text, answer.present) == ("25 %", told)
    for wrong in (
        "Sales grew by 26 %.",
        "The sales of chairs grew a lot.",
        "Buy shares of Fernhill now, all of you! 25 %",
    ):
        answer, _, _ = ask(sample, GROWTH_OF_CHAIRS, [reply(present=wrong)])
        assert (answer.text, answer.present) == ("25 %", "")


def test_evidence_is_the_documents_own(sample: Sample) -> None:
    """Value, unit, scale and place come from the table; the model's unit is only its opinion."""
    answer, _, _ = ask(sample, SALES_OF_CHAIRS, [reply([{**CHAIRS_2024, "unit": "million dollars"}], "", "515")])
    (cell,) = answer.evidence
    assert (cell.quote, cell.label, cell.value, cell.unit, cell.scale) == (
        "515",
        "Chairs | 2024",
        Decimal(515),
        "EUR",
        1000,
    )
    assert answer.unit == "EUR thousand"
    assert answer.sources[0].hit.path == "report.md"


# --- streaming ------------------------------------------------------------------------------------------------------


def test_the_answers_words_stream_and_nothing_else(sample: Sample) -> None:
    words = "because the supplier had lost the drawings"
    answer, _, streamed = ask(sample, DELAY, [reply([SENTENCE], "", words)])
    assert "".join(streamed).strip() == words == answer.text
    assert len(streamed) > 3


@pytest.mark.parametrize(
    "wrong", ["26 %", "see 999 pages", "![x](http://evil.example/a.png)", "<img src=http://e.example>"]
)
def test_no_unsupported_word_streams(sample: Sample, wrong: str) -> None:
    _, _, streamed = ask(sample, GROWTH_OF_CHAIRS, [reply(answer=wrong)] * 2)
    shown = "".join(streamed)
    assert not any(sign.isdigit() for sign in shown)
    assert "http" not in shown and "<" not in shown and "](" not in shown


def test_a_right_number_streams(sample: Sample) -> None:
    _, _, streamed = ask(sample, GROWTH_OF_CHAIRS, [reply(answer="25 % more")])
    assert "".join(streamed).strip() == "25 % more"


# --- strategies -----------------------------------------------------------------------------------------------------

PIECES = [CHAIRS_2023, CHAIRS_2024]
THOUGHTS = "Chairs were 412 and then 515. So (515 - 412) / 412 * 100 = 25 per cent."
STEPS = [{"id": "t1", "formula": "e2 - e1"}, {"id": "t2", "formula": "t1 / e1 * 100"}]


@pytest.mark.parametrize(
    ("strategy", "parts", "decided_by"),
    [
        ("recap", {"extract": PIECES, "compute": {"formula": GROWTH}, "answer": "25 %"}, "calculator"),
        ("cot", {"thoughts": THOUGHTS, "extract": PIECES, "answer": "25 %"}, "calculator"),
        ("cot", {"thoughts": "About a quarter.", "extract": PIECES, "answer": "25 %"}, "built-in"),
        ("eedp", {"recall": "", "extract": PIECES, "steps": STEPS, "answer": "24 %"}, "calculator"),
        ("pot", {"extract": PIECES, "program": GROWTH, "answer": ""}, "calculator"),
        ("pot", {"extract": PIECES, "program": "import os; os.remove('/')", "answer": ""}, "built-in"),
        ("recap-without-restate", {"extract": PIECES, "compute": {"formula": GROWTH}, "answer": "2 %"}, "calculator"),
        ("recap-without-compute", {"extract": PIECES, "answer": "25 %"}, "built-in"),
        ("recap-without-extract", {"answer": "25 %", "extract": PIECES}, "built-in"),
        ("direct", {"answer": "25 %", "extract": PIECES}, "built-in"),  # a number that is not quoted and has no formula
    ],
)
def test_every_strategy_is_verified_alike(
    sample: Sample, strategy: str, parts: dict[str, Any], decided_by: str
) -> None:
    answer, generator, _ = ask(sample, GROWTH_OF_CHAIRS, [json.dumps(parts)] * 2, Asking(strategy))
    assert (answer.decided_by, answer.value) == (decided_by, Decimal(25))
    request = generator.requests[0]
    assert request.purpose == strategy
    assert list(request.schema["properties"]) == list(STRATEGIES[strategy].parts)


def test_direct_quotes_a_number(sample: Sample) -> None:
    answer, _, _ = ask(
        sample, SALES_OF_CHAIRS, [json.dumps({"answer": "515", "extract": [CHAIRS_2024]})], Asking("direct")
    )
    assert (answer.decided_by, answer.value) == ("model", Decimal(515))


def test_a_schema_binds_sources_and_lengths() -> None:
    for strategy in STRATEGIES.values():
        schema = json.dumps(strategy.schema(["s1", "s2"], Limits()))
        assert '"enum": ["s1", "s2"]' in schema
        assert schema.count('"type": "string"') == schema.count("maxLength") + schema.count("pattern")
        assert schema.count('"type": "array"') == schema.count("maxItems")


# --- packing --------------------------------------------------------------------------------------------------------


def test_passages_lie_between_delimiters_of_this_call_alone(sample: Sample) -> None:
    keys = set()
    for _ in range(3):
        _, generator, _ = ask(sample, SALES_OF_CHAIRS, [reply([CHAIRS_2024], "", "515")])
        request = generator.requests[0]
        keys.add(request.nonce)
        text = request.messages[1].text
        assert text.count(f"<<{request.nonce} end>>") == text.count(f"<<{request.nonce} s") == 3
        assert request.nonce not in request.messages[0].text
    assert len(keys) == 3


def test_a_table_is_never_cut_inside_a_row_and_keeps_its_header(sample: Sample) -> None:
    restated, base = sample.evidence_for("What was year 2007 in region 17?", paths=["wide.csv"])

    def count(text: str) -> int:
        return len(text.split())

    (table,) = (table for table in base.tables.values() if len(table.rows) == 300)
    whole = pack_evidence(base, restated.whole.terms, (), count, 100_000)[0].text.splitlines()
    rows = {line for line in whole if line.startswith("region ")}
    assert len(rows) == len(table.rows)
    for room in (200, 500, 1500, 4000):
        passages = pack_evidence(base, restated.whole.terms, (), count, room)
        assert sum(count(passage.text) for passage in passages) <= room
        shown = [line for passage in passages for line in passage.text.splitlines() if line.startswith("region ")]
        if passages:
            assert set(shown) <= rows and shown
            assert all(any(line.startswith("row | year 2000") for line in p.text.splitlines()) for p in passages)
    assert any(line.startswith("region 17 |") for line in shown)


def test_a_window_too_small_falls_back_to_the_built_in_reader(sample: Sample) -> None:
    answer, generator, _ = ask(sample, SALES_OF_CHAIRS, [], context_tokens=700)
    assert not generator.requests
    assert (answer.decided_by, answer.value) == ("built-in", Decimal(515))
    assert "its window of 700 tokens is too small for a passage" in answer.degraded[0]


@pytest.mark.parametrize("context_tokens", [1_500, 2_000, 4_000, 8_000])
def test_the_prompt_fits_any_window(sample: Sample, context_tokens: int) -> None:
    restated, base = sample.evidence_for("What were the sales of chairs in 2024 and year 2007 in region 17?")
    generator = ScriptedGenerator([reply([CHAIRS_2024], "", "nothing")] * 2, context_tokens=context_tokens)
    answer = generate_answer(restated, base, read_answer(restated, base), generator, Asking())
    assert "does not fit" not in " ".join(answer.degraded)
    for request in generator.requests:
        assert generator.count_prompt_tokens(request.messages) + request.max_tokens <= context_tokens
        assert request.messages[1].text.count(" end>>") <= MAX_PASSAGES


# --- units ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("formula", "units", "unit"),
    [
        ("e2 - e1", {"e1": "USD", "e2": "USD"}, "USD"),
        ("e2 - e1", {"e1": "USD", "e2": ""}, "USD"),
        ("(e2 - e1) / e1 * 100", {"e1": "USD", "e2": "USD"}, "%"),
        ("(e2 - e1) / e1 * 100", {"e1": "", "e2": ""}, "%"),
        ("100 * (e2 / e1 - 1)", {"e1": "EUR", "e2": ""}, "%"),
        ("e1 / e2", {"e1": "USD", "e2": "USD"}, ""),
        ("e1 / e2", {"e1": "USD", "e2": "shares"}, "USD/shares"),
        ("e1 * e2 / 100", {"e1": "USD", "e2": "%"}, "USD"),
        ("e1 * e2%", {"e1": "USD", "e2": "%"}, "USD"),
        ("e2 - e1", {"e1": "%", "e2": "%"}, "pp"),
        ("100 - e1", {"e1": "%"}, "%"),
        ("average(e1, e2)", {"e1": "EUR", "e2": "EUR"}, "EUR"),
        ("((e2 / e1) ^ (1 / 3) - 1) * 100", {"e1": "USD", "e2": "USD"}, "%"),
        ("count(e1, e2)", {"e1": "EUR", "e2": "USD"}, ""),
        ("round(e1 / e2 * 100, 1)", {"e1": "USD", "e2": "USD"}, "%"),
        ("e1 + e2", {"e1": "EUR", "e2": "USD"}, None),
        ("e1 + e2", {"e1": "%", "e2": "USD"}, None),
        ("1 + e1", {"e1": "%"}, None),
        ("e1 + 5", {"e1": "USD"}, None),
        ("max(e1, e2)", {"e1": "EUR", "e2": "shares"}, None),
    ],
)
def test_units_of_a_formula(formula: str, units: dict[str, str], unit: str | None) -> None:
    if unit is None:
        with pytest.raises(UnitsDisagree):
            result_unit(formula, units)
    else:
        assert result_unit(formula, units).unit == unit


# --- what counts as quoted ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("quote", "text", "stands"),
    [
        ("net  income", "The net\nincome fell", True),
        ("Chairs 412 515", "Chairs | 412 | 515", True),
        ("it’s “so” — here", 'it\'s "so" - here', True),
        ("ﬁnal", "the final word", True),
        ("41", "412", False),
        ("412", "1,412", False),
        ("1,4", "1,412", False),
        ("12", "12.5 %", False),
        ("income", "incomes", False),
        ("", "anything", False),
        ("fell sharply", "fell", False),
        ("収入", "今年の収入は多い", True),
    ],
)
def test_a_quote_stands_letter_by_letter(quote: str, text: str, stands: bool) -> None:
    assert (find_quote(quote, text) is not None) is stands


def test_every_digit_of_an_answer_is_looked_at() -> None:
    assert numbers_in("x9 and ４２ and 1,234.50 and ٣") == [9, 42, Decimal("1234.50"), 3]
    assert unsupported_numbers("12.4 in 2019", ["2019"], [Decimal("12.38")]) == ()
    assert unsupported_numbers("12.5 in 2020", ["2019"], [Decimal("12.38")]) == ("12.5", "2020")


# --- faithfulness ---------------------------------------------------------------------------------------------------


def test_levels_are_the_papers() -> None:
    assert [level_of(score) for score in (0.71, 0.7, 0.4, 0.39, -1)] == [
        "high",
        "borderline",
        "borderline",
        "risk",
        "risk",
    ]


def test_an_exact_check_that_fails_is_a_risk_however_near_the_words(sample: Sample) -> None:
    _, base = sample.evidence_for(GROWTH_OF_CHAIRS, paths=["report.md"])
    answer, _, _ = ask(sample, GROWTH_OF_CHAIRS, [reply()])
    retrieved = frozenset(hit.chunk.id for hit in base.hits)
    good = judge_faithfulness(answer, 0.9, retrieved, base.tables)
    assert (good.level, [(check.name, check.checked, check.failed) for check in good.checks]) == (
        "high",
        [("numbers", 1, ()), ("citations", 2, ()), ("quotes", 2, ())],
    )
    altered = replace(answer.evidence[0], quote="999")
    for wrong, name in (
        (replace(answer, text="26 %"), "numbers"),
        (replace(answer, evidence=(altered, *answer.evidence[1:])), "quotes"),
    ):
        found = judge_faithfulness(wrong, 0.9, retrieved, base.tables)
        assert found.level == "risk"
        assert [check.name for check in found.checks if check.failed] == [name]
    assert judge_faithfulness(answer, 0.9, frozenset(), base.tables).level == "risk"


def test_the_built_in_readers_answers_pass_the_checks(sample: Sample) -> None:
    for question in (GROWTH_OF_CHAIRS, SALES_OF_CHAIRS, DELAY, "What is the average of chairs and tables in 2023?"):
        restated, base = sample.evidence_for(question, paths=["report.md"])
        answer = read_answer(restated, base)
        if answer.status == "answered":
            found = judge_faithfulness(answer, 0.9, frozenset(hit.chunk.id for hit in base.hits), base.tables)
            assert found.level == "high", (question, found)


def test_requests_carry_the_limits(sample: Sample) -> None:
    _, generator, _ = ask(sample, SALES_OF_CHAIRS, [reply([CHAIRS_2024], "", "515")], Asking(answer_tokens=300, seed=7))
    request: Request = generator.requests[0]
    assert (request.max_tokens, request.seed, request.purpose) == (300, 7, "recap")
