"""Extract from a table of records: values of its columns that a question says in other words than the cells.

    "women", "boys"          what people call a sex                        sex = Female, gender = M
    "a 40-year-old"          an age                                        age = 40
    "the six-door models"    a number joined to a column's name, which     doors = 6, cyl = 4
                             the heading may shorten

All other words for a value are left to be unsaid: a wrong condition costs more than a refusal.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mixrag_cli.recap.in_rows.column_texts import distinct_texts, is_numeric
from mixrag_cli.recap.in_rows.filter_tokens import Found, Token, leaf_stems
from mixrag_cli.records.tables import Table
from mixrag_cli.words import SYNONYM_MATCH, UNIT_WORDS, is_abbreviation, match_pair, stem

SEXES = ("female", "male")
MAX_CODES = 30  # different numbers of a column that classes its rows; of more, it measures them
AGE = ("age",)
HAVING = frozenset(("with", "have", "ha", "had", "having", stem("having"), stem("has"), "exactly"))
# Numbers of these are lengths ("a ten-minute drive"), not classes.
_LENGTHS = "second minute hour week year mile metre meter kilometre kilometer inch pound gram euro dollar cent percent"
LENGTHS = UNIT_WORDS | {stem(word) for word in _LENGTHS.split()}
_NUMBER_WORDS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_NUMBERS = {word: str(number) for number, word in enumerate(_NUMBER_WORDS, start=2)}


def values_in_other_words(question: str, tokens: Sequence[Token], table: Table) -> Iterator[Found]:
    """The values that the question means without writing them as the cells do."""
    yield from _sexes(tokens, table)
    yield from _ages(tokens, table)
    yield from _joined_numbers(question, tokens, table)


def _sexes(tokens: Sequence[Token], table: Table) -> Iterator[Found]:
    for header in table.columns:
        texts = {text.strip().lower(): text for text in distinct_texts(table, header) if text.strip()}
        for sex in SEXES:
            own = next((texts[word] for word in (sex, sex[0]) if word in texts and _are_sexes(texts)), None)
            if own is None:
                continue
            for n, token in enumerate(tokens):
                if token.stem != own.strip().lower() and match_pair(token.stem, stem(sex)) >= SYNONYM_MATCH:
                    yield Found(header, own, (n, n), named=False)


def _are_sexes(texts: dict[str, str]) -> bool:
    """Whether both sexes are among a column's texts, as words, or as letters and nothing else beside them."""
    return set(SEXES) <= texts.keys() or texts.keys() == {sex[0] for sex in SEXES}


def _ages(tokens: Sequence[Token], table: Table) -> Iterator[Found]:
    """ "A 40-year-old", "aged 40", "40 years of age": of the column of ages."""
    header = next((each for each in table.columns if leaf_stems(each) == AGE and is_numeric(table, each)), None)
    if header is None:
        return
    stems = [token.stem for token in tokens]
    for n, word in enumerate(stems):
        if not word.isdigit():
            continue
        if stems[n + 1 : n + 3] == ["year", "old"]:
            yield Found(header, word, (n, n + 2), named=True)
        elif stems[n + 1 : n + 4] == ["year", "of", "age"]:
            yield Found(header, word, (n, n + 3), named=True)
        elif n and stems[n - 1] == "aged":
            yield Found(header, word, (n - 1, n), named=True)


def _joined_numbers(question: str, tokens: Sequence[Token], table: Table) -> Iterator[Found]:
    """A number right before the name of a column of few whole numbers, one of which it is.

    "The six-door ones", "those with six doors"; "the six doors" may be all of them.
    """
    for header in table.columns:
        texts = set(distinct_texts(table, header))
        leaf = leaf_stems(header)
        if len(leaf) != 1 or leaf[0] in LENGTHS or not 0 < len(texts) <= MAX_CODES or not is_numeric(table, header):
            continue
        whole = {text.strip() for text in texts if text.strip().isdigit()}
        for n, token in enumerate(tokens[:-1]):
            number = _NUMBERS.get(token.stem, token.stem)
            is_hyphened = question[token.end : tokens[n + 1].start] == "-"
            is_had = n > 0 and tokens[n - 1].stem in HAVING
            is_value = number in whole if is_had else number.isdigit()  # "five-door" where none has five leaves none
            if (is_hyphened or is_had) and is_value and _names(tokens[n + 1].stem, leaf[0]):
                yield Found(header, number, (n, n + 1), named=True)


def _names(word: str, leaf: str) -> bool:
    """Whether a word is a column's name, or what the name shortens ("cylinder", "cyl")."""
    return word == leaf or (len(leaf) < len(word) and is_abbreviation(leaf, word))
