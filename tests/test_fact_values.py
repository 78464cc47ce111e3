"""Facts whose keys, values and comments are easily cut wrong: what is stated of each, and what is not."""

import pytest
from stated_facts import stated

CASES = {
    "macro": (
        "a.h",
        "namespace db {\nstruct DB_EXPORT Options : Base {\n  size_t buffer = 4 * 1024;\n};\n"
        "class DB_API(1) Plain final {\n  int depth = 3;\n};\nstruct FILE_T held;\n"
        "struct Simple { int width = 80; };\n}\n",
        "constant | db > Options > buffer | value=4 * 1024@3 type=size_t@3",
        "constant | db > Plain > depth | value=3@6 type=int@6",
        "constant | db > Simple > width | value=80@9 type=int@9",
    ),
    "comments-c": (
        "a.c",
        "#ifndef LIMIT\n#define LIMIT 64\n#endif\n#pragma once\n#define DEPTH 5 // of trees\n"
        "#undef X\n// a sign\n#define X 9\n",
        "constant | LIMIT | value=64@2",
        "constant | DEPTH | value=5@5 help=of trees@5",
        "constant | X | value=9@8 help=a sign@7",
    ),
    "comments-python": (
        "a.py",
        '#: tries\nMAX = 5\nMIN = 1  #: at least\n# else it waits\nWAIT = 2\nLOG = {"id": "#5"}\n',
        "constant | MAX | value=5@2 help=tries@1",
        "constant | MIN | value=1@3 help=at least@3",
        "constant | WAIT | value=2@5 help=else it waits@4",
        "entry | LOG > id | value=#5@6",
    ),
    "strings-python": (
        "a.py",
        'A = "hello " + "world"\nB = (\n    "first "\n    "second"\n)\nC = "a" * 2\nD = """\\\nlate\n"""\n'
        'E = "it\\"s"\n'
        'F = ["a", "b"]\nG = "a" + str(1) + "b"\n',
        "constant | A | value=hello world@1",
        "constant | B | value=first second@3",
        'constant | C | value="a" * 2@6',
        "constant | D | value=late@8",
        'constant | E | value=it\\"s@10',
        'constant | F | value=["a", "b"]@11',
        'constant | G | value="a" + str(1) + "b"@12',
    ),
    "names-python": (
        "a.py",
        'A, B = "left", "right"\nX = Y = 5\nC, D = f()\nE, F = 1, g()\nclass S:\n    mode: Mode = Mode.FAST\n'
        "    wait: float = seconds(5)\n    other = Mode.SLOW\n",
        "constant | A | value=left@1",
        "constant | B | value=right@1",
        "constant | X | value=5@2",
        "constant | Y | value=5@2",
        "constant | E | value=1@4",
        "constant | F | value=g()@4",
        "constant | S > mode | value=Mode.FAST@6 type=Mode@6",
        "constant | S > wait | value=seconds(5)@7 type=float@7",
    ),
    "named-by-type": (
        "a.rs",
        "fn case() -> Case { Case::Smart }\nfn wait() -> Duration { Duration::from_secs(5) }\n"
        "fn kept() -> Case { found }\n"
        "fn of(kind: Kind) -> Case { match kind { Kind::A => Case::Exact, k => k.case() } }\n"
        "impl Default for S { fn default() -> Self { Self { case: Case::Exact, name: name } } }\n",
        "return | case | value=Case::Smart@1",
        "return | wait | value=Duration::from_secs(5)@2",
        "case | of > kind > Kind::A | value=Case::Exact@4",
        "entry | S > default > case | value=Case::Exact@5",
    ),
    "options-rust": (
        "a.rs",
        "#[derive(Parser)]\nstruct Opt {\n    /// Where to listen\n"
        "    #[arg(short = 'p', long, default_value_t = 8080)]\n"
        '    port: u16,\n    #[clap(\n        long = "log-level",\n        help = "How much is told",\n'
        '        default_value = "info"\n    )]\n    level: String,\n    /// A file\n    file: PathBuf,\n'
        "    #[serde(default)]\n    other: bool,\n}\n",
        "option | Opt > -p, --port | default=8080@4 help=Where to listen@3",
        "option | Opt > --log-level | help=How much is told@6 default=info@6",
    ),
    "set-by-name": (
        "a.go",
        'package a\n\nfunc (c *Config) defaults(v *Viper) {\n\tv.SetDefault("server.port", 9000)\n'
        '\tx := v.Get("server.host", "a")\n\tprint("server.name", 1)\n\ty := env("PORT_OF_X", 80)\n}\n',
        "entry | Config > defaults > v.SetDefault > server.port | value=9000@4",
        "entry | Config > defaults > env > PORT_OF_X | value=80@7",
    ),
    "handed-out": (
        "a.php",
        "<?php\nreturn [\n    // in minutes\n    'lifetime' => env('SESSION_LIFETIME', 120),\n    'secure' => false,\n"
        "    'user' => ['view' => 'grid'],\n];\n",
        "entry | lifetime > SESSION_LIFETIME | value=120@4 help=in minutes@3",
        "entry | secure | value=false@5",
        "entry | user > view | value=grid@6",
    ),
    "migration": (
        "a.php",
        "<?php\nclass M { function up() {\n  Schema::create('hooks', function ($table) {\n"
        "    $table->string('url', 500)->nullable();\n    $table->index('url');\n  });\n} }\n",
        "entry | M > up > hooks > string > url | value=500@4",
    ),
    "default-of-chain": (
        "a.ts",
        'export const env = createEnv({\n  server: {\n    NAME: z.string().min(2).default("x"),\n'
        "    PORT: z.number().optional(),\n  },\n});\nexport default {\n  mode: 'fast',\n};\nexport const LIMIT = 5;\n",
        "default | env > server > NAME | default=x@3",
        "entry | mode | value=fast@8",
        "constant | LIMIT | value=5@10",
    ),
    "names-go": (
        "a.go",
        'package p\n\nconst Name, Ver = "probe", "1.9"\n',
        "constant | Name | value=probe@3",
        "constant | Ver | value=1.9@3",
    ),
    "names-ruby": (
        "a.rb",
        'A, B = 1, "x"\nC = D = "8.0.2".freeze\n',
        "constant | A | value=1@1",
        "constant | B | value=x@1",
        'constant | C | value="8.0.2".freeze@2',
        'constant | D | value="8.0.2".freeze@2',
    ),
    "members-cpp": (
        "a.hpp",
        "struct S {\n  int a, b = 2;\n  Mode mode = kFast;\n  int depth{7};\n  virtual int f() = 0;\n"
        "  void (*done)(int) = nullptr;\n};\n",
        "constant | S > b | value=2@2 type=int@2",
        "constant | S > mode | value=kFast@3 type=Mode@3",
        "constant | S > depth | value=7@4 type=int@4",
        "constant | S > done | value=nullptr@6 type=void@6",
    ),
    "members-csharp": (
        "a.cs",
        "class A {\n  public TimeSpan Delay { get; init; } = TimeSpan.FromSeconds(5);\n  Kind kind = Kind.Small;\n"
        "  List<int> held = new List<int>();\n  Log log = Log.For(kind);\n}\n",
        "constant | A > Delay | value=TimeSpan.FromSeconds(5)@2 type=TimeSpan@2",
        "constant | A > kind | value=Kind.Small@3",
    ),
    "self-csharp": (
        "a.cs",
        "class A {\n  B Made() { return new B(this); }\n  TimeSpan Wait() { return TimeSpan.FromSeconds(5); }\n}\n",
        "return | A > Wait | value=TimeSpan.FromSeconds(5)@3",
    ),
    "members-java": (
        "A.java",
        'class A {\n  private Mode mode = Mode.FAST;\n  long wait = MINUTES.toMillis(30);\n  String name = "a" + "b";\n'
        "  Map<A, B> held = new HashMap<>();\n}\n",
        "constant | A > mode | value=Mode.FAST@2",
        "constant | A > wait | value=MINUTES.toMillis(30)@3",
        "constant | A > name | value=ab@4",
    ),
    "ini": (
        "tox.ini",
        "[tox]\nenvlist =\n    py311,\n    lint,\n    # not yet\n    docs\n"
        'ttl = 3600 ; seconds\ncolor = #fff\nrun = "a ; b"\n'
        "needs = x ; python_version < '3.9'\npass = CI\n    HOME\ncommand =\n    lint \\\n    --all\n",
        "setting | tox > envlist | value=py311, lint, docs@3",
        "setting | tox > ttl | value=3600@7 help=seconds@7",
        "setting | tox > color | value=#fff@8",
        "setting | tox > run | value=a ; b@9",
        "setting | tox > needs | value=x ; python_version < '3.9'@10",
        "setting | tox > pass | value=CI HOME@11",
        "setting | tox > command | value=lint --all@14",
    ),
    "service": (
        "a.service",
        "[Service]\nExecStart=/bin/a ; /bin/b\n",
        "setting | Service > ExecStart | value=/bin/a ; /bin/b@2",
    ),
    "properties": (
        "a.properties",
        "# Pool\npool.size=20\ngreeting = Hello, \\\n   World\n"
        "url: http\\://x.org/\\u00e9\n!other\nsession.timeout 45\n"
        "a\\ b=c\\=d = e\n",
        "setting | pool.size | value=20@2 help=Pool@1",
        "setting | greeting | value=Hello, World@3",
        "setting | url | value=http://x.org/é@5",
        "setting | session.timeout | value=45@7",
        "setting | a b | value=c=d = e@8",
    ),
    "blocks": (
        "nginx.conf",
        "user www;  # who\nhttp {\n  log_format main '$a; '\n    '$b';\n"
        "  server { listen 8443 ssl; location /a { root /x:y; } }\n"
        "  # the second\n  server { listen 80; }\n}\n",
        "setting | user | value=www@1 help=who@1",
        "setting | http > log_format | value=main '$a; ' '$b'@3",
        "setting | http > server > listen | value=8443 ssl@5",
        "setting | http > server > location /a > root | value=/x:y@5",
        "setting | http > server 2 > listen | value=80@7 help=the second@6",
    ),
    "blocks-by-line": (
        "app.conf",
        'akka {\n  level = "INFO"\n  http.port: 80\n  pool = {\n    size = 4\n  }\n}\n',
        "setting | akka > level | value=INFO@2",
        "setting | akka > http.port | value=80@3",
        "setting | akka > pool > size | value=4@5",
    ),
    "conf": (
        "logging.conf",
        "[loggers]\nkeys=root, app\nargs=('{x}',)\n",
        "setting | loggers > keys | value=root, app@2",
        "setting | loggers > args | value=('{x}',)@3",
    ),
    "json": (
        "a.json",
        '{"caf\\u00e9": "\\ud83d\\ude00 \\"q\\"", "path": "C:\\\\x", '
        '"list": ["\\u00e9", "b"], "bad": "\\ud83d\\u001b[31mx"}',
        'setting | café | value=😀 "q"@1',
        "setting | path | value=C:\\x@1",
        "setting | list | value=é, b@1",
        "setting | bad | value=�x@1",
    ),
    "yaml": (
        "a.yaml",
        "a: \"caf\\u00e9\"\nb: 'it''s \\u00e9'\n",
        "setting | a | value=café@1",
        "setting | b | value=it's \\u00e9@2",
    ),
    "toml": (
        "a.toml",
        '[[worker]]\nname = "mail"\n[worker.limit]\nsize = 1\n[[worker]]\njobs = 16\n[[worker.task]]\nid = "t"\n'
        'text = """\\\n  caf\\u00e9\n"""\n[worker.task.when]\nday = 2\n[other]\nraw = \'C:\\x\'\n',
        "setting | worker > mail > name | value=mail@2",
        "setting | worker > mail > limit > size | value=1@4",
        "setting | worker > 2 > jobs | value=16@6",
        "setting | worker > 2 > task > t > id | value=t@8",
        "setting | worker > 2 > task > t > text | value=café@10",
        "setting | worker > 2 > task > t > when > day | value=2@13",
        "setting | other > raw | value=C:\\x@15",
    ),
    "prose": (
        "a.md",
        "- Python 3.9 - 3.13\n- Node 18 – 22\n- Ports 8000 - 8080 are open\n"
        "- Fee - 5 EUR\n- Level 2 - all that is left\n"
        "- `PROBE_HOME` - the home folder (default: `/opt/probe`)\n- `--retries N` - how often (default: `3`)\n"
        "- Size (in mm): 5\n",
        "label | Fee | value=5 EUR@4",
        "label | Level 2 | value=all that is left@5",
        "label | PROBE_HOME | value=the home folder (default: /opt/probe)@6",
        "option | --retries N | help=how often (default: 3)@7",
        "label | Size (in mm) | value=5@8",
    ),
    "dockerfile": (
        "Dockerfile",
        "ARG PY=3.12\nFROM python:${PY} AS base\n# where it lives\nENV APP_HOME=/srv/app \\\n"
        '    WORKERS="6 of them"\n'
        "ENV MODE production\nEXPOSE 8081/tcp\nRUN make A=5 && \\\n    ENV B=6\n",
        "setting | ARG > PY | value=3.12@1",
        "setting | FROM | value=python:${PY} AS base@2",
        "setting | ENV > APP_HOME | value=/srv/app@4 help=where it lives@3",
        "setting | ENV > WORKERS | value=6 of them@5 help=where it lives@3",
        "setting | ENV > MODE | value=production@6",
        "setting | EXPOSE | value=8081/tcp@7",
    ),
    "makefile": (
        "Makefile",
        "VERSION ?= 3.4.1\n# of C\nCC := clang # fast\nNONE =\nSOURCES = a.c \\\n\tb.c\ndefine TEXT\nport = 5\nendef\n"
        "build: deps\n\tX=5 $(CC) main.c\ntest: FLAG=1\n",
        "setting | VERSION | value=3.4.1@1",
        "setting | CC | value=clang@3 help=fast@3",
        "setting | SOURCES | value=a.c b.c@5",
    ),
    "numbers-named-in-a-list": (
        "ports.md",
        "# Ports\n\n- 8085 - Admin\n- `5601` - Kibana board\n\n# Levels\n\n* 0 - off\n"
        "* 1 - all that is sent to the log is written, with its time.\n\n# Terms\n\n- 2023 - 2024\n- 2024 - 2025\n\n"
        "# Steps\n\n- 5 - first\n- tea - second\n\n## LOG_MODE\n\n- 0 - Disabled\n- 1 - Enabled\n",
        "label | Ports > 8085 | value=Admin@3",
        "label | Ports > 5601 | value=Kibana board@4",
        "label | Ports > Admin | value=8085@3",
        "label | Ports > Kibana board | value=5601@4",
        "label | Levels > 0 | value=off@8",
        "definition | Levels > 1 | value=all that is sent to the log is written, with its time.@9",
        "label | Levels > off | value=0@8",
        "label | Steps > 5 | value=first@18",
        "label | Steps > tea | value=second@19",
        "label | Steps > LOG_MODE > 0 | value=Disabled@23",
        "label | Steps > LOG_MODE > 1 | value=Enabled@24",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_file_states_this_and_no_more(case: str) -> None:
    name, text, *expected = CASES[case]
    assert stated(name, text) == expected
