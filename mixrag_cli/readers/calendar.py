"""Calendars and address books (iCalendar, vCard): an event, a task or a contact is a section of labelled lines.

    BEGIN:VEVENT                                        ## Board meeting
    SUMMARY:Board meeting                               Start: 2024-03-05 19:00 Europe/Berlin
    DTSTART;TZID=Europe/Berlin:20240305T190000   ->     Location: Room 2
    LOCATION:Room 2
    END:VEVENT

Sources: RFC 5545 and RFC 6350. What only programs read of a record (identities, stamps, alarms, pictures) is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, timedelta

from mixrag_cli.readers.building import DocumentBuilder
from mixrag_cli.readers.decoding import decoding_warnings, read_decoded
from mixrag_cli.readers.lined_text import LinedText, join_lined
from mixrag_cli.readers.source import ReadSource
from mixrag_cli.readers.text import add_text, cut_note
from mixrag_cli.records.documents import Document

BEAT_LINES = 10_000
MAX_NAME_CHARS = 200
RECORDS = frozenset(["VEVENT", "VTODO", "VJOURNAL", "VCARD"])
NAMES = ("SUMMARY", "FN")
CALENDAR_NAME = "X-WR-CALNAME"
LABELS = {
    "DTSTART": "Start", "DTEND": "End", "DUE": "Due", "DURATION": "Duration", "RRULE": "Recurrence",
    "LOCATION": "Location", "DESCRIPTION": "Description", "ORGANIZER": "Organizer", "ATTENDEE": "Attendee",
    "CONTACT": "Contact", "CATEGORIES": "Categories", "STATUS": "Status", "PRIORITY": "Priority", "URL": "URL",
    "COMMENT": "Comment", "COMPLETED": "Completed", "TEL": "Telephone", "EMAIL": "Email", "ADR": "Address",
    "ORG": "Organization", "TITLE": "Title", "ROLE": "Role", "BDAY": "Birthday", "ANNIVERSARY": "Anniversary",
    "NICKNAME": "Nickname", "NOTE": "Notes",
}  # fmt: skip
# group.NAME;PARAMETER="a:b";OTHER=c:value
CONTENT_LINE = re.compile(
    r"(?:[\w-]{1,60}\.)?(?P<name>[A-Za-z][\w-]{0,60})(?P<parameters>(?:;[\w-]{1,60}=(?:\"[^\"]{0,500}\"|[^\";:])*+){0,20})"
    r":(?P<text>.*)$"
)
BEGINS = "begin:"
TIME = re.compile(r"(\d{4})-?(\d\d)-?(\d\d)(?:T(\d\d):?(\d\d)(?::?\d\d)?(?:\.\d+)?(Z)?)?$")
PARAMETER = re.compile(r";(?P<name>TZID|CN)=(?:\"(?P<quoted>[^\"]*)\"|(?P<plain>[^\";:]*))", re.IGNORECASE)
ESCAPED = re.compile(r"\\(.)")
PARTS = re.compile(r"(?<!\\);")
ADDRESSED = ("mailto:", "tel:")


def read_calendar(source: ReadSource) -> Document:
    """The document of a calendar or an address book. Raises FileUnreadable("binary")."""
    decoded = read_decoded(source, may_cut=True)
    builder = DocumentBuilder("text")
    builder.warnings += [*decoding_warnings(decoded), *cut_note(source)]
    if decoded.text.lstrip()[: len(BEGINS)].lower() != BEGINS:  # genomes have variants in files of the same suffix
        add_text(builder, decoded.text, source.suffix, source.beat)
        return builder.build()
    _add_records(builder, decoded.text.split("\n"), source)
    return builder.build()


def _add_records(builder: DocumentBuilder, lines: Sequence[str], source: ReadSource) -> None:
    open_components: list[str] = []
    record: list[tuple[int, str, str]] = []
    for line, text in _unfolded(lines):
        if line % BEAT_LINES == 0:
            source.beat(line, len(lines))
        if (found := CONTENT_LINE.match(text)) is None:
            continue
        name, value = found["name"].upper(), found["text"].strip()
        if name == "BEGIN":
            open_components.append(value.upper())
        elif name == "END":
            if open_components and open_components.pop() in RECORDS:
                _add_record(builder, record)
                record = []
        elif name == CALENDAR_NAME and value and not builder.title:
            builder.title = _plain(value)
            builder.add_heading(builder.title, 1, lines=(line, line))
        elif open_components[-1:] and open_components[-1] in RECORDS and (said := _shown(found)):
            record.append((line, name, said))
    _add_record(builder, record)  # of a file that was cut


def _unfolded(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    """The content lines, each with its first line from 1; one that begins with a blank goes on with that before."""
    first, parts = 0, list[str]()
    for number, line in enumerate(lines, 1):
        if line[:1] in (" ", "\t") and parts:
            parts.append(line[1:].rstrip("\r"))
            continue
        if parts:
            yield first, "".join(parts)
        first, parts = number, [line.rstrip("\r")]
    if parts:
        yield first, "".join(parts)


def _add_record(builder: DocumentBuilder, record: list[tuple[int, str, str]]) -> None:
    """A heading by the record's name, and below it its labels with what they say."""
    named = next(((line, said) for line, name, said in record if name in NAMES), None)
    if named is not None:
        builder.add_heading(named[1][:MAX_NAME_CHARS], 2, lines=(named[0], named[0]))
    said = [LinedText(f"{LABELS[name]}: {text}", ((0, line),)) for line, name, text in record if name in LABELS]
    if said:
        path = builder.heading_path if named else builder.heading_path[:1]
        builder.add(join_lined(said, "\n"), "paragraph", heading_path=path)


def _shown(found: re.Match[str]) -> str:
    """What a property says, as people write it: times, names, the parts of an address in a row."""
    told = {
        parameter["name"].upper(): parameter["quoted"] or parameter["plain"] or ""
        for parameter in PARAMETER.finditer(found["parameters"])
    }
    text = found["text"].strip()
    if time := TIME.match(text):
        if found["name"].upper() == "DTEND" and not time[4]:
            return _day_before(time)
        clock = f" {time[4]}:{time[5]}" if time[4] else ""
        zone = " UTC" if time[6] else f" {told['TZID']}" if clock and told.get("TZID") else ""
        return f"{time[1]}-{time[2]}-{time[3]}{clock}{zone}"
    if text.lower().startswith(ADDRESSED):
        text = text.partition(":")[2]
    parts = PARTS.split(text) if found["name"].upper() in ("ADR", "ORG") else [text]
    plain = ", ".join(part for each in parts if (part := _plain(each)))
    return f"{told['CN']}, {plain}" if told.get("CN") and told["CN"] != plain else plain


def _day_before(time: re.Match[str]) -> str:
    """The last day of what takes whole days: its end is the first day that it does not take."""
    try:
        return (date(int(time[1]), int(time[2]), int(time[3])) - timedelta(days=1)).isoformat()
    except (ValueError, OverflowError):
        return time[0]


def _plain(text: str) -> str:
    r"""The text in one line, with what its backslashes stand for: "\n" is a blank, "\," a comma."""
    return " ".join(ESCAPED.sub(lambda found: " " if found[1] in "nN" else found[1], text).split())
