"""Components inside markdown (MDX): what their tags say to a reader, which stands in attributes.

<Accordion title="Is it free?">                  Is it free?
<ParamField path="PORT" type="int" default="80"> PORT (type: int, default: 80)

HTML's own elements say nothing so: a component's name begins with a capital letter and goes on with a small one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import unescape

from mixrag_cli.readers.facts.collecting import FactCollector

MAX_TAG_CHARS = 4_000
MAX_TAG_LINES = 40
_TEXT = r"\"[^\"]*\"|'[^']*'"
_BRACES = r"\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}"
COMPONENT = re.compile(rf"<[A-Z]\w*[a-z][\w.]*+(?P<attributes>(?:\s(?:{_TEXT}|{_BRACES}|[^<>\"'{{}}])*+)?)/?>")
ATTRIBUTE = re.compile(
    rf"{_BRACES}|"  # {{...rest}}: what the page hands on
    rf"(?P<key>[A-Za-z_][\w:.\-]*)(?:\s*=\s*(?:(?P<text>{_TEXT})|\{{\s*(?P<held>{_TEXT}|`[^`$]*`|-?[\d.]+|true|false)\s*\}}"
    rf"|(?P<other>{_BRACES}|[^\s\"'{{}}>]+)))?"
)
OPENS_TAG = re.compile(r"[ \t]*(?=<[A-Z]\w*[a-z][\w.]*(?:[ \t]|$))")
FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")
FIELD_KEYS = ("path", "query", "body", "header", "param", "prop")  # name a field of their own
NAMING_KEYS = (*FIELD_KEYS, "name", "title", "label", "heading", "summary", "text")  # what the component is about
DEFAULT_KEYS = ("default", "defaultValue", "initialValue")
# These say how it looks or where it leads, and stand for no text on the page.
_LOOKS = (
    "icon iconType iconPosition class className style id key ref color colour theme variant size cols columns width "
    "height align horizontal lang language slot emoji open defaultOpen"
)
_LEADS = "href to src srcSet url link img image imageSrc target rel groupId queryString value values"
UNSHOWN = frozenset(f"{_LOOKS} {_LEADS}".split())


@dataclass(frozen=True, slots=True)
class Component:
    """An opening tag. name: what it is about, "" where it does not say. said: its other attributes in order."""

    name: str
    is_field: bool
    said: tuple[tuple[str, str], ...]

    @property
    def text(self) -> str:
        """What the tag says in one line."""
        told = [(key, value) for key, value in self.said if self.name or key != "type"]  # of a box: its looks
        rest = ", ".join(f"{key}: {value}" if value else key for key, value in told)
        return f"{self.name} ({rest})" if self.name and rest else self.name or rest


def join_tags(text: str) -> str:
    """The text with each component's tag that goes over lines on the last of them; code between fences as it is.

    Markdown takes such a tag for a paragraph, and the ">" that ends it for a quote.
    """
    if "\n" not in text or "<" not in text:
        return text
    lines = text.split("\n")
    fence, number = "", 0
    while number < len(lines):
        line = lines[number]
        if mark := FENCE.match(line):
            fence = mark[1] if not fence else "" if mark[1].startswith(fence) else fence
        elif not fence and (opens := OPENS_TAG.match(line)):
            whole = "\n".join(lines[number : number + MAX_TAG_LINES])
            found = COMPONENT.match(whole[: opens.end() + MAX_TAG_CHARS], opens.end())
            if found and (n_more := found[0].count("\n")):
                ends = number + n_more
                behind = lines[ends][found.end() - whole.rfind("\n", 0, found.end()) - 1 :]
                lines[number : ends + 1] = [""] * n_more + [found[0].replace("\n", " ") + behind]
                number = ends
        number += 1
    return "\n".join(lines)


def read_component(tag: str) -> Component | None:
    """What the tag that a text begins with says; None where it is none of a component."""
    found = COMPONENT.match(tag[:MAX_TAG_CHARS])
    if found is None:
        return None
    said: dict[str, str] = {}
    for each in ATTRIBUTE.finditer(found["attributes"]):
        written = each["text"] or each["held"] or ""
        value = written if written[:1] not in ("'", '"', "`") else unescape(" ".join(written[1:-1].split()))
        if each["key"] and each["key"] not in UNSHOWN and not each["other"] and (value or not written):
            said.setdefault(each["key"], value)
    naming = next((key for key in NAMING_KEYS if said.get(key)), "")
    is_field = naming in FIELD_KEYS or (naming == "name" and any(key in said for key in (*DEFAULT_KEYS, "type")))
    name = said.pop(naming, "")
    return Component(name, is_field, tuple(said.items()))


def collect_field(
    collector: FactCollector, component: Component, headings: tuple[str, ...], line: int, help_text: str
) -> None:
    """Collect what a component documents: a field with its default and type, and what stands in it."""
    if not component.is_field:
        return
    said = dict(component.said)
    default = next((said[key] for key in DEFAULT_KEYS if key in said), "")
    values = (("default", default, line), ("type", said.get("type", ""), line), ("help", help_text, line))
    collector.add((*headings, component.name), "option", *values)  # type: ignore[arg-type]
