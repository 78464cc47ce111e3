"""Headings that are headings by their look alone: bold and large lines of Word documents, and styles of other names."""

from __future__ import annotations

from test_office import WORD, odt_of, read, rebuilt, told

from mixrag_cli.records.documents import Document

BODY = "Deposits are refundable within 48 hours from the time the deposit is processed, and not thereafter."


def paragraph(text: str, *, bold: bool = False, size: int = 0, style: str = "", properties: str = "") -> str:
    """A paragraph whose one run is set so; size in points."""
    named = f'<w:pStyle w:val="{style}"/>' if style else ""
    look = ("<w:b/>" if bold else "") + (f'<w:sz w:val="{2 * size}"/>' if size else "")
    return f"<w:p><w:pPr>{named}{properties}</w:pPr><w:r><w:rPr>{look}</w:rPr><w:t>{text}</w:t></w:r></w:p>"


def style(style_id: str, name: str, base: str = "", properties: str = "", look: str = "") -> str:
    based = f'<w:basedOn w:val="{base}"/>' if base else ""
    return (
        f'<w:style w:type="paragraph" w:styleId="{style_id}"><w:name w:val="{name}"/>{based}'
        f"<w:pPr>{properties}</w:pPr><w:rPr>{look}</w:rPr></w:style>"
    )


def document_of(*paragraphs: str, styles: str = "") -> Document:
    """A Word document of these paragraphs, in 11 points where they say nothing else."""
    default = '<w:docDefaults><w:rPrDefault><w:rPr><w:sz w:val="22"/></w:rPr></w:rPrDefault></w:docDefaults>'
    parts = {
        "word/document.xml": f'<w:document xmlns:w="{WORD}"><w:body>{"".join(paragraphs)}</w:body></w:document>',
        "word/styles.xml": f'<w:styles xmlns:w="{WORD}">{default}{styles}</w:styles>',
    }
    return read(rebuilt("ferry.docx", {name: part.encode() for name, part in parts.items()}), "terms.docx")


def headings(document: Document) -> list[tuple[str, ...]]:
    """Each heading with those above it."""
    return [(*path, text) for kind, path, text in told(document) if kind == "heading"]


def table(*rows: tuple[str, ...]) -> str:
    made = ("".join(f"<w:tc>{paragraph(text)}</w:tc>" for text in row) for row in rows)
    return f"<w:tbl>{''.join(f'<w:tr>{row}</w:tr>' for row in made)}</w:tbl>"


BLANK = "<w:p/>"
ITEM = '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>'


def test_a_large_title_and_bold_lines_are_headings_by_size_and_weight() -> None:
    document = document_of(
        paragraph("Roots and Wings", size=18),
        paragraph("Treasurer", bold=True, size=24),
        paragraph("Job length:", bold=True, size=12),
        paragraph("2 year commitment"),
        paragraph("Fees", bold=True, size=14),
        paragraph("Deposits", bold=True),
        paragraph(BODY),
        paragraph("Refunds", bold=True),
        paragraph(BODY),
    )
    assert document.title == "Treasurer"
    assert headings(document) == [
        ("Treasurer",),
        ("Treasurer", "Job length:"),
        ("Treasurer", "Fees"),
        ("Treasurer", "Fees", "Deposits"),
        ("Treasurer", "Fees", "Refunds"),
    ]


def test_a_style_of_one_s_own_sets_headings_below_the_real_ones() -> None:
    styles = style("Section", "Section", look='<w:b/><w:sz w:val="26"/>') + style(
        "Heading1", "heading 1", look='<w:sz w:val="32"/>'
    )
    document = document_of(
        paragraph("Terms of service", style="Heading1"),
        paragraph("Deposits and cancellations", style="Section"),
        paragraph(BODY),
        paragraph("Venues", style="Section"),
        paragraph(BODY),
        styles=styles,
    )
    assert headings(document) == [
        ("Terms of service",),
        ("Terms of service", "Deposits and cancellations"),
        ("Terms of service", "Venues"),
    ]


def test_a_style_with_an_outline_level_or_made_from_a_heading_s_is_one() -> None:
    outline = '<w:outlineLvl w:val="{}"/>'.format
    styles = (
        style("berschrift1", "Überschrift 1", properties=outline(0))
        + style("Heading2", "heading 2")
        + style("Clause", "Clause heading", base="Heading2")
        + style("Quoted", "Quoted heading", base="Heading2", properties=outline(9))
    )
    document = document_of(
        paragraph("Satzung", style="berschrift1"),
        paragraph("Beiträge", style="Clause"),
        paragraph("Sie sind im Mai zu zahlen.", style="Clause"),
        paragraph(BODY),
        paragraph("Nur ein Zitat", style="Quoted"),
        paragraph(BODY),
        styles=styles,
    )
    assert headings(document) == [("Satzung",), ("Satzung", "Beiträge")]


def test_an_outline_level_set_by_hand_counts_where_the_line_stands_out() -> None:
    level = '<w:outlineLvl w:val="0"/>'
    document = document_of(
        paragraph("Company:", bold=True, properties=level),
        BLANK,
        paragraph("Email:", bold=True, properties=level),
        BLANK,
        paragraph("Rooms", bold=True, properties=level),
        paragraph("Section 4 meets on Mondays", properties=level),
        paragraph(BODY),
        paragraph(BODY),
    )
    assert headings(document) == [("Rooms",)]


def test_what_is_bold_and_no_heading_stays_text() -> None:
    lead_in = paragraph("Note.", bold=True).replace("</w:p>", "<w:r><w:t> Fees are due in May.</w:t></w:r></w:p>")
    document = document_of(
        paragraph(BODY),
        lead_in,
        paragraph("Bring your own lunch, as the kitchen is closed.", bold=True),
        paragraph(BODY),
        paragraph("Date: 4 May", bold=True),
        paragraph("Time: 7 pm", bold=True),
        paragraph(BODY),
        paragraph("First aid", bold=True, properties=ITEM),
        paragraph("Kept in the office", properties=ITEM.replace('"0"', '"1"')),
        table(("Paid", "Due"), ("12", "15")),
        paragraph("Ines Farran", bold=True),
        paragraph("Harbour Office", bold=True),
        paragraph("14 Quay Street", bold=True),
        paragraph("Telephone 7 to 9 pm only"),
        paragraph("Signature:", bold=True),
    )
    assert headings(document) == []


def test_where_most_is_bold_the_weight_says_nothing() -> None:
    document = document_of(
        *(paragraph(text, bold=True) for text in ("Opening", BODY, "Closing", BODY)), paragraph("End")
    )
    assert headings(document) == []


def test_a_bold_line_above_a_table_is_a_heading_unless_text_goes_on_below_it() -> None:
    rows = table(("Item", "Price"), ("Rope of forty metres", "12"), ("Tar in barrels", "7"))
    agenda = document_of(paragraph("Workshop on feed", bold=True), BLANK, paragraph("Agenda", bold=True), rows)
    assert headings(agenda) == [("Workshop on feed",), ("Agenda",)]
    report = document_of(paragraph(BODY), paragraph("Prices by item", bold=True), rows, paragraph(BODY))
    assert headings(report) == []


def test_of_a_cover_only_the_title_is_a_heading() -> None:
    document = document_of(
        paragraph("Civil Division", bold=True, size=28),
        paragraph("Performance budget", bold=True, size=24),
        paragraph("Congressional submission", bold=True, size=24),
        paragraph("February 2008", bold=True, size=22),
        paragraph("Overview", style="Heading1"),
        paragraph(BODY),
        styles=style("Heading1", "heading 1"),
    )
    assert headings(document) == [("Civil Division",), ("Overview",)]


def test_the_first_row_of_a_table_set_with_tabs_is_no_heading() -> None:
    def row(*texts: str, bold: bool = False) -> str:
        look = "<w:rPr><w:b/></w:rPr>" if bold else ""
        return f"<w:p><w:r>{look}{'<w:tab/>'.join(f'<w:t>{text}</w:t>' for text in texts)}</w:r></w:p>"

    rows = [row("Hours", "% of rate", bold=True), *(row(f"{low}-{low + 99}", str(low)) for low in (101, 201, 301))]
    document = document_of(paragraph("Sick leave", bold=True), paragraph(BODY), *rows, paragraph(BODY))
    assert headings(document) == [("Sick leave",)]
    assert [cell.text for cell in document.grids[0].cells][:2] == ["Hours", "% of rate"]


def test_bold_and_large_lines_of_an_open_document_text_are_headings() -> None:
    look = '<style:style style:name="{}" style:family="{}"><style:text-properties {}/></style:style>'.format
    styles = (
        look("Large", "paragraph", 'fo:font-size="18pt"')
        + look("Bold", "text", 'fo:font-weight="bold"')
        + look("Bolder", "text", 'fo:font-weight="bold" fo:font-size="120%"')
    )
    set_in = '<text:p><text:span text:style-name="{}">{}</text:span>{}</text:p>'.format
    note = "<text:note><text:note-body><text:p>In the office.</text:p></text:note-body></text:note>"
    body = (
        '<text:p text:style-name="Large">Constitution of the club</text:p>'
        + set_in("Bolder", "Article III: Membership", "")
        + set_in("Bold", "Section 1: Voting", "")
        + f"<text:p>{BODY}{note}</text:p>"
        + set_in("Bold", "Note:", " the fee is due in May.")
        + "<table:table><table:table-row><table:table-cell>"
        + set_in("Bold", "Fee", "")
        + "</table:table-cell></table:table-row></table:table>"
        + set_in("Bold", "Section 2: Leaving", "")
        + f"<text:p>{BODY}</text:p>"
    )
    document = read(odt_of(body, styles), "club.odt")
    article = ("Constitution of the club", "Article III: Membership")
    assert document.title == article[0]
    assert headings(document) == [
        article[:1],
        article,
        (*article, "Section 1: Voting"),
        (*article, "Section 2: Leaving"),
    ]
    assert ("paragraph", (*article, "Section 1: Voting"), "[1] In the office.") in told(document)
