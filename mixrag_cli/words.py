"""Words, the same for everybody: how a text is cut into them, their stems, and how one stands for another.

A term is a lower-cased, lightly stemmed word or a plain number. Matching is graded: equal stems 1, a shared
meaning 0.9, an abbreviation ("exp" for "expectancy") 0.6.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache

LINK = re.compile(r"(?:[a-z][a-z0-9+.-]*://|www\.|mailto:)\S+$", re.I)  # an address, which says where and names nothing
_RAISED = re.compile("[⁰¹²³⁴-⁹ᵃ-ᶻ]+")  # footnotes' marks and powers are no part of a word
_UNSPACED = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"  # scripts without blanks between words
_TOKEN = re.compile(
    r"[A-Za-z]\+\+|[A-Za-z]#(?!\w)"  # C++, C#
    r"|(?<!\d)\d{1,3}(?:,\d{2,3})*,\d{3}(?!\d)(?:\.\d+)?|\d+(?:\.\d+)+|\d+(?!\w)"  # numbers, and versions
    rf"|[^\W\d_{_UNSPACED}]+(?=\d+\.\d)"  # "v" of v1.2
    rf"|[{_UNSPACED}]+"
    rf"|[^\W{_UNSPACED}]+(?:['’][^\W\d_]+)*"
)
# Where an identifier's parts meet: "totalBill", "HTTPServer", "snake_case", "total2"; "iPhone" and "LoRa" are words.
_PART = re.compile(r"\d+|(?:[^\W\d_](?!(?<=[a-z0-9]{2})(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])))*[^\W\d_]")
_ANY_ENDING = r"\w*"
_ENDING = re.compile(r"['’](?:s|t|d|ll|re|ve)?$")  # of a possessive or contraction

# Lucene's English list, which tells nothing of a passage, whether it is found by words or by token vectors: on FinQA
# (344 judged queries, words alone) nDCG@10 rises from .566 to .584 without them.
_STOP_WORDS = """
    a an and are as at be but by for if in into is it no not of on or such that the their then there these they this to
    was will with
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())

# And what tells nothing of what a question asks for, its own verbs and forms among them.
_COMMON_WORDS = """
    use uses used using a an and any are as at be between been being but by can could did do does doing done for
    from had has have having he her his how i if in into is it its just like many may me might more most much my
    no nor not of on one or our out over please shall she should show so some such tell than that the their them
    then there these they this those to up us was we were what when where which who whom whose why will with
    within would you your give find get got according amount number value report reported come came bring
    brought make made each per during ever also ended ending s t d ll re ve both
    don doesn didn isn aren wasn weren hasn haven hadn won wouldn couldn shouldn
"""
COMMON_WORDS = frozenset(_COMMON_WORDS.split())
WHOLE_WORDS = frozenset(("total", "all", "both", "overall"))  # what is meant where no part is named

LIST_MARK = re.compile(r"^\s*\d{1,2}[.)](?=\s)", re.M)  # the number of a list's item, and no figure or answer

# Units written into labels ("capacity_m3_per_day") say how a column counts, not what.
_UNIT_WORDS = """
    m m2 m3 km km2 cm mm kg g t l ml kwh mwh gwh kw mw s h hr hrs min day month year usd eur gbp pct percent cubic
    square metr meter litr liter tonn
"""
UNIT_WORDS = frozenset(_UNIT_WORDS.split())

# Groups of words that people use for one another in questions about reports. Small on purpose: a wrong
# equivalence costs more than a missed one, and meaning search already bridges the rest.
_SYNONYM_GROUPS = (
    "revenue sales turnover",
    "profit earnings income",
    "expense cost spend spent expenditure",
    "staff employee headcount worker",
    "percentage percent share proportion",
    "mean average",
    "female woman girl",
    "male man boy",
    "begin start opening",
    "end closing",
    "die died death",
    "born birth",
    "raise increase growth grow rise",
    "fall decrease decline drop",
    "allow permit let",
    "people person individual",
    "highest largest biggest maximum max greatest top",
    "lowest smallest minimum min least",
)

_IRREGULAR = {
    "spent": "spend",
    "grew": "grow",
    "rose": "rise",
    "fell": "fall",
    "sold": "sell",
    "paid": "pay",
    "men": "man",
    "women": "woman",
    "children": "child",
    "shelves": "shelf",
    "halves": "half",
    "knives": "knife",
    "loaves": "loaf",
    "feet": "foot",
    # of nouns in -i and -u, whose plural looks like "basis" and "status"
    "apis": "api",
    "clis": "cli",
    "cpus": "cpu",
    "emojis": "emoji",
    "gpus": "gpu",
    "guis": "gui",
    "menus": "menu",
    "skis": "ski",
    "taxis": "taxi",
    "uris": "uri",
    "wikis": "wiki",
}

# Before a word they make another of it: "nonsmoker", "underweight".
_TURNING = frozenset(("non", "dis", "mis", "anti", "sub", "pre", "post", "over", "under", "inter", "counter"))

SYNONYM_MATCH = 0.9
ABBREVIATION_MATCH = 0.6
SKELETON_MATCH = 0.5  # less than a prefix: more words share their consonants than their beginning
MAX_SKELETON = 3  # letters
JOINED_MATCH = 0.8  # "price" in a heading without spaces, "copperprice"
MIN_JOINED = 4  # letters of a word in such a heading, and
MIN_REST = 3  # of what is joined to it
MIN_ABBREVIATION = 3  # letters; "exp" for "expectancy", but never "ex"


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """Cut the common English endings, so that "sales", "sale" and "operating", "operated" meet.

    Example: stem("activities") -> "activity"; stem("redirects") -> "redirect".
    """
    word = _IRREGULAR.get(word, word)
    if len(word) <= 3 or not word.isalpha():
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "xes", "ches", "shes")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending in ("ing", "ed"):
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            base = word[: -len(ending)]
            return base[:-1] if len(base) > 3 and base[-1] == base[-2] and base[-1] not in "lsz" else base.rstrip("e")
    return word[:-1] if word.endswith("e") and len(word) > 4 else word


_SYNONYMS: dict[str, int] = {
    stem(word): number for number, group in enumerate(_SYNONYM_GROUPS) for word in group.split()
}


def tokens_of(text: str) -> list[str]:
    """The text's words, identifiers, numbers and runs of scripts without blanks, in order, as they are written."""
    return _TOKEN.findall(unicodedata.normalize("NFKC", _RAISED.sub(" ", text)))


@lru_cache(maxsize=65536)
def parts_of(token: str) -> tuple[str, ...]:
    """A token in its parts, lower-cased: identifiers split, thousands marks and possessives gone, kanji in pairs.

    Example: parts_of("totalBill") -> ("total", "bill"); parts_of("東京都") -> ("東京", "京都").
    """
    if token[0].isdecimal() and not any(map(str.isalpha, token)):
        return (token.replace(",", "").replace("_", ""),)
    if re.match(f"[{_UNSPACED}]", token):
        return tuple(token[at : at + 2] for at in range(max(1, len(token) - 1)))
    if token.endswith(("+", "#")):
        return (token.casefold(),)
    if "'" in token or "’" in token:
        return (_ENDING.sub("", token.casefold()),)
    return tuple(part.casefold() for part in _PART.findall(token))


def words_of(text: str) -> list[str]:
    """The parts of the text's tokens in order.

    Example: words_of("Apple's totalBill of 1,234") -> ["apple", "total", "bill", "of", "1234"].
    """
    return [part for token in tokens_of(text) for part in parts_of(token)]


def terms_of(text: str) -> tuple[str, ...]:
    """The stems of the text's content words, each once, in order of first appearance."""
    return tuple(dict.fromkeys(stem(word) for word in words_of(text) if word not in COMMON_WORDS))


@lru_cache(maxsize=65536)
def stems_in(text: str) -> tuple[str, ...]:
    """All stems of a short text such as a label in order, stop words included."""
    return tuple(stem(word) for word in words_of(text))


@lru_cache(maxsize=65536)
def stems_of(text: str) -> tuple[str, ...]:
    """Those of stems_in, each once."""
    return tuple(dict.fromkeys(stems_in(text)))


def places_of(needle: Sequence[str], stems: Sequence[str]) -> list[tuple[int, int]]:
    """Where the stems of the needle stand one behind the other, as the first and last of them."""
    n = len(needle)
    return [(at, at + n - 1) for at in range(len(stems) - n + 1) if n and list(stems[at : at + n]) == list(needle)]


def places_in_any_order(needle: Sequence[str], stems: Sequence[str]) -> list[tuple[int, int]]:
    """As places_of, in whatever order: "cost total" of "the total cost"."""
    n, wanted = len(needle), sorted(needle)
    return [(at, at + n - 1) for at in range(len(stems) - n + 1) if n and sorted(stems[at : at + n]) == wanted]


def says_nothing_new(text: str, question: str) -> bool:
    """Whether a text repeats the question, in words and not in numbers alone."""
    return repeats(text, question) and any(map(str.isalpha, words_of(text)))


def repeats(text: str, question: str) -> bool:
    """Whether a text says something, and nothing that the question does not; a choice between two says both."""
    asked, said = stems_in(question), {stem(word) for word in words_of(text)}
    return bool(said) and said <= {*asked} and "or" not in asked


def match_term(term: str, candidates: Iterable[str]) -> float:
    """How well the best of the candidate stems matches the term, in {0, 0.5, 0.6, 0.9, 1}."""
    best = 0.0
    for candidate in candidates:
        if candidate == term:
            return 1.0
        if (match := match_pair(term, candidate)) > best:
            best = match
    return best


@lru_cache(maxsize=262144)
def match_pair(term: str, candidate: str) -> float:
    """How well one stem stands for another, in {0, 0.5, 0.6, 0.9, 1}."""
    if term == candidate:
        return 1.0
    group = _SYNONYMS.get(term)
    if group is not None and _SYNONYMS.get(candidate) == group:
        return SYNONYM_MATCH
    if is_abbreviation(candidate, term):
        return ABBREVIATION_MATCH
    return SKELETON_MATCH if is_skeleton(candidate, term) else 0.0


def match_heading(term: str, candidates: Iterable[str]) -> float:
    """As match_term, for headings and names, which may be written without spaces between their words."""
    words = tuple(candidates)
    found = match_term(term, words)
    is_joined = found < JOINED_MATCH and any(is_joined_in(term, word) for word in words)
    return JOINED_MATCH if is_joined else found


def is_joined_in(term: str, word: str) -> bool:
    """Whether a word written without spaces begins or ends with the term, and the rest does not turn its meaning."""
    if len(term) < MIN_JOINED or len(word) - len(term) < MIN_REST or not word.isalpha():
        return False
    return word.startswith(term) or (word.endswith(term) and word.removesuffix(term) not in _TURNING)


def is_abbreviation(short: str, long: str) -> bool:
    """Whether one stem is a plain prefix of the other, as headers abbreviate ("exp", "expectancy")."""
    if len(short) > len(long):
        short, long = long, short
    return len(short) >= MIN_ABBREVIATION and short.isalpha() and long.startswith(short)


def is_skeleton(short: str, long: str) -> bool:
    """Whether a header's short form keeps some of a word's consonants in order ("yds" for "yard", "td" "touchdown")."""
    plain = short.removesuffix("s")
    if not 2 <= len(plain) <= MAX_SKELETON or len(long) <= len(plain) + 1 or plain[0] != long[0]:
        return False
    letters = iter(long)
    return plain.isalpha() and not set(plain) & set("aeiou") and all(letter in letters for letter in plain)


def any_of(*phrases: str) -> re.Pattern[str]:
    """One pattern that holds where any of the phrases stands, whatever the case. phrases: with commas between them.

    "chang…" is any word that begins so. Example: any_of("%, per cent") -> found in "5%" and "ten per cent".
    """
    each = [phrase.strip() for listed in phrases for phrase in listed.split(",")]
    return re.compile("|".join(map(_bounded, each)), re.IGNORECASE)


def _bounded(phrase: str) -> str:
    first, last = (r"\b" * sign.isalnum() for sign in (phrase[0], phrase[-1]))
    return f"{first}{re.escape(phrase).replace('…', _ANY_ENDING)}{last}"
