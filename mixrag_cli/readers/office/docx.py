"""Word documents (docx), through mammoth: headings, lists with Word's labels, tables with merged cells, footnotes.

What the headers say stands above the text once, what the footers say below it.

Page breaks are made by the program that shows the file, so places are headings and numbered tables.
"""

from __future__ import annotations

import io
import re
import zipfile
from xml.etree import ElementTree

import mammoth

from mixrag_cli.cleaning import safe_text
from mixrag_cli.errors import FileUnreadable
from mixrag_cli.readers.archive import Archive, open_package
from mixrag_cli.readers.building import DocumentBuilder
from mixrag_cli.readers.html import add_html
from mixrag_cli.readers.office.docx_looks import STYLE_OF_LEVEL, mark_headings
from mixrag_cli.readers.office.docx_numbers import mark_numbers, with_labels
from mixrag_cli.readers.office.looks import MAX_LEVEL
from mixrag_cli.readers.office.markup import LIBRARY_ERRORS
from mixrag_cli.readers.office.running_text import running_texts
from mixrag_cli.readers.office.tab_tables import with_tab_tables
from mixrag_cli.readers.source import ReadSource
from mixrag_cli.records.documents import Document

KIND = "Word document"
# mammoth knows headings; a title is one too, and a caption stays beside what it names.
STYLES = "\n".join(
    (
        "p[style-name='Title'] => h1:fresh",
        "p[style-name='Subtitle'] => p:fresh",
        "p[style-name='caption'] => p:fresh",
        "p[style-name='Caption'] => p:fresh",
        *(f"p[style-name='toc {level}'] => p.toc:fresh" for level in range(1, 10)),  # their tabs lead to page numbers
        *(f"p.{STYLE_OF_LEVEL.format(level)} => h{level}:fresh" for level in range(1, MAX_LEVEL + 1)),
    )
)

# mammoth's own way to write notes; anything of the kind in the document's text is escaped there
NOTES_START = '<ol><li id="'
NOTE = re.compile(r'<li id="((?:foot|end)note-[\w-]{1,40})">(.*?)</li>', re.DOTALL)
NOTE_MARK = re.compile(r'<a href="#((?:foot|end)note-[\w-]{1,40})" id="(?:foot|end)note-ref-')
BACK_LINK = re.compile(r'<a href="#(?:foot|end)note-ref-[\w-]{1,40}">[^<]{0,4}</a>')
HEADING_START = re.compile(r"(?=<h[1-6]>)")

# What else raises a run: a character style that does, or a place above the line, in half points; Word's own is 6, and
# what is moved by 1 or 2 stands straight.
SUPERSCRIPT = b'<w:vertAlign w:val="superscript"/>'
RAISING_STYLE = re.compile(
    rb'<w:style\b[^>]{0,200}w:styleId="([\w-]{1,80})"(?:(?!</w:style>).){0,4000}?' + SUPERSCRIPT, re.DOTALL
)
RAISED_PLACE = rb'<w:position w:val="(?:[4-9]|[1-9]\d{1,2})"/>'
DOCUMENT_PART = "word/document"  # .xml, or 2.xml as some programs write
STYLES_PART = "word/styles.xml"
NUMBERING_PART = "word/numbering.xml"


def read_docx(source: ReadSource) -> Document:
    """The document of a docx file; one of 0 bytes has no blocks. Tracked deletions and comments are left out.

    Raises FileUnreadable: "damaged", "password", "too-large", "forbidden" (XML entities).
    """
    builder = DocumentBuilder("document", cites="sections")
    archive = open_package(source, KIND)
    if archive is None:
        return builder.build()
    archive.check_trees()
    source.beat(0, source.size)
    try:
        made = mammoth.convert_to_html(
            io.BytesIO(_package_without_media(archive)),
            style_map=STYLES,
            convert_image=mammoth.images.img_element(_no_image),
        )
    except RecursionError:
        raise
    except LIBRARY_ERRORS as error:
        raise FileUnreadable("damaged", f"not a readable {KIND}") from error
    running = running_texts(archive)
    builder.add("\n".join(running["header"]), "paragraph")
    markup = with_tab_tables(with_notes_in_sections(safe_text(with_labels(made.value))))
    add_html(builder, markup, source.beat, keeps_inner=True)
    builder.add("\n".join(running["footer"]), "paragraph", heading_path=())
    return builder.build()


def _marked(document: bytes, styles: bytes, numbering: bytes) -> bytes:
    """The document's XML with its headings and the labels of its list items; as it is where it has none of both."""
    root = ElementTree.fromstring(document)
    # Headings first: what has a heading's style has lost that of its list.
    marks = [mark_headings(root, styles), mark_numbers(root, numbering, styles)]
    return bytes(ElementTree.tostring(root, "utf-8", xml_declaration=True)) if any(marks) else document


def _package_without_media(archive: Archive) -> bytes:
    """The package's XML parts, all raised runs and all headings marked in the one way that mammoth knows, and with the
    labels of list items in its text.
    """
    target = io.BytesIO()
    styles, numbering = (archive.read(part) if part in archive else b"" for part in (STYLES_PART, NUMBERING_PART))
    with zipfile.ZipFile(target, "w") as package:
        for name in archive.names:
            if name.lower().endswith((".xml", ".rels")):
                part = archive.read(name)
                is_text = name.startswith(DOCUMENT_PART)
                package.writestr(name, _marked(_mark_raised(part, styles), styles, numbering) if is_text else part)
    return target.getvalue()


def _mark_raised(part: bytes, styles: bytes) -> bytes:
    raising = [RAISED_PLACE, *(rb'<w:rStyle w:val="%b"/>' % style for style in RAISING_STYLE.findall(styles))]
    return re.sub(b"|".join(raising), SUPERSCRIPT, part)


def with_notes_in_sections(markup: str) -> str:
    """mammoth's HTML with each foot- or endnote at the end of the section that its mark is in, "[1] …".

    mammoth lists them behind the last section, whose notes most of them are not.
    """
    start = markup.find(NOTES_START)
    if start < 0:
        return markup
    notes = {found[1]: BACK_LINK.sub("", found[2]) for found in NOTE.finditer(markup, start)}
    sections = HEADING_START.split(markup[:start])
    numbers: dict[str, int] = {}
    for place, section in enumerate(sections):
        marks = dict.fromkeys(found[1] for found in NOTE_MARK.finditer(section))
        for mark in marks:
            numbers[mark] = len(numbers) + 1
            if mark in notes:
                sections[place] += notes[mark].replace("<p>", f"<p>[{numbers[mark]}] ", 1)
    return "".join(sections)


def _no_image(image: object) -> dict[str, str]:
    """No picture's bytes; its description is kept by mammoth."""
    return {"src": ""}
