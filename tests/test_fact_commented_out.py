"""Facts of settings that a file shows commented out."""

import pytest
from stated_facts import stated

from tests.bounded import assert_in_line, patience

CASES = {
    ".env.template": (
        "## Uncomment any of these lines.\n\n## Main folder\n## - a bucket: s3://name\n"
        "# DATA_FOLDER=data\n\n"
        "## The address. SQLite: sqlite://\n# DATABASE_URL=sqlite://data/db.sqlite3\n## or\n"
        "# DATABASE_URL=mysql://user@host/name\n\n## Keys\n# SEND_KEY=\n# SEND_MOST=5\n"
        "# SEND_REGION=us # of the bucket\n\n"
        "## Retries. The default is 15.\n# DB_RETRIES=15\n"
        "## Default: false\n# DEBUG=true\n"
        '## every\n# SCHEDULE="0 5 * * *"\n\n# NAME=your name as you are called\n\n'
        '# HELO_NAME="a long name of several words"\n',
        "setting | DATA_FOLDER | value=data@5 help=Main folder - a bucket: s3://name@3",
        "setting | SEND_MOST | value=5@14",
        "setting | SEND_REGION | value=us@15 help=of the bucket@15",
        "default | DB_RETRIES | default=15@18 help=Retries. The default is 15.@17",
        "setting | SCHEDULE | value=0 5 * * *@22 help=every@21",
        "setting | HELO_NAME | value=a long name of several words@26",
    ),
    "example.conf": (
        '# Example, see a.conf(5).\n#include: "other.conf"\n\nserver:\n\t# whitespace is not necessary\n\n'
        "\t# verbosity number. 1 is default.\n\t# verbosity: 1\n\n\t# threads to create.\n\t# num-threads: 2\n\n"
        "\t# specify the interfaces.\n\t# interface: 192.0.2.153\n\t# interface: 192.0.2.154\n\n"
        "\t# the size. note: see below\n\t# cache-size: 4m\n\n\tport: 53\n\n"
        "\t# for such a network\n\t# prefer-ip6: yes\n\t# and go on with it\n\nremote:\n"
        "\t# Enable it.\n\t# enable: no\n\n\t# such as\n\t#\tname: a\n",
        "setting | port | value=53@20",
        "setting | include | value=other.conf@2 help=Example, see a.conf(5).@1",
        "default | server > verbosity | default=1@8 help=verbosity number. 1 is default.@7",
        "setting | server > num-threads | value=2@11 help=threads to create.@10",
        "setting | server > cache-size | value=4m@18 help=the size. note: see below@17",
        "setting | remote > enable | value=no@28 help=Enable it.@27",
    ),
    "config.yml.tt": (
        'databases:\n  primary:\n    # Its address\n    # url: <%= ENV["URL"] %>\n\n    # Names\n'
        "    # instance: mine\n\n# Shortest time of a slow query\n# slow_query_ms: 20\n\n"
        "# Calls\n# slow_query_calls: 100\n\n# Explain\n"
        '# explain: true\n\n# Time zone\n# time_zone: "Pacific Time (US)"\n\n# Others\n# other:\n#   url: b\n',
        "setting | databases > primary > instance | value=mine@7 help=Names@6",
        "setting | slow_query_ms | value=20@10 help=Shortest time of a slow query@9",
        "setting | slow_query_calls | value=100@13 help=Calls@12",
        "setting | explain | value=true@16 help=Explain@15",
        "setting | time_zone | value=Pacific Time (US)@19 help=Time zone@18",
    ),
    "header.conf": (  # what a file says of itself
        "# name: gateway\n# author: team\n# version: 2\n# license: MIT\n# since: 2020\n# state: draft\n\nport = 80\n",
        "setting | port | value=80@8",
    ),
    "labels.conf": (  # labels within comments
        "".join(f"# Sets it.\n# Default: {n}\n# Range: 1-{n}\nkey{n} = {n}\n\n" for n in range(1, 4)),
        "setting | key1 | value=1@4 help=Sets it. Default: 1 Range: 1-1@1",
        "setting | key2 | value=2@9 help=Sets it. Default: 2 Range: 1-2@6",
        "setting | key3 | value=3@14 help=Sets it. Default: 3 Range: 1-3@11",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_settings_that_are_commented_out_are_told_from_prose(name: str) -> None:
    text, *expected = CASES[name]
    assert stated(name, text) == expected


def test_few_settings_that_are_commented_out_among_many_others_are_notes() -> None:
    active = "".join(f"key{n} = {n}\n" for n in range(20))
    notes = "".join(f"\n# was\n# old{n} = {n}\n" for n in range(6))
    assert [fact for fact in stated("a.conf", active + notes) if "old" in fact] == []


def test_lines_that_are_commented_out_are_read_in_line_with_their_number() -> None:
    with patience():
        assert len(stated("a.conf", "# a = 1\n\n" * 20_000 + "# [" * 20_000 + "# k = [" * 5_000)) == 0


@pytest.mark.parametrize("part", [" ;", "x ", "[", "a = "])
def test_a_long_line_that_is_commented_out_is_read_in_line_with_its_length(part: str) -> None:
    assert_in_line(lambda text: stated("a.conf", text), f"# a = {part * 16_000}x\n")
