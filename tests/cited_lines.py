"""Whether the lines that a passage cites hold it: the words of each of its sentences, in order, markup aside."""

import html
import io
import re
from collections.abc import Iterator

from mixrag_cli.chunking import chunk_document
from mixrag_cli.line_marks import narrow_to
from mixrag_cli.readers import ReadSource, reader_for
from mixrag_cli.records.documents import Document
from mixrag_cli.records.places import Locator
from mixrag_cli.sentences import split_sentences
from mixrag_cli.tables.grid import grid_to_table

HEAD_BYTES = 8192
WORD = re.compile(r"[^\W_⁰¹²³⁴-⁹ᵃ-ᶻ]+")  # raised marks are markup in the file
INLINE = "a|abbr|b|cite|code|em|font|i|ix:\\w+|kbd|s|small|span|strong|sub|sup|tt|u|wbr"  # they may stand inside a word
INLINE_TAG = re.compile(rf"</?(?:{INLINE})(?:\s[^>]{{0,500}})?/?>", re.IGNORECASE)
MARK_IN_WORD = re.compile(r"[`*_]+")


def read_document(name: str, raw: bytes) -> Document:
    return reader_for(name, raw[:HEAD_BYTES])(ReadSource(name, len(raw), io.BytesIO(raw)))


def cited_sentences(name: str, raw: bytes, window: int = 64) -> Iterator[tuple[str, Locator]]:
    """Each passage of the file, and each sentence in a passage of running text, with its place."""
    document = read_document(name, raw)
    tables = [
        (number, table)
        for number, grid in enumerate(document.grids)
        if (table := grid_to_table(grid, document="d", title="t")) is not None
    ]
    for chunk in chunk_document(
        document,
        tables,
        document_id="d",
        path=name,
        count_tokens=lambda text: len(WORD.findall(text)),
        window=window,
    ):
        if chunk.parent:  # of a table, told in its own words
            continue
        yield chunk.text, chunk.locator
        for start, end in split_sentences(chunk.text):
            yield chunk.text[start:end], narrow_to(chunk.locator, chunk.text, start, end)


def is_held(sentence: str, lines: list[str], cited: tuple[int, int]) -> bool:
    """Whether the cited lines hold the sentence's words in order, the first line its first, the last line its last.

    Numbers in front of items are passed over: a reader counts them. A table's row may begin and end with cells that
    hold no word.
    """
    sentence = re.sub(r"^\s*\d+[.)]\s", "", sentence, flags=re.MULTILINE)
    first, last = cited
    above, below = sentence.split("\n")[0], sentence.split("\n")[-1]
    begins = WORD.findall(above.partition("|")[0])[:1]
    ends = WORD.findall(below.rpartition("|")[2])[-1:]
    return any(
        _has_in_order(WORD.findall(sentence), shown("\n".join(lines[first - 1 : last])))
        and _has_in_order(begins, shown(lines[first - 1]))
        and _has_in_order(ends, shown(lines[last - 1]))
        for shown in (str, _as_written, _without_tags, _joined)
    )


def _has_in_order(wanted: list[str], text: str) -> bool:
    held = iter(WORD.findall(text))
    return all(word in held for word in wanted)


def _as_written(source: str) -> str:
    return html.unescape(source).replace("\\", "")


def _without_tags(source: str) -> str:
    return _as_written(re.sub(r"<[^>]{0,500}>", " ", source))


def _joined(source: str) -> str:
    """Words whole that markup parts: "`fd`s", "<b>Tota</b>l"."""
    return MARK_IN_WORD.sub("", _without_tags(INLINE_TAG.sub("", source)))
