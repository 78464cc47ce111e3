"""The options that commands share, declared once, and what a command knows of the caller's wishes."""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from mixrag_cli.commands.named import only_one, split_names, store_named
from mixrag_cli.errors import MixragError, WrongUsage
from mixrag_cli.output.streams import write_error, write_json, write_note

if TYPE_CHECKING:
    from mixrag_cli.output.console import Console
    from mixrag_cli.output.progress import RunView
    from mixrag_cli.settings import Settings
    from mixrag_cli.stories.scope import Scope


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
        help="The least grade that counts as an answer: answered; or likely: the first candidate is given as the "
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
        """The collections that are meant, none where the index is found in another way."""
        return split_names(self.collection)

    def settings(self, *, may_be_new: bool = False, may_be_several: bool = False, **flags: Any) -> Settings:
        """The settings of this run; a flag may be a text or a name out of a fixed list.

        may_be_new: a collection that is not known gets a store. may_be_several: of several collections none is the
        store. Raises WrongUsage, NoIndex for a collection that is not known.
        """
        from mixrag_cli.settings import load_settings

        plain = {name: flag.value if isinstance(flag, StrEnum) else flag for name, flag in flags.items()}
        store: Path | str | None = self.store
        if self.names:
            if store is not None:
                raise WrongUsage("--store and --collection both name an index", "one of the two")
            if not may_be_several or len(self.names) == 1:
                store = store_named(only_one(self.names), may_be_new=may_be_new)
        elif self.collection:
            raise WrongUsage("--collection needs a name", "mixrag collections")
        return load_settings({"store": store, **plain})

    def note(self, message: str) -> None:
        """One line on stderr, unless the caller wants quiet."""
        if not self.quiet:
            write_note(message)

    def tell(self, error: MixragError) -> None:
        """An error on stderr, and with --json as an object too, for a run that goes on after it."""
        write_error(error.message, error.hint)
        if self.json:
            from mixrag_cli.output.payloads import error_to_json

            write_json(error_to_json(error))

    def console(self) -> Console:
        """Where what is for people is printed."""
        from mixrag_cli.output.console import make_console

        return make_console(color=self.color.value)

    def watch_run(self) -> RunView:
        """Who watches work that takes its time: bars, notes, or nobody."""
        from mixrag_cli.output.progress import watch_run

        return watch_run(quiet=self.quiet, color=self.color.value)


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

    @property
    def scope(self) -> Scope:
        """The restriction that the filters mean together. Raises WrongUsage for a moment that is none."""
        from mixrag_cli.commands.moments import moment_ns
        from mixrag_cli.stories.scope import Scope

        return Scope(
            paths=tuple(self.path or ()),
            modalities=tuple(each.value for each in self.modality or ()),
            kinds=tuple(each.value for each in self.kind or ()),
            languages=tuple(self.language or ()),
            since_ns=moment_ns(self.since) if self.since is not None else None,
        )


def command(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function as a command: a parameter whose type is a dataclass of options stands for these, in its place.

    Every command has a parameter ``face``, after its own.
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
        return function(**values, **grouped)

    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {each.name: each.annotation for each in parameters}
    return run


def _options_of(group: type[Any]) -> Iterator[inspect.Parameter]:
    hints = get_type_hints(group, include_extras=True)
    for each in fields(group):
        yield inspect.Parameter(
            each.name, inspect.Parameter.KEYWORD_ONLY, default=each.default, annotation=hints[each.name]
        )


def read_question(words: Sequence[str], what: str) -> str:
    """The words joined; a lone "-" reads stdin. Cleaned, as it is printed again.

    Raises WrongUsage when it is empty or longer than MAX_QUESTION_CHARACTERS.
    """
    from mixrag_cli.cleaning import safe_text
    from mixrag_cli.settings import MAX_QUESTION_CHARACTERS

    text = _read_stdin(MAX_QUESTION_CHARACTERS) if list(words) == ["-"] else " ".join(words)
    text = safe_text(text).strip()
    if not text:
        raise WrongUsage(f"the {what} is empty", "mixrag ask How many days of leave are there?")
    if len(text) > MAX_QUESTION_CHARACTERS:
        raise WrongUsage(f"the {what} has {len(text):,} characters; at most {MAX_QUESTION_CHARACTERS:,} are read")
    return text


def _read_stdin(characters: int) -> str:
    """What stdin holds, as far as a question can use it: a little beyond the limit, so that too long is noticed."""
    buffer = getattr(sys.stdin, "buffer", None)
    if buffer is None:
        return ""
    raw: bytes = buffer.read(4 * characters + 4)
    return raw.decode("utf-8", "replace")


def ensure_folders(*files: Path | None) -> None:
    """Raise WrongUsage for a file to write whose folder is not there: before the work, not after it."""
    for file in files:
        if file is not None and not file.absolute().parent.is_dir():
            raise WrongUsage(f"{file}: no such folder")


def confirm(what: str, *, yes: bool) -> None:
    """Ask before something is removed. Raises WrongUsage where nobody can be asked, typer.Exit(1) on a no."""
    if yes:
        return
    if not (_is_terminal(sys.stdin) and _is_terminal(sys.stderr)):
        raise WrongUsage(f"{what}: not done without being asked to", "the same command with --yes")
    print(f"mixrag: {what}; go on? [y/N] ", end="", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise typer.Exit(1)


def _is_terminal(stream: Any) -> bool:
    try:
        return bool(stream and stream.isatty())
    except ValueError:
        return False
