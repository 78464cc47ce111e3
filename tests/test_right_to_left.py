"""PDFs in Hebrew: letters go leftwards in a word, words in a line, figures and Latin words rightwards among them."""

from __future__ import annotations

import pytest

from tests.painted_pdf import read_raw

ALEF, N_LETTERS = 0x5D0, 27
CODES = [ord("A") + number if number < 26 else ord("a") for number in range(N_LETTERS)]  # in the font, of each letter
TO_UNICODE = (
    "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /H def "
    f"1 begincodespacerange <00> <FF> endcodespacerange {N_LETTERS} beginbfchar "
    + " ".join(f"<{code:02X}> <{ALEF + number:04X}>" for number, code in enumerate(CODES))
    + " endbfchar endcmap end end"
)


def drawn(*words: tuple[int, str]) -> bytes:
    """A page with these words in one line, each from its place on, its letters from left to right."""
    lines = []
    for x, text in words:
        is_hebrew = any(ord(sign) >= ALEF for sign in text)
        shown = "".join(chr(CODES[ord(sign) - ALEF]) if ord(sign) >= ALEF else sign for sign in text)
        lines.append(f"/{'F1' if is_hebrew else 'F2'} 12 Tf 1 0 0 1 {x} 250 Tm ({shown}) Tj")
    content = f"BT {' '.join(lines)} ET"
    objects = (
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 400 300] /Contents 4 0 R "
        "/Resources << /Font << /F1 5 0 R /F2 7 0 R >> >> >>",
        f"<< /Length {len(content)} >>\nstream\n{content}\nendstream",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode 6 0 R >>",
        f"<< /Length {len(TO_UNICODE)} >>\nstream\n{TO_UNICODE}\nendstream",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    )
    parts, places = ["%PDF-1.4\n"], []
    for number, told in enumerate(objects, start=1):
        places.append(sum(map(len, parts)))
        parts.append(f"{number} 0 obj\n{told}\nendobj\n")
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    start = sum(map(len, parts))
    parts.append(f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}")
    parts.append(f"trailer << /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF")
    return "".join(parts).encode("ascii")


@pytest.mark.parametrize(
    ("words", "read"),
    [
        ([(80, "םלוע םולש")], "שלום עולם"),
        ([(40, "2024"), (80, "םלוע םולש")], "שלום עולם 2024"),
        ([(40, "םלוע"), (90, "ISO 27001"), (160, "םולש")], "שלום ISO 27001 עולם"),
        ([(40, "Peace is"), (95, "םולש"), (140, "in Hebrew")], "Peace is שלום in Hebrew"),
    ],
)
def test_a_line_is_read_in_its_order(words: list[tuple[int, str]], read: str) -> None:
    assert read_raw(drawn(*words)).text == read
