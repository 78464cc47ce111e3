"""Fields of interface definitions, by the suffix of their files: their types, and their defaults where they have one.

proto    repeated string name = 3 [default = "x"];   the number says where on the wire, and is no value
thrift   3: optional string name = "x",
fbs      name:string = "x" (required);
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from mixrag_cli.readers.facts.collecting import FactCollector, unquoted
from mixrag_cli.readers.facts.comments import comment_at

MAX_JOINED_CHARS = 400  # of a field over lines
_NAME = r"[A-Za-z_]\w{0,100}"
_TYPE = r"\.?[A-Za-z][\w.]{0,120}"
_LITERAL = r"\"(?:[^\"\\]|\\.){0,400}\"|'(?:[^'\\]|\\.){0,400}'|\[[^\[\]]{0,200}\]|\{[^{}]{0,200}\}|[-\w.+:]{1,120}"
_END = r"\s*[,;]?\s*(?:(?://|/\*|#).*)?$"
FIELDS = {
    "proto": re.compile(
        rf"(?P<whole>(?!option\b)(?P<type>(?:(?:optional|required|repeated)\s+)?(?:map\s*<[^<>]{{1,160}}>|{_TYPE}))\s+"
        rf"(?P<key>{_NAME})\s*=\s*\w{{1,12}}\s*(?:\[(?P<options>[^;]{{0,400}})(?=;|$))?){_END}"
    ),
    "thrift": re.compile(
        r"(?P<whole>\d{1,6}\s*:\s*(?P<type>(?:(?:optional|required)\s+)?"
        rf"(?:(?:map|list|set)\s*<[\w\s.,<>]{{1,160}}>|{_TYPE}))\s+(?P<key>{_NAME})"
        rf"(?:\s*=\s*(?P<text>{_LITERAL}))?(?:\s*\([^()]{{0,400}}\))?){_END}"
    ),
    "fbs": re.compile(
        rf"(?P<whole>(?P<key>{_NAME})\s*:\s*(?P<type>{_TYPE}|\[{_TYPE}(?::\d+)?\])(?:\s*=\s*(?P<text>{_LITERAL}))?"
        rf"(?:\s*\([^()]{{0,400}}\))?\s*;){_END}"
    ),
}
PROTO_DEFAULT = re.compile(rf"(?:^|,)\s*default\s*=\s*(?P<text>{_LITERAL})")
PROTO_ENDS = re.compile(r"(?:[;{}]|\*/)\s*(?://.*|/\*.*)?$")


class FieldReader:
    """Reads the fields of one file, line by line."""

    def __init__(self, collector: FactCollector, lines: Sequence[str], suffix: str) -> None:
        self._collector = collector
        self._lines = lines
        self._pattern = FIELDS[suffix]
        self._may_go_on = suffix == "proto"
        self._begun, self._row = "", 0  # what stands above of a field over lines, and where it begins

    def read(self, number: int, line: str, around: tuple[str, ...]) -> bool:
        """Take the field that ends in the line; whether there is one, or the line is a part of one."""
        plain = line.strip()
        goes_on = bool(self._begun)
        self._row = self._row if goes_on else number
        whole = f"{self._begun} {plain}".strip()
        is_open = self._may_go_on and not PROTO_ENDS.search(plain) and len(whole) <= MAX_JOINED_CHARS
        self._begun = whole if is_open else ""
        if is_open or (found := self._pattern.match(whole)) is None:
            return goes_on or is_open
        named = found.groupdict()
        default = PROTO_DEFAULT.search(named.get("options") or "") if self._may_go_on else None
        text = default["text"] if default else named.get("text") or ""
        ends = None if goes_on else len(line) - len(line.lstrip()) + found.end("whole")
        comment, where = comment_at(self._lines, self._row, ends, "# //")
        self._collector.add(
            (*around, found["key"]),
            "default",
            ("default", unquoted(text), number + 1),
            ("type", " ".join(found["type"].split()), number + 1),
            ("help", comment, where),
        )
        return True
