"""Facts of the options of builds."""

import pytest
from stated_facts import stated

from tests.bounded import patience

CASES = {
    "options.cmake": (
        "macro(DEFINE_OPTION name description default)\n  set(temp ${default})\n"
        '  option(${name} "${description}" ${temp})\nendmacro()\noption(MINIMAL "Enable a minimal build" No)\n'
        'DEFINE_OPTION(IN_CPU        "Enable the CPU plugin (Linux)"   ON)\n'
        'cmake_dependent_option(WITH_TESTS "Run the tests"\n  OFF "MINIMAL;IN_CPU" ON)\n'
        'message(STATUS "Found it" ${IN_CPU})\nadd_custom_target(lint "all" VERBATIM)\n',
        "setting | temp | value=${default}@2",
        "option | MINIMAL | default=No@5 help=Enable a minimal build@5",
        "option | IN_CPU | default=ON@6 help=Enable the CPU plugin (Linux)@6",
        "option | WITH_TESTS | default=OFF@7 help=Run the tests@7",
    ),
    "meson_options.txt": (
        "# What may be built\noption('docs', type: 'boolean', value: true, description: 'Build man pages (all)')\n\n"
        "option(\n  'backend',\n  type : 'combo',\n  choices : ['gl', 'x'], # more to come\n  value : 'gl',\n"
        "  description : 'Which of the ' +\n    'backends, clang\\'s or not',\n)\n"
        "option('jobs', type: 'integer', min: 0, value: 4)\n",
        "option | docs | default=true@2 type=boolean@2 help=Build man pages (all)@2",
        "option | backend | default=gl@8 type=['gl', 'x']@7 help=Which of the backends, clang's or not@9",
        "option | jobs | default=4@12 type=integer@12",
    ),
    "meson.options": (
        "option('tests', type: 'feature', value: 'auto', yield: true)\n",
        "option | tests | default=auto@1 type=feature@1",
    ),
    "Package.swift": (
        '// swift-tools-version:5.9\nlet package = Package(\n  name: "Keys",\n  platforms: [\n'
        '    .macOS(.v10_15), .iOS(.v13),\n    .tvOS("13.2")\n  ],\n  targets: [.target(name: "A")]\n)\n',
        "setting | swift-tools-version | value=5.9@1",
        "setting | macOS | value=.v10_15@5",
        "setting | iOS | value=.v13@5",
        "setting | tvOS | value=13.2@6",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_build_states_its_options_and_no_others(name: str) -> None:
    text, *expected = CASES[name]
    assert stated(name, text) == expected


@pytest.mark.parametrize("text", ["option('a', b: '", "option('a', b: [", "option('a', ", "option('a', b: 'c' + "])
def test_options_that_stay_open_are_bounded(text: str) -> None:
    with patience():
        assert stated("meson_options.txt", text * 20_000) == []
