"""Facts of expressions that decide: what holds where nothing else is given, and by which condition."""

import pytest
from stated_facts import stated

CASES = {
    "a.rb": (
        "class A\n  def f\n    ((config['megabytes'] || B.config['megabytes'] || 10).to_f * 2).to_i\n"
        "    url[:wait] ||= 5\n    x = y || 7\n    config['far'] || 1.hour\n    config['list'] || []\n  end\nend\n",
        "default | A > f > megabytes | default=10@3",
        "default | A > f > wait | default=5@4",
        "default | A > f > far | default=1.hour@6",
    ),
    "a.js": (
        "const port = process.env.PORT || 3000;\nconst host = env.host ?? 'local';\nconst on = env.on || false;\n"
        "const t = slow ? 20 : 5;\n"
        "function f(o) { const n = o.retries || 3; const m = n || 4; const s = o.s || 'a'; }\n",
        "default | port | default=3000@1",
        "default | host | default=local@2",
        "case | t > if slow | value=20@4",
        "case | t > else of if slow | value=5@4",
        "default | f > n | default=3@5",
    ),
    "a.py": (
        "def f():\n    port = 54321 if host == 'a' else 5432\n    wait = os.environ.get('WAIT') or 30\n"
        "    name = 'a' if host else 'b'\n",
        "case | f > port > if host == 'a' | value=54321@2",
        "case | f > port > else of if host == 'a' | value=5432@2",
        "default | f > wait | default=30@3",
    ),
    "A.java": (
        'class A {\n  /** Whether to skip. */\n  @Parameter(property = P + "skip", defaultValue = "false")\n'
        '  protected boolean skip;\n  void f(@RequestParam(defaultValue = "10") int size) {}\n}\n',
        "default | A > skip | default=false@3 type=boolean@3 help=Whether to skip.@2",
        "default | A > f > size | default=10@5 type=int@5",
    ),
    "config.ts": (
        "export default defineConfig({\n  retries: 2,\n  use: { trace: 'on' },\n});\n",
        "entry | retries | value=2@2",
        "entry | use > trace | value=on@3",
    ),
    "a.php": (
        "<?php\nreturn (static function () {\n  return ['a' => 1];\n})();\n",
        "entry | a | value=1@3",
    ),
    "a.lua": (
        'local DEFAULTS = {\n    method = "GET",\n    version = 1.1,\n}\n\nlocal DEBUG = false\n',
        "constant | DEFAULTS > method | value=GET@2",
        "constant | DEFAULTS > version | value=1.1@3",
        "constant | DEBUG | value=false@6",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_an_expression_states_what_it_decides(name: str) -> None:
    text, *expected = CASES[name]
    assert stated(name, text) == expected
