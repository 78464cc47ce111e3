"""The programming languages by name, each with the suffixes of its files; for those who want one language alone."""

from __future__ import annotations

LANGUAGES = {
    "python": "py pyi pyw",
    "javascript": "js mjs cjs jsx",
    "typescript": "ts mts cts tsx",
    "go": "go",
    "rust": "rs",
    "java": "java",
    "c": "c h",
    "cpp": "cc cpp cxx hpp hh hxx h",
    "csharp": "cs",
    "ruby": "rb",
    "php": "php",
    "bash": "sh bash",
    "kotlin": "kt kts",
    "swift": "swift",
    "scala": "scala",
    "lua": "lua",
    "perl": "pl pm",
    "r": "r",
    "julia": "jl",
    "objective-c": "m mm",
    "dart": "dart",
    "elixir": "ex exs",
    "erlang": "erl hrl",
    "haskell": "hs",
    "clojure": "clj cljs",
    "groovy": "groovy gradle",
    "powershell": "ps1",
    "zsh": "zsh",
    "fish": "fish",
    "vue": "vue",
    "svelte": "svelte",
    "protobuf": "proto",
    "flatbuffers": "fbs",
    "thrift": "thrift",
    "graphql": "graphql",
    "terraform": "tf hcl",
    "cmake": "cmake",
    "make": "mk",
    "docker": "dockerfile containerfile",
    "solidity": "sol",
    "zig": "zig",
    "nim": "nim",
    "sql": "sql",
    "json": "json",
    "toml": "toml",
    "yaml": "yaml yml",
}
OTHER_NAMES = {"c++": "cpp", "c#": "csharp", "golang": "go", "shell": "bash", "objc": "objective-c"}


def suffixes_of(language: str) -> frozenset[str]:
    """The suffixes of a language's files, none where the name is unknown. A suffix stands for itself.

    Example: suffixes_of("C#") -> {"cs"}; suffixes_of(".py") -> {"py"}; suffixes_of("klingon") -> {}
    """
    name = language.casefold()
    known = LANGUAGES.get(OTHER_NAMES.get(name, name))
    if known is not None:
        return frozenset(known.split())
    suffix = name.removeprefix(".")
    return frozenset({suffix} if any(suffix in each.split() for each in LANGUAGES.values()) else ())
