"""Keys and tokens taken out of a document's text before anything else sees it.

Shapes that their makers document (a fixed prefix and an alphabet), key blocks, and what looks drawn at random behind a
name such as "APP_SECRET": a rule on such words alone would take passages out of ordinary documents.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from mixrag_cli.cleaning import REDACTED


@dataclass(frozen=True, slots=True)
class TokenShape:
    """A kind of secret. anchors: one of them is in every match, so that most texts are passed over fast.

    shape: the group "secret", where there is one, is all that is taken out; else the whole match is.
    """

    anchors: tuple[str, ...]
    shape: re.Pattern[str]


def _shape(anchors: str, expression: str) -> TokenShape:
    return TokenShape(tuple(anchors.split()), re.compile(expression))


_START = r"(?<![A-Za-z0-9_])"
_KEY_NAME = r"[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"

# A key block ends at its END line; without one, at the last line that looks like key material. The body is possessive
# and stops at the next run of dashes, so a text full of BEGIN lines costs no more than its length.
KEY_BLOCK = TokenShape(
    ("PRIVATE KEY",),
    re.compile(
        rf"-----BEGIN {_KEY_NAME}(?:(?:[^-]|-(?!----)){{0,32768}}+-----END {_KEY_NAME}"
        r"|(?:(?:\s|\\[nr]){0,4}+[A-Za-z0-9+/=]{16,512}+)*+)"
    ),
)

TOKEN_SHAPES = (
    KEY_BLOCK,
    _shape("PuTTY-User-Key-File", r"Private-Lines: \d+\s(?P<secret>[A-Za-z0-9+/=\s]{16,8192}+)"),
    _shape("AGE-SECRET-KEY-1", r"AGE-SECRET-KEY-1[A-Z0-9]{58}"),
    # Amazon: the key's number, and the key itself where its name stands before it
    _shape("AKIA ASIA ABIA ACCA", _START + r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}(?![A-Za-z0-9])"),
    _shape(
        "secret_access_key SECRET_ACCESS_KEY SecretAccessKey secretAccessKey",
        r"(?i:secret_?access_?key)[\"']?\s{0,4}[=:]\s{0,4}[\"']?(?P<secret>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+])",
    ),
    # code hosts and package registries
    _shape("ghp_ gho_ ghu_ ghs_ ghr_", _START + r"gh[pousr]_[A-Za-z0-9]{36,255}"),
    _shape("github_pat_", _START + r"github_pat_[A-Za-z0-9_]{22,255}"),
    _shape("glpat- gldt- glrt- glptt- glcbt-", _START + r"gl(?:pat|dt|rt|ptt|cbt)-[A-Za-z0-9_-]{20,255}"),
    _shape("npm_", _START + r"npm_[A-Za-z0-9]{36}(?![A-Za-z0-9])"),
    _shape("pypi-AgE", _START + r"pypi-AgE[A-Za-z0-9_-]{50,512}"),
    _shape("dckr_pat_", _START + r"dckr_pat_[A-Za-z0-9_-]{20,64}"),
    # messages
    _shape("xox", _START + r"xox[abeoprs]-(?:\d-)?[A-Za-z0-9-]{10,255}"),
    _shape("xapp-", _START + r"xapp-\d-[A-Za-z0-9-]{10,255}"),
    _shape("hooks.slack.com", r"hooks\.slack\.com/(?:services|workflows)/(?P<secret>[A-Za-z0-9/_+-]{20,255})"),
    _shape("discord", r"discord(?:app)?\.com/api/webhooks/(?P<secret>\d{5,30}/[A-Za-z0-9_-]{20,255})"),
    _shape(":AA", _START + r"\d{8,10}:AA[A-Za-z0-9_-]{32,34}(?![A-Za-z0-9_-])"),
    _shape("SG.", _START + r"SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{32,64}"),
    _shape("key-", _START + r"key-[0-9a-f]{32}(?![0-9a-z])"),
    # payment
    _shape(
        "sk_live_ rk_live_ sk_test_ rk_test_ whsec_", _START + r"(?:[sr]k_(?:live|test)_|whsec_)[A-Za-z0-9]{16,255}"
    ),
    _shape("sq0", _START + r"sq0(?:atp|csp)-[A-Za-z0-9_-]{22,64}"),
    # clouds
    _shape("AIza", _START + r"AIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])"),
    _shape("GOCSPX-", _START + r"GOCSPX-[A-Za-z0-9_-]{20,64}"),
    _shape("ya29.", _START + r"ya29\.[A-Za-z0-9_-]{20,2048}"),
    _shape("AccountKey=", r"AccountKey=(?P<secret>[A-Za-z0-9+/]{60,120}={0,2})"),
    _shape("dop_v1_ doo_v1_ dor_v1_", _START + r"do[opr]_v1_[0-9a-f]{64}"),
    _shape("hvs. hvb.", _START + r"hv[sb]\.[A-Za-z0-9_-]{24,512}"),
    # models
    _shape("sk-", _START + r"sk-(?:ant|proj|svcacct|admin|or)-[A-Za-z0-9_-]{20,255}"),
    _shape("sk-", _START + r"sk-[A-Za-z0-9]{32,255}(?![A-Za-z0-9-])"),
    _shape("hf_", _START + r"hf_[A-Za-z0-9]{30,64}(?![A-Za-z0-9])"),
    # signed web tokens, and the password in an address
    _shape("eyJ", _START + r"eyJ[A-Za-z0-9_-]{10,4096}\.eyJ[A-Za-z0-9_-]{10,4096}\.[A-Za-z0-9_-]{10,4096}"),
    _shape("://", r"(?<=://)[A-Za-z0-9._~%+-]{0,64}:(?P<secret>[^\s:/@\"'<>{}$\[\]]{3,128})@(?=[A-Za-z0-9\[])"),
)

# What may be drawn at random: hex digits or base64. No address of a chain ("0x…"), no call, no part of a path or word.
_DRAWN = re.compile(
    r"(?<![A-Za-z0-9+/_.-])(?!0x)(?P<drawn>[A-Za-z0-9+/_-]{20,512}+)={0,2}+(?![A-Za-z0-9+/_=(\[-]|\.\w)"
)
_HEX = re.compile(r"[0-9a-f]+|[0-9A-F]+")
_SMALL_RUN = re.compile(r"[a-z]{3,}")
_CREDENTIAL = (
    r"(?:secret|token|passw(?:or)?d|passphrase|pwd"
    r"|(?:api|app|access|private|encrypt(?:ion)?|signing|auth|master)[_ .-]?key)"
)
# The name before it, with what stands between: "X=", "x: '", '"x" => "', "<x>", "x | ", 'key="x" value="'.
_NAMED = re.compile(
    rf"(?i:{_CREDENTIAL})s?[\w.-]{{0,24}}\\?[\"'`\])]{{0,3}}\s{{0,8}}"
    r"(?:=>|:=|[=:>|,\t]|\bvalue\s?=)\s{0,8}(?:\\?[\"'`])?(?:base64:)?$"
)
MIN_DRAWN = 20
NAME_CHARS = 100  # before a value, in which its name is sought
MIN_HEX_BITS = 3.0  # Shannon's entropy a character: of 32 random hex digits 3.6 on average; detect-secrets' own limit
MIN_BASE64_BITS = 3.5  # of 20 random characters 4.1; gitleaks' limit for a key behind a name
MAX_WORDS = 0.5  # of its characters, in runs of three and more small letters: .14 in random ones, .6 in "authTokenName"


def looks_drawn(text: str) -> bool:
    """Whether 20 and more characters look drawn at random: hex digits, or base64 of small, capital and digits."""
    plain = text.rstrip("=")
    counts = Counter(plain)
    bits = -sum(count / len(plain) * math.log2(count / len(plain)) for count in counts.values())
    has_digit, has_letter = any(map(str.isdigit, plain)), any(map(str.isalpha, plain))
    if _HEX.fullmatch(plain):
        return has_digit and has_letter and bits >= MIN_HEX_BITS
    in_words = sum(map(len, _SMALL_RUN.findall(plain)))
    is_mixed = has_digit and not plain.islower() and not plain.isupper()
    return is_mixed and bits >= MIN_BASE64_BITS and in_words < MAX_WORDS * len(plain)


def _named_secrets(text: str) -> Iterator[tuple[int, int]]:
    """The places of what looks drawn at random behind a credential's name."""
    for found in _DRAWN.finditer(text):
        start = found.start()
        if looks_drawn(found["drawn"]) and _NAMED.search(text[max(0, start - NAME_CHARS) : start]):
            yield found.span()


def is_named_secret(name: str, value: str) -> bool:
    """Whether a text by itself, such as a cell, looks drawn at random and its name is a credential's."""
    if len(value) < MIN_DRAWN or (len(value.split()) > 1 and not any(anchor in value for anchor in KEY_BLOCK.anchors)):
        return False  # of all kinds only a key's block holds blanks
    return find_secrets(f"{name}={value}") == [(len(name) + 1, len(name) + 1 + len(value))]


def find_secrets(text: str) -> list[tuple[int, int]]:
    """The places [start, end) of every known kind of secret, in order, without overlap."""
    places = []
    for kind in TOKEN_SHAPES:
        if any(anchor in text for anchor in kind.anchors):
            group = "secret" if "secret" in kind.shape.groupindex else 0
            places += [found.span(group) for found in kind.shape.finditer(text)]
    places += _named_secrets(text)
    merged: list[tuple[int, int]] = []
    for start, end in sorted(places):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def redact_secrets(text: str) -> tuple[str, int]:
    """The text with every known kind of secret replaced by "[secret removed]", and how many there were.

    Line feeds inside a secret are kept after the mark, so that line numbers stay right. Idempotent.
    """
    places = find_secrets(text)
    parts, done = [], 0
    for start, end in places:
        parts += [text[done:start], REDACTED, "\n" * text.count("\n", start, end)]
        done = end
    return "".join((*parts, text[done:])), len(places)
