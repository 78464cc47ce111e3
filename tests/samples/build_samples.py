"""Build the binary and the long sample files anew: python tests/samples/build_samples.py

Writes annual-report.pdf, consumption.xlsx and pumping-stations.csv into northmere/, the same bytes each time for
the same library versions. handbook.md and meter_readings.py are written by hand. The company is invented; its
figures add up, and this script fails where they do not.
"""

from __future__ import annotations

import csv
import io
import zipfile
from datetime import datetime
from pathlib import Path

from openpyxl import Workbook
from openpyxl.styles import Alignment, Font
from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Table, TableStyle

DOCUMENTS = Path(__file__).parent / "northmere"
WIDTH, HEIGHT = A4
MARGIN = 56

# --- the figures -----------------------------------------------------------------------------------------------------

# label: (regulated 2025, other 2025, regulated 2024, other 2024), thousands of euros
REVENUE = {
    "Household supply": (48_210, 0, 45_900, 0),
    "Business supply": (21_640, 3_180, 20_815, 2_940),
    "Sewerage services": (30_975, 1_205, 29_550, 1_150),
    "Connections and metering": (2_460, 4_730, 2_385, 4_260),
}
COSTS = {
    "Staff": (22_480, 2_310, 21_340, 2_205),
    "Energy (1)": (17_905, 640, 19_860, 705),
    "Treatment chemicals": (6_130, 215, 5_870, 200),
    "Network maintenance": (19_760, 1_480, 18_295, 1_390),
    "Depreciation": (14_925, 905, 14_410, 870),
}
# district: (leakage in megalitres a day 2023, 2024, 2025; km of mains; bursts in 2025)
NETWORK = {
    "Harrow Vale": (9.4, 8.8, 7.9, 1_240, 96),
    "Eastmere": (14.2, 13.1, 12.6, 1_905, 171),
    "Coldbrook": (6.7, 6.9, 6.1, 880, 64),
    "Saltmarsh": (11.3, 10.2, 8.4, 1_415, 118),
}
# district: {town: (household 2024, business 2024, household 2025, business 2025)}, thousands of cubic metres
CONSUMPTION = {
    "Harrow Vale": {
        "Harrow": (2_410, 865, 2_385, 902),
        "Thornby": (1_130, 240, 1_142, 251),
        "Lower Vale": (675, 98, 668, 95),
    },
    "Eastmere": {
        "Eastmere Port": (3_980, 2_715, 3_925, 2_840),
        "Quayside": (1_560, 1_180, 1_588, 1_214),
    },
    "Coldbrook": {
        "Coldbrook": (1_845, 410, 1_832, 398),
        "Stonebridge": (720, 133, 731, 140),
    },
    "Saltmarsh": {
        "Saltmarsh": (2_265, 790, 2_240, 811),
        "Dunmouth": (1_415, 322, 1_427, 335),
        "Fenwick": (508, 61, 499, 66),
    },
}


def column_sums(rows: dict[str, tuple[int, int, int, int]]) -> tuple[int, ...]:
    return tuple(sum(column) for column in zip(*rows.values(), strict=True))


def check_figures() -> None:
    revenue, costs = column_sums(REVENUE), column_sums(COSTS)
    assert revenue == (103_285, 9_115, 98_650, 8_350)
    assert costs == (81_200, 5_550, 79_775, 5_370)
    assert revenue[0] + revenue[1] - costs[0] - costs[1] == 25_650


# --- the PDF ---------------------------------------------------------------------------------------------------------

CHAIR = """The year to 31 March 2025 was a good one for Northmere Water. Revenue reached 112.4 million euros and the
operating profit rose to 25.7 million euros, chiefly because wholesale power became cheaper and because the new
works at Coldbrook ran for a full year. We returned part of that gain to our customers: the average household bill
was held at 412 euros, unchanged from the year before."""
CHAIR_2 = """The board proposes a dividend of 6.2 million euros. It also confirms the investment plan of
184 million euros for the five years to 2030, of which 71 million euros are meant for replacing old mains.
Ingrid Halloran will step down as chair at the annual meeting on 18 September 2025, and Tomas Brekke
has agreed to follow her."""
SUPPLY = """Drinking water. All 38 drink|ing-water zones met the na|tion|al stand|ard through|out the year. We took
41,620 sam|ples, and 99.96 per cent of them passed at the first test. Two sam|ples at Dun|mouth showed coli|form
bac|te|ria after a storm; boil|ing was ad|vised for three days and lifted on 9 Novem|ber 2024. The ultra|violet
dis|in|fec|tion unit that we have since in|stalled there makes a repetition un|likely."""
LEAKAGE = """Leakage. Leakage fell to 35.0 mega|litres a day from 39.0 a year ear|li|er. Acous|tic loggers, which listen
for the sound of es|cap|ing water at night, now cover 62 per cent of the net|work. They found 449 bursts, most of them
be|fore any|body had re|ported one. In Saltmarsh, where the pipes are oldest, we replaced 23 kilo|metres of cast-iron
mains and saw the largest im|prove|ment of all dis|tricts."""
ENERGY = """Energy. Pumping and treatment used 96.3 giga|watt hours of elec|tricity, 2.1 per cent less than before. The
solar field at Stone|bridge pro|duced 7.8 giga|watt hours of that, and the gas engines of the sludge diges|ters a
fur|ther 11.4. We aim to cover half of our needs from our own gen|er|a|tion by 2030."""
PEOPLE = """People. On 31 March 2025 we em|ployed 486 peo|ple, 19 of them appren|tices. There were four ac|ci|dents with
lost time, against seven in the year before. Every field team has been trained in work in con|fined spaces, and the
con|trol room at Eastmere Port has been staffed by three peo|ple on every shift since Octo|ber 2024."""
OUTLOOK = """Tariffs are fixed until March 2027. Management expects revenue of between 114 and 117 million euros in the
year to March 2026 and an operating margin close to that of 2025. The largest uncertainty is the price of
electricity: a change of ten per cent would alter operating costs by about 1.6 million euros."""


def wrap(text: str, font: str, size: float, width: float) -> list[str]:
    """Lines no wider than width; "|" marks where a word may be broken with a hyphen."""
    lines, line = [], ""
    for word in text.split():
        pieces = word.split("|")
        if stringWidth(f"{line} {''.join(pieces)}".strip(), font, size) <= width:
            line = f"{line} {''.join(pieces)}".strip()
            continue
        head = len(pieces) - 1
        while head and stringWidth(f"{line} {''.join(pieces[:head])}-".strip(), font, size) > width:
            head -= 1
        lines.append(f"{line} {''.join(pieces[:head])}-".strip() if head else line)
        line = "".join(pieces[head:])
    return [*lines, line]


def draw_text(canvas: Canvas, text: str, x: float, y: float, width: float, size: float = 10.5) -> float:
    canvas.setFont("Helvetica", size)
    for line in wrap(text, "Helvetica", size, width):
        canvas.drawString(x, y, line)
        y -= size * 1.35
    return y - size * 0.7


def draw_heading(canvas: Canvas, text: str, y: float, size: float = 15) -> float:
    canvas.setFont("Helvetica-Bold", size)
    canvas.drawString(MARGIN, y, text)
    return y - size * 1.6


def start_page(canvas: Canvas, number: int) -> float:
    canvas.setFont("Helvetica", 8)
    canvas.drawString(MARGIN, HEIGHT - 34, "Northmere Water plc")
    canvas.drawRightString(WIDTH - MARGIN, HEIGHT - 34, "Annual Report 2025")
    canvas.drawCentredString(WIDTH / 2, 30, f"Page {number} of 4")
    return HEIGHT - 80


def shown(number: int) -> str:
    return f"{number:,}" if number else "–"


def financial_row(label: str, figures: tuple[int, ...]) -> list[str]:
    first, second = figures[:2], figures[2:]
    return [label, *map(shown, first), shown(sum(first)), *map(shown, second), shown(sum(second))]


def financial_table() -> Table:
    revenue, costs = column_sums(REVENUE), column_sums(COSTS)
    profit = tuple(earned - spent for earned, spent in zip(revenue, costs, strict=True))
    empty = [""] * 6
    rows = [
        ["", "Year ended 31 March 2025", "", "", "Year ended 31 March 2024", "", ""],
        ["", "Regulated", "Other", "Total", "Regulated", "Other", "Total"],
        ["Revenue", *empty],
        *(financial_row(f"   {label}", figures) for label, figures in REVENUE.items()),
        financial_row("Total revenue", revenue),
        ["Operating costs", *empty],
        *(financial_row(f"   {label}", figures) for label, figures in COSTS.items()),
        financial_row("Total operating costs", costs),
        financial_row("Operating profit", profit),
    ]
    bold_rows = [2, 7, 8, 14, 15]
    style = [
        ("FONT", (0, 0), (-1, -1), "Helvetica", 9),
        ("FONT", (0, 0), (-1, 1), "Helvetica-Bold", 9),
        ("SPAN", (1, 0), (3, 0)),
        ("SPAN", (4, 0), (6, 0)),
        ("ALIGN", (1, 0), (-1, -1), "RIGHT"),
        ("ALIGN", (1, 0), (-1, 0), "CENTER"),
        ("LINEBELOW", (1, 0), (3, 0), 0.5, colors.black),
        ("LINEBELOW", (4, 0), (6, 0), 0.5, colors.black),
        ("LINEBELOW", (0, 1), (-1, 1), 0.8, colors.black),
        *(("FONT", (0, row), (-1, row), "Helvetica-Bold", 9) for row in bold_rows),
        *(("LINEABOVE", (1, row), (-1, row), 0.5, colors.black) for row in (7, 14, 15)),
    ]
    return Table(rows, colWidths=[133, 60, 50, 60, 60, 50, 60], rowHeights=17, style=TableStyle(style))


def network_table() -> Table:
    totals = [sum(column) for column in zip(*NETWORK.values(), strict=True)]
    rows = [
        ["District", "Leakage (megalitres a day)", "", "", "Mains", "Bursts"],
        ["", "2023", "2024", "2025", "km", "2025"],
        *(
            [district, *(f"{leak:.1f}" for leak in figures[:3]), f"{figures[3]:,}", str(figures[4])]
            for district, figures in NETWORK.items()
        ),
        ["All districts", *(f"{leak:.1f}" for leak in totals[:3]), f"{totals[3]:,}", str(totals[4])],
    ]
    style = [
        ("FONT", (0, 0), (-1, -1), "Helvetica", 9),
        ("FONT", (0, 0), (-1, 1), "Helvetica-Bold", 9),
        ("FONT", (0, -1), (-1, -1), "Helvetica-Bold", 9),
        ("SPAN", (1, 0), (3, 0)),
        ("ALIGN", (1, 0), (-1, -1), "RIGHT"),
        ("ALIGN", (1, 0), (3, 0), "CENTER"),
        ("GRID", (0, 0), (-1, -1), 0.4, colors.grey),
    ]
    return Table(rows, colWidths=[110, 62, 62, 62, 62, 62], rowHeights=17, style=TableStyle(style))


def draw_table(canvas: Canvas, table: Table, y: float) -> float:
    _, height = table.wrapOn(canvas, WIDTH, HEIGHT)
    table.drawOn(canvas, MARGIN, y - height)
    return y - height - 16


def build_report(path: Path) -> None:
    canvas = Canvas(str(path), pagesize=A4, invariant=1)
    canvas.setTitle("Northmere Water: Annual Report 2025")
    canvas.setAuthor("Northmere Water plc")
    full, column = WIDTH - 2 * MARGIN, (WIDTH - 2 * MARGIN - 22) / 2

    y = start_page(canvas, 1)
    y = draw_heading(canvas, "Northmere Water", y, 26)
    y = draw_heading(canvas, "Annual Report for the year ended 31 March 2025", y - 6, 14)
    y = draw_heading(canvas, "From the chair", y - 20)
    y = draw_text(canvas, CHAIR, MARGIN, y, full)
    draw_text(canvas, CHAIR_2, MARGIN, y, full)
    canvas.showPage()

    y = draw_heading(canvas, "The year in operation", start_page(canvas, 2))
    left = draw_text(canvas, SUPPLY, MARGIN, y, column, 10)
    draw_text(canvas, LEAKAGE, MARGIN, left, column, 10)
    right = draw_text(canvas, ENERGY, MARGIN + column + 22, y, column, 10)
    draw_text(canvas, PEOPLE, MARGIN + column + 22, right, column, 10)
    canvas.showPage()

    y = draw_heading(canvas, "Results", start_page(canvas, 3))
    canvas.setFont("Helvetica-Bold", 10)
    canvas.drawString(MARGIN, y, "Table 1. Segment results (in thousands of euros)")
    y = draw_table(canvas, financial_table(), y - 8)
    note = "(1) Energy is net of 1,340 thousand euros earned by feeding electricity into the public grid in 2025."
    y = draw_text(canvas, note, MARGIN, y, full, 8)
    draw_text(canvas, "The segment Other holds work for third parties and leases.", MARGIN, y, full)
    canvas.showPage()

    y = draw_heading(canvas, "The network", start_page(canvas, 4))
    canvas.setFont("Helvetica-Bold", 10)
    canvas.drawString(MARGIN, y, "Table 2. Leakage, mains and bursts by district")
    y = draw_table(canvas, network_table(), y - 8)
    y = draw_heading(canvas, "Outlook", y - 14)
    draw_text(canvas, OUTLOOK, MARGIN, y, full)
    canvas.showPage()
    canvas.save()


# --- the workbook ----------------------------------------------------------------------------------------------------


def build_workbook(path: Path) -> None:
    """Two header levels by merged cells, districts over indented towns, a title row and a unit row."""
    book = Workbook()
    sheet = book.active
    sheet.title = "Consumption"
    sheet["A1"], sheet["A2"] = "Water delivered by district and town", "thousands of cubic metres"
    sheet["A1"].font = Font(bold=True, size=13)
    sheet["A2"].font = Font(italic=True)
    sheet.merge_cells("A1:G1")
    sheet["A4"], sheet["B4"], sheet["E4"] = "District and town", 2024, 2025
    sheet.merge_cells("A4:A5")
    sheet.merge_cells("B4:D4")
    sheet.merge_cells("E4:G4")
    for column, label in zip("BCDEFG", ["Household", "Business", "Total"] * 2, strict=True):
        sheet[f"{column}5"] = label
        sheet[f"{column}5"].font = Font(bold=True)
        sheet[f"{column}5"].alignment = Alignment(horizontal="right")
    row = 6
    for district, towns in CONSUMPTION.items():
        fill_row(sheet, row, district, column_sums(towns), indent=0)
        for offset, (town, figures) in enumerate(towns.items(), start=1):
            fill_row(sheet, row + offset, town, figures, indent=2)
        row += 1 + len(towns)
    everything = {town: figures for towns in CONSUMPTION.values() for town, figures in towns.items()}
    assert len(everything) == sum(map(len, CONSUMPTION.values()))
    fill_row(sheet, row, "Total", column_sums(everything), indent=0)
    sheet.cell(row + 2, 1, "Source: billing system, figures as of 30 April 2025.")
    sheet.column_dimensions["A"].width = 24
    book.properties.creator = "Northmere Water plc"
    book.properties.created = book.properties.modified = datetime(2025, 5, 2)
    save_reproducibly(book, path)


def fill_row(sheet, row: int, label: str, figures: tuple[int, ...], indent: int) -> None:
    old, new = figures[:2], figures[2:]
    for column, content in enumerate([label, *old, sum(old), *new, sum(new)], start=1):
        cell = sheet.cell(row, column, content)
        cell.number_format = "#,##0"
        cell.font = Font(bold=not indent)
    sheet.cell(row, 1).alignment = Alignment(indent=indent)


def save_reproducibly(book: Workbook, path: Path) -> None:
    """openpyxl stamps the zip entries and the modification date with the clock; write them with a fixed one."""
    made = io.BytesIO()
    book.save(made)
    with zipfile.ZipFile(made) as source, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as target:
        for name in source.namelist():
            content = source.read(name)
            if name == "docProps/core.xml":
                start = content.index(b"<dcterms:modified")
                content = content[:start] + content[start:].replace(
                    content[content.index(b">", start) + 1 : content.index(b"</dcterms:modified>")],
                    b"2025-05-02T00:00:00Z",
                )
            target.writestr(zipfile.ZipInfo(name, (2025, 5, 2, 0, 0, 0)), content, zipfile.ZIP_DEFLATED)


# --- the list of stations --------------------------------------------------------------------------------------------

PLACES = """Alder Hill|Ashgrove|Barrow Lane|Beacon Fell|Birch End|Blackwell|Bramble Cross|Brook Street|Canal Road|Castle
Mound|Chapel Green|Cliff Top|Cross Keys|Dale Head|Drovers Way|East Quay|Elm Park|Fallow Field|Fern Bank|Ferry Point|Ford
Bridge|Foxhole|Gallows Hill|Glebe Farm|Grange Road|Gull Rock|Hatch End|Hazel Copse|Heron Marsh|High Moor|Holly Walk|Iron
Gate|Jetty Lane|Kiln Lane|Kings Weir|Lark Rise|Lime Pit|Long Acre|Low Meadow|Malt House|Mill Race|Moor Top|New Cut|Nine
Wells|North Gate|Oak Ridge|Old Harbour|Orchard Row|Peat Moss|Pound Lane|Quarry Bank|Reed Bed|River View|Rook Wood|Sand
Pit|Sea Wall|Spring Head|Stone Row|Tarn Side|Tower Hill""".replace("\n", " ").split("|")


def station_rows() -> list[list[object]]:
    """Sixty stations with figures from a fixed linear congruential sequence."""
    state, rows = 2_025, []
    districts = list(CONSUMPTION)
    for number, place in enumerate(PLACES, start=1):
        draws = []
        for _ in range(4):
            state = (1_103_515_245 * state + 12_345) % 2**31
            draws.append(state / 2**31)
        kind = "booster" if draws[0] < 0.6 else "intake" if draws[0] < 0.8 else "sewage"
        capacity = 200 + round(draws[1] * 7_800, -1)
        energy = round(capacity * (20 + 40 * draws[2]))
        year = 1958 + int(draws[3] * 66)
        rows.append([f"PS-{number:03}", place, districts[number % 4], kind, year, int(capacity), energy])
    return rows


def build_stations(path: Path) -> None:
    header = ["station", "name", "district", "type", "commissioned", "capacity_m3_per_day", "energy_kwh_2025"]
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([header, *station_rows()])


if __name__ == "__main__":
    check_figures()
    build_report(DOCUMENTS / "annual-report.pdf")
    build_workbook(DOCUMENTS / "consumption.xlsx")
    build_stations(DOCUMENTS / "pumping-stations.csv")
