"""Facts of code that a comment explains, and those whose value is more than a literal."""

import pytest
from stated_facts import stated

CASES = {
    "a.go": (
        "package p\n\n// how long a login may take\nconst maxAge = 10 * time.Minute\nvar wait = 5 * time.Second\n"
        "const span = time.Hour\nconst first = iota\n"
        "func New() *C { return &C{Timeout: 30 * time.Second, Name: name} }\n",
        "constant | maxAge | value=10 * time.Minute@4 help=how long a login may take@3",
        "constant | wait | value=5 * time.Second@5",
        "constant | span | value=time.Hour@6",
        "entry | New > Timeout | value=30 * time.Second@8",
    ),
    "A.java": (
        "class A {\n  /**\n   * The default value for <code>priority</code>.\n   * It is low.\n   *\n   * More of it.\n"
        "   * @see B\n   */\n  @Deprecated\n  static final int DEFAULT_PRIORITY = 5;\n  /* one */\n  int a = 1;\n"
        "  // far\n  static final long FAR =\n     30;\n}\n",
        "constant | A > DEFAULT_PRIORITY | value=5@10 help=The default value for priority. It is low.@3",
        "constant | A > a | value=1@12 help=one@11",
        "constant | A > FAR | value=30@15 help=far@13",
    ),
    "a.cs": (
        "class A {\n  /// <summary>\n  /// How often to ping.\n  /// </summary>\n"
        "  /// <remarks>Low is dear.</remarks>\n  [Obsolete]\n"
        "  public virtual TimeSpan KeepAlive => TimeSpan.FromSeconds(60);\n  public bool Detail => true;\n"
        "  public int Count => _count;\n  public Mode Mode => Mode.Fast;\n}\n",
        "constant | A > KeepAlive | value=TimeSpan.FromSeconds(60)@7 type=TimeSpan@7 help=How often to ping.@3",
        "constant | A > Detail | value=true@8 type=bool@8",
        "constant | A > Mode | value=Mode.Fast@10 type=Mode@10",
    ),
    "values.yaml": (
        "# -- Number of pods.\n# @default -- one\nreplicas: 1  # @schema minimum:0\n# -- Whether to scale\n"
        "scaled: false\n",
        "setting | replicas | value=1@3 help=Number of pods.@1",
        "setting | scaled | value=false@5 help=Whether to scale@4",
    ),
    "a.php": (
        "<?php\n// the currency\nSetting('CURRENCY', 'USD');\ndefine('LIMIT', 5);\nprint('two words', 1);\n"
        "function g() { h('x', 1); }\n",
        "entry | Setting > CURRENCY | value=USD@3 help=the currency@2",
        "entry | define > LIMIT | value=5@4",
    ),
    "a.sh": (
        'INTERVAL=$2\nexport INTERVAL=${INTERVAL:-120}\nSECONDS="${1:-60}"\nSTEM=${NAME%.*}\n',
        "default | INTERVAL | default=120@2",
        "default | SECONDS | default=60@3",
        "constant | STEM | value=${NAME%.*}@4",
    ),
    "a.rs": (
        "/// How long.\n#[serde(default)]\nconst WAIT: Duration = Duration::from_secs(5);\n"
        "impl Default for S { fn default() -> Self { Self { wait: Duration::from_secs(30), name: name } } }\n",
        "constant | WAIT | value=Duration::from_secs(5)@3 type=Duration@3 help=How long.@1",
        "entry | S > default > wait | value=Duration::from_secs(30)@4",
    ),
    "a.js": (
        "/**\n * Retries.\n * @type {number}\n */\nconst retries = 3;\nconst wait = 5 * MINUTE;\n"
        "const same = wait === 5;\nconst o = {t: 2 * DAY, u: t('x')};\n",
        "constant | retries | value=3@5 help=Retries.@2",
        "constant | wait | value=5 * MINUTE@6",
        "entry | o > t | value=2 * DAY@8",
    ),
    "a.c": (
        "/**\n * \\brief The longest key.\n * \\note in bytes\n */\n#define KEY 250\n"
        "int a; /* behind */\n#define OTHER 2\n",
        "constant | KEY | value=250@5 help=The longest key.@2",
        "constant | OTHER | value=2@7",
    ),
    "jail.conf": (
        '##########\n# SHADES #\n##########\n\n[DEFAULT]\n# "backend" says how changes are seen.\n#\n'
        "# polling: in turn.\n#   No library.\n# systemd: reads the journal.\n#\n# Note: set another one\n"
        "# for files.\nbackend = auto\n# threads = 2\n#\n# Places to look.\n#\n# Default: none\npaths = /a\n"
        "# All of what follows\n#######\n# How often.\nevery = 5\n",
        'setting | DEFAULT > backend | value=auto@14 help="backend" says how changes are seen. polling: in turn. '
        "No library. systemd: reads the journal. Note: set another one for files.@6",
        "setting | DEFAULT > paths | value=/a@20 help=Places to look. Default: none@17",
        "setting | DEFAULT > every | value=5@24 help=How often.@23",
    ),
    "CMakeLists.txt": (
        "# Copyright A\n#\n# THE SOFTWARE IS PROVIDED AS IS\n# without any of\n# warranties, and\n# so on.\n"
        "cmake_minimum_required(VERSION 3.5)\n# How deep.\n#\n# At most 5.\nset(DEPTH 3)\n",
        "setting | cmake_minimum_required | value=VERSION 3.5@7",
        "setting | DEPTH | value=3@11 help=How deep. At most 5.@8",
    ),
    "options.c": (
        "static bool set_flag(void *output) {\n\t*(bool *)(output) = true;\n\treturn true;\n}\n",
        "return | set_flag | value=true@3",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_code_states_computed_values_with_what_its_comments_say(name: str) -> None:
    text, *expected = CASES[name]
    assert stated(name, text) == expected
