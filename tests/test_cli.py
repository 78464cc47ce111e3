"""The command line as a shell and a script see it: streams, exit codes, JSON, hostile surroundings."""

import contextlib
import json
import os
import pty
import re
import resource
import signal
import subprocess
import sys
import tomllib
from importlib import resources
from pathlib import Path

import jsonschema
import pytest
from typer.main import get_command
from typer.testing import CliRunner

from mixrag_cli import __version__
from mixrag_cli.actions.completion_scripts import completion_script
from mixrag_cli.actions.health import _package_problem
from mixrag_cli.cli import app
from mixrag_cli.commands.doors import commands_below
from mixrag_cli.store import open_reader
from mixrag_cli.store.quantising import encode_vectors
from tests.cli_fixtures import FORBIDDEN_BYTES, PROGRAM, copy_indexed, environment_of, run_here, run_mixrag

ROOT = Path(__file__).parent.parent
COMMANDS = (
    *("index", "ask", "chat", "search", "show", "eval", "calibrate", "ls", "status", "remove", "publish", "mcp"),
    *("serve", "collections", "models", "config", "doctor", "completion"),
)
HEAVY = (
    "numpy",
    "rich",
    "lance",
    "lancedb",
    "pyarrow",
    "torch",
    "onnxruntime",
    "tokenizers",
    "platformdirs",
    "asyncio",
    "pydantic",
)


@pytest.fixture
def home(tmp_path):
    return tmp_path


def check_json(raw: bytes, form: str) -> dict:
    """Exactly one JSON object, in printable ASCII, that fits the published schema."""
    assert raw.count(b"\n") == 1
    assert raw.endswith(b"\n")
    assert all(0x20 <= byte < 0x7F for byte in raw[:-1])
    found = json.loads(raw)
    schema = json.loads(resources.files("mixrag_cli").joinpath("schemas", f"{form}-1.json").read_text("utf-8"))
    jsonschema.validate(found, schema, cls=jsonschema.Draft202012Validator)
    return found


def check_error(done, code: int) -> dict:
    """With --json a failure is one object on stdout and one line, perhaps with a hint, on stderr."""
    assert done.returncode == code, done.stderr
    found = check_json(done.stdout, "error")
    assert found["code"] == code
    lines = done.stderr.decode().splitlines()
    assert lines[0] == f"mixrag: {found['message']}"
    assert len(lines) == (2 if found["hint"] else 1)
    assert b"Traceback" not in done.stderr
    return found


# --- start-up -------------------------------------------------------------------------------------------------------


def test_help_is_quick_and_loads_nothing_heavy(home):
    script = (
        "import sys; sys.argv = ['mixrag', '--help']\n"
        "from mixrag_cli.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        f"print(sorted(set({HEAVY!r}) & set(sys.modules)), file=sys.stderr)"
    )
    took: dict[str, list[float]] = {"import typer": [], script: []}
    for program in (*took, *took, *took):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run([sys.executable, "-c", program], env=environment_of(home), capture_output=True, cwd=ROOT)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        took[program].append(after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)
    assert done.stderr.decode().splitlines()[-1] == "[]"
    assert all(f"  {command} " in done.stdout.decode() for command in COMMANDS)
    least_of_typer, least = map(min, took.values())
    assert least < 2 * least_of_typer  # it is 1.3 times, of computing, whatever else runs


@pytest.mark.parametrize("arguments", [["--version"], ["ask", "--help"], ["--json"], ["index", "--nonsense"]])
def test_light_commands_load_nothing_heavy(arguments):
    script = (
        f"import sys; sys.argv = ['mixrag', *{arguments!r}]\n"
        "from mixrag_cli.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        f"print(sorted(set({HEAVY!r}) & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, cwd=ROOT, check=False)
    assert done.stderr.decode().splitlines()[-1] == "[]"


def test_version_and_bare_call():
    runner = CliRunner()
    assert runner.invoke(app, ["--version"]).stdout == f"mixrag {__version__}\n"
    bare = runner.invoke(app, [])
    assert bare.exit_code == 0
    assert bare.stdout.startswith("Usage: mixrag")


def test_every_command_has_help_and_so_has_every_option():
    def walk(command, path):
        yield path, command
        for name, child in commands_below(command):
            yield from walk(child, f"{path} {name}")

    for path, command in walk(get_command(app), "mixrag"):
        assert command.help, path
        for parameter in command.params:
            if parameter.param_type_name == "option":
                assert parameter.help, f"{path} {parameter.name}"
                assert any(flag.startswith("--") for flag in parameter.opts)


# --- wrong usage ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["ask", ""], "the question is empty"),
        (["ask", "  \t\n "], "the question is empty"),
        (["ask", "\x1b[2J\u200b"], "the question is empty"),
        (["search", ""], "the query is empty\n  try: mixrag search"),
        (["ask", "x" * 8001], "8,001 characters; at most 8,000"),
        (["ask"], "the question is empty"),
        (["show"], "missing argument"),
        (["ask", "q", "--nonsense"], "no such option: --nonsense"),
        (["--store", "x", "index"], "mixrag COMMAND --store (options follow the command)"),
        (["ask", "q", "--color", "pink"], "invalid value for '--color'"),
        (["ask", "q", "--modality", "film"], "invalid value for '--modality'"),
        (["search", "q", "--limit", "0"], "invalid value for '--limit'"),
        (["seach", "q"], "no such command 'seach'"),
        (["config"], "missing command"),
        (["config", "get", "threats"], "unknown setting 'threats' (nearest: threads)"),
        (["config", "set", "threads", "-3"], "no such option: -3"),
        (["config", "set", "threads", "lots"], "threads must be a whole number, not 'lots'"),
        (["index", "no/such/folder"], "no/such/folder: no such file or folder"),
        (["index", "--wait", "-1"], "invalid value for '--wait'"),
    ],
)
def test_wrong_usage_is_one_line_and_code_2(arguments, words, home, monkeypatch):
    monkeypatch.chdir(home)
    monkeypatch.setenv("MIXRAG_CONFIG_DIR", str(home))
    plain = CliRunner().invoke(app, arguments)
    assert plain.exit_code == 2
    assert plain.stdout == ""
    assert plain.stderr.splitlines()[0].startswith("mixrag: ")
    assert words.lower() in plain.stderr.lower()
    assert len(plain.stderr.splitlines()) <= 2
    scripted = CliRunner().invoke(app, [*arguments, "--json"])
    assert scripted.exit_code == 2
    check_json(scripted.stdout_bytes, "error")


def test_an_option_after_the_separator_is_a_word_of_the_question(home, monkeypatch):
    monkeypatch.chdir(home)
    done = CliRunner().invoke(app, ["ask", "--", "--json"])
    assert done.exit_code == 10
    assert done.stdout == ""


def test_a_question_from_stdin_that_is_too_long_or_empty(home, monkeypatch):
    monkeypatch.chdir(home)
    assert CliRunner().invoke(app, ["ask", "-"], input=b"x" * 1_000_000).exit_code == 2
    assert CliRunner().invoke(app, ["ask", "-"], input=b"\xff\xfe" * 9000).exit_code == 2
    assert CliRunner().invoke(app, ["ask", "-"], input=b" \n").exit_code == 2


# --- no index -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments",
    [
        ["ask", "what?"],
        ["search", "it"],
        ["status"],
        ["ls"],
        ["show", "a.md"],
        ["remove", "a.md"],
        ["chat"],
        ["calibrate"],
    ],
)
def test_without_an_index_the_code_is_10_and_the_hint_makes_one(arguments, home, monkeypatch):
    monkeypatch.chdir(home)
    plain = CliRunner().invoke(app, arguments)
    assert plain.exit_code == 10
    assert plain.stderr == f"mixrag: no index for {home}\n  try: mixrag index {home}\n"
    scripted = CliRunner().invoke(app, [*arguments, "--json"])
    assert check_json(scripted.stdout_bytes, "error")["code"] == 10


# --- configuration, doctor, completion --------------------------------------------------------------------------------


def test_config_is_written_read_and_unset(home, monkeypatch):
    monkeypatch.setenv("MIXRAG_CONFIG_DIR", str(home / "deep" / "er"))
    runner = CliRunner()
    assert runner.invoke(app, ["config", "path"]).stdout == f"{home}/deep/er/config.toml\n"
    assert runner.invoke(app, ["config", "get", "threads"]).stdout == "0\n"
    assert runner.invoke(app, ["config", "set", "threads", "3"]).exit_code == 0
    assert runner.invoke(app, ["config", "get", "threads"]).stdout == "3\n"
    assert "threads = 3  (config file)" in runner.invoke(app, ["config", "list"]).stdout
    listed = check_json(runner.invoke(app, ["config", "list", "--json"]).stdout_bytes, "config")
    assert {"name": "threads", "value": 3, "origin": "config file"} in listed["settings"]
    assert runner.invoke(app, ["config", "unset", "threads"]).exit_code == 0
    assert runner.invoke(app, ["config", "get", "threads"]).stdout == "0\n"


@pytest.mark.parametrize(
    ("name", "value", "code", "said"),
    [
        ("generator", "ftp://host", 14, "not the address of a server"),
        ("generator", "http://me:key@host", 14, "a key does not belong into the server's address"),
        ("generator", "nothing.gguf", 14, "model nothing.gguf is not on this machine"),
        ("generator", "handbook.md", 14, "handbook.md"),
        ("answer_tokens", "9000", 2, "leaves no room in a window"),
        ("summaries", "short", 2, "none is set"),
        ("embedder", "nosuch", 14, "nosuch"),
        ("rerank", "nosuch", 14, "nosuch"),
        ("nlp", "nosuch", 14, "nosuch"),
    ],
)
def test_config_refuses_what_would_be_refused_later(indexed, home, monkeypatch, name, value, code, said):
    monkeypatch.setenv("MIXRAG_CONFIG_DIR", str(home))
    monkeypatch.chdir(indexed)
    done = CliRunner().invoke(app, ["config", "set", name, value])
    assert (done.exit_code, said in done.stderr) == (code, True), done.stderr
    assert not (home / "config.toml").exists()
    assert CliRunner().invoke(app, ["config", "set", "generator", "HTTP://LocalHost:11434"]).exit_code == 0
    assert CliRunner().invoke(app, ["config", "get", "generator"]).stdout == "HTTP://LocalHost:11434\n"


def test_doctor_knows_how_each_package_is_imported():
    named = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["dependencies"]
    names = [re.split(r"[<>=]", each)[0] for each in named]
    problems = {name: _package_problem(name, "") for name in names}
    assert len(names) > 30
    assert {name: problem for name, problem in problems.items() if problem not in ("", "not installed")} == {}


def test_doctor_tells_each_finding_with_a_remedy(home, monkeypatch):
    monkeypatch.chdir(home)
    monkeypatch.setenv("MIXRAG_CONFIG_DIR", str(home))
    done = CliRunner().invoke(app, ["doctor", "--json"])
    found = check_json(done.stdout_bytes, "doctor")
    assert done.exit_code == (0 if found["fit"] else 1)
    states = {check["name"]: check["state"] for check in found["checks"]}
    assert {"python", "packages", "settings", "embedder", "index", "terminal", "generator"} <= set(states)
    assert states["python"] == "ok"
    assert all(check["remedy"] for check in found["checks"] if check["state"] != "ok")
    plain = CliRunner().invoke(app, ["doctor"])
    assert "python: " in plain.stdout


def test_doctor_reads_the_index_through(own_index):
    def index_checks():
        done = ask(own_index, "doctor", "--index", "--json")
        return [each for each in check_json(done.stdout, "doctor")["checks"] if each["name"] == "index"]

    assert {each["state"] for each in index_checks()} == {"ok"}
    assert "as they were written" in index_checks()[-1]["detail"]
    with open_reader(own_index / ".mixrag") as reader:
        code = encode_vectors(next(reader.chunk_rows()).vector[None]).tobytes()
    files = {path: path.read_bytes() for path in (own_index / ".mixrag" / "tables" / "chunks.lance").rglob("*.lance")}
    (victim,) = (path for path, raw in files.items() if code in raw)
    at = files[victim].index(code) + 7  # one bit of one axis of one vector
    victim.write_bytes(files[victim][:at] + bytes([files[victim][at] ^ 1]) + files[victim][at + 1 :])
    damaged = index_checks()[-1]
    assert damaged["state"] == "fail"
    assert "is not as it was written" in damaged["detail"]
    assert damaged["remedy"].startswith("mixrag index --rebuild")


def test_doctor_finds_a_broken_setting_and_goes_on(home, monkeypatch):
    monkeypatch.chdir(home)
    monkeypatch.setenv("MIXRAG_CONFIG_DIR", str(home))
    (home / "config.toml").write_text("threads = 'x'\n")
    done = CliRunner().invoke(app, ["doctor", "--json"])
    assert done.exit_code == 1
    broken = [each for each in check_json(done.stdout_bytes, "doctor")["checks"] if each["state"] == "fail"]
    assert any(each["name"] == "settings" and "threads" in each["detail"] for each in broken)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_files_are_what_the_program_prints(shell):
    done = CliRunner().invoke(app, ["completion", shell])
    assert done.exit_code == 0
    assert done.stdout == (ROOT / "completions" / f"mixrag.{shell}").read_text("utf-8")
    assert done.stdout == completion_script(get_command(app), shell)


def bash_completes(line: str) -> set[str]:
    words = line.split(" ")
    script = (
        f"source {ROOT}/completions/mixrag.bash; COMP_WORDS=({' '.join(repr(word) for word in words)}); "
        f"COMP_CWORD={len(words) - 1}; _mixrag; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    )
    done = subprocess.run(["bash", "--norc", "-c", script], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("mixrag ", set(COMMANDS)),
        ("mixrag s", {"search", "serve", "show", "status"}),
        ("mixrag ask --exp", {"--explain", "--expand"}),
        ("mixrag ask --color ", {"auto", "always", "never"}),
        ("mixrag ask --color = al", {"always"}),
        ("mixrag ask --kind r", {"row"}),
        ("mixrag config ", {"list", "get", "set", "unset", "path"}),
        ("mixrag config get thr", {"threads"}),
        ("mixrag completion f", {"fish"}),
        ("mixrag search what --lim", {"--limit"}),
    ],
)
def test_bash_completes_what_the_program_takes(line, expected):
    assert bash_completes(line) == expected


def test_fish_completes_what_the_program_takes():
    fish = next((path for path in ("/usr/bin/fish", "/usr/local/bin/fish") if Path(path).exists()), None)
    if fish is None:
        pytest.skip("fish is not installed")
    script = f"source {ROOT}/completions/mixrag.fish; complete -C 'mixrag s'; complete -C 'mixrag ask --color '"
    done = subprocess.run([fish, "--no-config", "-c", script], capture_output=True, text=True, check=True)
    offered = [line.split("\t")[0] for line in done.stdout.splitlines()]
    assert offered == ["search", "serve", "show", "status", "always", "auto", "never"]


def test_zsh_reads_its_script():
    zsh = next((path for path in ("/usr/bin/zsh", "/bin/zsh") if Path(path).exists()), None)
    if zsh is None:
        pytest.skip("zsh is not installed")
    script = f"autoload -Uz compinit && compinit -D && source {ROOT}/completions/mixrag.zsh && print $_comps[mixrag]"
    done = subprocess.run([zsh, "-f", "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "_mixrag"
    assert done.stderr == ""


# --- streams --------------------------------------------------------------------------------------------------------


def shell(line: str):
    """A shell that runs the program with its descriptors changed: {} is the program and its arguments."""
    return ["bash", "-c", line.replace("{}", '"$@"'), "bash"]


@pytest.mark.parametrize(
    ("arguments", "unbuffered"),
    [(["config", "list"], ""), (["config", "list", "--json"], "1"), (["completion", "bash"], "1"), (["--help"], "")],
)
def test_a_full_disk_under_stdout_is_told(arguments, unbuffered, home):
    done = run_mixrag(
        *arguments, cwd=home, env=environment_of(home, PYTHONUNBUFFERED=unbuffered), program=shell("{} > /dev/full")
    )
    assert done.returncode == 1
    assert done.stderr == b"mixrag: write error: no space left on device\n"


@pytest.mark.parametrize(
    "arguments", [["config", "list"], ["completion", "zsh"], ["--help"], ["config", "list", "--json"]]
)
def test_a_reader_that_leaves_early_is_no_error(arguments, home):
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = run_mixrag(*arguments, cwd=home, stdout=writing, stderr=subprocess.PIPE, capture_output=False)
    finally:
        os.close(writing)
    assert done.returncode == 0
    assert done.stderr == b""


@pytest.mark.parametrize(
    ("closed", "code", "stderr"),
    [
        (">&-", 1, b"mixrag: write error: bad file descriptor\n"),
        ("2>&-", 0, b""),
        ("<&-", 0, b""),
        ("<&- 2>&-", 0, b""),
        ("<&- >&- 2>&-", 1, b""),
    ],
)
def test_closed_descriptors_never_catch_a_file_of_ours(closed, code, stderr, home):
    done = run_mixrag("config", "list", cwd=home, program=shell("{} " + closed))
    assert done.returncode == code
    assert done.stderr == stderr
    if ">&-" not in closed.replace("2>&-", ""):
        assert b"threads" in done.stdout


def test_a_command_with_nothing_to_say_on_stdout_does_not_mind_it_closed(home):
    done = run_mixrag("config", "set", "threads", "1", cwd=home, program=shell("{} >&-"))
    assert done.returncode == 0


def test_noise_of_native_code_reaches_neither_stream(home):
    script = (
        "import os, sys; sys.argv = ['mixrag', 'config', 'path', '--json']\n"
        "import mixrag_cli.output.streams as streams, mixrag_cli.cli as cli\n"
        "old = cli.take_over_streams\n"
        "def noisy(**options):\n"
        "    old(**options); os.write(1, b'native noise'); os.write(2, b'native noise')\n"
        "    assert streams.native_noise() == 'native noise'\n"
        "cli.take_over_streams = noisy\n"
        "cli.main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment_of(home), cwd=ROOT, capture_output=True, check=True
    )
    check_json(done.stdout, "config")
    assert done.stderr == b""


@pytest.mark.parametrize(
    "locale",
    [
        {"LANG": "C", "LC_ALL": "POSIX"},
        {"LANG": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"PYTHONIOENCODING": "ascii"},
        {"PYTHONIOENCODING": "latin-1"},
        {"PYTHONIOENCODING": "ascii:strict"},
    ],
)
def test_no_locale_breaks_the_output(locale, home):
    env = environment_of(home, MIXRAG_EMBEDDER="modèle-漢字", **locale)
    done = run_mixrag("config", "list", cwd=home, env=env)
    assert done.returncode == 0
    assert done.stderr == b""
    assert b"embedder = mod" in done.stdout
    check_json(run_mixrag("config", "list", "--json", cwd=home, env=env).stdout, "config")


def test_a_bug_is_one_line_with_a_private_log(home):
    script = (
        "import sys; sys.argv = ['mixrag', 'config', 'list', *sys.argv[1:]]\n"
        "import mixrag_cli.actions.config as config\n"
        "from mixrag_cli import cli\n"
        "def broken(*_): raise ValueError('seven \\x1b[2J is\\nno text')\n"
        "config._print_settings = broken\n"
        "cli.main()"
    )

    def run(*arguments):
        return subprocess.run(
            [sys.executable, "-c", script, *arguments],
            env=environment_of(home),
            cwd=ROOT,
            capture_output=True,
            check=False,
        )

    done = run("--json")
    found = check_error(done, 1)
    log = next(home.rglob("mixrag-debug.log"))
    assert found["message"] == f"internal error (bug): ValueError: seven  is; details in {log}"
    assert log.stat().st_mode & 0o777 == 0o600
    assert log.parent.stat().st_mode & 0o777 == 0o700
    assert "Traceback" in log.read_text()
    assert b"Traceback" in run("--debug").stderr
    unwritable = subprocess.run(
        [sys.executable, "-c", script],
        env=environment_of(home, MIXRAG_STATE_DIR="/proc/nowhere"),
        cwd=ROOT,
        capture_output=True,
        check=False,
    )
    assert unwritable.returncode == 1
    assert b"details" not in unwritable.stderr


def test_signals_have_their_exit_codes(home):
    script = (
        "import signal, sys, time; sys.argv = ['mixrag', 'config', 'list']\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # a job in the background starts without
        "import mixrag_cli.actions.config as config\n"
        "from mixrag_cli import cli\n"
        "def slow(*_):\n"
        "    print('ready', file=sys.stderr, flush=True)\n"
        "    time.sleep(60)\n"
        "config._print_settings = slow\n"
        "cli.main()"
    )
    for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
        running = subprocess.Popen(
            [sys.executable, "-c", script],
            env=environment_of(home),
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert running.stderr.readline() == b"ready\n"
        running.send_signal(number)
        _, told = running.communicate(timeout=20)
        assert running.returncode == code
        assert told == b"mixrag: interrupted; what was committed is kept\n"


# --- with an index --------------------------------------------------------------------------------------------------


def test_index_reports_the_unreadable_file_and_leaves_3(indexed):
    home = indexed.parent
    assert (home / "index.code").read_text() == "3"
    report = check_json((home / "index.json").read_bytes(), "index")
    assert report["added"] >= 4
    assert [each["path"] for each in report["skipped"]] == ["broken.pdf"]
    assert report["chunks"] > 4
    told = (home / "index.err").read_text()
    assert "mixrag: broken.pdf: " in told
    assert "mixrag.toml: settings in the indexed folder are not used" in told
    assert told.splitlines()[-1].startswith("mixrag: ")
    assert not FORBIDDEN_BYTES.search((home / "index.err").read_bytes())


def ask(folder, *arguments, stdin=b""):
    """The command in this process: as in one of its own, but for the descriptors."""
    with contextlib.chdir(folder):
        done = CliRunner(env={"MIXRAG_CONFIG_DIR": str(folder.parent / "config")}).invoke(app, arguments, input=stdin)
    return subprocess.CompletedProcess(arguments, done.exit_code, done.stdout_bytes, done.stderr_bytes)


def test_ask_answers_with_a_source(indexed):
    question = "How many chairs were sold in 2024?"
    found = check_json(ask(indexed, "ask", question, "--json").stdout, "answer")
    assert found["status"] == "answered"
    assert found["value"] == 515
    assert found["sources"][0]["path"] == "handbook.md"
    assert found["sources"][0]["locator"]["lines"][0] <= 17 <= found["sources"][0]["locator"]["lines"][1]
    plain = ask(indexed, "ask", *question.split())
    assert plain.returncode == 0
    lines = plain.stdout.decode().splitlines()
    assert "515" in lines[0]
    assert any(line.startswith("[1] handbook.md#L") for line in lines)
    piped = ask(indexed, "ask", "-", "--json", stdin=question.encode())
    assert json.loads(piped.stdout)["answer"] == found["answer"]


def test_ask_abstains_with_4_and_names_the_nearest(indexed):
    done = ask(indexed, "ask", "Who won the yacht race of Valparaíso in 1987?", "--json")
    assert done.returncode == 4
    found = check_json(done.stdout, "answer")
    assert found["status"] == "abstained"
    assert found["answer"] is None
    assert found["reason"]


def test_search_lists_passages_that_show_can_open(indexed):
    done = ask(indexed, "search", "fire", "extinguishers", "--limit", "3", "--json")
    found = check_json(done.stdout, "search")
    assert 1 <= len(found["hits"]) <= 3
    best = found["hits"][0]
    assert best["path"] == "handbook.md"
    assert "words" in best["scores"]
    shown = check_json(ask(indexed, "show", f"#{best['id'][:12]}", "--json").stdout, "show")
    assert "Orla Tennick" in shown["text"]
    plain = ask(indexed, "search", "fire extinguishers", "--limit", "1").stdout.decode()
    assert plain.startswith("handbook.md  Handbook of the Fernhill workshop\n 1  L")
    assert f"#{best['id'][:12]}" in plain


def test_filters_restrict_the_search(indexed):
    for option, field, value in (("--modality", "modality", "code"), ("--path", "path", "stock.csv")):
        found = check_json(ask(indexed, "search", "price of a bench", option, value, "--json").stdout, "search")
        assert found["hits"]
        assert {hit[field] for hit in found["hits"]} == {value}
    check_error(ask(indexed, "search", "bench", "--path", "nowhere/*", "--json"), 2)


def test_show_prints_tables_and_their_cells(indexed):
    tables = check_json(ask(indexed, "show", "handbook.md", "--tables", "--json").stdout, "tables")["tables"]
    assert len(tables) == 1
    assert [column["path"][-1] for column in tables[0]["columns"]][-2:] == ["Chairs sold", "Tables sold"]
    assert 515 in [cell["value"] for cell in tables[0]["cells"]]
    listed = ask(indexed, "show", "handbook.md", "--tables").stdout.decode()
    assert "2×" in listed
    check_error(ask(indexed, "show", "nothing.md", "--json"), 2)


def test_status_tells_what_is_in_and_what_is_not(indexed):
    found = check_json(ask(indexed, "status", "--json").stdout, "status")
    assert found["documents"]["indexed"] >= 4
    assert [each["path"] for each in found["skipped"]] == ["broken.pdf"]
    plain = ask(indexed, "status", "--skipped").stdout.decode()
    assert "broken.pdf: " in plain
    assert f"mixrag {__version__}" in plain


def test_folders_above_an_index_that_lies_elsewhere_are_no_title_of_its_files(tmp_path):
    folder, store = tmp_path / "varnish" / "notes", str(tmp_path / "store")
    folder.mkdir(parents=True)
    (folder / "leave.md").write_text("# Leave\n\nThere are 27 days of paid leave.\n")
    env = environment_of(tmp_path)
    assert run_here("index", str(folder), "--store", store, cwd=tmp_path, env=env).returncode == 0
    titles = {}
    for query in ("varnish", "notes"):
        done = run_here("search", query, "--store", store, "--json", cwd=tmp_path, env=env)
        titles[query] = [hit["scores"]["title"] for hit in json.loads(done.stdout)["hits"]]
    assert titles == {"varnish": [0.0], "notes": [1.0]}


def test_commands_work_from_a_folder_below_and_with_a_named_store(indexed, home):
    below = indexed / "below"
    below.mkdir(exist_ok=True)
    assert run_mixrag("status", cwd=below, env=environment_of(indexed.parent)).returncode == 0
    named = run_here("status", "--store", str(indexed / ".mixrag"), "--json", cwd=home)
    assert check_json(named.stdout, "status")["store"] == str(indexed / ".mixrag")
    by_variable = run_here("status", cwd=home, env=environment_of(home, MIXRAG_STORE=str(indexed / ".mixrag")))
    assert by_variable.returncode == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ["ask", "How long does the varnish dry?"],
        ["ask", "How long does the varnish dry?", "--explain"],
        ["search", "varnish"],
        ["status", "--skipped"],
        ["search", "varnish", "--color", "never", "--path", "evil*"],
    ],
)
def test_no_byte_of_a_document_reaches_the_terminal_raw(indexed, arguments):
    done = ask(indexed, *arguments)
    assert done.stdout
    assert not FORBIDDEN_BYTES.search(done.stdout)
    assert not FORBIDDEN_BYTES.search(done.stderr)
    in_json = ask(indexed, *arguments, "--json")
    json.loads(in_json.stdout)
    assert not FORBIDDEN_BYTES.search(in_json.stdout)


def test_on_a_terminal_there_are_colours_and_links_to_our_files_only(indexed):
    said = run_on_terminal(["search", "fire extinguishers"], indexed)
    assert b"\x1b]8;id=" in said
    assert f"file://{indexed}/handbook.md".encode() in said
    assert b"http" not in said
    assert b"\x1b" not in run_on_terminal(["search", "fire extinguishers"], indexed, NO_COLOR="1")


def run_on_terminal(arguments, folder, typed=b"", **environment) -> bytes:
    """What a person's terminal is sent; typed: what the person types, ahead of time."""
    ours, theirs = pty.openpty()
    os.write(ours, typed)
    running = subprocess.Popen(
        [*PROGRAM, *arguments],
        cwd=folder,
        env=environment_of(folder.parent, **environment),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    said = b""
    with contextlib.suppress(OSError):  # Linux tells the end of a terminal so
        while piece := os.read(ours, 65536):
            said += piece
    os.close(ours)
    assert running.wait(timeout=60) in (0, 1, 3)
    return said


@pytest.mark.slow
def test_answers_fail_loudly_when_they_cannot_be_written(indexed):
    env = environment_of(indexed.parent)
    for line in ("{} > /dev/full", "{} >&-"):
        done = run_mixrag("ask", "How long does the varnish dry?", cwd=indexed, env=env, program=shell(line))
        assert done.returncode == 1
        assert done.stderr.startswith(b"mixrag: write error: ")
    head = shell("{} | head -c 1; exit ${PIPESTATUS[0]}")
    early = run_mixrag("search", "varnish", "--limit", "100", cwd=indexed, env=env, program=head)
    assert early.returncode == 0
    assert early.stderr == b""


def test_reading_commands_write_nothing_into_the_folder(indexed):
    before = {path: path.stat().st_mtime_ns for path in indexed.rglob("*")}
    for arguments in (["search", "varnish"], ["status"], ["show", "handbook.md"]):
        assert ask(indexed, *arguments).returncode == 0
    assert {path: path.stat().st_mtime_ns for path in indexed.rglob("*")} == before


@pytest.fixture
def own_index(indexed, home):
    """A copy of the indexed folder with its index, to change."""
    return copy_indexed(indexed, home / "own")


def test_removing_several_files_needs_a_yes(own_index):
    refused = ask(own_index, "remove", "*.py", "*.csv", "--json")
    assert "--yes" in check_error(refused, 2)["hint"]
    one = ask(own_index, "remove", "prices.py", "--json")
    assert check_json(one.stdout, "remove")["removed"] == ["prices.py"]
    rest = ask(own_index, "remove", "stock.csv", "handbook.md", "--yes")
    assert sorted(rest.stdout.splitlines()) == [b"removed handbook.md", b"removed stock.csv"]
    check_error(ask(own_index, "remove", "prices.py", "--json"), 2)
    assert (own_index / "prices.py").exists()


def test_rebuilding_asks_on_a_terminal_and_needs_a_yes_elsewhere(own_index):
    assert "--yes" in check_error(ask(own_index, "index", "--rebuild", "--json"), 2)["hint"]
    said = run_on_terminal(["index", "--rebuild"], own_index, typed=b"n\n")
    assert b"go on? [y/N]" in said
    assert b"added" not in said
    said = run_on_terminal(["index", "--rebuild"], own_index, typed=b"yes\n")
    assert b"5 added" in said or b"6 added" in said
    # the bars moved, and the cursor came back
    assert said.rindex(b"\x1b[?25h") > said.rindex(b"\x1b[?25l")


def test_an_index_of_empty_files_abstains(home):
    folder = home / "empty"
    folder.mkdir()
    (folder / "empty.md").write_text("", "utf-8")
    (folder / "blank.txt").write_text(" \n\t\n", "utf-8")
    assert ask(folder, "index").returncode == 0
    assert ask(folder, "ask", "anything at all?").returncode == 4
    assert ask(folder, "search", "anything").returncode == 0


def test_a_changed_file_is_noted_with_the_answer(own_index):
    question = ("ask", "How many days of paid leave does a member of the workshop have?", "--json")
    assert check_json(ask(own_index, *question).stdout, "answer")["warnings"] == []
    with (own_index / "handbook.md").open("a") as file:
        file.write("More.\n")
    found = check_json(ask(own_index, *question).stdout, "answer")
    assert found["warnings"] == ["1 file changed since the last index; run mixrag index"]


def test_what_neighbouring_passages_share_is_shown_once(home):
    folder = home / "long"
    folder.mkdir()
    said = [f"The lantern of orchard {n} weighs {n * 7} grams on a clear day in autumn." for n in range(60)]
    (folder / "lanterns.md").write_text("# Lanterns\n\n" + " ".join(said) + "\n", "utf-8")
    assert ask(folder, "index").returncode == 0
    with open_reader(folder / ".mixrag") as reader:
        texts = [chunk.text for chunk in reader.chunks_of(reader.document_rows()[0].id)]
    assert any(sum(line in text for text in texts) > 1 for line in said)  # neighbours do share sentences
    for part in ("", "#L3"):
        shown = " ".join(ask(folder, "show", f"lanterns.md{part}").stdout.decode().split())
        assert [shown.count(line) for line in said] == [1] * len(said)


@pytest.mark.parametrize(("error", "is_shown"), [("KeyboardInterrupt", False), ("ValueError", True)])
def test_a_second_control_c_shows_nothing_where_no_exception_gets_out(error: str, is_shown: bool) -> None:
    script = f"""
from mixrag_cli.actions.signals import watch_for_signals
watch_for_signals()
def steps():
    try:
        yield
    finally:
        raise {error}
begun = steps()
next(begun)
del begun
print("went on")
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "went on\n")
    assert (error in done.stderr) is is_shown


def test_quiet_says_nothing_and_an_unchanged_folder_is_left_alone(own_index):
    done = ask(own_index, "index", "--json", "--quiet")
    report = check_json(done.stdout, "index")
    assert (report["added"], report["changed"], report["removed"]) == (0, 0, 0)
    assert report["unchanged"] >= 5
    assert done.stderr == b""


def test_a_folder_that_is_gone_is_told(home):
    gone = home / "gone"
    gone.mkdir()
    done = run_mixrag(
        "status", cwd=gone, env=environment_of(home), program=["bash", "-c", 'rmdir "$PWD"; "$@"', "bash"]
    )
    assert done.returncode == 1
    assert done.stderr.startswith(b"mixrag: the current folder does not exist any more\n")
