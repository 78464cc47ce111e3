"""What people call a file by its kind: "the Rust parser", "the Go client", "the notebook".

No passage of such a file says the name of its language, so it is said around each of them.
"""

from __future__ import annotations

_KINDS = {
    "py pyi": "Python",
    "js jsx mjs cjs": "JavaScript JS Node",
    "ts tsx mts cts": "TypeScript TS",
    "go": "Go golang",
    "rs": "Rust",
    "rb": "Ruby",
    "java": "Java",
    "kt kts": "Kotlin",
    "c h": "C",
    "cc cpp cxx hpp hh": "C++ CPP",
    "cs": "C# CSharp",
    "php": "PHP",
    "swift": "Swift",
    "scala": "Scala",
    "sh bash": "shell Bash",
    "lua": "Lua",
    "ipynb": "notebook Jupyter",
}
_NAMES = {suffix: names for suffixes, names in _KINDS.items() for suffix in suffixes.split()}


def kind_of_file(path: str) -> str:
    """What people call a file with that suffix, "" where they have no word for it.

    Example: kind_of_file("src/clock.rs") -> "Rust".
    """
    return _NAMES.get(path.rpartition(".")[2].lower(), "")
