"""The options that commands share, declared once, and what makes a command of a declaration."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, is_dataclass
from enum import StrEnum
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from mixrag_cli.output.streams import write_note


class Color(StrEnum):
    """When to write colours and links."""

    auto = "auto"
    always = "always"
    never = "never"


class ModalityName(StrEnum):
    """The kinds of documents that a question can be restricted to."""

    pdf = "pdf"
    markdown = "markdown"
    code = "code"
    sheet = "sheet"
    html = "html"
    notebook = "notebook"
    text = "text"
    document = "document"
    slides = "slides"
    mail = "mail"
    image = "image"


class KindName(StrEnum):
    """The kinds of passages that a question can be restricted to."""

    prose = "prose"
    code = "code"
    table = "table"
    row = "row"


class StrategyName(StrEnum):
    """The ways to ask a generator."""

    recap = "recap"
    direct = "direct"
    cot = "cot"
    eedp = "eedp"
    pot = "pot"


class SummaryForm(StrEnum):
    """How full the summaries of tables are."""

    none = "none"
    short = "short"
    long = "long"


class ExpansionName(StrEnum):
    """The ways in which a generator widens a question before the search."""

    none = "none"
    hyde = "hyde"
    step_back = "step-back"
    modality_hyde = "modality-hyde"
    rephrase = "rephrase"
    query_to_document = "query-to-document"


class AcceptName(StrEnum):
    """The least grade that counts as an answer."""

    answered = "answered"
    likely = "likely"


def _names(kinds: type[StrEnum]) -> str:
    return ", ".join(kinds)


PathFilter = Annotated[
    list[str] | None,
    typer.Option("--path", metavar="GLOB", help="Only files under this path, or matching this glob; may be repeated."),
]
ModalityFilter = Annotated[
    list[ModalityName] | None,
    typer.Option("--modality", metavar="KIND", help=f"Only documents of this kind: {_names(ModalityName)}."),
]
KindFilter = Annotated[
    list[KindName] | None,
    typer.Option("--kind", metavar="KIND", help=f"Only passages of this kind: {_names(KindName)}."),
]
LanguageFilter = Annotated[
    list[str] | None,
    typer.Option("--language", metavar="NAME", help="Only code in this language: python, rust, sql, …, or a suffix."),
]
SinceFilter = Annotated[
    str | None,
    typer.Option(
        "--since",
        "--modified",
        metavar="WHEN",
        help="Only files changed since then: a date such as 2025-03-31, or an age such as 12h, 7d, 2w, 1y.",
    ),
]
FileOption = Annotated[
    list[Path] | None,
    typer.Option("--file", metavar="FILE", help="Read this file now instead of any index; may be repeated."),
]
RerankOption = Annotated[
    str | None,
    typer.Option(
        "--rerank",
        metavar="METHOD",
        help="How the best passages are reranked: late, none, llm, or a CrossEncoder by name.",
    ),
]
GeneratorOption = Annotated[
    str | None,
    typer.Option(
        "--generator",
        metavar="MODEL",
        help="The model that answers: a GGUF file, a name from models list, or a server.",
    ),
]
StrategyOption = Annotated[
    StrategyName | None,
    typer.Option("--strategy", metavar="NAME", help=f"How the model is asked: {_names(StrategyName)}."),
]
ExpandOption = Annotated[
    ExpansionName | None,
    typer.Option("--expand", metavar="METHOD", help=f"How the model widens the search: {_names(ExpansionName)}."),
]
SummariesOption = Annotated[
    SummaryForm | None,
    typer.Option("--summaries", metavar="FORM", help=f"Let the model summarise tables: {_names(SummaryForm)}."),
]
AcceptOption = Annotated[
    AcceptName,
    typer.Option(
        "--accept",
        metavar="GRADE",
        help="The least grade that counts as an answer: answered; or likely: the best guess is given as the "
        "answer, the status stays likely, and the exit code is 0.",
    ),
]
SyncOption = Annotated[bool, typer.Option("--sync", help="First bring the files that have changed into the index.")]
YesOption = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask before something is removed.")]


@dataclass(frozen=True, slots=True)
class Face:
    """How the caller wants to be answered."""

    json: Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")] = False
    store: Annotated[
        str | None,
        typer.Option(
            "--store",
            metavar="DIR",
            help="The index to use, instead of the one found from here upward; or the address of a published one.",
        ),
    ] = None
    collection: Annotated[
        list[str] | None,
        typer.Option("--collection", metavar="NAME", help="The index of this name; see mixrag collections."),
    ] = None
    color: Annotated[Color, typer.Option("--color", help="When to use colours and links.")] = Color.auto
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress and no notes on stderr.")] = False
    debug: Annotated[bool, typer.Option("--debug", help="Show a traceback where there is one.")] = False

    @property
    def names(self) -> tuple[str, ...]:
        """The collections that are meant, each once, none where the index is found in another way.

        --collection a,b and --collection a --collection b are the same.
        """
        names = (name.strip() for each in self.collection or () for name in each.split(","))
        return tuple(dict.fromkeys(name for name in names if name))

    def note(self, message: str) -> None:
        """One line on stderr, unless the caller wants quiet."""
        if not self.quiet:
            write_note(message)


@dataclass(frozen=True, slots=True)
class Search:
    """Where and how the passages for a question are searched."""

    path: PathFilter = None
    modality: ModalityFilter = None
    kind: KindFilter = None
    language: LanguageFilter = None
    since: SinceFilter = None
    file: FileOption = None
    rerank: RerankOption = None
    sync: SyncOption = False


def command(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function as a command: a parameter whose type is a dataclass of options stands for these, in its place.

    The function only declares: its parameters are what can be typed, its docstring is the help. What the command does
    is the function of its name in the module of its name in ``mixrag_cli/actions/``, which is imported when it runs.
    """
    parameters: list[inspect.Parameter] = []
    groups: dict[str, tuple[Callable[..., Any], list[str]]] = {}
    for each in inspect.signature(function, eval_str=True).parameters.values():
        group = each.annotation
        options = [each]
        if isinstance(group, type) and is_dataclass(group):
            options = list(_options_of(group))
            groups[each.name] = (group, [option.name for option in options])
        parameters += [option.replace(kind=inspect.Parameter.KEYWORD_ONLY) for option in options]

    @functools.wraps(function)
    def run(**values: Any) -> Any:
        grouped = {
            name: make(**{option: values.pop(option) for option in options}) for name, (make, options) in groups.items()
        }
        action = import_module(function.__module__.replace(".commands.", ".actions."))
        return getattr(action, function.__name__)(**values, **grouped)

    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {each.name: each.annotation for each in parameters}
    return run


def _options_of(group: type[Any]) -> Iterator[inspect.Parameter]:
    hints = get_type_hints(group, include_extras=True)
    for each in fields(group):
        yield inspect.Parameter(
            each.name, inspect.Parameter.KEYWORD_ONLY, default=each.default, annotation=hints[each.name]
        )
