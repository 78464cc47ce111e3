"""markdown-it, with what it does not tell: the line that each piece of inline text stands on."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from mdit_py_plugins.attrs import attrs_plugin
from mdit_py_plugins.front_matter import front_matter_plugin

from mixrag_cli.readers.lined_text import LinedText, join_lined
from mixrag_cli.readers.markdown_components import read_component
from mixrag_cli.readers.raised import raise_text

__all__ = ["InlineText", "Token", "parse_blocks"]

MAX_DEPTH = 100  # each level of quotes or lists costs markdown-it some five frames of Python's thousand
MAX_INLINE_CHARS = 50_000  # inline parsing of hostile text is quadratic: a longer paragraph keeps its markup
PARTING_TAG = re.compile(r"<(?:br|td|th|tr|li|p|div)\b", re.I)  # no letters of one word stand on both sides of it
SUPERSCRIPT_TAG = re.compile(r"<(/?)sup\b", re.I)
PLACE = "place"  # key of a token's meta: how far into the inline text the parser was


def parse_blocks(text: str) -> list[Token] | None:
    """The block tokens; None for a text nested more deeply than MAX_DEPTH."""
    parser = MarkdownIt("commonmark", {"maxNesting": MAX_DEPTH + 1}).enable("table").use(front_matter_plugin)
    parser.disable("inline")  # done by block, where its size can be bounded
    try:
        tokens = parser.parse(text)
    except RecursionError:
        return None
    # at the limit markdown-it leaves the rest of the block out without a word
    return None if any(token.level >= MAX_DEPTH for token in tokens) else tokens


class InlineText:
    """Inline markup as a reader sees it: links keep their text, images their description; comments go, and so do the
    attributes behind an image, a link or code: "{ width=600 }"."""

    def __init__(self) -> None:
        self._parser = MarkdownIt("commonmark").use(attrs_plugin)

    def shown(self, content: str, first_line: int) -> LinedText:
        """The text of a block whose content begins on first_line."""
        raw = LinedText.from_lines(content, first_line)
        if len(content) > MAX_INLINE_CHARS:
            return raw
        state = _PlacedState(content, self._parser, {}, [])
        try:
            self._parser.inline.tokenize(state)
            for rule in self._parser.inline.ruler2.getRules(""):
                rule(state)
        except RecursionError:
            return raw
        return join_lined(_shown_parts(state.tokens, raw)).strip()


class _PlacedState(StateInline):
    """Notes with each token how far the parser was when it made it: text stands right before, all else right after."""

    def pushPending(self) -> Token:  # noqa: N802
        token = super().pushPending()
        token.meta[PLACE] = self.pos
        return token

    def push(self, ttype: str, tag: str, nesting: int) -> Token:
        token = super().push(ttype, tag, nesting)  # type: ignore[arg-type]
        token.meta[PLACE] = self.pos
        return token


def _shown_parts(tokens: Sequence[Token], raw: LinedText) -> Iterator[LinedText]:
    """What is shown of each token; what stands between <sup> and </sup> raised."""
    is_raised = False
    for token in tokens:
        if token.type == "html_inline" and (tag := SUPERSCRIPT_TAG.match(token.content)):
            is_raised = not tag[1]
        for part in _shown(token, raw):
            yield LinedText(raise_text(part.text), part.marks) if is_raised else part


def _shown(token: Token, raw: LinedText) -> Iterator[LinedText]:
    place = token.meta.get(PLACE, 0)
    line = raw.marks[0][1] + raw.text.count("\n", 0, place)
    if token.type in ("text", "text_special"):
        yield LinedText(token.content, ((0, line),))
    elif token.type == "code_inline":
        start = place + len(token.markup)
        inside = raw.cut(start, raw.text.find(token.markup, start + len(token.content)))
        start = max(inside.text.replace("\n", " ").find(token.content), 0)
        yield LinedText(token.content, inside.cut(start, start + len(token.content)).marks)
    elif token.type in ("softbreak", "hardbreak"):
        yield LinedText("\n", ((0, line),))
    elif token.type == "image":
        yield LinedText("".join(map(_text_of, token.children or ())), ((0, line),))
    elif token.type == "html_inline" and PARTING_TAG.match(token.content):
        yield LinedText(" ", ((0, line),))
    elif token.type == "html_inline" and (component := read_component(token.content)) and component.text:
        behind = place + len(token.content)
        is_apart = raw.text[behind : behind + 1].isspace() or behind == len(raw.text)
        yield LinedText(component.text + ("" if is_apart else " "), ((0, line),))


def _text_of(token: Token) -> str:
    """The description of an image, all on the line where the image begins: no one breaks it."""
    if token.type in ("softbreak", "hardbreak"):
        return "\n"
    if token.type == "image":
        return "".join(map(_text_of, token.children or ()))
    return token.content if token.type in ("text", "code_inline", "text_special") else ""
