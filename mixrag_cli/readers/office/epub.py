"""Electronic books (epub): the chapters in the order of the spine, each through the HTML reader."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass, field
from urllib.parse import unquote

from mixrag_cli.cleaning import safe_text
from mixrag_cli.errors import FileUnreadable
from mixrag_cli.readers.archive import MAX_TREE_BYTES, Archive, local_names, open_package, parse_xml
from mixrag_cli.readers.building import DocumentBuilder
from mixrag_cli.readers.decoding import decode
from mixrag_cli.readers.html import add_html
from mixrag_cli.readers.source import ReadSource
from mixrag_cli.records.documents import Document

KIND = "e-book"
CONTAINER = "META-INF/container.xml"
ENCRYPTION = "META-INF/encryption.xml"
FONT_OBFUSCATION = (b"http://www.idpf.org/2008/embedding", b"http://ns.adobe.com/pdf/enc#RC")
MAX_CHAPTERS = 5_000
PAGE_TYPES = ("application/xhtml+xml", "text/html", "application/x-dtbook+xml", "")


def read_epub(source: ReadSource) -> Document:
    """The document of an epub file; places are its headings.

    Raises FileUnreadable: "damaged", "password" (copy protection), "too-large", "forbidden" (XML entities).
    """
    builder = DocumentBuilder("document", cites="sections")
    archive = open_package(source, KIND)
    if archive is None:
        return builder.build()
    _refuse_protected(archive)
    package = _read_package(archive)
    builder.title = package.title
    chapters = package.chapters()[:MAX_CHAPTERS]
    for done, name in enumerate(chapters):
        source.beat(done, len(chapters))
        if name in archive:
            add_html(builder, safe_text(decode(archive.read(name))[0]), source.beat)
        else:
            builder.warnings.append(f"chapter {name} is missing")
    return builder.build()


def _refuse_protected(archive: Archive) -> None:
    """Fonts are often obfuscated in books that anyone may read; anything else that is encrypted is the text."""
    if ENCRYPTION not in archive:
        return
    listed = archive.read(ENCRYPTION)
    n_fonts = sum(listed.count(name) for name in FONT_OBFUSCATION)
    if listed.count(b"EncryptionMethod") > n_fonts:
        raise FileUnreadable("password", "copy-protected")


@dataclass(slots=True)
class _Package:
    """The package document: title, the files by id, the spine's ids in order. Paths are the archive's."""

    folder: str
    title: str = ""
    hrefs: dict[str, str] = field(default_factory=dict)
    spine: list[str] = field(default_factory=list)
    is_in_title: bool = False

    def start(self, name: str, raw: dict[str, str]) -> None:
        """An element begins."""
        attributes = local_names(raw)
        if name == "title" and not self.title:
            self.is_in_title = True
        elif name == "item" and attributes.get("media-type", "") in PAGE_TYPES:
            href = unquote(attributes.get("href", "").partition("#")[0])
            self.hrefs[attributes.get("id", "")] = posixpath.normpath(posixpath.join(self.folder, href))
        elif name == "itemref":
            self.spine.append(attributes.get("idref", ""))

    def end(self, name: str) -> None:
        """An element ends."""
        if name == "title":
            self.is_in_title = False
            self.title = " ".join(safe_text(self.title).split())

    def text(self, data: str) -> None:
        """Characters."""
        if self.is_in_title:
            self.title += data

    def chapters(self) -> list[str]:
        """The names of the chapters in reading order, each once."""
        return list(dict.fromkeys(self.hrefs[name] for name in self.spine if name in self.hrefs))


def _read_package(archive: Archive) -> _Package:
    paths: list[str] = []

    def note_path(name: str, raw: dict[str, str]) -> None:
        if name == "rootfile" and (path := local_names(raw).get("full-path")):
            paths.append(path)

    if CONTAINER in archive:
        parse_xml(iter((archive.read(CONTAINER),)), note_path, _pass, _pass)
    name = next((path for path in paths if path in archive), None)
    if name is None:
        raise FileUnreadable("damaged", f"not a readable {KIND} (no contents inside)")
    package = _Package(posixpath.dirname(name))
    parse_xml(iter((archive.read(name, MAX_TREE_BYTES),)), package.start, package.end, package.text)
    return package


def _pass(_: str) -> None:
    """A handler that takes no notice."""
