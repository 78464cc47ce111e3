"""A report as one HTML page: its frame, its tables, its look.

A page loads nothing and runs nothing; its policy says so to the browser. Every string that goes in is escaped here or
by escaped().
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence

from mixrag_cli.cleaning import safe_text

POLICY = "default-src 'none'; style-src 'unsafe-inline'"
STYLE = """
body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#222;background:#fff}
h1{font-size:1.5rem}h2{font-size:1.15rem;margin-top:2.2rem}
table{border-collapse:collapse;font-variant-numeric:tabular-nums;display:block;overflow-x:auto}
th,td{padding:.25rem .8rem .25rem 0;text-align:right;border-bottom:1px solid #e4e4e4;white-space:nowrap}
th:first-child,td:first-child{text-align:left}td:last-child{text-align:left}
.dim{color:#777}svg{max-width:100%;height:auto;display:block}
text{font:13px system-ui,sans-serif;fill:#222}.axis{stroke:#bbb}.zero{stroke:#999;stroke-dasharray:3 3}
.bar{stroke:#2b6cb0;stroke-width:2}.dot{fill:#2b6cb0}.weak .bar{stroke:#9aa5b1}.weak .dot{fill:#9aa5b1}
.hits{fill:#2b6cb0}.rest{fill:#b0b7bf}.cut{stroke:#c53030;stroke-width:2}.was{stroke:#c53030;stroke-dasharray:4 4}
@media(prefers-color-scheme:dark){body{background:#16181d;color:#ddd}text{fill:#ddd}th,td{border-color:#333}}
"""
SVG_WIDTH = 760


def html_page(title: str, parts: Iterable[str]) -> str:
    """The whole page. parts: finished HTML."""
    return "\n".join(
        [
            "<!DOCTYPE html>",
            '<html lang="en"><head><meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{escaped(title)}</title><style>{STYLE}</style></head><body>",
            f"<h1>{escaped(title)}</h1>",
            *parts,
            "</body></html>",
            "",
        ]
    )


def html_table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of plain texts."""
    head = "".join(f"<th>{escaped(each)}</th>" for each in heads)
    body = "".join("<tr>" + "".join(f"<td>{escaped(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><tr>{head}</tr>{body}</table>"


def escaped(text: str) -> str:
    """A text as it may stand in a page, cleaned."""
    return html.escape(safe_text(text, keep_newlines=False))
