"""Listwise reading: the likeliest texts once more, one below the other in one window, so that they are compared.

What the reader makes of each text by itself is not always on one scale. In one window it attends to all of them, and
its spans fall to the one that answers best. A second reading in the opposite order takes out what the order does.
Source: listwise reranking, with spans in place of a generated order (Sun et al., Is ChatGPT Good at Search?, EMNLP
2023).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mixrag_cli.reading import LEAST_LOG, ReaderModel, Reading, log_sum

WINDOW_CHARS = 800  # of the texts together: with the question they fit the reader's 256 tokens
TEXT_CHARS, HEADING_CHARS = 200, 60  # of one text; of the headings in front of it


def listed_text(heading: str, text: str) -> str:
    """A text on one line, cut, under the end of its headings."""
    return " ".join(f"{heading[-HEADING_CHARS:]}: {text[:TEXT_CHARS]}".split()).removeprefix(": ")


def listed_label(label: str) -> str:
    """A label, which ends with its value, as long as a text at the most."""
    return label[-(HEADING_CHARS + TEXT_CHARS) :]


def read_listwise(reader: ReaderModel, question: str, texts: Mapping[str, float]) -> dict[str, float]:
    """Of the likeliest texts the log probability that the answer stands in each; of none where there is only one.

    texts: how likely each is by itself; only their order counts.
    """
    chosen: list[str] = []
    for text in sorted(texts, key=lambda one: -texts[one]):
        if len("\n".join([*chosen, text])) > WINDOW_CHARS:
            break
        chosen.append(text)
    if len(chosen) < 2:
        return {}
    orders = (chosen, chosen[::-1])
    readings = reader.read(question, ["\n".join(order) for order in orders])
    shares = [_shares(order, reading) for order, reading in zip(orders, readings, strict=True)]
    return {text: sum(share[text] for share in shares) / len(shares) for text in chosen}


def _shares(order: Sequence[str], reading: Reading) -> dict[str, float]:
    """The log probability of the spans that begin in each text."""
    total = log_sum([0.0, reading.total])
    found: dict[str, float] = {}
    start = 0
    for text in order:
        inside = log_sum(span.logit - total for span in reading.spans if start <= span.start < start + len(text))
        found[text] = max(inside, LEAST_LOG)
        start += len(text) + 1
    return found
