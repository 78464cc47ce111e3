"""What lines of a PDF state as "Label: value" are facts as those of a text file, with their page and box."""

from __future__ import annotations

from dataclasses import replace

from reportlab.pdfgen.canvas import Canvas

from mixrag_cli.output.table_view import facts_layout
from mixrag_cli.plain import table_from_plain, table_to_plain
from mixrag_cli.recap.facts import fact_drafts
from mixrag_cli.tables.facts import facts_to_tables
from tests import hostile_pdf
from tests.cited_lines import read_document
from tests.evidence_samples import Sample, read_bytes

LABELS = (("Invoice date", "12 August 2024"), ("Due date", "11 September 2024"), ("Bill to", "Ashgrove School"))


def paint(canvas: Canvas) -> None:
    canvas.setFont("Helvetica-Bold", 16)
    canvas.drawString(72, 740, "Fenwick Catering")
    canvas.setFont("Helvetica", 9)
    for number, (label, value) in enumerate(LABELS):
        canvas.drawString(72, 700 - 12 * number, f"{label}: {value}")


RAW = hostile_pdf.canvas_pdf(paint)


def test_labelled_lines_of_a_pdf_are_facts_with_their_page_and_box() -> None:
    document = read_document("invoice.pdf", RAW)
    assert [(fact.path, fact.values[0].text) for fact in document.facts] == [
        (("Fenwick Catering", label), value) for label, value in LABELS
    ]
    tops = [value.bbox[1] for fact in document.facts for value in fact.values if value.bbox and value.page == 1]
    assert [round(top - tops[0]) for top in tops] == [0, 12, 24]


def test_the_same_lines_of_a_text_file_state_the_same() -> None:
    text = "# Fenwick Catering\n\n" + "\n".join(f"{label}: {value}" for label, value in LABELS)
    ours, theirs = (read_document(*each).facts for each in (("a.pdf", RAW), ("a.md", text.encode())))
    assert [(fact.path, fact.sort) for fact in ours] == [(fact.path, fact.sort) for fact in theirs]


def test_a_fact_of_a_pdf_answers_from_its_place_in_the_passage_that_says_it() -> None:
    chunks, tables, title = read_bytes("invoice.pdf", RAW, 256)
    own = chunks[0].document
    (facts,) = facts_to_tables(read_document("invoice.pdf", RAW).facts, document=own, title=title)
    assert table_from_plain(table_to_plain(facts)) == facts
    restated, base = Sample([(chunk, "invoice.pdf", title) for chunk in chunks], tables).evidence_for(
        "What is the due date of the invoice of Fenwick Catering?"
    )
    found = {draft.text: draft for draft in fact_drafts(restated, replace(base, facts={own: (facts,)}))}
    source = found["11 September 2024"].sources[0]
    assert source.locator.page == 1 and source.locator.bbox is not None
    assert "Due date: 11 September 2024" in source.hit.chunk.text
    assert list(facts_layout(facts).columns[0].cells) == ["p1", "p1", "p1"]
