"""Calendars and address books: events and contacts as sections of labelled lines, with the file's own lines."""

import pytest
from cited_lines import read_document
from stated_facts import stated

from mixrag_cli.readers.calendar import CONTENT_LINE
from tests.bounded import assert_in_line

CALENDAR = """BEGIN:VCALENDAR
VERSION:2.0
X-WR-CALNAME:Town hall
BEGIN:VEVENT
UID:1@x
DTSTART;TZID=Europe/Berlin:20240305T190000
DTEND;TZID="Europe/Berlin":20240305T203000
SUMMARY:Board meeting\\, open
  to all
LOCATION:Room 2\\nfirst floor
ORGANIZER;CN="Ann: Lee":mailto:ann@x.example
BEGIN:VALARM
DESCRIPTION:ring
END:VALARM
END:VEVENT
BEGIN:VEVENT
DTSTART;VALUE=DATE:20240701
DTEND;VALUE=DATE:20240803
SUMMARY:Summer break
END:VEVENT
END:VCALENDAR
"""
CARD = """BEGIN:VCARD\r
FN:Ann Lee\r
ORG:Acme\\, Inc.;Sales\r
item1.TEL;TYPE=work:tel:+1-213-555-1234\r
ADR;TYPE=home:;;12 Main\r
  Street;Any Town;;91921;\r
NOTE:late: often\r
PHOTO;ENCODING=b:AAAA\r
"""
VARIANTS = "##fileformat=VCFv4.2\n#CHROM\tPOS\tID\n20\t14370\trs6054257\n"


def test_an_event_is_a_section_of_labels() -> None:
    event = "Town hall > Board meeting, open to all >"
    assert stated("a.ics", CALENDAR) == [
        f"label | {event} Start | value=2024-03-05 19:00 Europe/Berlin@6",
        f"label | {event} End | value=2024-03-05 20:30 Europe/Berlin@7",
        f"label | {event} Location | value=Room 2 first floor@10",
        f"label | {event} Organizer | value=Ann: Lee, ann@x.example@11",
        "label | Town hall > Summer break > Start | value=2024-07-01@17",
        "label | Town hall > Summer break > End | value=2024-08-02@18",
    ]
    document = read_document("a.ics", CALENDAR.encode())
    assert document.title == "Town hall"
    assert [block.text for block in document.blocks if block.kind == "heading"][1] == "Board meeting, open to all"


def test_a_contact_is_a_section_of_labels() -> None:
    assert stated("a.vcf", CARD) == [
        "label | Ann Lee > Organization | value=Acme, Inc., Sales@3",
        "label | Ann Lee > Telephone | value=+1-213-555-1234@4",
        "label | Ann Lee > Address | value=12 Main Street, Any Town, 91921@5",
        "label | Ann Lee > Notes | value=late: often@7",
    ]


def test_variants_of_a_genome_are_no_contacts() -> None:
    assert "rs6054257" in read_document("a.vcf", VARIANTS.encode()).text


@pytest.mark.parametrize("part", ["a", "a;b=", ';b="c', "a.", "\\n"])
def test_a_long_content_line_is_read_in_line_with_its_length(part: str) -> None:
    assert_in_line(CONTENT_LINE.match, "A" + part * 20_000)
