"""What is left out of an index on purpose, judged by a name or by the first bytes of a file.

A rule is a stable code for scripts and a lower-case reason for people. Nothing here touches the disk. No ignore
file and no setting can take back the code "secret".
"""

from __future__ import annotations

import re
from dataclasses import dataclass

HEAD_BYTES = 8192  # of a file's start: what judge_head needs to see


@dataclass(frozen=True, slots=True)
class Rule:
    """Why something is left out. code: a stable word; reason: one lower-case line."""

    code: str
    reason: str


SECRET = Rule("secret", "likely a secret: its name says so")
SECRET_CONTENT = Rule("secret", "holds a private key")
TOOL_FOLDER = Rule("tool-folder", "kept by a tool, not written by people")
HIDDEN = Rule("hidden", "hidden: its name begins with a dot; read where you name it")
EXCLUDED = Rule("excluded", "left out by --exclude")
NOT_INCLUDED = Rule("excluded", "not named by --include")
IGNORED = Rule("ignored", "named in an ignore file")
MEDIA = Rule("binary", "image, sound or film")
IMAGE = Rule("needs-ocr", "needs OCR: apt install tesseract-ocr")
ARCHIVE = Rule("binary", "archive")
COMPILED = Rule("binary", "compiled or binary data")
UNSUPPORTED = Rule("unsupported", "no reader for this format")
LOCK_FILE = Rule("lock-file", "lock file, written by a tool")
MINIFIED = Rule("minified", "minified or a source map")
MINIFIED_CONTENT = Rule("minified", "minified: its first lines have over a thousand characters in the mean")
GENERATED_NAME = Rule("generated", "generated code: its name says so")
GENERATED_CONTENT = Rule("generated", "generated code: its first lines say so")
LFS_POINTER = Rule("lfs-pointer", "git-lfs pointer; the file itself is not here")

# The format is one that nothing here reads: named to the user, for it may hold what is asked for.
NO_READER_CODES = frozenset({UNSUPPORTED.code, MEDIA.code, IMAGE.code})

# What a person may still name on the command line: these rules guess at usefulness, the others at harm or form.
WAIVED_WHEN_NAMED = frozenset({"hidden", "ignored", "excluded", "lock-file", "minified", "generated", "tool-folder"})


def _words(text: str) -> frozenset[bytes]:
    return frozenset(text.encode().split())


SECRET_FOLDERS = _words(".ssh .gnupg .aws .kube .docker .azure .gcloud .password-store")
TOOL_FOLDERS = _words(
    ".git .hg .svn .bzr .mixrag node_modules bower_components jspm_packages site-packages venv .venv virtualenv "
    ".virtualenv __pycache__ .mypy_cache .pytest_cache .ruff_cache .hypothesis .tox .nox .eggs .ipynb_checkpoints "
    ".cache .gradle .next .nuxt .svelte-kit .parcel-cache .turbo .yarn .pnpm-store .terraform .dart_tool .bundle "
    ".sass-cache __pypackages__"
)
TOOL_FOLDER_ENDINGS = (b".egg-info", b".dist-info", b".lance")
# A folder that holds one of these is a tool's, whatever its name: a virtual environment; a cache by the CACHEDIR.TAG
# convention (cargo, pytest, borg, …).
TOOL_FOLDER_MARKS = _words("pyvenv.cfg CACHEDIR.TAG")

# Names are compared in lower case. The list is that of the tools which hold credentials; "id_*" is narrowed to key
# files, so that id_mapping.csv is found: a key under such a name is caught by its content.
SECRET_NAME = re.compile(
    rb"\.env.*|.+\.env|\.?envrc"
    rb"|.+\.(?:pem|key|p8|p12|pfx|jks|keystore|bks|ppk|kdbx?|agilekeychain|ovpn|tfstate|tfvars|tfvars\.json)"
    rb"|.+\.tfstate\..*"
    rb"|id_[^.]*(?:\.pub)?|id_(?:rsa|dsa|ecdsa|ed25519|xmss).*"
    rb"|[._]netrc|\.pgpass|\.my\.cnf|\.mylogin\.cnf|\.npmrc|\.yarnrc(?:\.yml)?|\.pypirc|\.git-credentials|\.?htpasswd"
    rb"|\.dockercfg|\.dockerconfigjson|\.s3cfg|\.boto|\.vault-token|\.cargo-credentials|\.gem_credentials"
    rb"|credentials.*\.json|credentials|\.?credentials\.(?:toml|ya?ml|ini|cfg)|client_secret.*\.json"
    rb"|service[-_]?account.*\.json|application_default_credentials\.json|kubeconfig"
    rb"|\.?secrets?\.(?:ya?ml|json|toml|ini|env|properties|txt)|secrets\.y.*ml"
    rb"|\..*history|\.lesshst|\.viminfo|fish_history|consolehost_history\.txt",
    re.DOTALL,
)

# What a project hands out to be filled in: the names and defaults of its settings, without the secrets.
ENV_TEMPLATE = re.compile(
    rb"\.env(?:[._-][\w-]+)*[._-](?:example|sample|template|tmpl|dist)(?:[._-][\w-]+)*"
    rb"|(?:[\w-]+[._-])?(?:example|sample|template)(?:[._-][\w-]+)*\.env"
)

LOCK_NAMES = _words(
    "package-lock.json npm-shrinkwrap.json pnpm-lock.yaml go.sum package.resolved packages.lock.json "
    "gradle.lockfile conda-lock.yml pixi.lock bun.lockb"
)
MINIFIED_NAME = re.compile(rb".+[.-]min\.(?:js|mjs|cjs|css|html?|json|svg)|.+\.(?:bundle|chunk)\.(?:js|css)", re.DOTALL)
GENERATED_NAMES = re.compile(
    rb".+_pb2(?:_grpc)?\.pyi?|.+\.pb\.(?:go|cc|h)|.+_pb\.(?:js|ts|d\.ts)|.+\.g\.(?:cs|dart)|.+\.freezed\.dart"
    rb"|.+\.designer\.cs|.+[._](?:generated|autogen)\.[a-z]{1,4}",
    re.DOTALL,
)


def _suffix_rules(groups: tuple[tuple[Rule, str], ...]) -> dict[bytes, Rule]:
    return {suffix: rule for rule, text in groups for suffix in text.encode().split()}


SUFFIX_RULES = _suffix_rules(
    (
        (IMAGE, "png jpg jpeg jpe jfif tif tiff bmp webp"),
        (
            MEDIA,
            "gif avif heic heif ico icns svg svgz psd ai eps xcf cr2 nef "
            "dng jxl jp2 mp3 wav flac ogg oga opus m4a aac wma aif aiff mid midi mp4 m4v mkv mov avi wmv webm mpg "
            "mpeg flv 3gp ogv "
            "blend fbx glb gltf stl 3ds usdz ttf otf woff woff2 eot",
        ),
        (
            ARCHIVE,
            "zip tar gz tgz bz2 tbz2 xz txz zst lz lz4 lzma br 7z rar z cab iso dmg img deb rpm apk ipa jar war ear "
            "whl egg gem crate nupkg vsix xpi crx snap flatpak appimage warc",
        ),
        (
            COMPILED,
            "pyc pyo pyd so dylib dll exe msi bin o a lib class dex wasm elf ko rlib pdb ilk db db3 sqlite "
            "sqlite3 mdb accdb dbf frm ibd ldb rdb lmdb parquet feather arrow orc avro h5 hdf5 hdf nc npy npz mat "
            "pkl pickle joblib pt pth ckpt safetensors gguf ggml onnx tflite pb mlmodel keras rds rdata sav dta "
            "sas7bdat swp swo swn dmp pcap pcapng qm tfrecord lance vhd vhdx vmdk qcow2 cur ani lnk",
        ),
        (
            UNSUPPORTED,
            "doc ppt pps odg odf mobi azw azw3 djvu chm xps oxps "
            "pages numbers keynote one vsd vsdx pub msg pst ost wpd wps lit fb2 xlsb dvi ps dwg dxf indd",
        ),
        (LOCK_FILE, "lock"),
        (MINIFIED, "map"),
    )
)


def judge_file_name(name: bytes) -> Rule | None:
    """The rule that leaves a file of this name out, or None. name: its last component only."""
    lower = name.lower()
    if ENV_TEMPLATE.fullmatch(lower):
        return None
    if SECRET_NAME.fullmatch(lower):
        return SECRET
    if lower.startswith(b"."):
        return HIDDEN
    if lower in LOCK_NAMES or lower.startswith(b"~$"):  # "~$": left by an office program while a file is open
        return LOCK_FILE
    stem, dot, suffix = lower.rpartition(b".")
    if not dot:
        return None
    if rule := SUFFIX_RULES.get(suffix):
        return rule
    if b"." not in stem and b"_" not in stem and b"-" not in stem:
        return None
    if MINIFIED_NAME.fullmatch(lower):
        return MINIFIED
    return GENERATED_NAME if GENERATED_NAMES.fullmatch(lower) else None


def judge_folder_name(name: bytes) -> Rule | None:
    """The rule that leaves a folder of this name out with all that is in it, or None."""
    lower = name.lower()
    if lower in SECRET_FOLDERS:
        return SECRET
    if lower in TOOL_FOLDERS or lower.endswith(TOOL_FOLDER_ENDINGS):
        return TOOL_FOLDER
    return HIDDEN if lower.startswith(b".") else None


PRIVATE_KEY_HEADER = re.compile(
    rb"-----BEGIN (?:[A-Z0-9 ]{1,40} )?PRIVATE KEY(?: BLOCK)?-----|PuTTY-User-Key-File-\d|AGE-SECRET-KEY-1"
)
# What openssl and key tools write above the key itself.
KEY_PREAMBLE = re.compile(rb"(?:\xef\xbb\xbf)?(?:\s|#[^\n]*\n|Bag Attributes[^-]{0,2000}|Key Attributes[^-]{0,200})*+")
SERVICE_ACCOUNT = re.compile(rb'"private_key"\s*:\s*"-----BEGIN')

LFS_HEADER = b"version https://git-lfs.github.com/spec/v1"
GENERATED_HEAD_BYTES = 2048
# Only in a comment: prose and programs may speak of the markers without being generated.
GENERATED_MARK = re.compile(
    rb"^[ \t]*(?://|#|/?\*+|--|;|<!--|%|\"\"\")[^\n]{0,200}?"
    rb"(?:@generated\b|generated[^\n]{0,200}do not (?:edit|modify)|do not (?:edit|modify)[^\n]{0,200}generated)",
    re.IGNORECASE | re.MULTILINE,
)
PROSE_SUFFIXES = _words(
    "md markdown mdown mkd mdx qmd rmd rst txt log adoc org tex html htm xhtml ipynb pdf csv tsv tab"
)

MINIFIED_SUFFIXES = _words("js mjs cjs css")
MINIFIED_MEAN_LINE = 1_000  # bytes in the first HEAD_BYTES; people's lines have 30 to 45, minified ones fill the head
LEADING_COMMENTS = re.compile(rb"(?:\xef\xbb\xbf)?(?:\s|/\*.*?\*/|//[^\n]*+)*+", re.DOTALL)  # a licence stays readable
INLINE_DATA = re.compile(rb"data:[^\s\"')]{200,}")  # an image within a style sheet that a person wrote


def find_secret(head: bytes) -> str | None:
    """The reason why a file that starts with these bytes is a secret as a whole, or None.

    A document that merely shows a key further down is no secret: redact_secrets takes the key out of its text.
    """
    start = KEY_PREAMBLE.match(head)
    if PRIVATE_KEY_HEADER.match(head, start.end() if start else 0) or SERVICE_ACCOUNT.search(head):
        return SECRET_CONTENT.reason
    return None


def judge_head(name: bytes, head: bytes) -> Rule | None:
    """The rule that leaves a file with these first bytes (up to HEAD_BYTES) out, or None."""
    if find_secret(head):
        return SECRET_CONTENT
    if head.startswith(LFS_HEADER):
        return LFS_POINTER
    suffix = name.lower().rpartition(b".")[2]
    if suffix in PROSE_SUFFIXES:
        return None
    if suffix in MINIFIED_SUFFIXES and _is_minified(head):
        return MINIFIED_CONTENT
    return GENERATED_CONTENT if GENERATED_MARK.search(head[:GENERATED_HEAD_BYTES]) else None


def _is_minified(head: bytes) -> bool:
    """Whether the lines of a script or style sheet are far longer in the mean than people write them."""
    start = LEADING_COMMENTS.match(head)
    lines = INLINE_DATA.sub(b"", head[start.end() if start else 0 :]).split(b"\n")
    filled = [len(line) for line in lines if line.strip()]
    return sum(filled) > MINIFIED_MEAN_LINE * len(filled)
