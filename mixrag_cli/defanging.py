"""A model's text without what could send a reader, or a program that renders it, somewhere else.

![alt](address)          alt                    https://x.example/a     https[:]//x[.]example/a
[words](address)         words                  <img src=…>             nothing
[3], [s2], (source: s1)  nothing: citations are set by mixrag, after it has checked them
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from mixrag_cli.cleaning import safe_text

# The lengths bound what a hostile text costs. A plain number in parentheses is no citation.
_UNSAFE = re.compile(
    r"""(?P<mark>\s?(?!\(\s*\d)[\[(【]\s*(?:sources?\s*:?\s*)?[se]?\d{1,3}(?:\s*[,;]\s*[se]?\d{1,3})*\s*[\])】](?![(:]))
    |^\s*\[[^\[\]]{1,100}\]:\s*\S.*$                                                           # where a link leads
    |!?\[(?P<words>[^\[\]]{0,500})\](?:\s?\([^()]{0,2000}\)?|\[[^\[\]]{0,100}\])              # a link or an image
    |</?[A-Za-z!][^<>]{0,2000}>|<\w+\s[^<>]{0,500}=[^<>]{0,2000}                                # a tag, closed or not
    |(?P<address>\b(?:(?:https?|ftps?|wss?|file|data|javascript|mailto):|www\.)[^\s<>"')\]]*)""",
    re.IGNORECASE | re.MULTILINE | re.VERBOSE,
)


def defang(text: str, quoted: Sequence[str] = ()) -> str:
    """The text with links, images, tags and citation marks gone and addresses made unusable.

    Example: defang("See ![x](http://a.b/?q=1) [s1] http://a.b") -> "See x http[:]//a[.]b".
    quoted: verified quotes; an address or a mark ("args[0]") that one of them holds stays: the document says it.
    """

    def harmless(found: re.Match[str]) -> str:
        said = (found["mark"] or found["address"] or "").strip().rstrip(".,;")
        if said and any(said in quote for quote in quoted):
            return found.group()
        address = (found["address"] or "").replace(":", "[:]", 1).replace(".", "[.]")
        return address or found["words"] or ""

    text, before = safe_text(text), ""
    while before != text:  # a tag inside a tag leaves a tag
        before, text = text, _UNSAFE.sub(harmless, text)
    return text.strip()
