"""The numbers of a Word document's list items: counted over what stands between, and written as the list says."""

from __future__ import annotations

import pytest
from test_office import WORD, read, rebuilt

LEVELS = (  # of each list: form, text, further properties
    (("decimal", "%1.", ""), ("lowerLetter", "(%2)", ""), ("decimal", "%1.%2.%3", "<w:isLgl/>")),
    (("upperRoman", "Article %1", ""), ("decimal", "%1.%2", '<w:isLgl/><w:lvlRestart w:val="0"/>')),
    (("bullet", "•", ""),),
    (("decimalZero", "%1)", "<w:pStyle w:val='Clause'/>"), ("upperLetter", "%2", "")),
)


def numbering() -> bytes:
    abstract = "".join(
        f'<w:abstractNum w:abstractNumId="{number}">'
        + "".join(
            f'<w:lvl w:ilvl="{at}"><w:start w:val="1"/>{more}<w:numFmt w:val="{form}"/>'
            f'<w:lvlText w:val="{text}"/></w:lvl>'
            for at, (form, text, more) in enumerate(levels)
        )
        + "</w:abstractNum>"
        for number, levels in enumerate(LEVELS)
    )
    lists = "".join(
        f'<w:num w:numId="{number + 1}"><w:abstractNumId w:val="{number}"/></w:num>' for number in range(len(LEVELS))
    )
    anew = '<w:num w:numId="9"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="5"/>'
    return f'<w:numbering xmlns:w="{WORD}">{abstract}{lists}{anew}</w:lvlOverride></w:num></w:numbering>'.encode()


def paragraph(text: str, number: int = 0, level: int = 0) -> str:
    place = f'<w:pPr><w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{number}"/></w:numPr></w:pPr>' if number else ""
    return f"<w:p>{place}<w:r><w:t>{text}</w:t></w:r></w:p>"


@pytest.mark.parametrize(
    ("items", "expected"),
    [
        (
            [("Is the source right?", 1), ("Yes.",), ("Are the units right?", 1), ("No.",), ("Thanks &amp; bye", 1)],
            ["1. Is the source right?", "Yes.", "2. Are the units right?", "No.", "3. Thanks & bye"],
        ),
        (
            [("a", 1), ("b", 1, 1), ("c", 1, 1), ("d", 1, 2), ("e", 1), ("f", 1, 1)],
            ["1. a", "  (a) b", "  (b) c", "    1.2.1 d", "2. e", "  (a) f"],
        ),
        (
            [("a", 2), ("b", 2, 1), ("c", 2), ("d", 2, 1)],
            ["Article I a", "  1.1 b", "Article II c", "  2.2 d"],
        ),
        ([("a", 1), ("b", 9), ("c", 9), ("d", 3), ("e", 7)], ["1. a", "5. b", "6. c", "- d", "e"]),
        ([("a", 4), ("", 4), ("b", 4), *[("x", 4, 1)] * 26, ("y", 4, 1)], ["01) a", "03) b", *["  ?"] * 26, "  AA y"]),
    ],
)
def test_list_items_have_the_labels_that_word_shows(items: list[tuple[str, int]], expected: list[str]) -> None:
    body = "".join(paragraph(*item) for item in items)
    document = f'<w:document xmlns:w="{WORD}"><w:body>{body}</w:body></w:document>'.encode()
    parts = {"word/document.xml": document, "word/numbering.xml": numbering()}
    found = [block.text for block in read(rebuilt("ferry.docx", parts), "ferry.docx").blocks]
    assert len(found) == len(expected)
    assert [text for text, known in zip(found, expected, strict=True) if known not in (text, "  ?")] == []
