"""Python files that questions are drawn from, and identifiers as words. What is measured on is left out."""

from __future__ import annotations

import random
import re
import sysconfig
from collections.abc import Iterator
from pathlib import Path

FOLDERS = ("email", "http", "json", "logging", "unittest", "xml", "asyncio", "importlib", "multiprocessing")
PACKAGES = (
    "aiohttp",
    "anyio",
    "attr",
    "fastapi",
    "filelock",
    "fsspec",
    "hypothesis",
    "joblib",
    "jsonschema",
    "networkx",
    "numpy",
    "openpyxl",
    "packaging",
    "pathspec",
    "pdfplumber",
    "platformdirs",
    "prompt_toolkit",
    "pydantic",
    "pydantic_settings",
    "pygments",
    "_pytest",
    "referencing",
    "reportlab",
    "scipy",
    "sentence_transformers",
    "setuptools",
    "sklearn",
    "sortedcontainers",
    "starlette",
    "torch",
    "transformers",
    "urllib3",
    "uvicorn",
    "xlwt",
    "yaml",
)
# Their files, or their documentation, are in what the product is measured on.
MEASURED = ("requests", "flask", "click", "typer", "tqdm", "jinja2", "httpx", "httpx2", "httpcore2", "mixrag", "pip")
FILES_A_PACKAGE = 12
FILE_BYTES = (2_000, 80_000)
SPLIT = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|_+|(?<=[A-Z])(?=[A-Z][a-z])")


def installed_packages() -> Path:
    """The folder of this Python's packages."""
    return Path(sysconfig.get_path("purelib"))


def python_files(rng: random.Random) -> Iterator[Path]:
    """Modules of the standard library, and some of each package."""
    library, packages = Path(sysconfig.get_path("stdlib")), installed_packages()
    yield from sorted(path for path in library.glob("*.py") if not path.name.startswith("_"))
    for folder in FOLDERS:
        yield from sorted((library / folder).glob("*.py"))
    least, most = FILE_BYTES
    for name in PACKAGES:
        files = sorted(path for path in (packages / name).rglob("*.py") if least < path.stat().st_size < most)
        files = [path for path in files if "test" not in str(path.relative_to(packages))]
        yield from rng.sample(files, min(FILES_A_PACKAGE, len(files)))


def split_name(name: str) -> str:
    """An identifier as words: "maxRetryCount" -> "max retry count"."""
    return " ".join(part.lower() for part in SPLIT.split(name.strip("_-")) if part).replace("-", " ")
