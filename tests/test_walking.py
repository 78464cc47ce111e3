"""The walk finds what is wanted, says why it passed over the rest, never leaves its root and never blocks."""

import gc
import os
import random
import shutil
import socket
import stat
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mixrag_cli.cleaning import display_path
from mixrag_cli.errors import FileUnreadable, MixragError
from mixrag_cli.records.files import DocumentRow, Skipped, SourceFile, content_key
from mixrag_cli.walking import (
    Changes,
    WalkLimits,
    detect_changes,
    document_id,
    ensure_unchanged,
    find_secret,
    guard_removals,
    hash_file,
    judge_content,
    judge_head,
    open_source,
    walk_root,
)
from mixrag_cli.walking.rules import judge_file_name
from mixrag_cli.walking.secrets import find_secrets, redact_secrets
from tests.bounded import assert_in_line, patience

LONG_AGO_NS = 1_600_000_000 * 10**9
CANARY = "canary-7f3a"
PRIVATE_KEY = (
    "-----BEGIN RSA PRIVATE " + "KEY-----\n" + "MIIEpAIBAAKCAQEA7bq2\n" * 5 + "-----END RSA PRIVATE " + "KEY-----\n"
)


def write(root: Path, path: str, text: str = "some words\n", *, mtime_ns: int = LONG_AGO_NS) -> Path:
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    os.utime(file, ns=(mtime_ns, mtime_ns))
    return file


def scan(root: Path, **options: object) -> tuple[list[SourceFile], list[Skipped]]:
    found: list[SourceFile] = []
    skipped: list[Skipped] = []
    for item in walk_root(root, **options):  # type: ignore[arg-type]
        if isinstance(item, SourceFile):
            found.append(item)
        else:
            skipped.append(item)
    return found, skipped


def paths(found: list[SourceFile]) -> list[str]:
    return [os.fsdecode(source.path) for source in found]


def codes(skipped: list[Skipped]) -> dict[str, str]:
    return {entry.path: entry.code for entry in skipped}


def remember(found: list[SourceFile], seen_ns: int | None = None) -> list[DocumentRow]:
    """The rows a store holds once these files have been read."""
    return [
        DocumentRow(
            id=document_id(source.root, source.path),
            root=source.root,
            key=source.path,
            path=display_path(source.path),
            status="indexed",
            size=source.size,
            mtime_ns=source.mtime_ns,
            device=source.device,
            inode=source.inode,
            seen_ns=time.time_ns() if seen_ns is None else seen_ns,
            content_hash=content_key(hash_file(source)),
        )
        for source in found
    ]


def changes_since(root: Path, known: list[DocumentRow], hasher: Callable[[SourceFile], str] = hash_file) -> Changes:
    started = time.time_ns()
    found, skipped = scan(root)
    return detect_changes(found, known, started, hasher, skipped)


def forbidden_hash(source: SourceFile) -> str:
    raise AssertionError(f"{source.path!r} was opened")


@contextmanager
def unprivileged(*roots: Path) -> Iterator[None]:
    """As a user for whom permission bits count, also when the tests run as root."""
    if os.geteuid() != 0:
        yield
        return
    for root in roots:
        for folder in (root, *root.parents):
            if folder.stat().st_uid == 0 and not folder.stat().st_mode & stat.S_IXOTH:
                folder.chmod(folder.stat().st_mode | stat.S_IXOTH | stat.S_IROTH)
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that another user can reach."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


# --- what is found -----------------------------------------------------------------------------------------------


def test_files_come_sorted_by_the_bytes_of_their_paths(tmp_path: Path) -> None:
    for path in ["b.md", "a/z.py", "a.md", "a/b/c.txt", "a-b/x.csv", "B.md", "ü.md", "a/b.txt", "Makefile"]:
        write(tmp_path, path)
    found, skipped = scan(tmp_path)
    assert [source.path for source in found] == sorted(source.path for source in found)
    assert len(found) == 9
    assert skipped == []
    assert paths(scan(tmp_path)[0]) == paths(found)


def test_a_found_file_carries_its_status(tmp_path: Path) -> None:
    file = write(tmp_path, "docs/plan.md", "words")
    (source,) = scan(tmp_path)[0]
    status = file.stat()
    assert source == SourceFile(
        os.path.realpath(os.fsencode(tmp_path)), b"docs/plan.md", 5, LONG_AGO_NS, status.st_dev, status.st_ino
    )


WANTED = """
notes.txt README.rst run.log data.json conf.yaml pyproject.toml setup.ini tox.cfg paper.tex todo.org
schema.sql site.css page.html nb.ipynb table.csv table.tsv book.xlsx old.xls sheet.ods report.pdf main.py
Makefile LICENSE unknown.suffix data.dat id_mapping.csv environment.yml keyboard.md history.md secretary.md
monkey.txt blocks.md
"""


@pytest.mark.parametrize("name", WANTED.split())
def test_wanted_kinds_are_not_left_out(name: str) -> None:
    assert judge_file_name(name.encode()) is None


@pytest.mark.parametrize(
    ("name", "code"),
    [
        (".hidden.md", "hidden"),
        (".DS_Store", "hidden"),
        ("photo.JPG", "needs-ocr"),
        ("film.mp4", "binary"),
        ("backup.tar.gz", "binary"),
        ("lib.so", "binary"),
        ("weights.gguf", "binary"),
        ("letter.doc", "unsupported"),
        ("slides.ppt", "unsupported"),
        ("package-lock.json", "lock-file"),
        ("yarn.lock", "lock-file"),
        ("poetry.lock", "lock-file"),
        ("Cargo.lock", "lock-file"),
        ("go.sum", "lock-file"),
        ("~$budget.xlsx", "lock-file"),
        ("jquery.min.js", "minified"),
        ("site.min.css", "minified"),
        ("app.js.map", "minified"),
        ("message_pb2.py", "generated"),
        ("service.pb.go", "generated"),
    ],
)
def test_what_is_left_out_by_name(tmp_path: Path, name: str, code: str) -> None:
    write(tmp_path, name)
    write(tmp_path, "good.md")
    found, skipped = scan(tmp_path)
    assert paths(found) == ["good.md"]
    assert codes(skipped) == {name: code}
    assert skipped[0].by_rule
    plain = skipped[0].reason.replace("OCR", "ocr")  # what it is called
    assert plain == plain.lower()


@pytest.mark.parametrize(
    "folder", [".git", ".mixrag", "node_modules", "venv", ".venv", "__pycache__", "pkg.egg-info", "chunks.lance"]
)
def test_a_tool_folder_is_one_entry_and_not_walked(tmp_path: Path, folder: str) -> None:
    write(tmp_path, f"sub/{folder}/deep/readme.md")
    write(tmp_path, "sub/good.md")
    found, skipped = scan(tmp_path)
    assert paths(found) == ["sub/good.md"]
    assert codes(skipped) == {f"sub/{folder}/": "tool-folder"}


@pytest.mark.parametrize("mark", ["pyvenv.cfg", "CACHEDIR.TAG"])
def test_an_environment_and_a_cache_are_known_by_what_they_hold(tmp_path: Path, mark: str) -> None:
    write(tmp_path, f"anything/{mark}")
    write(tmp_path, "anything/lib/module.py")
    assert codes(scan(tmp_path)[1]) == {"anything/": "tool-folder"}
    assert scan(tmp_path)[0] == []


def test_the_own_store_is_passed_over_in_silence_wherever_it_is(tmp_path: Path) -> None:
    write(tmp_path, "index-of-mine/readme.md")
    write(tmp_path, "index-of-mine/deep/readme.md")
    write(tmp_path, "good.md")
    store = tmp_path / "index-of-mine"
    assert scan(tmp_path, store=store) == (scan(tmp_path, store=store, within=b"good.md")[0], [])
    assert scan(tmp_path, store=store, within=b"index-of-mine") == ([], [])
    assert scan(tmp_path, store=store, within=b"index-of-mine/deep/readme.md") == ([], [])


def test_a_file_over_the_limit_is_reported(tmp_path: Path) -> None:
    with write(tmp_path, "big.csv").open("wb") as file:
        file.truncate(2_000_001)
    write(tmp_path, "small.csv")
    found, skipped = scan(tmp_path, limits=WalkLimits(max_file_mb=2))
    assert paths(found) == ["small.csv"]
    assert skipped == [Skipped("big.csv", "too-large", "larger than 2 MB", by_rule=False)]


def test_a_root_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(MixragError, match="nowhere: no such file or directory"):
        scan(tmp_path / "nowhere")
    with pytest.raises(MixragError, match=r"gone\.md: no such file"):
        scan(tmp_path, within=b"gone.md")
    with pytest.raises(MixragError, match="not a directory"):
        scan(write(tmp_path, "file.md"))


def test_a_very_deep_tree_is_walked_and_read(tmp_path: Path) -> None:
    name, depth = "folder-with-a-name", 260  # a path of 4,900 bytes: longer than the system takes in one piece
    at = os.open(tmp_path, os.O_RDONLY)
    for _ in range(depth):
        os.mkdir(name, dir_fd=at)
        below = os.open(name, os.O_RDONLY, dir_fd=at)
        os.close(at)
        at = below
    with os.fdopen(os.open("deep.md", os.O_CREAT | os.O_WRONLY, dir_fd=at), "w") as file:
        file.write("deep down")
    os.close(at)
    (source,), skipped = scan(tmp_path)
    assert len(source.path) > 4096
    assert skipped == []
    assert hash_file(source) == sha256(b"deep down").hexdigest()
    shutil.rmtree(tmp_path / name)


def test_a_folder_of_many_files_and_a_limit_on_open_files(tmp_path: Path) -> None:
    for number in range(3_000):
        (tmp_path / f"{number}.md").touch()
    gc.collect()  # files that other tests left open would be closed at any time
    before = len(list(Path("/proc/self/fd").iterdir()))
    found, _ = scan(tmp_path)
    assert len(found) == 3_000
    assert len(list(Path("/proc/self/fd").iterdir())) == before


# --- named by the user -------------------------------------------------------------------------------------------


def test_a_named_file_or_folder_is_taken_although_left_out_otherwise(tmp_path: Path) -> None:
    write(tmp_path, ".gitignore", "drafts/\n*.log\n")
    for path in [".github/ci.md", "drafts/plan.md", "drafts/run.log", "app.min.js", "a/.notes.md"]:
        write(tmp_path, path)
    assert paths(scan(tmp_path)[0]) == []
    assert paths(scan(tmp_path, within=b".github")[0]) == [".github/ci.md"]
    assert paths(scan(tmp_path, within=b"drafts/")[0]) == ["drafts/plan.md"]
    assert paths(scan(tmp_path, within=b"drafts/run.log")[0]) == ["drafts/run.log"]
    assert paths(scan(tmp_path, within=b"app.min.js")[0]) == ["app.min.js"]
    assert paths(scan(tmp_path, within=b"a/.notes.md")[0]) == ["a/.notes.md"]


@pytest.mark.parametrize("path", [".env", "a/server.pem", ".ssh/config", ".aws", "a/.kube/deep/notes.md"])
def test_a_named_secret_is_still_left_out(tmp_path: Path, path: str) -> None:
    write(tmp_path, path + "/credentials" if path == ".aws" else path)
    found, skipped = scan(tmp_path, within=path.encode())
    assert found == []
    assert [entry.code for entry in skipped] == ["secret"]


def test_ignore_files_above_a_named_folder_count_below_it(tmp_path: Path) -> None:
    write(tmp_path, ".gitignore", "*.log\n")
    write(tmp_path, "a/b/run.log")
    write(tmp_path, "a/b/notes.md")
    assert paths(scan(tmp_path, within=b"a/b")[0]) == ["a/b/notes.md"]


def test_a_named_path_cannot_leave_the_root(tmp_path: Path) -> None:
    write(tmp_path, "outside.md", CANARY)
    (tmp_path / "root").mkdir()
    found, skipped = scan(tmp_path / "root", within=b"../outside.md")
    assert found == []
    assert codes(skipped) == {"../outside.md": "outside"}


# --- ignore files ------------------------------------------------------------------------------------------------


def test_nested_ignore_files_deeper_and_later_ones_win(tmp_path: Path) -> None:
    write(tmp_path, ".gitignore", "*.log\nbuild/\n/top.md\n!keep.log\nsecret-plans/**\n")
    write(tmp_path, "a/.gitignore", "!run.log\nnotes.md\n")
    write(tmp_path, "a/.mixragignore", "!notes.md\nextra.md\n")
    for path in ["run.log", "keep.log", "top.md", "a/top.md", "build/x.md", "a/build/x.md", "build.md"]:
        write(tmp_path, path)
    for path in ["a/run.log", "a/notes.md", "a/extra.md", "secret-plans/x.md", "a/b/run.log", "b/run.log"]:
        write(tmp_path, path)
    found, skipped = scan(tmp_path)
    assert paths(found) == ["a/b/run.log", "a/notes.md", "a/run.log", "a/top.md", "build.md", "keep.log"]
    ignored = {path for path, code in codes(skipped).items() if code == "ignored"}
    assert ignored == {"run.log", "top.md", "build/", "a/build/", "a/extra.md", "secret-plans/x.md", "b/run.log"}


def test_no_ignore_file_brings_back_secrets_tools_or_hidden_files(tmp_path: Path) -> None:
    for name in [".gitignore", ".mixragignore"]:
        write(tmp_path, name, "!.env\n!*.pem\n!.ssh/\n!**\n!node_modules/\n!.hidden.md\n")
    for path in [".env", "server.pem", ".ssh/config", "node_modules/x.md", ".hidden.md"]:
        write(tmp_path, path, CANARY)
    assert scan(tmp_path)[0] == []


PATTERN_PARTS = [
    "a",
    "[[:alpha:]]",
    "b",
    "c.md",
    "*",
    "**",
    "?",
    "*.md",
    "[ab]",
    "[!a]",
    "a*",
    "d e",
    "\\#f",
    "\\!g",
    "e\\ ",
]
TREE_NAMES = ["a", "b", "ab", "d e", "#f", "!g", "e "]


def random_ignore_text(chance: random.Random) -> str:
    lines = []
    for _ in range(chance.randint(0, 5)):
        body = "/".join(chance.choice(PATTERN_PARTS) for _ in range(chance.randint(1, 3)))
        lines.append(chance.choice(["", "", "!"]) + chance.choice(["", "", "/"]) + body + chance.choice(["", "", "/"]))
    return "\n".join(lines) + chance.choice(["\n", "", "\n# a remark\n\n", "  \n"])


def test_ignore_files_mean_what_they_mean_to_git(tmp_path: Path) -> None:
    chance = random.Random(20)
    folders = ["", "a/", "a/b/", "b/", "ab/", "d e/", "a/a/", "b/a/b/"]
    for folder in folders:
        for name in TREE_NAMES:
            write(tmp_path, f"{folder}{name}.md" if name in ("a", "b") else f"{folder}{name}-file")
        write(tmp_path, f"{folder}c.md")
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "GIT_CONFIG_NOSYSTEM": "1"}
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, env=environment, check=True)
    listing = ["git", "ls-files", "--others", "--exclude-standard", "-z"]
    for _ in range(120):
        texts = {folder: random_ignore_text(chance) for folder in ["", "a/", "a/b/"]}
        for folder, text in texts.items():
            write(tmp_path, f"{folder}.gitignore", text)
        listed = subprocess.run(listing, cwd=tmp_path, env=environment, check=True, capture_output=True).stdout
        wanted = sorted(path for path in listed.split(b"\0") if path and not path.endswith(b".gitignore"))
        assert [source.path for source in scan(tmp_path)[0]] == wanted, texts


@pytest.mark.parametrize(
    "hostile",
    [
        b"*a*a*a*a*a*a*a*a*a*a*b\n",
        b"**/**/**/**/**/**/**/**/b\n",
        b"[\n[z-a]\n!\n\\\n[[:alpha:]\n",
        b"\xff\xfe*\x00\n",
        b"x*\n" * 50_000,
    ],
)
def test_a_hostile_ignore_file_does_not_hang(tmp_path: Path, hostile: bytes) -> None:
    (tmp_path / ".gitignore").write_bytes(hostile)
    write(tmp_path, "/".join(["a" * 60] * 6) + "/" + "a" * 200 + ".md")
    with patience():
        assert len(scan(tmp_path)[0]) == 1


def test_an_ignore_file_that_is_no_file_is_passed_over(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / ".gitignore")
    (tmp_path / "a").mkdir()
    (tmp_path / "a/.gitignore").symlink_to("/dev/zero")
    write(tmp_path, "a/good.md")
    assert paths(scan(tmp_path)[0]) == ["a/good.md"]


# --- links and special files -------------------------------------------------------------------------------------


def test_links_are_not_followed_and_loops_do_not_matter(tmp_path: Path) -> None:
    write(tmp_path, "a/good.md")
    (tmp_path / "a/b").symlink_to(tmp_path / "c")
    (tmp_path / "c").symlink_to(tmp_path / "a/b")
    (tmp_path / "self").symlink_to("self")
    (tmp_path / "a/up").symlink_to("..")
    (tmp_path / "a/copy.md").symlink_to("good.md")
    (tmp_path / "lost.md").symlink_to("nowhere.md")
    found, skipped = scan(tmp_path)
    assert paths(found) == ["a/good.md"]
    assert codes(skipped) == dict.fromkeys(["a/b", "a/copy.md", "a/up", "c", "lost.md", "self"], "link")
    assert all(entry.by_rule for entry in skipped)
    followed, skipped = scan(tmp_path, follow=True)
    assert paths(followed) == ["a/good.md"]
    assert set(codes(skipped).values()) == {"link"}


@pytest.mark.parametrize("follow", [False, True])
def test_a_link_out_of_the_root_is_refused(tmp_path: Path, follow: bool) -> None:
    write(tmp_path, "private/id_rsa", CANARY)
    write(tmp_path, "private/notes.md", CANARY)
    root = tmp_path / "root"
    write(root, "good.md")
    (root / "passwd.txt").symlink_to("/etc/passwd")
    (root / "key.txt").symlink_to(tmp_path / "private/id_rsa")
    (root / "folder").symlink_to(tmp_path / "private")
    (root / "upward.md").symlink_to("../private/notes.md")
    (root / "rooted").symlink_to(tmp_path / "rooted-elsewhere")
    (tmp_path / "rooted-elsewhere").mkdir()  # its path begins with the root's own
    found, skipped = scan(root, follow=follow)
    assert paths(found) == ["good.md"]
    assert codes(skipped) == dict.fromkeys(["folder", "key.txt", "passwd.txt", "rooted", "upward.md"], "outside")
    assert {entry.reason for entry in skipped} == {"points outside the folder"}


def test_a_followed_link_stands_for_its_target_once(tmp_path: Path) -> None:
    write(tmp_path, ".data/v2/table.csv")
    write(tmp_path, ".data/v2/.env", CANARY)
    write(tmp_path, ".one.md")
    write(tmp_path, "plain.md")
    write(tmp_path, ".ssh/notes.md", CANARY)
    for link, target in [("data", ".data/v2"), ("again", ".data/v2"), ("one.md", ".one.md"), ("two.md", ".one.md")]:
        (tmp_path / link).symlink_to(target)
    (tmp_path / "same.md").symlink_to("plain.md")
    (tmp_path / "keys").symlink_to(".ssh")
    (tmp_path / "notes.md").symlink_to(".ssh/notes.md")
    found, skipped = scan(tmp_path, follow=True)
    assert sorted(paths(found)) == [".data/v2/table.csv", ".one.md", "plain.md"]
    assert all(hash_file(source) for source in found)
    assert codes(skipped)["keys"] == "secret" or codes(skipped)[".ssh/"] == "secret"
    assert codes(skipped)["notes.md"] == "secret"


def test_special_files_are_passed_over_without_blocking(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, "good.md")
    os.mkfifo(tmp_path / "pipe.md")
    special = ["pipe.md", "socket.md"]
    monkeypatch.chdir(tmp_path)  # a socket's path must be short
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("socket.md")
        try:
            os.mknod("zero.md", stat.S_IFCHR | 0o644, os.makedev(1, 5))
            special.append("zero.md")
        except PermissionError:
            pass  # only root may make a device
        with patience():
            found, skipped = scan(tmp_path)
    assert paths(found) == ["good.md"]
    assert codes(skipped) == dict.fromkeys(special, "special")


# --- opening what was found --------------------------------------------------------------------------------------


def failure_of(source: SourceFile, action: Callable[[SourceFile], object] = open_source) -> str:
    with pytest.raises(FileUnreadable) as caught:
        action(source)
    return caught.value.code


def test_an_opened_file_is_the_one_that_was_found(tmp_path: Path) -> None:
    write(tmp_path, "a/good.md", "good words")
    (source,) = scan(tmp_path)[0]
    with os.fdopen(open_source(source), "rb") as file:
        assert file.read() == b"good words"
        assert not os.get_inheritable(file.fileno())
    assert hash_file(source) == sha256(b"good words").hexdigest()


def test_a_file_swapped_after_the_walk_is_not_read(tmp_path: Path) -> None:
    canary = write(tmp_path, "private.md", CANARY)
    root = tmp_path / "root"
    file = write(root, "a/b/good.md", "x" * len(CANARY))
    (source,) = scan(root)[0]

    file.unlink()
    assert failure_of(source) == "vanished"
    file.symlink_to(canary)
    assert failure_of(source) == "changed"
    file.unlink()
    os.mkfifo(file)
    assert failure_of(source) == "special"
    file.unlink()
    file.mkdir()
    assert failure_of(source) == "special"
    file.rmdir()
    os.link(canary, file)
    assert failure_of(source) == "changed"
    shutil.rmtree(root / "a/b")
    (tmp_path / "elsewhere").mkdir()
    os.link(canary, tmp_path / "elsewhere/good.md")
    (root / "a/b").symlink_to(tmp_path / "elsewhere")
    assert failure_of(replace(source, inode=canary.stat().st_ino)) == "changed"
    shutil.rmtree(root / "a")
    (root / "a").write_text("a file now")
    assert failure_of(source) == "changed"


def test_a_swapping_thread_never_gets_a_foreign_file_read(tmp_path: Path) -> None:
    write(tmp_path, "outside/good.md", CANARY)
    root = tmp_path / "root"
    own = b"x" * len(CANARY)
    write(root, "a/good.md", own.decode())
    (source,) = scan(root)[0]
    done = threading.Event()

    def swap() -> None:
        while not done.is_set():
            (root / "a").rename(root / "kept")
            (root / "a").symlink_to(tmp_path / "outside")
            (root / "a").unlink()
            (root / "kept").rename(root / "a")

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        outcomes: set[bytes] = set()
        deadline = time.monotonic() + 15
        opened = 0
        while (opened < 2_000 or own not in outcomes or len(outcomes) < 2) and time.monotonic() < deadline:
            opened += 1
            try:
                with os.fdopen(open_source(source), "rb") as file:
                    outcomes.add(file.read())
            except FileUnreadable as failure:
                outcomes.add(failure.code.encode())
    finally:
        done.set()
        thread.join()
    assert own in outcomes
    assert len(outcomes) > 1, "no swap was ever met"
    assert outcomes <= {own, b"vanished", b"changed"}


@pytest.mark.parametrize("path", [b"../outside.md", b"a/../../outside.md", b"", b"a//b", b"./a", b"/etc/passwd"])
def test_a_path_that_is_no_plain_path_is_not_opened(tmp_path: Path, path: bytes) -> None:
    write(tmp_path, "outside.md", CANARY)
    root = tmp_path / "root"
    (root / "a").mkdir(parents=True)
    assert failure_of(SourceFile(os.fsencode(root), path, 1, 1, 1, 1)) in ("read-error", "vanished", "special")


def test_a_file_written_to_while_it_is_read_is_told(tmp_path: Path) -> None:
    path = write(tmp_path, "growing.log", "one\n")
    (source,) = scan(tmp_path)[0]
    file = open_source(source)
    with path.open("a") as more:
        more.write("two\n")
    with pytest.raises(FileUnreadable, match="changed while being read; will be read next time"):
        ensure_unchanged(file, source)
    os.close(file)
    assert failure_of(source, hash_file) == "changed"


# --- secrets -----------------------------------------------------------------------------------------------------

LISTED_SECRETS = """
.env .env.local .env.production .envrc prod.env api/.env.test server.pem ca.key signing.p8 id_rsa id_rsa.pub
id_dsa id_ecdsa id_ed25519 id_ed25519-work id_rsa.bak id_deploy .ssh/config .ssh/known_hosts
.gnupg/secring.gpg .aws/credentials .aws/config .kube/config .docker/config.json .azure/token.json .netrc
_netrc .pgpass .my.cnf .npmrc .pypirc .git-credentials .htpasswd htpasswd .dockercfg .s3cfg .boto .vault-token
vault.kdbx old.kdb cert.p12 cert.pfx store.jks app.keystore key.ppk vpn.ovpn terraform.tfstate
terraform.tfstate.backup prod.tfvars credentials.json credentials-prod.json client_secret_12.json 
service-account.json secrets.yaml secrets.yml secrets.json secrets.toml .bash_history .zsh_history .python_history
.psql_history .node_repl_history .mysql_history SECRETS.YAML Server.PEM
"""
SECRET_PATHS = LISTED_SECRETS.split()
ENV_TEMPLATES = [".env.example", ".env.sample", "api/.env.local.example", ".env.example.complete", "example.env"]


def test_no_likely_secret_is_found(tmp_path: Path) -> None:
    assert len(SECRET_PATHS) >= 60
    for folder in ["", "deep/er/"]:
        for path in SECRET_PATHS:
            write(tmp_path, folder + path, CANARY)
    write(tmp_path, "good.md")
    for path in ENV_TEMPLATES:
        write(tmp_path, path)
    found, skipped = scan(tmp_path)
    assert sorted(paths(found)) == sorted(["good.md", *ENV_TEMPLATES])
    assert {entry.code for entry in skipped} == {"secret"}
    shown = {entry.path for entry in skipped}
    covered = [path for path in SECRET_PATHS if path in shown or path.split("/")[0] + "/" in shown or "api/" in path]
    assert covered == SECRET_PATHS
    assert "api/.env.test" in shown


@pytest.mark.parametrize(
    "head",
    [
        PRIVATE_KEY,
        PRIVATE_KEY.replace("RSA ", ""),
        PRIVATE_KEY.replace("RSA", "OPENSSH"),
        PRIVATE_KEY.replace("RSA PRIVATE KEY", "PGP PRIVATE KEY BLOCK"),
        "\ufeff\n  " + PRIVATE_KEY,
        "# my key\n" + PRIVATE_KEY,
        "Bag Attributes\n    friendlyName: x\nKey Attributes: <No Attributes>\n" + PRIVATE_KEY,
        "PuTTY-User-Key-" + "File-3: ssh-ed25519\n",
        '{"type": "service_account", "private_key": "-----BEGIN PRIVATE ' + 'KEY-----\\nMII"}',
    ],
)
def test_a_file_that_is_a_private_key_is_left_out_whatever_its_name(tmp_path: Path, head: str) -> None:
    assert find_secret(head.encode()) == "holds a private key"
    write(tmp_path, "notes.txt", head)
    write(tmp_path, "good.txt")
    changes = changes_since(tmp_path, [])
    assert [change.source.path for change in changes.to_read] == [b"good.txt"]
    assert [(row.key, row.status, row.code) for row in changes.noted] == [(b"notes.txt", "left_out", "secret")]


def test_a_document_that_shows_a_key_is_kept_and_the_key_is_taken_out() -> None:
    text = "How keys look\n\n```\n" + PRIVATE_KEY + "```\nThe end\n"
    assert find_secret(text.encode()) is None
    clean, n = redact_secrets(text)
    assert n == 1
    assert "MIIEp" not in clean
    assert clean.startswith("How keys look\n\n```\n[secret removed]\n")
    assert clean.endswith("```\nThe end\n")
    assert clean.count("\n") == text.count("\n")


TOKENS = {
    "amazon": "AKIA" + "IOSFODNN7EXAMPLE",
    "github": "ghp_" + "a1B2" * 9,
    "github fine": "github_pat_" + "11ABC_" * 6,
    "gitlab": "glpat-" + "x1y2z3w4v5u6t7s8r9q0",
    "npm": "npm_" + "a1B2" * 9,
    "pypi": "pypi-AgE" + "IcHlwaS5vcmc" * 6,
    "slack": "xoxb-" + "123456789012-abcdefghijkl",
    "sendgrid": "SG." + "a" * 22 + "." + "b" * 43,
    "stripe": "sk_live_" + "a1B2c3D4" * 3,
    "google": "AIza" + "SyA-1234567890abcdefghijklmnopqrstu"[:35],
    "google client": "GOCSPX-" + "a1B2c3D4e5F6g7H8i9J0k1L2",
    "openai": "sk-proj-" + "a1B2c3D4" * 5,
    "openai old": "sk-" + "a1B2c3D4" * 6,
    "anthropic": "sk-ant-" + "api03-" + "a1B2c3D4" * 5,
    "hugging face": "hf_" + "aBcDeFgHiJ" * 4,
    "vault": "hvs." + "a1B2c3D4" * 4,
    "web token": "eyJ" + "hbGciOiJIUzI1NiJ9" + "." + "eyJ" + "zdWIiOiIxMjM0In0" + "." + "abcdefghijklmnop",
    "telegram": "1234567890" + ":AA" + "b" * 33,
    "age": "AGE-SECRET-" + "KEY-1" + "Q" * 58,
}


@pytest.mark.parametrize("token", TOKENS.values(), ids=TOKENS.keys())
@pytest.mark.parametrize("frame", ["{}", "token = '{}'\n", '{{"key": "{}"}}', "line one\nsee {} here\nline three\n"])
def test_known_tokens_are_taken_out_of_text(token: str, frame: str) -> None:
    clean, n = redact_secrets(frame.format(token))
    assert n == 1
    assert clean == frame.format("[secret removed]")
    assert redact_secrets(clean) == (clean, 0)


def test_places_of_secrets_are_in_order_and_do_not_overlap() -> None:
    token = TOKENS["github"]
    text = f"https://ada:{token}@example.org and {token} and {TOKENS['amazon']}"
    places = find_secrets(text)
    assert [text[start:end] for start, end in places] == [token, token, TOKENS["amazon"]]


def test_a_secret_beside_its_name_and_a_password_in_an_address() -> None:
    text = "aws_secret_access_key = " + "wJalrXUtnFEMI/K7MDENG/bPxRfiCY" + "EXAMPLEKEY\n"
    assert redact_secrets(text) == ("aws_secret_access_key = [secret removed]\n", 1)
    address = "postgres://ada:" + "hunter22" + "@db.example.org/sales"
    assert redact_secrets(address) == ("postgres://ada:[secret removed]@db.example.org/sales", 1)


DRAWN_HEX, DRAWN_BASE64 = "e77989ed2175" + "8e78331b20e477fc5582", "dxLmhnE0pRY2+vUlu" + "+i5Pxh8LTxLBTgBWdp82W74mMs="


@pytest.mark.parametrize("secret", [DRAWN_HEX, DRAWN_HEX.upper(), DRAWN_BASE64], ids=["hex", "capitals", "base64"])
@pytest.mark.parametrize(
    "frame",
    [
        "APP_ENV=dev\nAPP_SECRET={}\nAPP_DEBUG=1\n",
        "export API_TOKEN='{}'",
        "APP_KEY=base64:{}",
        "database:\n  password: {}\n",
        '{{"apiKey": "{}", "region": "eu"}}',
        "'client_secret' => '{}',",
        'token := "{}"',
        "<auth><apiKey>{}</apiKey></auth>",
        '<add key="ApiSecret" value="{}" />',
        "| JWT_SECRET | {} |",
        "smtp_password,{}\n",
        "secret_key_base = {} # of production",
    ],
)
def test_what_looks_drawn_at_random_behind_a_credentials_name_is_taken_out(secret: str, frame: str) -> None:
    clean, n = redact_secrets(frame.format(secret))
    assert (clean, n) == (frame.format("[secret removed]"), 1)
    assert redact_secrets(clean) == (clean, 0)


@pytest.mark.parametrize(
    "text",
    [
        "APP_SECRET=changeme\nDB_PASSWORD=<your-password>\nAPI_KEY=xxxxxxxxxxxxxxxxxxxxxxxx\n",
        "TOKEN=${{ secrets.TOKEN }}\nSESSION_SECRET=$(openssl rand -hex 32)\n",
        "API_KEY=your-api-key-goes-right-here-2024\nSECRET_KEY=ReplaceThisWithYourOwnSecret1\n",
        "token = AuthTokenV2RequestHandlerFactory\nsecret = loadSecret2FromVaultService(name)\n",
        "password = config.Passwords2.ForTheMainDatabase1x\n",
        f"commit {DRAWN_HEX}\nchecksum: {DRAWN_HEX}\nunique_key: {DRAWN_HEX}\n",
        "token: 0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48",
        "The password was 12345678901234567890 characters long.",
    ],
)
def test_placeholders_names_and_checksums_are_no_secrets(text: str) -> None:
    assert redact_secrets(text) == (text, 0)


@pytest.mark.parametrize(
    "text",
    [
        "The password is kept in a safe. Net sales were 1,234.5 million.",
        "https://user@example.org/a:b and http://example.org:8080/x@y",
        "sk-learn and scikit-learn; hf_hub; npm_config_registry; key-value; https://github.com/a/b",
        "sha256:" + "ab" * 32,
        "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
    ],
)
def test_ordinary_text_is_left_alone(text: str) -> None:
    assert redact_secrets(text) == (text, 0)


@given(st.text(max_size=300))
def test_redaction_keeps_line_numbers_and_is_idempotent(text: str) -> None:
    text = f"{text}\n{PRIVATE_KEY}{text}"
    clean, n = redact_secrets(text)
    assert n >= 1
    assert "MIIEp" not in clean
    assert clean.count("\n") == text.count("\n")
    assert redact_secrets(clean) == (clean, 0)


@pytest.mark.slow
@pytest.mark.parametrize(
    "hostile",
    [
        "-----BEGIN PRIVATE " + "KEY-----\n",
        "-----BEGIN PRIVATE " + "KEY-----" + "A" * 40,
        "-" * 50,
        "eyJ" + "a" * 30 + ".",
        "://a:",
        "aws_secret_access_key = ",
        "xoxb-1-",
        "1234567890:AA",
        "/* ",
        "data:" + "A" * 190,
        "token: aB3",
        "token: " + "a1B2c3D4e5" * 3 + " ",
    ],
)
def test_redaction_of_hostile_text_takes_time_in_line_with_its_length(hostile: str) -> None:
    def look_through(text: str) -> None:
        redact_secrets(text)
        find_secret(text.encode())
        judge_head(b"x.py", text.encode())
        judge_head(b"x.js", text.encode())

    assert_in_line(look_through, hostile * (100_000 // len(hostile)))


# --- left out by their first lines -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "text", "code"),
    [
        ("big.csv", "version https://git-lfs.github.com/spec/v1\noid sha256:ab\nsize 1\n", "lfs-pointer"),
        ("api.go", "// Code generated by protoc-gen-go. DO NOT EDIT.\npackage api\n", "generated"),
        ("api.ts", "/* eslint-disable */\n/**\n * @generated by a tool\n */\n", "generated"),
        ("api.py", "# Generated by the protocol buffer compiler.  DO NOT EDIT!\n", "generated"),
        ("api.rs", "// DO NOT EDIT: this file is generated\n", "generated"),
    ],
)
def test_what_is_left_out_for_its_first_lines(tmp_path: Path, name: str, text: str, code: str) -> None:
    write(tmp_path, name, text)
    write(tmp_path, "good.py", "x = '@generated'\n")
    changes = changes_since(tmp_path, [])
    assert [change.source.path for change in changes.to_read] == [b"good.py"]
    assert [(row.path, row.code) for row in changes.noted] == [(name, code)]
    again = changes_since(tmp_path, list(changes.noted), hash_file)
    assert [row.path for row in again.unchanged] == [name]


LICENCE = "/*!\n" + " * Permission is granted.\n" * 20 + " */\n"


@pytest.mark.parametrize(
    ("name", "text", "is_left_out"),
    [
        ("app.js", "function a(b){return b};" * 1_000, True),
        ("app.css", LICENCE + ".a{margin:0}" * 1_000 + "\n", True),
        ("app.py", "x = [" + "1, " * 1_000 + "]\n", False),
        ("code.js", LICENCE + "function add(a, b) {\n  return a + b;\n}\n" * 400, False),
        ("icons.css", ".icon {\n  background: url(data:image/png;base64," + "A" * 9_000 + ");\n}\n", False),
        ("short.js", "export default 5;", False),
        ("empty.js", "", False),
    ],
)
def test_minified_code_is_known_by_its_first_lines(tmp_path: Path, name: str, text: str, is_left_out: bool) -> None:
    write(tmp_path, name, text)
    (source,) = scan(tmp_path)[0]
    rule = judge_content(source)
    assert (rule is not None and rule.code == "minified") is is_left_out


def test_prose_about_generated_code_is_no_generated_code(tmp_path: Path) -> None:
    write(tmp_path, "style.md", "# Code generated by tools says DO NOT EDIT\n")
    (source,) = scan(tmp_path)[0]
    assert judge_content(source) is None


# --- hostile names -----------------------------------------------------------------------------------------------

HOSTILE_NAMES = [
    b"two\nlines.md",
    b"\x1b[31mred.md",
    b"'.md",
    b'".md',
    b"x' OR '1'='1",
    b"--help",
    b"-rf",
    b" leading.md",
    b"trailing ",
    b"x" * 252 + b".md",
    b"invalid-\xff.md",
    b"invalid-\\xff.md",
    b"%00",
    "caf\u00e9.md".encode(),
    "cafe\u0301.md".encode(),
    b"Case.md",
    b"case.md",
    "right\u202eto-left.md".encode(),
    b"back\\slash.md",
    b"tab\there; rm -rf ~ $(x) `y`",
    b"*.md",
]


def test_hostile_names_are_told_apart_removed_and_found_again(tmp_path: Path) -> None:
    root = os.fsencode(tmp_path)
    for name in HOSTILE_NAMES:
        Path(os.fsdecode(root + b"/" + name)).write_bytes(name)
    found, skipped = scan(tmp_path)
    assert skipped == []
    assert [source.path for source in found] == sorted(HOSTILE_NAMES)
    known = remember(found)
    assert len({row.id for row in known}) == len({row.path for row in known}) == len(HOSTILE_NAMES)
    assert all(row.path.isprintable() for row in known)
    for name in HOSTILE_NAMES:
        file = Path(os.fsdecode(root + b"/" + name))
        file.unlink()
        changes = changes_since(tmp_path, known)
        assert [row.key for row in changes.removed] == [name]
        assert len(changes.unchanged) + len(changes.touched) == len(HOSTILE_NAMES) - 1
        file.write_bytes(name)
        changes = changes_since(tmp_path, [row for row in known if row.key != name])
        assert [change.source.path for change in changes.to_read] == [name]
        assert changes.removed == ()


# --- what has changed --------------------------------------------------------------------------------------------


def test_unchanged_files_are_not_opened(tmp_path: Path) -> None:
    for number in range(5):
        write(tmp_path, f"{number}.md", str(number))
    known = remember(scan(tmp_path)[0])
    changes = changes_since(tmp_path, known, forbidden_hash)
    assert changes.unchanged == tuple(known)
    assert (changes.to_read, changes.removed, changes.touched, changes.noted) == ((), (), (), ())


def test_new_changed_and_removed_files(tmp_path: Path) -> None:
    for name in ["same.md", "edited.md", "gone.md"]:
        write(tmp_path, name, name)
    known = {row.path: row for row in remember(scan(tmp_path)[0])}
    write(tmp_path, "edited.md", "other words", mtime_ns=LONG_AGO_NS + 1)
    write(tmp_path, "new.md", "new")
    (tmp_path / "gone.md").unlink()
    changes = changes_since(tmp_path, list(known.values()))
    assert changes.unchanged == (known["same.md"],)
    assert changes.removed == (known["gone.md"],)
    assert (changes.n_known, changes.n_missing) == (3, 1)
    edited, new = changes.to_read
    assert (edited.source.path, edited.previous, edited.renamed_from) == (b"edited.md", known["edited.md"], None)
    assert (edited.row_id, edited.content_hash) == (
        known["edited.md"].id,
        content_key(sha256(b"other words").hexdigest()),
    )
    assert (new.source.path, new.previous, new.renamed_from) == (b"new.md", None, None)
    assert new.row_id == document_id(os.path.realpath(os.fsencode(tmp_path)), b"new.md")


@pytest.mark.parametrize("after_ns", [-1_000_000_000, 0, 1_900_000_000])
def test_an_edit_of_the_same_size_in_the_same_tick_is_seen(tmp_path: Path, after_ns: int) -> None:
    write(tmp_path, "note.md", "aaaa")
    known = remember(scan(tmp_path)[0], seen_ns=LONG_AGO_NS + after_ns)
    write(tmp_path, "note.md", "bbbb")  # same size, same time, same inode
    changes = changes_since(tmp_path, known)
    assert [change.content_hash for change in changes.to_read] == [content_key(sha256(b"bbbb").hexdigest())]


@pytest.mark.parametrize("mtime_ns", [LONG_AGO_NS - 10**18, 4_070_908_800 * 10**9], ids=["set back", "in 2099"])
def test_an_edit_under_an_odd_clock_is_seen(tmp_path: Path, mtime_ns: int) -> None:
    write(tmp_path, "note.md", "aaaa")
    known = remember(scan(tmp_path)[0])
    write(tmp_path, "note.md", "bbbb", mtime_ns=mtime_ns)
    assert len(changes_since(tmp_path, known).to_read) == 1


def test_a_time_in_the_future_stays_watched(tmp_path: Path) -> None:
    future = 4_070_908_800 * 10**9
    write(tmp_path, "note.md", "aaaa", mtime_ns=future)
    known = remember(scan(tmp_path)[0])
    assert changes_since(tmp_path, known).unchanged == tuple(known)  # nothing to write, run after run
    write(tmp_path, "note.md", "bbbb", mtime_ns=future)
    assert len(changes_since(tmp_path, known).to_read) == 1


def test_a_touched_file_is_not_read_again(tmp_path: Path) -> None:
    write(tmp_path, "note.md", "aaaa")
    known = remember(scan(tmp_path)[0])
    write(tmp_path, "note.md", "aaaa", mtime_ns=LONG_AGO_NS + 5)
    changes = changes_since(tmp_path, known)
    (row,) = changes.touched
    assert row.mtime_ns == LONG_AGO_NS + 5
    assert replace(row, mtime_ns=LONG_AGO_NS, seen_ns=known[0].seen_ns) == known[0]
    assert changes.to_read == ()
    assert changes_since(tmp_path, [row], forbidden_hash).unchanged == (row,)


def test_a_renamed_file_is_recognised(tmp_path: Path) -> None:
    for name in ["a/plan.md", "a/copy.md", "b.md", "empty.md"]:
        write(tmp_path, name, {"b.md": "other", "empty.md": ""}.get(name, "same words"))
    known = {row.path: row for row in remember(scan(tmp_path)[0])}
    (tmp_path / "a").rename(tmp_path / "z")
    (tmp_path / "b.md").rename(tmp_path / "c.md")
    (tmp_path / "empty.md").rename(tmp_path / "void.md")
    changes = changes_since(tmp_path, list(known.values()))
    renamed = {display_path(change.source.path): change.renamed_from for change in changes.to_read}
    assert renamed == {
        "c.md": known["b.md"],
        "void.md": None,
        "z/copy.md": known["a/copy.md"],
        "z/plan.md": known["a/plan.md"],
    }
    assert changes.removed == (known["empty.md"],)
    assert changes.n_missing == 1


def test_a_file_that_no_reader_could_read_is_not_tried_again(tmp_path: Path) -> None:
    write(tmp_path, "broken.pdf", "no pdf")
    (row,) = remember(scan(tmp_path)[0])
    known = [replace(row, status="skipped", code="damaged", reason="not a readable pdf")]
    assert changes_since(tmp_path, known, forbidden_hash).unchanged == tuple(known)
    write(tmp_path, "broken.pdf", "mended", mtime_ns=LONG_AGO_NS + 1)
    assert len(changes_since(tmp_path, known).to_read) == 1


def test_a_file_that_changes_once_while_read_is_read_in_its_new_state(tmp_path: Path) -> None:
    path = write(tmp_path, "note.md", "one")
    writes = iter(["two and more"])

    def hash_while_writing(source: SourceFile) -> str:
        for text in writes:
            path.write_text(text)
        return hash_file(source)

    (change,) = changes_since(tmp_path, [], hash_while_writing).to_read
    assert change.content_hash == content_key(sha256(b"two and more").hexdigest())
    assert change.source.size == len("two and more")


def test_a_file_that_keeps_changing_is_left_for_the_next_run(tmp_path: Path) -> None:
    path = write(tmp_path, "note.md", "one")
    known = remember(scan(tmp_path)[0])

    def hash_while_writing(source: SourceFile) -> str:
        with path.open("a") as file:
            file.write("more")
        return hash_file(source)

    path.write_text("edited")
    changes = changes_since(tmp_path, known, hash_while_writing)
    assert (changes.to_read, changes.removed, changes.unchanged) == ((), (), ())
    assert [(row.path, row.stale, row.code, row.reason, row.content_hash) for row in changes.stale] == [
        ("note.md", True, "changed", "changed while being read; will be read next time", known[0].content_hash)
    ]
    assert len(changes_since(tmp_path, list(changes.stale)).to_read) == 1

    changes = changes_since(tmp_path, [], hash_while_writing)
    assert [(row.status, row.content_hash) for row in changes.noted] == [("skipped", "")]
    assert len(changes_since(tmp_path, list(changes.noted)).to_read) == 1


def test_a_file_that_vanishes_after_the_walk_counts_as_gone(tmp_path: Path) -> None:
    for name in ["a.md", "b.md"]:
        write(tmp_path, name)
    known = remember(scan(tmp_path)[0])
    write(tmp_path, "a.md", "edited")
    write(tmp_path, "new.md", "new")
    started = time.time_ns()
    found, skipped = scan(tmp_path)
    (tmp_path / "a.md").unlink()
    (tmp_path / "new.md").unlink()
    changes = detect_changes(found, known, started, hash_file, skipped)
    assert [row.path for row in changes.removed] == ["a.md"]
    assert (changes.to_read, changes.noted) == ((), ())


def test_files_without_permission_are_reported_and_what_is_known_is_kept(open_folder: Path) -> None:
    for path in ["closed.md", "open.md", "folder/inside.md", "folder/deep/inside.md", "new-closed.md"]:
        write(open_folder, path, path)
    known = {row.path: row for row in remember(scan(open_folder)[0]) if row.path != "new-closed.md"}
    for path in ["closed.md", "new-closed.md", "folder"]:
        (open_folder / path).chmod(0)
    with unprivileged(open_folder):
        found, skipped = scan(open_folder)
        changes = detect_changes(found, known.values(), time.time_ns(), hash_file, skipped)
    (open_folder / "folder").chmod(0o755)
    assert paths(found) == ["open.md"]
    assert codes(skipped) == dict.fromkeys(["closed.md", "folder/", "new-closed.md"], "permission")
    assert not any(entry.by_rule for entry in skipped)
    assert {row.path for row in changes.stale} == {"closed.md", "folder/inside.md", "folder/deep/inside.md"}
    assert all(row.stale and row.content_hash == known[row.path].content_hash for row in changes.stale)
    assert changes.unchanged == (known["open.md"],)
    assert changes.removed == ()
    assert changes.n_missing == 0

    for path in ["closed.md", "new-closed.md"]:
        (open_folder / path).chmod(0o644)
    rows = [*changes.stale, *changes.noted, *changes.unchanged]
    again = changes_since(open_folder, rows)
    assert {row.path for row in again.touched} == {"closed.md", "folder/inside.md", "folder/deep/inside.md"}
    assert not any(row.stale or row.code or row.reason for row in again.touched)
    assert [change.source.path for change in again.to_read] == [b"new-closed.md"]
    assert [row.path for row in again.removed] == ["folder/"]  # the note about the folder


def test_a_folder_that_lists_its_names_only_is_reported(open_folder: Path) -> None:
    write(open_folder, "folder/inside.md")
    (open_folder / "folder").chmod(0o644)
    with unprivileged(open_folder):
        found, skipped = scan(open_folder)
    (open_folder / "folder").chmod(0o755)
    assert found == []
    assert codes(skipped) == {"folder/": "permission"}


def test_a_file_that_is_now_left_out_is_forgotten_but_not_missing(tmp_path: Path) -> None:
    for number in range(8):
        write(tmp_path, f"drafts/{number}.md", str(number))
    write(tmp_path, "one.md")
    write(tmp_path, "key.txt")
    known = remember(scan(tmp_path)[0])
    write(tmp_path, ".gitignore", "drafts/\none.md\n")
    write(tmp_path, "key.txt", PRIVATE_KEY, mtime_ns=LONG_AGO_NS + 1)
    changes = changes_since(tmp_path, known)
    assert len(changes.removed) == len(known) == 10
    assert changes.n_missing == 0
    assert {row.path: row.code for row in changes.noted} == {
        ".gitignore": "hidden",
        "drafts/": "ignored",
        "key.txt": "secret",
        "one.md": "ignored",
    }
    assert {row.id for row in changes.noted if row.path == "one.md"} <= {row.id for row in changes.removed}

    # a store may name roots and show paths in its own way
    kept = [replace(row, id=f"{number:032x}", path="shown/" + row.path) for number, row in enumerate(changes.noted)]
    again = changes_since(tmp_path, kept)
    assert set(again.unchanged) == set(kept)
    assert (again.removed, again.noted, again.to_read, again.touched) == ((), (), (), ())
    (tmp_path / ".gitignore").unlink()
    back = changes_since(tmp_path, list(changes.noted))
    assert len(back.to_read) == 9
    assert {row.path for row in back.removed} == {".gitignore", "drafts/"}
    assert back.n_missing == 0


def test_rows_of_two_roots_are_not_mixed(tmp_path: Path) -> None:
    write(tmp_path, "a/x.md")
    write(tmp_path, "b/x.md")
    known = remember(scan(tmp_path / "a")[0])
    with pytest.raises(ValueError, match="one root"):
        changes_since(tmp_path / "b", known)


# --- a folder that has vanished ----------------------------------------------------------------------------------


def test_an_emptied_root_is_not_taken_for_deleted_files(tmp_path: Path) -> None:
    for number in range(50):
        write(tmp_path, f"files/{number}.md", str(number))
    known = remember(scan(tmp_path / "files")[0])
    (tmp_path / "files").rename(tmp_path / "moved")
    (tmp_path / "files").mkdir()
    changes = changes_since(tmp_path / "files", known)
    with pytest.raises(MixragError, match="50 of 50 files are missing; nothing removed") as caught:
        guard_removals(changes.n_known, changes.n_missing, prune=False)
    assert "--prune" in caught.value.hint
    assert caught.value.exit_code == 1
    guard_removals(changes.n_known, changes.n_missing, prune=True)


@pytest.mark.parametrize(
    ("n_known", "n_removed", "refused"),
    [
        (3, 1, False),
        (5, 4, False),
        (1, 1, False),
        (2, 2, True),
        (3, 3, True),
        (10, 5, True),
        (100, 20, False),
        (100, 21, True),
        (500, 500, True),
        (10_000, 100, False),
        (10_000, 101, True),
        (0, 0, False),
    ],
)
def test_how_many_may_go_unasked(n_known: int, n_removed: int, refused: bool) -> None:
    if refused:
        with pytest.raises(MixragError):
            guard_removals(n_known, n_removed, prune=False)
    else:
        guard_removals(n_known, n_removed, prune=False)
    guard_removals(n_known, n_removed, prune=True)
