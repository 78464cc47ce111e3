"""One frozen Settings, resolved once: flag over environment over the user's config.toml over defaults.

A settings file inside an indexed folder is never read: a folder from a stranger must not steer the program.
"""

from __future__ import annotations

import difflib
import json
import os
import re
import stat
import tempfile
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

import platformdirs

from mixrag_cli.errors import MixragError, WrongUsage, reason_of

ENVIRONMENT_PREFIX = "MIXRAG_"
# Variables of ours that are no settings: a server's key, where things lie, and where the crash tests stop the program.
OTHER_VARIABLES = frozenset({"API_KEY", "CONFIG_DIR", "CACHE_DIR", "STATE_DIR", "DATA_DIR", "FAILPOINT"})
NO_PIPELINE = "none"  # of the setting nlp
CONFIG_FILE_NAME = "config.toml"
IGNORED_FILE_NAMES = ("mixrag.toml", ".mixrag.toml", ".mixrag/config.toml")
MAX_CONFIG_BYTES = 1_000_000
MAX_QUESTION_CHARACTERS = 8_000

# Inclusive. Low ends are what the program needs to work at all, high ends what no machine sensibly exceeds.
BOUNDS: Mapping[str, tuple[int, int]] = {
    "threads": (0, 1024),
    "workers": (0, 256),
    "passage_tokens": (0, 1_000_000),
    "embedder_window": (0, 1_000_000),
    "words_candidates": (1, 10_000),
    "meaning_candidates": (1, 10_000),
    "rerank_candidates": (1, 1_000),
    "accept_precision": (0, 99),
    "passages_a_file": (0, 10_000),
    "context_tokens": (512, 1_000_000),
    "answer_tokens": (16, 100_000),
    "generator_seconds": (1, 86_400),
    "generator_requests": (1, 64),
    "gpu_layers": (-1, 10_000),
    "seed": (0, 2**31 - 1),
    "summary_tokens": (0, 1_000_000_000),
    "summary_minutes": (0, 100_000),
    "serve_minutes": (1, 100_000),
    "max_file_mb": (1, 100_000),
    "max_text_file_mb": (1, 100_000),
    "worker_memory_mb": (256, 1_000_000),
    "worker_silence_s": (1, 3_600),
    "worker_total_s": (1, 86_400),
    "worker_cpu_s": (1, 86_400),
}
USUAL_SOURCES = ("words", "meaning", "rerank", "phrase", "header", "title")
# Each is the module of its name in retrieval/sources, and explained in docs/guide.md, "Measure".
EXTRA_SOURCES = ("summary", "levels", "graph", "hops", "refined", "tiers")
MOST_WEIGHT = 100  # of a source: beyond it nothing else counts
MAY_BE_EMPTY = frozenset({"generator", "generator_model", "group"})


Strategy = Literal[
    "recap",
    "direct",
    "cot",
    "eedp",
    "pot",
    "recap-without-restate",
    "recap-without-extract",
    "recap-without-compute",
]


@dataclass(frozen=True, slots=True)
class Settings:
    """Every knob of the program, with its unit in its name."""

    store: Path | str | None = None  # None: found from the folder upward; a text: the address of a published one
    embedder: str = "minilm"  # "minilm" is the bundled one; else a sentence-transformers name or path
    device: Literal["auto", "cpu", "cuda", "mps"] = "auto"  # of embedders; the bundled one indexes on a card
    threads: int = 0  # 0: as many as there are cores
    workers: int = 0  # reader processes; 0: one a core, at most 4
    # how tables are told: rows with full header paths, columns too, both with flat headers, or the table as a whole
    table_representation: Literal["h-rcl-rows", "h-rcl", "rcl", "table"] = "h-rcl-rows"
    prose_chunks: Literal["packed", "topics"] = "packed"  # running text: packed to the window, or cut by topics
    passage_tokens: int = 0  # of the longest passage; 0, and what is more: the embedder's window
    embedder_window: int = 0  # tokens of a text that a sentence-transformers model reads; 0: as it says itself
    nlp: str = NO_PIPELINE  # an installed spaCy pipeline: what "it" stands for is searched, names tie the graph
    words_candidates: int = 40  # n of paper 000, appendix C
    meaning_candidates: int = 60  # m of paper 000, appendix C
    # retrieval: every method that an evaluation may turn off is a setting
    rerank: str = (
        "late"  # "late" interaction on the embedder's token vectors, "none", "llm", or a CrossEncoder's name or path
    )
    rerank_candidates: int = 30
    fusion: Literal["calibrated", "weighted", "rrf", "words", "meaning", "rerank"] = "calibrated"
    # SSCC; CRAG's one threshold, on scores or on a generator's grades of the passages; or everything passes
    acceptance: Literal["per-source", "global", "judge", "none"] = "per-source"
    evidence: Literal["all", "accepted"] = "all"  # what is read where something is accepted: all hits, or those alone
    sources: str = "none"  # of evidence beside the usual, or their weights, joined by +, as "graph+tiers:0.5+title:0"
    accept_precision: int = 0  # percent that the accept thresholds aim at; 0: balanced accuracy
    correction: Literal["on", "off"] = "on"  # try once more when nothing is accepted
    calibration: Literal["auto", "off"] = "auto"  # fit to the collection when indexing ends
    near_duplicates: Literal["drop", "keep"] = "drop"
    passages_a_file: int = 0  # at most so many hits a file; 0: no limit
    expansion: Literal["none", "hyde", "step-back", "modality-hyde", "rephrase", "query-to-document"] = "none"
    choose_document: Literal["off", "on"] = "off"  # a generator picks the document (MixRAG, eq. 9-10)
    # generation
    generator: str = ""  # "" for none; a GGUF file, a name from `mixrag models`, or a server's http(s) address
    generator_model: str = ""  # the model's name on a server
    strategy: Strategy = "recap"
    context_tokens: int = 8192  # prompt and reply; never more than the model was trained on
    answer_tokens: int = 512
    generator_seconds: int = 120  # a reply is cut off after so long
    generator_requests: int = 1  # summaries asked of a server at the same time
    gpu_layers: int = -1  # -1: as many as fit; 0: none
    chat_template: Literal["auto", "chatml", "llama-3", "mistral", "gemma"] = "auto"  # "auto": the GGUF file's own
    seed: int = 0
    summaries: Literal["none", "short", "long"] = "none"  # of tables, by the generator
    summary_tokens: int = 200_000  # prompt and reply tokens that one run of index may spend on summaries
    summary_minutes: int = 30
    group: str = ""  # of this machine: indexes that belong to it are read, whoever of it made them
    offline: Literal["on", "off"] = "off"  # never use the network, not even for `models pull`
    serve_minutes: int = 30  # `mixrag serve` ends after so long without a question
    max_file_mb: int = 512
    max_text_file_mb: int = 20
    ocr: Literal["auto", "off"] = "auto"  # read scans and images by tesseract, where it is installed
    worker_memory_mb: int = 2048
    worker_silence_s: int = 30
    worker_total_s: int = 300
    worker_cpu_s: int = 120


# A Path has made one slash of two. Nothing of the kind can be read yet, and a folder named "s3:" helps nobody.
PUBLISHED = ("s3://", "gs://", "az://", "https://", "http://")  # addresses at which an index can be read
ADDRESS = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+:)/+")
SETTING_NAMES = tuple(field.name for field in fields(Settings))
CHOICES: Mapping[str, tuple[str, ...]] = {
    name: get_args(kind) for name, kind in get_type_hints(Settings).items() if get_origin(kind) is Literal
}


@dataclass(frozen=True, slots=True)
class Resolved:
    """One setting, its value and who decided it: "flag", "environment", "config file" or "default"."""

    name: str
    value: Any
    origin: str


def load_settings(flags: Mapping[str, Any] | None = None, environ: Mapping[str, str] | None = None) -> Settings:
    """The settings of this run; a flag that is None was not given.

    Raises WrongUsage for an unknown key or a value out of its bounds, naming where it stands.
    """
    settings = Settings(**{each.name: each.value for each in resolve_settings(flags, environ)})
    if isinstance(settings.store, str) and settings.offline == "on":
        raise WrongUsage(f"{settings.store}: not on this machine, and offline is on", "mixrag config set offline off")
    return settings


def resolve_settings(
    flags: Mapping[str, Any] | None = None, environ: Mapping[str, str] | None = None
) -> tuple[Resolved, ...]:
    """Every setting with its origin, in the order of Settings. Raises as load_settings does."""
    surroundings = os.environ if environ is None else environ
    found = {name: Resolved(name, value, "default") for name, value in asdict(Settings()).items()}
    layers = (
        ("config file", _values_of_file(config_file(surroundings))),
        ("environment", _values_of_environment(surroundings)),
        ("flag", {name: value for name, value in (flags or {}).items() if value is not None}),
    )
    for origin, values in layers:
        for name, value in values.items():
            found[name] = Resolved(name, check_value(name, value, where=_where(origin, name, surroundings)), origin)
    return tuple(found.values())


def config_file(environ: Mapping[str, str] | None = None) -> Path:
    """Where the user's settings lie, whether or not the file exists."""
    surroundings = os.environ if environ is None else environ
    if override := surroundings.get(ENVIRONMENT_PREFIX + "CONFIG_DIR"):
        return Path(override).expanduser() / CONFIG_FILE_NAME
    return Path(platformdirs.user_config_dir("mixrag")) / CONFIG_FILE_NAME


def data_folder() -> Path:
    """The user's data folder for this program: MIXRAG_DATA_DIR, else the platform's; it need not exist."""
    return _users_folder("DATA_DIR", platformdirs.user_data_dir)


def cache_folder(name: str) -> Path:
    """The folder of this name in the user's cache: below MIXRAG_CACHE_DIR, else the platform's; it need not exist."""
    return _users_folder("CACHE_DIR", platformdirs.user_cache_dir) / name


def _users_folder(variable: str, usual: Callable[[str], str]) -> Path:
    return Path(os.environ.get(ENVIRONMENT_PREFIX + variable) or usual("mixrag")).expanduser().absolute()


def ignored_settings_files(folder: Path) -> tuple[Path, ...]:
    """Files in an indexed folder that look like settings for mixrag and are not obeyed."""
    return tuple(path for name in IGNORED_FILE_NAMES if (path := folder / name).is_file())


def check_value(name: str, value: Any, where: str = "") -> Any:
    """The value in the setting's own type.

    Raises WrongUsage when the setting does not exist or the value is of another kind or out of bounds.
    """
    place = f"{where}: " if where else ""
    if name not in SETTING_NAMES:
        raise unknown_setting(name, place)
    if name == "store":
        return _store(value, place)
    if name in BOUNDS:
        return _number(name, value, place)
    if name in MAY_BE_EMPTY and value == "":
        return value
    if not isinstance(value, str) or not value.strip():
        raise WrongUsage(f"{place}{name} must be a text, not {value!r}")
    if name == "sources":
        source_weights(value, place)
    if name in CHOICES and value not in CHOICES[name]:
        raise WrongUsage(f"{place}{name} must be one of {', '.join(CHOICES[name])}, not {value!r}")
    return value


def source_weights(value: str, place: str = "") -> dict[str, float | None]:
    """The sources that the setting `sources` names, each with its weight, None for its own; 0 turns a source off.

    Example: "graph+title:0.5" -> {"graph": None, "title": 0.5}. Raises WrongUsage.
    """
    found: dict[str, float | None] = {}
    for part in value.split("+") if value != "none" else ():
        name, colon, weight = (piece.strip() for piece in part.partition(":"))
        if name not in (*EXTRA_SOURCES, *USUAL_SOURCES):
            known = ", ".join((*EXTRA_SOURCES, *USUAL_SOURCES))
            raise WrongUsage(f"{place}sources must name some of {known}, not {name!r}")
        if name in USUAL_SOURCES and not colon:
            raise WrongUsage(
                f"{place}sources: {name} counts anyway; 0 turns it off", f"mixrag config set sources {name}:0"
            )
        try:
            found[name] = float(weight) if colon else None
        except ValueError:
            raise WrongUsage(f"{place}sources: the weight of {name} must be a number, not {weight!r}") from None
        if colon and not 0 <= float(weight) <= MOST_WEIGHT:
            raise WrongUsage(f"{place}sources: the weight of {name} must be between 0 and {MOST_WEIGHT}, not {weight}")
    return found


def write_setting(name: str, value: Any | None) -> Path:
    """Set one key of the user's config file, or remove it (None); all other lines are kept. Returns the file.

    Raises WrongUsage as check_value does.
    """
    path = config_file()
    present = _values_of_file(path)  # a file that cannot be understood is not to be overwritten
    if value is not None:
        value = check_value(name, value)
        _check_together({**asdict(Settings()), **present, name: value}, name)
    elif name not in present and name not in SETTING_NAMES:  # one that is present may be unknown: unset mends the file
        raise unknown_setting(name)
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    kept = [line for line in lines if line.partition("=")[0].strip() != name]
    if value is not None:
        kept.append(f"{name} = {_toml(value)}")
    _replace_file(path, "".join(line + "\n" for line in kept))
    return path


def _check_together(values: Mapping[str, Any], name: str) -> None:
    """Raise WrongUsage where the new value of this name could never be used beside the others."""
    reply, window = values["answer_tokens"], values["context_tokens"]
    if name in ("answer_tokens", "context_tokens") and reply >= window:
        raise WrongUsage(f"a reply of answer_tokens {reply} leaves no room in a window of context_tokens {window}")
    if name == "summaries" and values[name] != "none" and not values["generator"]:
        raise WrongUsage("summaries of tables are written by a generator, and none is set", "mixrag models list")


def _where(origin: str, name: str, environ: Mapping[str, str]) -> str:
    if origin == "environment":
        return ENVIRONMENT_PREFIX + name.upper()
    if origin == "flag":
        return "--" + name.replace("_", "-")
    return str(config_file(environ))


def _values_of_environment(environ: Mapping[str, str]) -> dict[str, str]:
    values = {}
    for variable, text in environ.items():
        name = variable.removeprefix(ENVIRONMENT_PREFIX)
        if name == variable or name in OTHER_VARIABLES or not text:
            continue
        if name.lower() not in SETTING_NAMES:
            known = [ENVIRONMENT_PREFIX + each.upper() for each in SETTING_NAMES]
            raise _unknown("unknown environment variable", variable, known)
        values[name.lower()] = text
    return values


def _values_of_file(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise WrongUsage(f"{path}: not a regular file")
            raw = file.read(MAX_CONFIG_BYTES)
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        raise MixragError(f"{path}: cannot be read: {reason_of(error, 'unknown error')}") from error
    try:
        return tomllib.loads(raw.decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise WrongUsage(f"{path}: not valid TOML: {error}") from error


def _store(value: Any, place: str) -> Path | str:
    if not isinstance(value, str | os.PathLike) or not os.fspath(value):
        raise WrongUsage(f"{place}store must be a folder, not {value!r}")
    text = os.fspath(value)
    if address := ADDRESS.match(text):
        rest = text[address.end() :]
        if address[0].lower() in PUBLISHED and rest:
            return text
        raise WrongUsage(
            f"{place}store must be a folder or an address ({', '.join(PUBLISHED)}), not {address[1]}//{rest}"
        )
    return Path(value).expanduser().absolute()


def _number(name: str, value: Any, place: str) -> int:
    low, high = BOUNDS[name]
    try:
        number = int(value) if isinstance(value, str) else value
    except ValueError:
        number = None
    if not isinstance(number, int) or isinstance(number, bool):
        raise WrongUsage(f"{place}{name} must be a whole number, not {value!r}")
    if not low <= number <= high:
        raise WrongUsage(f"{place}{name} must lie between {low} and {high}, not {number}")
    return number


def unknown_setting(name: str, place: str = "") -> WrongUsage:
    """The error for a setting that does not exist; it names the nearest one that does."""
    return _unknown(f"{place}unknown setting", name, SETTING_NAMES)


def _unknown(what: str, name: str, known: Sequence[str]) -> WrongUsage:
    close = difflib.get_close_matches(name, known, n=1)
    nearest = f" (nearest: {close[0]})" if close else ""
    return WrongUsage(f"{what} {name!r}{nearest}", "mixrag config --help")


def _toml(value: Any) -> str:
    """A number or a text as TOML writes it; a TOML basic string is a JSON string without surrogate escapes."""
    if isinstance(value, int):
        return str(value)
    return json.dumps(str(value), ensure_ascii=False).replace("\x7f", "\\u007f")


def _replace_file(path: Path, text: str) -> None:
    """Write beside and rename, so that a reader sees the old file or the new one; mode 0600."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".config-")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
