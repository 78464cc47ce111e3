"""Foreign text never reaches a terminal with a control byte in it, and a shown path can be told from any other."""

import re
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mixrag_cli.cleaning import display_path, path_from_display, safe_text

FORBIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)
HOSTILE = st.text(
    st.one_of(
        st.sampled_from(
            "\x1b[]0;?m\x07\\\x9b\x9d\x9c\r\n\t\x0c\u202e\u2066\u200b\u200c\u200d\U000e0041\ufeff\ud800ab\u0915\u0649"
        ),
        st.characters(exclude_categories=()),
    )
)


@given(HOSTILE)
@example("\x1b[\x1b[31m31m")
@example("a\u200c\u200b\u200dक")
@example("\x1b]0;never closed")
def test_nothing_forbidden_comes_out_and_a_second_pass_changes_nothing(text: str) -> None:
    clean = safe_text(text)
    assert not FORBIDDEN.search(clean)
    assert safe_text(clean) == clean
    one_line = safe_text(text, keep_newlines=False)
    assert "\n" not in one_line
    assert "\t" not in one_line
    assert safe_text(one_line, keep_newlines=False) == one_line


@given(HOSTILE.filter(lambda text: "\r" not in text))
def test_lines_keep_their_numbers(text: str) -> None:
    assert safe_text(text).count("\n") == text.count("\n")


@given(st.text(st.characters(categories=["L", "N", "P", "S", "Zs"])))
def test_visible_text_is_left_alone(text: str) -> None:
    assert safe_text(text) == text


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("red \x1b[1;31mred\x1b[0m", "red red"),
        ("\x1b]0;new window title\x07text", "text"),
        ("\x1b]52;c;cHduZWQ=\x1b\\text", "text"),
        ("\x1b]8;;http://evil.example\x1b\\click\x1b]8;;\x1b\\", "click"),
        ("\x9b31mred", "red"),
        ("\x9bquoted", "quoted"),
        ("\x1b(Btext", "text"),
        ("\x1bPq#0\x1b\\text", "text"),
        ("good\rbad", "good\nbad"),
        ("one\r\ntwo", "one\ntwo"),
        ("page\x0cbreak", "page break"),
        ("a\u2028b", "a b"),
        ("bell\x07 back\x08space \x7f", "bell backspace "),
        ("abc\u202etxt.exe", "abctxt.exe"),
        ("ig\u200bnore", "ignore"),
        ("ig\u200dno\u200cre", "ignore"),
        ("hid\U000e0049\U000e0067den", "hidden"),
        ("lone \ud83d surrogate", "lone \ufffd surrogate"),
        ("soft\u00adhyphen", "softhyphen"),
        ("\ufeffstart", "start"),
        ("\x1b]0;not closed\nnext line", "0;not closed\nnext line"),
    ],
)
def test_each_trick_is_undone(text: str, clean: str) -> None:
    assert safe_text(text) == clean


@pytest.mark.parametrize("text", ["می\u200cخواهم", "क्\u200dष", "👩🏽\u200d🚀", "❤️\u200d🔥", "naïve café", "a\tb\nc"])
def test_joiners_stay_where_a_script_needs_them(text: str) -> None:
    assert safe_text(text) == text


def test_a_long_unclosed_sequence_costs_no_time_and_no_text() -> None:
    text = "\x1b]0;" * 25_000 + "end"
    assert safe_text(text) == "0;" * 25_000 + "end"


@given(st.binary())
@example(b"x\\x41")
@example("\x85".encode())
@example(b"\x85")
def test_a_shown_path_is_printable_and_leads_back_to_the_bytes(raw: bytes) -> None:
    shown = display_path(raw)
    assert shown.isprintable()
    assert path_from_display(shown) == raw


def test_shown_paths_of_twins_differ() -> None:
    twins = [b"a\xff", b"a\\xff", "aÿ".encode(), unicodedata.normalize("NFD", "aÿ").encode(), b"a\n", b"a\\n", b"A\n"]
    assert len({display_path(raw) for raw in twins}) == len(twins)


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        (b"docs/plan.md", "docs/plan.md"),
        ("Übersicht 2024.pdf".encode(), "Übersicht 2024.pdf"),
        (b"two\nlines", "two\\nlines"),
        (b"\x1b[31mred", "\\x1b[31mred"),
        (b"back\\slash", "back\\\\slash"),
        (b"bad\xff", "bad\\xff"),
        ("gpj\u202e.exe".encode(), "gpj\\u202e.exe"),
        ("tag\U000e0041".encode(), "tag\\U000e0041"),
        (b"", ""),
    ],
)
def test_paths_are_shown_so(raw: bytes, shown: str) -> None:
    assert display_path(raw) == shown
