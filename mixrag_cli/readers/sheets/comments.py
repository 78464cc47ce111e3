"""The comments on the cells of an xlsx sheet: its notes, which say threads of comments once more as text."""

from __future__ import annotations

import posixpath

from mixrag_cli.readers.archive import Archive, parse_xml
from mixrag_cli.readers.sheets.workbook import MAX_COMMENTS

MAX_COMMENT_CHARS = 2_000
THREAD_HEAD = "[Threaded comment]"  # then a notice for older programs, and the thread behind its first "Comment:"
KIND = "/comments"

Relationships = dict[str, tuple[str, str]]


def read_comments(archive: Archive, sheet_part: str, relationships: Relationships) -> dict[str, str]:
    """Each comment by the reference of its cell, "B4". relationships: the sheet's own, type and target by id."""
    reading = _Reading()
    for kind, target in relationships.values():
        part = posixpath.normpath(posixpath.join("/", posixpath.dirname(sheet_part), target)).lstrip("/")
        if kind.endswith(KIND) and part in archive:
            parse_xml(archive.chunks(part), reading.start, reading.end, reading.text)
    return reading.comments


class _Reading:
    """Takes the comments of one part."""

    def __init__(self) -> None:
        self.comments: dict[str, str] = {}
        self._place = ""
        self._parts: list[str] = []
        self._is_text = False

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """An element begins."""
        if name == "comment":
            self._place, self._parts = attributes.get("ref", ""), []
        self._is_text = name == "t"

    def end(self, name: str) -> None:
        """An element ends."""
        self._is_text = False
        text = "".join(self._parts).strip() if name == "comment" else ""
        if text.startswith(THREAD_HEAD):
            text = text.partition("Comment:")[2].strip() or text
        if text and len(self.comments) < MAX_COMMENTS:
            self.comments[self._place] = text[:MAX_COMMENT_CHARS]

    def text(self, data: str) -> None:
        """Characters."""
        if self._is_text and self._place:
            self._parts.append(data)
