"""Facts of .conf and .cfg files that are neither ini nor nginx's."""

import pytest
from stated_facts import stated

from mixrag_cli.readers.facts.collecting import MAX_FACTS
from tests.bounded import patience

CASES = {
    "compositor.conf": (  # libconfig
        "# Whether windows\n# throw shadows.\nshadow = true;\n\n# Of the corners, in pixels.\ncorner-radius = 0\n\n"
        '#####\n# Blur #\n#####\n\nblur-kern = "3x3box"; // its size\nsizes = [ 1, 2 ]; pairs = (0, "a");\n'
        "wintypes:\n{\n  tooltip = { fade = true; shadow : false; };\n};\n\nrules: ({\n"
        "  match = \"type = 'dock' || \"\n          \"type = 'desktop'\"; /* both */\n  opacity = 0.75;\n}, {\n"
        '  # alone\n  fade = false\n})\nlog-level = "warn";\n',
        "setting | shadow | value=true@3 help=Whether windows throw shadows.@1",
        "setting | corner-radius | value=0@6 help=Of the corners, in pixels.@5",
        "setting | blur-kern | value=3x3box@12 help=its size@12",
        "setting | sizes | value=[ 1, 2 ]@13",
        'setting | pairs | value=(0, "a")@13',
        "setting | wintypes > tooltip > fade | value=true@16",
        "setting | wintypes > tooltip > shadow | value=false@16",
        "setting | rules > 1 > match | value=type = 'dock' || type = 'desktop'@20",
        "setting | rules > 1 > opacity | value=0.75@22",
        "setting | rules > 2 > fade | value=false@25 help=alone@24",
        "setting | log-level | value=warn@27",
    ),
    "server.conf": (  # nginx's
        "worker_processes auto;\nhttp {\n  error_page 404 =200 /empty;\n  map $a $b {\n    default 0;\n  }\n}\n",
        "setting | worker_processes | value=auto@1",
        "setting | http > error_page | value=404 =200 /empty@3",
        "setting | http > map $a $b > default | value=0@5",
    ),
    "pipeline.conf": (
        "[SERVICE]\n    # Seconds between two runs\n    flush        1\n    http_port    2020\n\n"
        "[PARSER]\n    Name   apache\n"
        "    Regex  ^(?<a>[^ ]*) key=(?<b>\\S+)$\n    Time_Format %d/%b/%Y:%H:%M:%S %z\n\n[PARSER]\n    name json\n"
        "    time_key time\n[PARSER]\n    format none\n",
        "setting | SERVICE > flush | value=1@3 help=Seconds between two runs@2",
        "setting | SERVICE > http_port | value=2020@4",
        "setting | PARSER > apache > Name | value=apache@7",
        "setting | PARSER > apache > Regex | value=^(?<a>[^ ]*) key=(?<b>\\S+)$@8",
        "setting | PARSER > apache > Time_Format | value=%d/%b/%Y:%H:%M:%S %z@9",
        "setting | PARSER > json > name | value=json@12",
        "setting | PARSER > json > time_key | value=time@13",
        "setting | PARSER > 3 > format | value=none@15",
    ),
    "setup.cfg": (  # its lists look like directives
        "[metadata]\nname = a\nclassifiers =\n  Programming Language :: Python\n  License OSI\n  Topic B\n",
        "setting | metadata > name | value=a@2",
        "setting | metadata > classifiers | value=Programming Language :: Python, License OSI, Topic B@4",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_file_of_lines_is_read_in_its_own_form(name: str) -> None:
    text, *expected = CASES[name]
    assert stated(name, text) == expected


@pytest.mark.parametrize("text", ["a = ({", "a = (", "a = {", '"a" ', "a : b\n", "/* ", "a = /", "[a]\nb c\n"])
def test_facts_of_hostile_groups_are_bounded(text: str) -> None:
    with patience():
        assert len(stated("a.conf", "a = 1;\n" + text * 30_000)) <= MAX_FACTS
