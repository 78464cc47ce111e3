"""Images with text on them (png, jpg, tiff, …), through tesseract where it is installed."""

from __future__ import annotations

from dataclasses import replace

from mixrag_cli.errors import FileUnreadable
from mixrag_cli.readers.building import DocumentBuilder
from mixrag_cli.readers.pdf.assembly import lay_out_page, pages_to_document
from mixrag_cli.readers.pdf.scans import MAX_SCANNED_PAGES, image_page
from mixrag_cli.readers.source import MEGABYTE, ReadSource
from mixrag_cli.readers.tesseract import recognise, words_of
from mixrag_cli.records.documents import Document

MAX_IMAGE_MB = 50
MIN_IMAGE_BYTES = 4_000  # an icon; the emptiest scan of a page has more
MIN_WORDS = 3  # a photo may show a word or a number; that is no text to ask


def read_image(source: ReadSource) -> Document:
    """The text on an image, with its tables; one without text has no blocks. Places are pages, 1 in all but TIFFs.

    Raises FileUnreadable: "needs-ocr", "damaged", "too-large", "timeout".
    """
    nothing = DocumentBuilder("image", source.name).build()
    if source.size < MIN_IMAGE_BYTES:
        return nothing
    if source.size > MAX_IMAGE_MB * MEGABYTE:
        raise FileUnreadable("too-large", f"larger than {MAX_IMAGE_MB} MB")
    seen = recognise(source.file.read(), source.beat)[:MAX_SCANNED_PAGES]
    if sum(1 for _ in words_of(seen)) < MIN_WORDS:
        return nothing
    layouts = [lay_out_page(image_page(page, number)) for number, page in enumerate(seen, 1)]
    document = pages_to_document(layouts, "", ["read by OCR"], has_images=True)
    return replace(document, modality="image", title=document.title or source.name)
