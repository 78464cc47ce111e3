"""Units and scales of whole tables, columns and rows, and which of them a cell takes."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache, reduce

from mixrag_cli.quantities.numerals import Value
from mixrag_cli.quantities.unit_words import (
    CURRENCIES,
    CURRENCY_CODES,
    CURRENCY_OF,
    CURRENCY_SYMBOLS,
    MEASURES,
    SCALE_OF,
    find_unit_and_scale,
    is_unit_expression,
    unit_as_written,
)

MAX_UNIT_CHARS = 60  # "(in thousands, except per share and share amounts)" has 50
_UNIT_WORD = (
    r"numbers?|n|no\.?|percent(?:age)?s?|per cent|%|percentage points?|pp|basis points?|dollars?|cents|euros?|pounds?|"
    r"acres|hectares|ha|kg|kilograms?|g|grams?|mg|milligrams?|tonnes?|tons?|lit(?:re|er)s?|kcal|kilocalories|km|"
    r"[kmgt]?wh|[kmg]w|k?m[23²³]|(?:ft|in)[23²³]|sq\.?\s(?:ft|in|k?m)|[cm]m|[µμ][glm]|°[cf]|‰|[mk]t|[hkm]?pa|[kmg]?hz|rpm|ppm|h|m?l|"
    r"years?|months?|weeks?|days?|hours?|minutes?|seconds?|ratio|index|rate|persons?|people|units?|shares|"
    r"thousands?|millions?|billions?|trillions?|mn?|bn?|k|usd|eur|gbp|cad|aud|jpy|chf|"
    r"(?:constant|current|chained|nominal|real)|us\$|c\$|a\$|[$€£¥]|[’'‘]?000s?|[’'‘]?000[’']?s|in|of|amounts?|expressed|"
    r"canadian|u\.?s\.?|per|and|\d{4}|age-standardized|standardized|square|cubic|met(?:re|er)s?|feet"
)
_UNIT_ROW = re.compile(
    rf"^[(\[]?\s*(?:(?:{_UNIT_WORD})(?:[\s,/-]+|(?=[$€£¥’'‘])|(?<=[$€£¥])|$|(?=[)\]])))+[)\]]?$", re.I
)
_NAMES_UNIT = re.compile(r"[^\W\d_]{2,}|m[23²³]|[µμ][glm]|[%‰°$€£¥]|\bn\b|000", re.I)
_MONEY_OF_A_YEAR = re.compile(
    r"\d{4}\s(?:(?:constant|current|chained|nominal|real)\s)?(?:canadian\s|u\.?s\.?\s)?(?:dollars|euros|pounds)$", re.I
)
# Prefixed units of the SI, by their capitals: MA is a state, pH and ns are no measures where people write tables.
_SI = re.compile(r"(?:[fpnuµμmk](?:A|V|F|L|M|mol|J|Ah|VA)|[nuµμm]H|[nuµμ]g|[µμm]s|[nuµμ]m|[mkM]?[ΩΩ]|dBm?)$")
# In lower case it may be a unit.
_NAMES_COLUMN = re.compile(
    r"^(?:Year|Month|Week|Day|Hour|Minute|Second|Person|Rate|Index|Ratio)(?: of (?:the )?\w+)?$", re.A
)
# Two capitals alone are a state, a country or a short name ("PA", "CM", "MT"), but for those that people write so.
_WRITTEN_IN_CAPITALS = frozenset(["KG", "KM", "KW", "GW", "MW"])
# What stands with a unit and is none; "US" in capitals is a country, with dollars behind it theirs.
_FILLER = re.compile(
    r"\b(?:in|of|and|per|amounts?|expressed|constant|current|chained|nominal|real|\d{4}|(?-i:US|U\.S\.|Canadian))\b",
    re.I,
)
_UNIT_LEAD = re.compile(
    r"(?i)[(\[]([^()\[\]]{1,80})[)\]](?!\s*:\s*[-+]?\d(?!\d{3}\b))"  # "center [cm]: 68" speaks of this alone
    r"|\b((?:u\.?s\.?\s)?(?:dollars?|amounts?|figures|tabular)?\s?,?\s?in "
    r"(?:[\w$€£.]+\s){0,3}(?:thousands|millions|billions|dollars|percent))|^(percent(?:age)?s?)\b|,\s?(in [a-z]+)\b"
)
_PER_ITEM = re.compile(r"\bper[ -](?:\w+[ -])?(?:share|unit|user|employee|ads|barrel|ounce|tonne?)s?\b|\beps\b", re.I)
# A label names what it counts at its head: "Average headcount", "Units sold"; "Due in five years" names money.
_NOT_MONEY = re.compile(r"(?<!\d)(?<!\d )%|\bpercent\w*|\bnumber of\b", re.I)
_COUNTED = re.compile(
    r"\bshares\b|^(?:days|years|units)\b"
    r"|\b(?:rates?|ratio|employees|headcount|days|(?<!stock )(?<!share )units|average age|yield)$",
    re.I,
)
_BEHIND_HEAD = re.compile(
    r"\s(?:of|in|to|for|on|by|from|at|after|within|due|than|with|through|under|over)\b|[,(\[:;]", re.I
)
_SHARES_SCALE = re.compile(
    r"shares?(?: amounts)?,? which (?:are|is) (?:reflected|stated|presented|shown) in (thousands|millions)", re.I
)
_WIDE_UNIT = re.compile(
    r"^(?:(?:row|column|weighted|average|mean|median|annual|total|estimated)\s)?"
    r"(?:percent(?:age)?s?|per cent|%|numbers?|proportions?|rates?|thousands|millions|billions|dollars|"
    r"odds ratios?|hazard ratios?)\b(?!.*\bvs\b)",
    re.I,
)
# plain counts have no unit
_COUNT = re.compile(r"^[(]?(?:n|no\.?|nos\.?|numbers?|counts?|units?)\b[^$%]{0,30}$", re.I)
_EXCEPT = re.compile(r"\bexcept\b", re.I)
_EXCEPTION = re.compile(r",?\s*\b(?:except|excluding|unless|other than)\b.*$", re.I)
_CURRENCY = (
    rf"{CURRENCY_SYMBOLS}|{CURRENCY_CODES}|rs\.?|euros?"
    r"|(?:u\.?s\.? |canadian |australian )?dollars?|pounds sterling|swiss francs|yen|rupees|yuan|renminbi"
)
_SCALE = r"thousands?|millions?|billions?|trillions?|crores?|lakhs?|mio\.?|mn|bn|tn|[’'‘]?000[’']?s?"
_SCALE_WORD = re.compile(rf"(?<!\w)(?:in\s)?(?:{_SCALE})(?:\sof)?(?!\w)", re.I)
# A measure of money or a scale, and nothing else: "in thousands of euros", "RMB'Million", "€ bn", "EURm", "TEUR".
_MEASURE = re.compile(
    r"^(?:(?:all |tabular )?(?:amounts?|figures|values?)\s)?(?:(?:are )?(?:expressed|stated|presented|shown)\s)?"
    r"(?:in\s)?"
    rf"(?:(?P<currency>{_CURRENCY})\s?[’'‘]?(?:in\s|\s)?(?P<scale>{_SCALE}|mm|m|b|k)?"
    rf"|(?P<scale2>{_SCALE})\s?(?:of\s)?(?P<currency2>{_CURRENCY})?|(?P<short>[kt])\s?(?P<currency3>€|eur))$",
    re.I,
)
_MEASURED = re.compile(MEASURES, re.I)
# "Pct 4" is a precinct.
_SAYS_PERCENT = r"(?<![\d.])(?<!\d\s)%|\bpercent(?:age)?\b(?! points?)|\bpct\b(?!\.?\s?\d{1,3}(?!\d))"
_MAX_MEASURE_WORDS = 5
MAX_LABEL_WORDS = 3  # "Unit of measure: …"
_NAMED = {"dollar": "USD", "dollars": "USD", "pounds sterling": "GBP", "swiss francs": "CHF"}
RELATIVE = ("%", "pp", "bp", "x")  # units without a scale
TERMS = ("years", "months")  # lives and terms, which take no scale that is said elsewhere
_PREFIXED = {"c": "CAD", "a": "AUD", "u": "USD"}  # Canadian, Australian, U.S. dollars


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit and a scale with the words that gave them; unit "" and scale 1 where they say nothing.

    is_count: the words say that things are counted ("number"), which no wider unit of money changes. may_be_name: a
    currency without a scale that may as well be a name or its end ("Zone EUR"). scales_all: the scale was said apart
    from the unit, so that it holds for numbers of another unit, too.
    """

    unit: str = ""
    scale: int = 1
    text: str = ""
    is_count: bool = False
    may_be_name: bool = False
    scales_all: bool = False

    @property
    def is_known(self) -> bool:
        """Whether anything is said."""
        return bool(self.unit) or self.scale != 1

    def joined(self, wider: Unit) -> Unit:
        """What both say, this one before the wider."""
        unit, scale = self.unit or wider.unit, self.scale if self.scale != 1 else wider.scale
        is_whole = any((said.unit, said.scale) == (unit, scale) and not said.scales_all for said in (self, wider))
        return Unit(unit, scale, self.text or wider.text, scales_all=not is_whole)

    def without_unit(self) -> Unit:
        """What it says of numbers of another unit: the scale, where that was not said of the unit alone."""
        return Unit("", self.scale if self.scales_all or not self.unit else 1)


@lru_cache(maxsize=4_096)
def _is_not_money(path: tuple[str, ...]) -> bool:
    return any(_NOT_MONEY.search(label) or _COUNTED.search(_head_of(label)) for label in path)


@lru_cache(maxsize=4_096)
def _counts_shares(path: tuple[str, ...]) -> bool:
    return any(
        re.search(r"\bshares\b", label if "number of" in label.lower() else _head_of(label), re.I) for label in path
    )


def _head_of(label: str) -> str:
    """The words of a label before its first preposition, comma or bracket: "Yield on loans" -> "Yield"."""
    return _BEHIND_HEAD.split(label, maxsplit=1)[0].strip()


@lru_cache(maxsize=4_096)
def _is_per_item(path: tuple[str, ...]) -> bool:
    return _PER_ITEM.search(" ".join(path)) is not None


def is_unit_text(text: str) -> bool:
    """Whether a cell is a unit and nothing else: "percent", "(in millions)", "€m", "$’000", "acres", "Years".

    Plain years are not units ("2016 $" heads a column), money of one year is ("2016 dollars"); nor is a preposition.
    """
    text = text.strip()
    if not text or len(text) > MAX_UNIT_CHARS or text.isdigit() or _NAMES_COLUMN.match(text):
        return False
    if re.match(r"\d{4}\b", text):
        return _MONEY_OF_A_YEAR.match(text) is not None
    if (_EXCEPT.search(text) and find_unit_and_scale(text)[1] != 1) or _measure(text.strip("()[]")) is not None:
        return True
    if re.fullmatch(r"\(?in\s?(?:thousands|millions|billions)\)?", text, re.I) or _SI.match(text.strip("()[]")):
        return True
    is_words = _UNIT_ROW.match(text) and _NAMES_UNIT.search(_FILLER.sub(" ", text))
    return bool(is_words) or is_unit_expression(text.strip("()[]"))


def is_code(text: str) -> bool:
    """Whether a text is as likely a code as a unit: "PA" is a state; "Pa", "pa" and "(PA)" are none."""
    plain = text.strip()
    is_of_capitals = len(plain) == 2 and plain.isascii() and plain.isalpha() and plain.isupper()
    return is_of_capitals and plain not in _WRITTEN_IN_CAPITALS


def is_wide_unit_text(text: str) -> bool:
    """Whether a cell that spans the figures states their unit: also in more words, "percent distribution"."""
    return is_unit_text(text) or (len(text) <= MAX_UNIT_CHARS and _WIDE_UNIT.match(text) is not None)


def unit_of_unit_text(text: str) -> Unit:
    """The unit of a cell for which is_unit_text holds; other words than known units stand for themselves ("acres")."""
    said = _EXCEPTION.sub("", text.strip().strip("()[]"))
    if (measured := _measure(said)) is not None:
        return Unit(*measured, text.strip())
    unit, scale = find_unit_and_scale(said)
    if (unit, scale) == ("", 1) and is_unit_expression(said):
        return Unit(said.strip(), 1, text.strip())
    is_count = not unit and scale == 1 and _COUNT.match(text.strip()) is not None
    if not unit and scale == 1 and not is_count:
        unit = text.strip(" ()[]")
        unit = unit_as_written(re.sub(r"^in ", "", unit, flags=re.I))
    elif not unit and not is_count:
        unit = _unit_beside_scale(said)
    return Unit(unit, scale, text.strip(), is_count)


def _unit_beside_scale(said: str) -> str:
    """What is counted by a scale; "" where nothing is. Example: "thousand cubic metres" -> "cubic metres"."""
    rest = " ".join(_SCALE_WORD.sub(" ", said).split())
    return unit_as_written(rest) if is_unit_text(rest) and not _COUNT.match(rest) else ""


def unit_of_caption(text: str) -> Unit:
    """The unit that a title or note states for the whole table: in brackets, "in millions", or "Percentage of …".

    Other words of a title ("3 million people", "the percent who …") state none, nor do several that cannot all be
    of one figure: "Population (millions), part served (percent)" names what its columns are in.
    """
    said_units: list[Unit] = []
    for match in _UNIT_LEAD.finditer(text[:2000]):
        said = next(group for group in match.groups() if group)
        if match[1] and not (
            is_unit_text(said) or re.match(r"(?:amounts |dollars |u\.?s\.? ?dollars |[$€£] ?)?in ", said, re.I)
        ):
            continue
        said_units.append(unit_of_unit_text(said) if is_unit_text(said) else Unit(*_money_of(_EXCEPTION.sub("", said))))
    units = {each.unit for each in said_units if each.unit}
    if len(units) > 1 or (units == {"%"} and any(each.scale != 1 for each in said_units)):
        return Unit(text=text.strip())
    stated = reduce(Unit.joined, said_units, Unit())
    if not stated.unit and (measured := _measure_after_in(text[:2000])) is not None:
        stated = stated.joined(Unit(*measured))
    if not stated.unit:
        stated = stated.joined(_unit_after_comma(text[:2000]))
    return replace(stated, text=text.strip(), is_count=False)


def _unit_after_comma(text: str) -> Unit:
    """The unit that ends a title behind a comma, perhaps before years: "Energy use by site, MWh", "…, EUR m, 2019"."""
    parts = [part.strip() for part in text.split(",")]
    while len(parts) > 2 and re.match(r"(?:19|20)\d\d\b", parts[-1]):
        parts.pop()
    said = parts[-1] if len(parts) > 1 else ""
    is_known = is_unit_text(said) and (find_unit_and_scale(said) != ("", 1) or _MEASURED.fullmatch(said))
    return unit_of_unit_text(said) if is_known else Unit()


def unit_behind_label(text: str) -> str:
    """What a line says behind its label where that is a unit, "" where it is none: "Unit: £ million", "Einheit: t"."""
    label, _, said = text.partition(":")
    said = re.split(r"[.;](?:\s|$)", said.strip(), maxsplit=1)[0].strip()
    if not said or len(said) > MAX_UNIT_CHARS or len(label.split()) > MAX_LABEL_WORDS or is_code(said):
        return ""
    is_known = find_unit_and_scale(said) != ("", 1) or _MEASURED.fullmatch(said) is not None
    says_unit = label.lstrip().lower().startswith("unit")
    is_unit = (is_known and says_unit) or (is_unit_text(said) and (is_known or says_unit))
    return said if is_unit else ""


def unit_of_source(text: str) -> Unit:
    """The unit that a title or a note states, in its words or as a whole: "in tonnes unless stated"."""
    if said := unit_behind_label(text):
        return unit_of_unit_text(said)
    bare = text if is_unit_text(text) else _EXCEPTION.sub("", text).strip()
    return unit_of_unit_text(bare) if is_unit_text(bare) else unit_of_caption(text)


def _money_of(text: str) -> tuple[str, int]:
    return _measure(text) or find_unit_and_scale(text)


def _measure(text: str) -> tuple[str, int] | None:
    """Currency and scale of a text that says these and nothing else. A lone "euro" is as often an adjective."""
    match = _MEASURE.match(" ".join(text.split()))
    if match is None:
        return None
    word = (match["currency"] or match["currency2"] or match["currency3"] or "").lower()
    scale = (match["scale"] or match["scale2"] or match["short"] or "").lower()
    if not scale and word in ("euro", "dollar"):
        return None
    return _currency_of(word) if word else "", _scale_of(scale)


def _currency_of(word: str) -> str:
    if word in _NAMED:
        return _NAMED[word]
    if word.endswith(("dollar", "dollars")):
        return _PREFIXED[word[0]]
    return CURRENCY_OF.get(word.rstrip("."), "")


def _scale_of(word: str) -> int:
    if "000" in word:
        return 1000
    return {"": 1, "t": 1000}.get(word) or SCALE_OF[word.rstrip(".")]


def _measure_after_in(text: str) -> tuple[str, int] | None:
    """The first "in …" of a title that goes on with a measure of money: "Sales, in thousands of euros"."""
    for found in re.finditer(r"\bin\s+", text, re.I):
        words = text[found.end() :].split()[:_MAX_MEASURE_WORDS]
        for n in range(len(words), 0, -1):
            measured = _measure(" ".join(words[:n]).strip(".,;:)]"))
            if measured is not None and measured[0]:
                return measured
    return None


def _measure_at_end(text: str) -> tuple[str, int] | None:
    """A currency at the end of a header, with or without a scale: "Sales EUR m", "Revenue RMB'Million"."""
    words = text.split()
    for n in range(min(3, len(words) - 1), 0, -1):
        measured = _measure(" ".join(words[-n:]))
        if measured is not None and measured[0]:
            return measured
    return None


def unit_of_header(text: str) -> Unit:
    """The unit in a column header or row label: the whole of it, its brackets, its end, a % sign or "… percentage"."""
    if is_unit_text(text) and not is_code(text):
        said = unit_of_unit_text(text)
        return replace(said, may_be_name=said.unit in CURRENCIES and said.scale == 1 and text.strip()[0] not in "([")
    for inner in re.findall(r"[(\[]([^()\[\]]{1,40})[)\]]", text):
        if (is_unit_text(inner) and not inner.strip().isdigit()) or inner.strip() == "000":
            said = unit_of_unit_text(inner)
            return replace(said, is_count=said.is_count or (not said.unit and _COUNT.match(text.strip()) is not None))
    if is_unit_expression(end := text.partition(", ")[2]) and not is_code(end):
        return unit_of_unit_text(end)
    if re.search(_SAYS_PERCENT, text, re.I):
        return Unit("%", 1, text)
    if (measured := _measure_at_end(text)) is not None:
        return Unit(*measured, text, may_be_name=measured[1] == 1 and "," not in text)
    unit, scale = find_unit_and_scale(text) if re.search(r"[$€£¥]|[’']000", text) else ("", 1)
    return Unit(unit, scale, text)


@dataclass(frozen=True, slots=True)
class ColumnUnit:
    """What a column tells of its cells' units.

    currency: the one that marks some of its cells, "" where none does. name: its innermost heading.
    """

    header: Unit = Unit()
    currency: str = ""
    name: str = ""


@dataclass(frozen=True, slots=True)
class UnitRules:
    """What the table says about the units of its cells, from the widest to the narrowest."""

    table: Unit = Unit()
    caption: str = ""

    def apply(self, value: Value, column: ColumnUnit, row: Unit, block: Unit, path: tuple[str, ...]) -> tuple[str, int]:
        """The unit and scale of one cell. path: the row's.

        Order: the cell's own text, column header, row label, unit row of the block, table, the currency of the column.
        A percentage has scale 1; "per share" rows take no scale from a caption that excepts them. A row that states a
        measure of its own, or counts things, takes neither money nor its scale from the block or the table.
        """
        said = value.unit or column.currency or value.scale != 1
        if not (said or column.header.is_known or row.is_known or block.is_known or self.table.is_known):
            return "", 1  # most cells of a database export
        if row.may_be_name and not {column.header.unit, block.unit, self.table.unit}.isdisjoint(CURRENCIES):
            row = Unit()
        says = [Unit(value.unit, value.scale), column.header, row, block, self.table]
        counts = _is_not_money(path) or (self.table.unit in CURRENCIES and _is_not_money((column.name,)))
        if counts and not value.unit and not _is_per_item(path):
            wide_units = {block.unit, self.table.unit} - {"", *RELATIVE}
            says = [_of_counts(said, path) if said.unit in wide_units else said for said in says]
        own = next((said.unit for said in says[:3] if said.unit), "")
        if row.is_count or column.header.is_count or own not in ("", "shares"):
            is_other = [own.startswith("per ") or (bool(wide.unit) and wide.unit != own) for wide in says[3:]]
            says[3:] = [Unit() if other else wide for wide, other in zip(says[3:], is_other, strict=True)]
        unit = next((said.unit for said in says if said.unit), "")
        if not unit and not counts:
            unit = column.currency
        if unit in RELATIVE:
            return unit, 1
        return unit, self._scale(says[:3] if unit in TERMS else says, path)

    def _scale(self, says: list[Unit], path: tuple[str, ...]) -> int:
        own = next((said.scale for said in says[:3] if said.scale != 1), 1)
        if own != 1:
            return own
        if _is_per_item(path):
            return 1
        if (shares := _SHARES_SCALE.search(self.caption)) and re.search(
            r"\bshares\b|\b(?:basic|diluted)\b", " ".join(path), re.I
        ):
            return 1000 if shares[1].lower() == "thousands" else 10**6
        return next((said.scale for said in says[3:] if said.scale != 1), 1)


def _of_counts(said: Unit, path: tuple[str, ...]) -> Unit:
    """What a unit of money says where things are counted; shares are counted in the table's scale."""
    return Unit("shares", said.scale) if _counts_shares(path) else said.without_unit()
