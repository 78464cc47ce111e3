"""Facts of manuals: what they define by headings, by the first line of a paragraph, by lists and in fenced settings."""

import pytest
from stated_facts import stated

CASES = {
    "headings of names": (
        "# Settings\n\n##### LOG_LEVEL\n\n!!! note\n\nHow much is said.\n\n- info => all\n- **warn** => less\n\n"
        "### `timeout`\n\nDefault: 30\n\nNote:\n\n- careful\n\nHow long to wait.\n\nMore of it.\n\n"
        "### --port\n\nWhere to listen.\n\n### Usage\n\nCall it.\n\n- **a** => b\n- c => d\n",
        [
            "definition | Settings > LOG_LEVEL | value=How much is said.@7",
            "label | Settings > LOG_LEVEL > info | value=all@9",
            "label | Settings > LOG_LEVEL > warn | value=less@10",
            "default | Settings > LOG_LEVEL | default=warn@10 help=less@10",
            "label | Settings > timeout > Default | value=30@14",
            "definition | Settings > timeout | value=How long to wait.@20",
            "option | Settings > --port | help=Where to listen.@26",
            "label | Settings > Usage > a | value=b@32",
            "label | Settings > Usage > c | value=d@33",
        ],
    ),
    "a name on its own line": (
        "## Knobs\n\n&#9203;``idleTimeout``<br/>\nHow long a connection may idle\nin the *pool*.\n"
        "*Default: 600000 (10 minutes)*\n\n`pool`\nis a word.\n",
        [
            "label | Knobs > idleTimeout > Default | value=600000 (10 minutes)@6",
            "definition | Knobs > idleTimeout | value=How long a connection may idle in the pool.@4",
        ],
    ),
    "items that names begin": (
        "# env\n\n* `CACHE_DIR` where the cache is\n* `CACHE_SIZE` the largest size, default is 10G\n\nand\n\n"
        "* A_WORD here\n* and there\n* and everywhere\n",
        [
            "label | env > CACHE_DIR | value=where the cache is@3",
            "label | env > CACHE_SIZE | value=the largest size, default is 10G@4",
        ],
    ),
    "fenced settings": (
        '# Configure\n\n## File\n\n```toml\n# how long to wait\nwait_ms = 10\n[dist]\nurl = "a"\n```\n\n'
        "- in `.env`:\n\n  ```env\n  PORT=80\n  ```\n\n```sh\nTOKEN=1\n```\n\n```yaml\na: [" + "1, " * 99 + "1]\n```\n",
        [
            "setting | Configure > File > wait_ms | value=10@7 help=how long to wait@6",
            "setting | Configure > File > dist > url | value=a@9",
            "setting | Configure > File > PORT | value=80@15",
        ],
    ),
}

MARKUP = {
    "a.adoc": (
        "= Tool\n\n== Options\n\noutputDir:: where to write, `out`\nskip:: to skip\nor not.\n+\n"
        "[source]\n----\nx: y\n----\n"
        "// old:: gone\n`doctype`:: book\n\n[[fade]]*-f*, *--fade*=_STEP_::\n\tHow fast to fade.\n",
        [
            "label | Tool > Options > outputDir | value=where to write, `out`@5",
            "label | Tool > Options > skip | value=to skip or not.@6",
            "label | Tool > Options > doctype | value=book@14",
            "option | Tool > Options > -f, --fade=STEP | help=How fast to fade.@17",
        ],
    ),
    "a.org": (
        "* Predicates\n\n+  =done= :: Whether it is done.\n+  ~level (&rest levels)~ :: Its depth.\n"
        "     - Aliases: =l=.\n\n"
        "#+BEGIN_SRC elisp\n  (a b)\n#+END_SRC\n",
        [
            "label | Predicates > done | value=Whether it is done.@3",
            "label | Predicates > level (&rest levels) | value=Its depth.@4",
            "label | Predicates > level (&rest levels) > Aliases | value==l=.@5",
        ],
    ),
    "a.rst": (
        "Options\n=======\n\n``-w``, ``--workers``\n    How many.\n",
        ["option | Options > -w, --workers | help=How many.@5"],
    ),
    "a.8": (
        ".de1 INDENT\n. RS \\\\$1\n..\n.de UNINDENT\n. RE\n..\n.TH A 8\n.SH OPTIONS\n"
        ".INDENT 0.0\n.TP\n.B \\-l\nList the key.\n"
        ".UNINDENT\n.INDENT 0.0\n.TP\n.B \\-p\nThe port.\n'tis it.\n.UNINDENT\n",
        [
            "definition | OPTIONS > -l | value=List the key.@11",
            "definition | OPTIONS > -p | value=The port. 'tis it.@16",
        ],
    ),
}


@pytest.mark.parametrize("name", MARKUP)
def test_a_manual_in_other_markup_defines_its_settings(name: str) -> None:
    text, expected = MARKUP[name]
    assert stated(name, text) == expected


@pytest.mark.parametrize("case", CASES)
def test_a_manual_defines_its_settings(case: str) -> None:
    text, expected = CASES[case]
    assert stated("README.md", text) == expected
