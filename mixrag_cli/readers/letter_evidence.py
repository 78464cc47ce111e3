"""Which single-byte encoding a text is in, by how well its letters beyond ASCII fit a language that is written so.

Each encoding is tried with each of its languages: a letter is as likely as its place among the language's letters,
most frequent first, says (Zipf). Signs that stand in no word's middle are let pass; letters that the language has not,
bytes that stand for nothing, capitals behind small letters, and letters of two scripts in one word count against it.
Source: Li and Momoi, A composite approach to language/encoding detection, 2001 (letter distributions by language).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

# The letters beyond ASCII of each language, most frequent first; of other scripts the whole small alphabet.
LETTERS = {
    "French": "éèàêçôîâùûëïœæÿü",
    "Spanish": "óíáñéúü¡¿ª",
    "Portuguese": "ãçáéíóõêâúàôü",
    "Italian": "èàùòéìîó",
    "German": "üäöß",
    "Nordic": "äåöøæé",
    "Icelandic": "íáðþéóöúæý",
    "Dutch": "ëéïèöü",
    "Catalan": "óàéíèçúòïü·",
    "Czech": "íáěéžřýčšůúňťďó",
    "Slovak": "áíéýčúžšľťôäňóďĺŕ",
    "Slovene": "čšžćđ",
    "Polish": "łóążęćśńź",
    "Hungarian": "éáöóőüíúű",
    "Romanian": "ăîâţşșț",
    "Turkish": "ıüşğçöâî",
    "Lithuanian": "ėšžūįųąčę",
    "Latvian": "āīēšņļūžķčģ",
    "Estonian": "äõüöšž",
    "Russian": "оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъё",
    "Ukrainian": "оанивіетрсклудмпязьбгйчхжцюшїєфщґ",
    "Bulgarian": "аоиетнрсвлкдпмязугъбчцжщхюшфйь",
    "Greek": "αοιετσνηυρπκμλςωγδχθφβάίόέήύώξζψϊϋ",
    "Hebrew": "יוהלאתרבשמנםדעקחפכטגסצןזךףץ",
    "Arabic": "اليمونرتبةعدسفهكقحجشطصىخأذزغضإثءظؤئآ",
    "Persian": "ایرنهمتودسبکشگلزخفقعجپحطچصغذئضژثآء",
}
WESTERN = ("French", "Spanish", "Portuguese", "Italian", "German", "Nordic", "Icelandic", "Dutch", "Catalan")
CENTRAL = ("Czech", "Slovak", "Slovene", "Polish", "Hungarian", "Romanian", "German")
CYRILLIC = ("Russian", "Ukrainian", "Bulgarian")
# Where two fit alike, the earlier one is taken.
ENCODINGS: dict[str, Sequence[str]] = {
    "cp1252": WESTERN,
    "cp1250": CENTRAL,
    "iso8859_2": CENTRAL,
    "cp1254": ("Turkish",),
    "cp1251": CYRILLIC,
    "koi8_r": ("Russian", "Bulgarian"),
    "koi8_u": ("Ukrainian",),
    "cp866": CYRILLIC,
    "iso8859_5": CYRILLIC,
    "cp1253": ("Greek",),
    "iso8859_7": ("Greek",),
    "cp1255": ("Hebrew",),
    "cp1256": ("Arabic", "Persian"),
    "iso8859_6": ("Arabic",),
    "cp1257": ("Lithuanian", "Latvian", "Estonian"),
}
SIGNS = frozenset("\u00a0\u00ad«»“”„‚‘’–—…•·°§©®™€£¥±×÷½¼¾²³‰†‡№¡¿ªº،؛؟ـ")
SIGN_COST = math.log(1 / 40)  # of a sign of typography: about one letter beyond ASCII in forty
FOREIGN_COST = math.log(1 / 2_000)  # of a letter that the language has not: names and loan words
MISPLACED_COST = math.log(1 / 200)  # of a capital behind a small letter, a sign inside of a word, or two scripts in one
WESTERN_LEAD = 4.0  # a whole text: cp1252 is met far more often; a few letters are outweighed, fifty are not
LONE = frozenset("àèéêòóôùúőåöíáâìů")  # letters that are words by themselves
LATIN_END = "\u0250"
GOOD_FIT = -4.2  # a letter on average; texts of 20 languages in their own encodings have -1.2 to -3.9
CLEAR_LEAD = 0.25  # a letter on average: a smaller lead over an encoding that reads other letters is unsure
MIN_LETTERS = 12  # fewer letters beyond ASCII leave any answer unsure


@dataclass(frozen=True, slots=True)
class Fit:
    """An encoding, the mean log likelihood of a text's letters in it, and whether no other fits as well."""

    encoding: str
    score: float
    is_sure: bool

    @property
    def is_good(self) -> bool:
        """Whether the letters are those of a language at all."""
        return self.score >= GOOD_FIT


def best_fit(raw: bytes) -> Fit:
    """The single-byte encoding whose languages the text fits best. raw: holds bytes beyond ASCII."""
    texts = {encoding: raw.decode(encoding, "replace") for encoding in ENCODINGS}
    n_high = sum(byte > 0x7F for byte in raw)
    scores = {encoding: _score(text, ENCODINGS[encoding]) for encoding, text in texts.items()}
    scores["cp1252"] += WESTERN_LEAD / max(n_high, MIN_LETTERS)
    best = max(scores, key=lambda encoding: scores[encoding])
    others = [score for encoding, score in scores.items() if texts[encoding] != texts[best]]
    is_sure = n_high >= MIN_LETTERS and scores[best] - max(others, default=-math.inf) >= CLEAR_LEAD
    return Fit(best, scores[best], is_sure)


def _score(text: str, languages: Sequence[str]) -> float:
    """The mean log likelihood of the text's characters beyond ASCII in the language that suits it best."""
    high = Counter(character for character in text if character > "\x7f")
    misplaced = _count_misplaced(text)
    n = max(high.total(), 1)
    best = max(sum(count * _cost(character, language) for character, count in high.items()) for language in languages)
    return (best + misplaced * MISPLACED_COST) / n


def _cost(character: str, language: str) -> float:
    if character in SIGNS and character not in LETTERS[language]:
        return SIGN_COST
    return _likelihoods(language).get(character.lower(), FOREIGN_COST)


@lru_cache
def _likelihoods(language: str) -> dict[str, float]:
    """Each letter's log likelihood by its place."""
    letters = LETTERS[language]
    whole = sum(1 / (place + 2) for place in range(len(letters)))
    return {letter: math.log(1 / (place + 2) / whole) for place, letter in enumerate(letters)}


def _count_misplaced(text: str) -> int:
    """What words have not: a capital beyond ASCII behind a small letter, a sign between two letters, a lone "č".

    And a letter of another script beside one of ASCII, as in "Josι": counted on either side.
    """
    found = 0
    for before, here, behind in zip(" " + text, text, text[1:] + " ", strict=False):
        if here <= "\x7f":
            found += here.isupper() and before > "\x7f" and before.islower()
        elif here.isupper():
            found += before.islower()
        elif here < LATIN_END and here.isalpha():
            found += not (before.isalpha() or behind.isalpha() or here in LONE)
        elif not here.isalpha() and here not in "’‘\u00ad·":
            found += before.isalpha() and behind.isalpha()
        if here >= LATIN_END and here.isalpha():
            found += _is_ascii_letter(before) + _is_ascii_letter(behind)
    return found


def _is_ascii_letter(character: str) -> bool:
    return character <= "\x7f" and character.isalpha()
