"""Texts in the encodings of their languages, without a mark or a declaration: read as they were written."""

from __future__ import annotations

import io

import pytest

from mixrag_cli.readers.decoding import Decoded, decode, decoding_warnings, guess_encoding, read_decoded
from mixrag_cli.readers.letter_evidence import ENCODINGS, LETTERS
from mixrag_cli.readers.sheets.delimited import read_delimited
from mixrag_cli.readers.source import ReadSource

# After the first article of the Universal Declaration of Human Rights; some sentences are added.
SAYINGS = {
    "French": "Tous les êtres humains naissent libres et égaux en dignité et en droits. Ils sont doués de "
    "raison et de conscience et doivent agir les uns envers les autres dans un esprit de "
    "fraternité. L’été dernier, déjà.",
    "German": "Alle Menschen sind frei und gleich an Würde und Rechten geboren. Sie sind mit Vernunft und "
    "Gewissen begabt und sollen einander im Geiste der Brüderlichkeit begegnen. Für größere Mühen"
    " übrigens später.",
    "Italian": "Tutti gli esseri umani nascono liberi ed eguali in dignità e diritti. La libertà è di tutti,"
    " perché così è scritto; può valere già oggi, e varrà di più con la volontà della comunità.",
    "Slovak": "Všetci ľudia sa rodia slobodní a sebe rovní, čo sa týka ich dôstojnosti a práv. Sú obdarení "
    "rozumom a majú navzájom jednať v bratskom duchu. Každý má právo na život, slobodu a osobnú "
    "bezpečnosť.",
    "Slovene": "Vsi ljudje se rodijo svobodni in imajo enako dostojanstvo in enake pravice. Obdarjeni so z "
    "razumom in vestjo in bi morali ravnati drug z drugim kakor bratje. Življenje človeka je "
    "dragoceno, če je združeno s srčnostjo in željo po boljšem; možnost širše družbe pa še večja."
    " Učiteljica reče učencem, naj čuvajo žabe.",
    "Polish": "Wszyscy ludzie rodzą się wolni i równi pod względem swej godności i swych praw. Są oni "
    "obdarzeni rozumem i sumieniem i powinni postępować wobec innych w duchu braterstwa. Każdy "
    "człowiek posiada wszystkie prawa.",
    "Turkish": "Bütün insanlar hür, haysiyet ve haklar bakımından eşit doğarlar. Akıl ve vicdana sahiptirler"
    " ve birbirlerine karşı kardeşlik zihniyeti ile hareket etmelidirler. İşçiler için ağır "
    "şartlar.",
    "Russian": "Все люди рождаются свободными и равными в своем достоинстве и правах. Они наделены разумом и"
    " совестью и должны поступать в отношении друг друга в духе братства.",
    "Greek": "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα. Είναι "
    "προικισμένοι με λογική και συνείδηση.",
    "Hebrew": "כל בני האדם נולדו בני חורין ושווים בערכם ובזכויותיהם. כולם חוננו בתבונה ובמצפון, לפיכך חובה "
    "עליהם לנהוג איש ברעהו ברוח של אחוה.",
    "Arabic": "يولد جميع الناس أحراراً متساوين في الكرامة والحقوق. وقد وهبوا عقلاً وضميراً وعليهم أن يعامل "
    "بعضهم بعضاً بروح الإخاء.",
    "Lithuanian": "Visi žmonės gimsta laisvi ir lygūs savo orumu ir teisėmis. Jiems suteiktas protas ir sąžinė "
    "ir jie turi elgtis vienas kito atžvilgiu kaip broliai. Įstatymų čia daugėja, ų ir ūkių šiek "
    "tiek.",
}
WRITTEN = [
    *(("French", "cp1252"), ("German", "cp1252"), ("Italian", "cp1252"), ("Slovak", "cp1250"), ("Slovak", "iso8859_2")),
    *(("Slovene", "cp1250"), ("Slovene", "iso8859_2"), ("Polish", "cp1250"), ("Polish", "iso8859_2")),
    *(("Turkish", "cp1254"), ("Russian", "cp1251"), ("Russian", "koi8_r"), ("Russian", "cp866"), ("Greek", "cp1253")),
    *(("Hebrew", "cp1255"), ("Arabic", "cp1256"), ("Lithuanian", "cp1257")),
]


@pytest.mark.parametrize(("language", "encoding"), WRITTEN)
def test_a_language_is_read_in_the_encoding_that_it_was_written_in(language: str, encoding: str) -> None:
    raw = SAYINGS[language].encode(encoding, "ignore")
    assert decode(raw)[0] == raw.decode(encoding)


@pytest.mark.parametrize("encoding", ["shift_jis", "euc_jp"])
def test_japanese_is_not_taken_for_single_bytes(encoding: str) -> None:
    text = "すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。" * 3
    assert decode(text.encode(encoding))[0] == text


def test_an_answer_that_hangs_on_a_letter_is_said_to_be_unsure() -> None:
    raw = b"The caf\xe9 of Ren\xe9"
    decoded = read_decoded(ReadSource("t.txt", len(raw), io.BytesIO(raw)))
    assert decoded.text == "The café of René"
    assert decoding_warnings(decoded) == ["read as cp1252, unsure"]
    arabic = SAYINGS["Arabic"].encode("cp1256", "ignore")
    sure = read_decoded(ReadSource("t.txt", len(arabic), io.BytesIO(arabic)))
    assert decoding_warnings(sure) == ["read as cp1256"]


@pytest.mark.parametrize(
    "text",
    ["José Nuñez,12\nFrançois Roy,4", "Agaña,Guam\nSaint-Denis,Réunion\nLaâyoune,Sahara", "Åse Ødegård\nZoë Müller"],
)
def test_names_of_several_western_languages_are_not_taken_for_another_script(text: str) -> None:
    assert decode(text.encode("cp1252"))[0] == text


def read_as_said(raw: bytes, encoding: str) -> Decoded:
    return read_decoded(ReadSource("t.txt", len(raw), io.BytesIO(raw), encoding=encoding))


def test_what_the_user_says_goes_before_everything_but_a_mark() -> None:
    assert read_as_said("café".encode("cp850"), "cp850").text == "café"
    assert read_as_said("£5".encode(), "cp437").text == "┬ú5"  # valid UTF-8, and yet as told
    marked = read_as_said("£5".encode("utf-8-sig"), "cp437")
    assert (marked.text, marked.encoding, decoding_warnings(marked)) == ("£5", "utf-8", [])
    chinese = "人人生而自由".encode("utf-16-le") + b"\n\0" * 2
    assert read_as_said(chinese, "utf-16-le").text == "人人生而自由\n\n"
    assert decoding_warnings(read_as_said(b"caf\x81", "cp1252")) == ["1 character could not be read as cp1252"]


def test_a_csv_is_read_in_the_encoding_that_the_user_says() -> None:
    raw = "zboží,cena\nžlutý kůň,12\nšálek,7\n".encode("cp852")
    document = read_delimited(ReadSource("t.csv", len(raw), io.BytesIO(raw), encoding="cp852"))
    assert "žlutý kůň" in document.text
    assert document.warnings == ("read as cp852, as told",)


def test_a_declared_codec_that_is_none_of_texts_is_passed_over() -> None:
    assert guess_encoding(b"# coding: unicode_escape\ncaf\xe9 na\xefve").encoding == "cp1252"


def test_what_a_file_declares_goes_before_its_letters() -> None:
    raw = b'<meta charset="iso-8859-2">' + SAYINGS["French"].encode("cp1252")
    assert guess_encoding(raw).encoding == "iso8859-2"
    assert guess_encoding(raw).is_sure


def test_every_encoding_holds_the_letters_of_its_languages() -> None:
    for encoding, languages in ENCODINGS.items():
        for language in languages:
            held = [letter for letter in LETTERS[language] if letter.encode(encoding, "ignore")]
            assert len(held) >= 0.6 * len(LETTERS[language]), (encoding, language)
