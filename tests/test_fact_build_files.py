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
    "Kconfig": (
        'mainmenu "Board"\n\nmenu "Decks"\n    depends on A\n    config DECK_AI\n        bool "Support the AI deck"\n'
        "        select CPX\n        default y\n        help\n            It extends\n            the board.\n\n"
        '            It is not the default n.\n\n    config LIMIT\n        int "Limit (mV)"\n        range 1 9\n'
        '        default 4 if DECK_AI && !B\n        default 7\nendmenu\n\nchoice\n    prompt "Start as"\n'
        "    default START_AP\n\nconfig START_AP\n"
        '    bool "Access point"\n\nendchoice\n\nconfig HIDDEN\n    def_bool y\n',
        "option | DECK_AI | default=y@8 type=bool@6 help=Support the AI deck It extends the board.@6",
        "option | LIMIT > if DECK_AI && !B | default=4@18 type=int@16 help=Limit (mV)@16",
        "option | LIMIT | default=7@19 type=int@16 help=Limit (mV)@16",
        "option | Start as | default=START_AP@24 help=Start as@23",
        "option | START_AP | type=bool@27 help=Access point@27",
        "option | HIDDEN | default=y@32 type=bool@32",
    ),
    "meson.options": (
        "option('tests', type: 'feature', value: 'auto', yield: true)\n",
        "option | tests | default=auto@1 type=feature@1",
    ),
    "build.gradle.kts": (
        'plugins {\n    id("com.android.application") version "8.1.0" apply false\n    kotlin("jvm") version "1.9.20"\n'
        '}\nval kept = "a:b:c"\ndependencies {\n    implementation("com.squareup:okhttp:4.12.0")\n'
        '    api(platform("org.boot:boot-bom:3.2"))\n    implementation("org.boot:starter")\n'
        '    implementation("org.boot:web:$bootVersion")\n    implementation(libs.x)\n}\n',
        "constant | kept | value=a:b:c@5",
        "setting | com.android.application | value=8.1.0@2",
        "setting | jvm | value=1.9.20@3",
        "setting | com.squareup:okhttp | value=4.12.0@7",
        "setting | org.boot:boot-bom | value=3.2@8",
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
