"""Letters that a font draws as one sign, as "Th" and "ffi" are in books, stay in their word."""

from __future__ import annotations

from tests.painted_pdf import read_raw

CMAP = b"""/CIDInit /ProcSet findresource begin 12 dict begin begincmap
/CMapName /Test def /CMapType 2 def 1 begincodespacerange <00> <FF> endcodespacerange
2 beginbfchar <57> <00540068> <4D> <006600660069> endbfchar
1 beginbfrange <61> <7A> <0061> endbfrange endcmap end end"""


def to_pdf(shown: str) -> bytes:
    """A page with a text in Helvetica, whose W is said to be "Th" and whose M is said to be "ffi"."""
    content = f"BT /F 12 Tf 72 700 Td ({shown}) Tj ET".encode()
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R "
        b"/Resources << /Font << /F 5 0 R >> >> >>",
        b"<< /Length %d >> stream\n%s\nendstream" % (len(content), content),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode 6 0 R >>",
        b"<< /Length %d >> stream\n%s\nendstream" % (len(CMAP), CMAP),
    ]
    raw, places = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(raw))
        raw += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    return raw + b"xref\n0 7\n0000000000 65535 f \n%strailer << /Size 7 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF" % (
        table,
        len(raw),
    )


def test_letters_drawn_as_one_sign_are_no_words_of_their_own() -> None:
    assert read_raw(to_pdf("We oMce")).text == "The office"
