"""A model's text without what could send a reader, or a program that renders it, somewhere else.

![alt](address)          alt                    https://x.example/a     hxxps://x[.]example/a
[words](address)         words                  <img src=…>             nothing
[3], [s2], (source: s1)  nothing: citations are set by mixrag, after it has checked them
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from mixrag_cli.cleaning import safe_text

_IMAGE_OR_LINK = re.compile(r"!?\[([^\[\]]{0,500})\]\s?\([^()\s]{0,2000}(?:\s+[\"'][^\"']{0,300}[\"'])?\s*\)?")
_REFERENCE_LINK = re.compile(r"!?\[([^\[\]]{1,500})\]\[[^\[\]]{0,100}\]|^\s*\[[^\[\]]{1,100}\]:\s*\S+.*$", re.MULTILINE)
_TAG = re.compile(r"</?[A-Za-z!][^<>]{0,2000}>|<\w+\s[^<>]{0,500}(?:src|href|on\w+)\s*=[^<>]{0,2000}", re.IGNORECASE)
_CITATION = re.compile(
    r"\s?[\[(【]\s*(?:sources?\s*:?\s*)?(?:[se]?\d{1,3}\s*(?:[,;]\s*[se]?\d{1,3}\s*)*)[\])】](?!\s*\()", re.I
)
_BARE_NUMBER = re.compile(r"\s?\(\s*\d")
_ADDRESS = re.compile(
    r"\b(?P<scheme>https?|ftps?|wss?|file|data|javascript|mailto)(?P<colon>:)(?P<rest>[^\s<>\"')\]]*)", re.IGNORECASE
)
_HOST = re.compile(r"\bwww\.[^\s<>\"')\]]+", re.IGNORECASE)
_DEFANGED = {"http": "hxxp", "https": "hxxps"}


def defang(text: str, quoted: Sequence[str] = ()) -> str:
    """The text with links, images, tags and citation marks gone and addresses made unusable.

    Example: defang("See ![x](http://a.b/?q=1) [s1] http://a.b") -> "See x hxxp://a[.]b".
    quoted: verified quotes; an address that one of them holds stays, since it is what the document says.
    """
    text = safe_text(text)
    text = _CITATION.sub(lambda found: found.group() if _is_own(found.group(), quoted) else "", text)
    before = ""
    while before != text:  # a tag inside a tag leaves a tag
        before = text
        text = _IMAGE_OR_LINK.sub(r"\1", text)
        text = _REFERENCE_LINK.sub(lambda found: found[1] or "", text)
        text = _TAG.sub("", text)
    text = _ADDRESS.sub(lambda found: found.group() if _is_quoted(found.group(), quoted) else _unusable(found), text)
    text = _HOST.sub(
        lambda found: found.group() if _is_quoted(found.group(), quoted) else _dotless(found.group()), text
    )
    return text.strip()


def _is_own(mark: str, quoted: Sequence[str]) -> bool:
    """Whether what looks like a citation is a number in parentheses, or stands in a quote ("args[0]")."""
    return _BARE_NUMBER.match(mark) is not None or _is_quoted(mark.strip(), quoted)


def _unusable(found: re.Match[str]) -> str:
    scheme = found["scheme"].lower()
    return f"{_DEFANGED.get(scheme, 'x' + scheme)}:{_dotless(found['rest'])}"


def _dotless(address: str) -> str:
    host, slash, path = address.removeprefix("//").partition("/")
    return ("//" if address.startswith("//") else "") + host.replace(".", "[.]") + slash + path


def _is_quoted(address: str, quoted: Sequence[str]) -> bool:
    return any(address.rstrip(".,;") in text for text in quoted)
