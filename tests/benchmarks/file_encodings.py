"""Texts of many languages in their own encodings, without a mark: how many are read as they were written.

    python tests/benchmarks/file_encodings.py [--folder /usr/share/locale] [--characters 600]

The texts are drawn from the translations (.mo files) that the folder holds, twelve a language and encoding. Printed by
language: right of all, what the wrong ones were read as, how many said that they are unsure, milliseconds a text.
"""

from __future__ import annotations

import argparse
import gettext
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from mixrag_cli.readers.decoding import decode, guess_encoding

N_TEXTS = 12
LEAST_CHARACTERS = 15
ENCODINGS = {
    **dict.fromkeys(("de", "fr", "es", "it", "pt", "sv", "da", "fi", "is", "nl", "ca"), ("cp1252",)),
    **dict.fromkeys(("sk", "sl", "cs", "pl"), ("cp1250", "iso8859_2")),
    **dict.fromkeys(("hu", "hr"), ("cp1250",)),
    **dict.fromkeys(("lt", "lv", "et"), ("cp1257",)),
    **{"ro": ("iso8859_2",), "tr": ("cp1254",), "he": ("cp1255",), "ar": ("cp1256", "iso8859_6"), "fa": ("cp1256",)},
    **{"ru": ("cp1251", "koi8_r", "cp866"), "uk": ("cp1251", "koi8_u"), "bg": ("cp1251",)},
    **{"el": ("cp1253", "iso8859_7"), "ja": ("shift_jis", "euc_jp"), "ko": ("euc_kr",)},
    **{"zh_CN": ("gb18030",), "zh_TW": ("big5",)},
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, default=Path("/usr/share/locale"))
    parser.add_argument("--characters", type=int, default=600)
    arguments = parser.parse_args()
    n_right = n_all = n_wrong_sure = 0
    for language, encodings in ENCODINGS.items():
        texts = list(draw_texts(arguments.folder / language, arguments.characters))
        for encoding in encodings:
            raws = [raw for raw in (text.encode(encoding, "ignore") for text in texts) if not raw.isascii()]
            start = time.perf_counter()
            read = [decode(raw) for raw in raws]
            ms = (time.perf_counter() - start) / max(len(raws), 1) * 1000
            wrong = [n for n, raw in enumerate(raws) if read[n][0] != raw.decode(encoding)]
            is_sure = [guess_encoding(raw).is_sure for raw in raws]
            said = Counter(read[n][1] for n in wrong)
            print(
                f"{language:6} {encoding:10} {len(raws) - len(wrong):3} of {len(raws):3} unsure {is_sure.count(False)}"
                f"  {ms:5.1f} ms  {dict(said) or ''}"
            )
            n_right, n_all = n_right + len(raws) - len(wrong), n_all + len(raws)
            n_wrong_sure += sum(is_sure[n] for n in wrong)
    print(f"all: {n_right} of {n_all}; wrong without saying so: {n_wrong_sure}")


def draw_texts(folder: Path, size: int) -> Iterator[str]:
    """Stretches of that many characters from all translations of a language, spread over them."""
    stretches: list[str] = []
    current = ""
    for path in sorted(folder.glob("LC_MESSAGES/*.mo")):
        with path.open("rb") as file:
            try:
                catalogue: dict[object, str] = vars(gettext.GNUTranslations(file))["_catalog"]
            except (OSError, UnicodeDecodeError):
                continue
        for key, text in catalogue.items():
            if key and len(text) > LEAST_CHARACTERS:
                current += text.replace("\0", " ").replace("\r", "") + "\n"
            if len(current) > size:
                stretches.append(current)
                current = ""
    yield from stretches[:: max(1, len(stretches) // N_TEXTS)][:N_TEXTS]


if __name__ == "__main__":
    main()
