"""A reply as it grows, from bytes to what may be shown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

# By the first byte's upper half, as llama.cpp's grammars count.
SEQUENCE_BYTES = (1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 3, 4)


class ReplyText:
    """A reply as it grows: bytes to text, cut before the first stop text, of which no part is ever shown."""

    def __init__(self, stop: Sequence[str]) -> None:
        self.all = ""
        self.is_over = False
        self._stop = tuple(each for each in stop if each)
        self._held_back = ""
        self._bytes = b""

    def add(self, raw: bytes) -> str:
        """What can be shown now."""
        return self._show(self._decode(raw), is_last=False)

    def finish(self) -> str:
        """What can be shown when no more comes."""
        return "" if self.is_over else self._show("\N{REPLACEMENT CHARACTER}" if self._bytes else "", is_last=True)

    def _decode(self, raw: bytes) -> str:
        """The whole characters so far. A sequence that is none becomes one sign, as a grammar counts it."""
        self._bytes += raw
        try:
            text, self._bytes = self._bytes.decode("utf-8"), b""
            return text
        except UnicodeDecodeError:
            return "".join(self._decode_one_by_one())

    def _decode_one_by_one(self) -> Iterator[str]:
        while self._bytes:
            length = SEQUENCE_BYTES[self._bytes[0] >> 4]
            if len(self._bytes) < length:
                return
            sequence, self._bytes = self._bytes[:length], self._bytes[length:]
            try:
                yield sequence.decode("utf-8")
            except UnicodeDecodeError:
                yield "\N{REPLACEMENT CHARACTER}"

    def _show(self, text: str, *, is_last: bool) -> str:
        text = self._held_back + text
        ends = [place for each in self._stop if (place := text.find(each)) >= 0]
        if ends:
            self.is_over = True
            text, self._held_back = text[: min(ends)], ""
        else:
            n_kept = 0 if is_last else self._beginning_of_stop(text)
            text, self._held_back = text[: len(text) - n_kept], text[len(text) - n_kept :]
        self.all += text
        return text

    def _beginning_of_stop(self, text: str) -> int:
        """How many characters at the end could be the beginning of a stop text."""
        lengths = (n for each in self._stop for n in range(1, len(each)) if text.endswith(each[:n]))
        return max(lengths, default=0)
