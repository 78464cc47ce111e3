"""Readers: a file to a Document. One module or folder a format, chosen by name and imported when first needed."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

from mixrag_cli.readers.contents import is_markdown
from mixrag_cli.readers.source import ReadLimits, ReadSource, base_of, suffix_of
from mixrag_cli.records.documents import Document, Modality

__all__ = [
    "ReadFunction",
    "ReadLimits",
    "ReadSource",
    "fallback_reader_for",
    "has_fallback",
    "has_reader",
    "modality_of",
    "reader_for",
]

ReadFunction = Callable[[ReadSource], Document]


@dataclass(frozen=True, slots=True)
class Format:
    """One family of files: its modality, its reader as module and function, its suffixes.

    fallback: module and function of a slower, sturdier reader, or "". names: whole file names, in lower case.
    """

    modality: Modality
    module: str
    function: str
    suffixes: str
    fallback: str = ""
    names: str = ""


TEXT_ALONE = "text.read_text_alone"
FORMATS = (
    Format("pdf", "pdf.reader", "read_pdf", "pdf", fallback="pdf.fallback.read_pdf_fallback"),
    Format("markdown", "markdown", "read_markdown", "md markdown mdown mkd mdx qmd rmd", TEXT_ALONE),
    Format("sheet", "sheets.reader", "read_sheet", "xlsx xlsm xls ods"),
    Format("sheet", "sheets.delimited", "read_delimited", "csv tsv tab", TEXT_ALONE),
    Format("text", "sheets.saved_text", "read_saved_text", "txt text dat data", TEXT_ALONE),
    Format("text", "sheets.json_lines", "read_json_lines", "jsonl ndjson", TEXT_ALONE),
    Format("text", "sheets.record_lists", "read_records", "json yaml yml toml", TEXT_ALONE),
    Format("text", "sheets.sql_rows", "read_sql", "sql", TEXT_ALONE),
    Format("html", "html", "read_html", "html htm xhtml"),
    Format("document", "office.docx", "read_docx", "docx docm dotx"),
    Format("document", "office.odf", "read_odt", "odt ott"),
    Format("document", "office.rtf", "read_rtf", "rtf"),
    Format("document", "office.epub", "read_epub", "epub"),
    Format("slides", "office.pptx", "read_pptx", "pptx pptm ppsx potx"),
    Format("slides", "office.odf", "read_odp", "odp otp"),
    Format("mail", "mail", "read_mail", "eml", fallback="mail.read_mail_alone"),
    Format("mail", "mail", "read_mailbox", "mbox mbx", fallback="mail.read_mailbox_alone"),
    Format("text", "calendar", "read_calendar", "ics ical ifb vcf vcard", TEXT_ALONE),
    Format("image", "image", "read_image", "png jpg jpeg jpe jfif tif tiff bmp webp"),
    Format("notebook", "notebook", "read_notebook", "ipynb"),
    Format(
        "code",
        "code",
        "read_code",
        "py pyi pyw js mjs cjs jsx ts mts cts tsx go rs java c h cc cpp cxx hpp hh hxx cs rb php sh bash "
        # no grammar is installed for these: read by structure
        "kt kts swift scala lua pl pm r jl m mm dart ex exs erl hs clj cljs groovy gradle ps1 zsh fish vue svelte "
        "proto thrift fbs graphql tf hcl cmake sol zig nim mk dockerfile containerfile",
        fallback=TEXT_ALONE,
        names="cmakelists.txt makefile gnumakefile dockerfile containerfile jenkinsfile kconfig go.mod go.work",
    ),
)
PDF_MAGIC = b"%PDF-"
WORKBOOK_MAGIC = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")  # of a zip, and of an old compound file
TEXT = Format("text", "text", "read_text", "", TEXT_ALONE)
BY_SUFFIX = {suffix: family for family in FORMATS for suffix in family.suffixes.split()}
BY_NAME = {name: family for family in FORMATS for name in family.names.split()}


def modality_of(name: str) -> Modality:
    """The modality that a file of this name is read as; "text" where the name says nothing."""
    return _format_of(name).modality


def reader_for(name: str, head: bytes = b"") -> ReadFunction:
    """The function that reads a file of this name. Its module is imported on the first call.

    head: the file's first bytes, where they are known; a PDF is one under any name, no workbook is a csv, and a file
    without a suffix may be Markdown.
    """
    family = _format_of(name)
    if head.startswith(PDF_MAGIC):
        family = BY_SUFFIX["pdf"]
    elif family is BY_SUFFIX["csv"] and head.startswith(WORKBOOK_MAGIC):
        family = BY_SUFFIX["xlsx"]
    elif family is TEXT and not suffix_of(name) and is_markdown(head):
        family = BY_SUFFIX["md"]
    return _load(family.module, family.function)


def has_reader(name: str) -> bool:
    """Whether a file of this name has a reader for its format, beside that for any text."""
    return _format_of(name) is not TEXT


def has_fallback(name: str) -> bool:
    """Whether files of this name have a second reader, for when the first one dies over them."""
    return bool(_format_of(name).fallback)


def fallback_reader_for(name: str) -> ReadFunction:
    """The second reader of such files. Raises LookupError where there is none."""
    module, _, function = _format_of(name).fallback.rpartition(".")
    if not module:
        raise LookupError(f"no second reader for {name!r}")
    return _load(module, function)


def _load(module: str, function: str) -> ReadFunction:
    return cast(ReadFunction, getattr(importlib.import_module(f"{__name__}.{module}"), function))


def _format_of(name: str) -> Format:
    if (named := BY_NAME.get(name.lower())) is not None:
        return named
    return BY_SUFFIX.get(suffix_of(name)) or BY_NAME.get(base_of(name), TEXT)
