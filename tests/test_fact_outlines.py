"""Facts of code that no grammar is installed for, of Terraform's blocks and of CMake's commands."""

import pytest
from stated_facts import stated

from mixrag_cli.readers.facts.collecting import MAX_FACTS
from tests.bounded import patience
from tests.cited_lines import read_document

CASES = {
    "a.kt": (
        "class Rule(\n    val size: Int,\n) {\n    /** how often */\n    private val retries: Int = 3\n"
        '    companion object {\n        const val ID = "rule" // its name\n    }\n'
        "    fun send(url: String, timeout: Int = 30,\n        mode: Mode = Mode.FAST) {\n        val local = 5\n"
        "    }\n}\n",
        "constant | Rule > retries | value=3@5 type=Int@5 help=how often@4",
        "constant | Rule > ID | value=rule@7 help=its name@7",
        "default | Rule > send > timeout | default=30@9 type=Int@9",
        "default | Rule > send > mode | default=Mode.FAST@10 type=Mode@10",
    ),
    "epidemic.jl": (
        "# Steps of a day.\nδt = 0.1\nnsteps = 400 # until the end\n\nfunction run(β = 0.05)\n    k = 3\nend\n",
        "constant | δt | value=0.1@2 help=Steps of a day.@1",
        "constant | nsteps | value=400@3 help=until the end@3",
        "default | run > β | default=0.05@5",
    ),
    "sir.m": (
        "% People at the start.\nN = 1000;\ntmax = 40.0; % end time\nn = 5 * N;\n\nfunction y = f(x)\na = 1;\nend\n",
        "constant | N | value=1000@2 help=People at the start.@1",
        "constant | tmax | value=40.0@3 help=end time@3",
    ),
    "View.m": ('#import "View.h"\nint width = 5;\n',),
    "a.swift": (
        "open class Policy: Base {\n    /// The limit.\n    public static let limit: UInt = 2\n"
        "    public static let codes: Set<Int> = [408, 500]\n    func f(with size: Int = 4) {}\n"
        "    static var window: Int { (1 << 16) - 1 }\n    var frame: Int { return 1 << 14 } // smallest\n"
        "    var total: Int { size + 1 }\n}\n",
        "constant | Policy > limit | value=2@3 type=UInt@3 help=The limit.@2",
        "constant | Policy > codes | value=[408, 500]@4 type=Set<Int>@4",
        "default | Policy > f > size | default=4@5 type=Int@5",
        "constant | Policy > window | value=(1 << 16) - 1@6 type=Int@6",
        "constant | Policy > frame | value=1 << 14@7 type=Int@7 help=smallest@7",
    ),
    "mix.exs": (
        'defmodule A.MixProject do\n  use Mix.Project\n\n  @version "2.23.0"\n\n  def project do\n    [\n'
        '      app: :a,\n      elixir: "~> 1.15",\n      docs: [\n        main: "A"\n      ]\n    ]\n  end\n\n'
        '  defp deps do\n    [\n      {:ecto_sql, "~> 3.10"},\n      {:credo, "~> 1.7", only: [:test, :dev]}\n'
        "    ]\n  end\nend\n",
        "entry | A.MixProject > version | value=2.23.0@4",
        "entry | A.MixProject > project > elixir | value=~> 1.15@9",
        "entry | A.MixProject > project > docs > main | value=A@11",
        "entry | A.MixProject > deps > ecto_sql | value=~> 3.10@18",
        "entry | A.MixProject > deps > credo | value=~> 1.7@19",
        "entry | A.MixProject > deps > credo > only | value=[:test, :dev]@19",
    ),
    "a.ex": (
        'defmodule A.Pruner do\n  @moduledoc """\n  Prunes.\n\n      config :app, limit: 9\n  """\n\n'
        "  use A.Worker, queue: :events, max_attempts: 3\n\n  @doc false\n"
        "  @wait Application.compile_env(:a, [A, :wait], 100)\n"
        "  defstruct limit: 10_000, # at a time\n            interval: :timer.seconds(30),\n            conf: conf\n\n"
        "  def run(opts \\\\ []) do\n    most = Keyword.get(opts, :max_pow, 10)\n"
        "    check(opts,\n      name: :any,\n      size: most\n    )\n"
        "  rescue\n    _ -> {:error, put(opts, count: 0)}\n  end\nend\n",
        "entry | A.Pruner > A.Worker > queue | value=:events@8",
        "entry | A.Pruner > A.Worker > max_attempts | value=3@8",
        "default | A.Pruner > wait | default=100@11",
        "entry | A.Pruner > limit | value=10_000@12 help=at a time@12",
        "entry | A.Pruner > interval | value=:timer.seconds(30)@13",
        "default | A.Pruner > run > opts | default=[]@16",
        "default | A.Pruner > run > max_pow | default=10@17",
    ),
    "build.sbt": (
        'ThisBuild / scalaVersion := "2.12.8"\nlazy val lib = project.settings(\n  fork in test := true,\n'
        '  libraryDependencies += "com.novocode" % "junit-interface" % "0.11" % Test,\n'
        '  libraryDependencies += "net.liftweb" %% "lift-json" % "3.3.0")\n',
        "constant | scalaVersion | value=2.12.8@1",
        "constant | test | value=true@3",
        "setting | com.novocode > junit-interface | value=0.11@4",
        "setting | net.liftweb > lift-json | value=3.3.0@5",
    ),
    "a.lua": (
        "local lfs = require('lfs')\n-- merge or replace\nlocal MERGE = true\nfunction M.read(path)\n  local size = 5\n"
        "  MAX = 10\nend\nMERGE = false\n",
        "constant | MERGE | value=true@3 help=merge or replace@2",
        "constant | M.read > MAX | value=10@6",
    ),
    "a.R": (
        '#\' Totals.\nadorn <- function(dat, where = "row", fill = "-",\n                  na.rm = TRUE) {\n'
        "  size <- 1\n}\n"
        'files <- c("a", "b")\n',
        "default | adorn > where | default=row@2",
        "default | adorn > fill | default=-@2",
        "default | adorn > na.rm | default=TRUE@3",
        'constant | files | value=c("a", "b")@6',
    ),
    "a.jl": (
        "function Generator(site::String; # the owner's, = none\n    max_kw::Real = 1.0e6, # 50% more, if off grid\n"
        '    label = "a # b",\n    years::Int = 25; sells = false)\n    size = 5\nend\n',
        "default | Generator > max_kw | default=1.0e6@2 type=Real@2 help=50% more, if off grid@2",
        "default | Generator > label | default=a # b@3",
        "default | Generator > years | default=25@4 type=Int@4",
        "default | Generator > sells | default=false@4",
    ),
    "a.ps1": (
        'param(\n   [string]$Channel="LTS",\n   [switch]$DryRun\n)\nfunction Invoke-It([int]$Times = 3) {\n'
        "  $n = 0\n}\n",
        "constant | Channel | value=LTS@2 type=string@2",
        "default | Invoke-It > Times | default=3@5",
    ),
    "a.proto": (
        'syntax = "proto3";\nmessage Client {\n  // Where to post.\n  string uri = 10;\n  enum Kind {\n'
        "    KIND_A = 1;\n  }\n  string old = 2 [deprecated = true];\n"
        "  map<string, Kind> kinds = 3; // by name\n"
        "  optional uint32 most = 4 [packed = true, default = 7];  // at once\n"
        "  // Its labels.\n  repeated google.protobuf.Value\n      labels = 12 [\n        (a.b) = 5\n      ];\n"
        "  oneof policy {\n    Retry retry = 6;\n  }\n  option (limit) = 8;\n}\n",
        "constant | syntax | value=proto3@1",
        "default | Client > uri | type=string@4 help=Where to post.@3",
        "constant | Client > Kind > KIND_A | value=1@6",
        "default | Client > old | type=string@8",
        "default | Client > kinds | type=map<string, Kind>@9 help=by name@9",
        "default | Client > most | default=7@10 type=optional uint32@10 help=at once@10",
        "default | Client > labels | type=repeated google.protobuf.Value@15 help=Its labels.@11",
        "default | Client > retry | type=Retry@17",
    ),
    "a.thrift": (
        "const i32 MOST = 16\nenum Kind {\n  A = 1,\n}\nexception Failure {\n  1: required string name;\n"
        "  // how often\n  2: optional i32 retries = 3,\n  3: map<string, i32> sizes  # of each\n}\n",
        "constant | MOST | value=16@1",
        "constant | Kind > A | value=1@3",
        "default | Failure > name | type=required string@6",
        "default | Failure > retries | default=3@8 type=optional i32@8 help=how often@7",
        "default | Failure > sizes | type=map<string, i32>@9 help=of each@9",
    ),
    "a.fbs": (
        "table Monster {\n  pos:Vec3; // where\n  /// Health.\n  hp:short = 100;\n  tags:[string] (required);\n}\n",
        "default | Monster > pos | type=Vec3@2 help=where@2",
        "default | Monster > hp | default=100@4 type=short@4 help=Health.@3",
        "default | Monster > tags | type=[string]@5",
    ),
    "build.gradle": (
        'android {\n    compileSdk 35\n    defaultConfig {\n        versionName "3.4.2" // shown\n    }\n'
        "    x = false\n}\n",
        "constant | android > compileSdk | value=35@2",
        "constant | android > defaultConfig > versionName | value=3.4.2@4 help=shown@4",
        "constant | android > x | value=false@6",
    ),
    "variables.tf": (
        'variable "encrypted" {\n  description = "Whether a = b"\n  default     = true # safe\n  list = [\n    "a"\n'
        "  ]\n}\n",
        "setting | variable encrypted > description | value=Whether a = b@2",
        "setting | variable encrypted > default | value=true@3 help=safe@3",
    ),
    "text.tf": (
        'variable "mode" {\n  description = <<-EOT\n    Set `a` for b.\n    If c: d.\n    EOT\n  type = list(object({\n'
        '    name = string\n  }))\n  default = "a"\n}\nvariable "last" {\n  description = <<EOT\n  open = 1\n}\n',
        "setting | variable mode > description | value=Set `a` for b. If c: d.@3",
        "setting | variable mode > type > name | value=string@7",
        "setting | variable mode > default | value=a@9 help=Set `a` for b. If c: d.@3",
        "setting | variable last > description | value=<<EOT@12",
        "setting | variable last > open | value=1@13",
    ),
    "docker-bake.hcl": (
        '// ==== Variables ====\n\n// Which profile to use,\n// dev or release\nvariable "PROFILE" {\n'
        "  default = null\n}\n"
        '/* of all\n * builds */\ntarget "base" {\n  labels = {\n'
        '    "org.title" = "Server ${f("a", b)}" // shown\n  }\n'
        '  url = "http://a//b"\n}\n',
        "setting | variable PROFILE > default | value=null@6 help=Which profile to use, dev or release@3",
        'setting | target base > labels > org.title | value="Server ${f("a", b)}"@12 help=shown@12',
        "setting | target base > url | value=http://a//b@14",
    ),
    "CMakeLists.txt": (
        "cmake_minimum_required(VERSION 3.11)\n# the standard\nset(CMAKE_CXX_STANDARD 20)\n"
        'set(TYPE "Release" CACHE STRING "x")\n'
        'option(BUILD_SHARED "Build shared library" OFF)\nset(ALONE)\n'
        'option(TLS\n\t"Include TLS (needs a library)?" ON)\n'
        'option(PIC "Relocatable (PIC)" OFF)\nset(FILES a.c\n  b.c)\noption(OPEN\n',
        "setting | cmake_minimum_required | value=VERSION 3.11@1",
        "setting | CMAKE_CXX_STANDARD | value=20@3 help=the standard@2",
        "setting | TYPE | value=Release@4",
        "option | BUILD_SHARED | default=OFF@5 help=Build shared library@5",
        "option | TLS | default=ON@7 help=Include TLS (needs a library)?@7",
        "option | PIC | default=OFF@9 help=Relocatable (PIC)@9",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_code_without_a_grammar_states_its_facts_and_no_others(name: str) -> None:
    text, *expected = CASES[name]
    assert stated(name, text) == expected


def test_a_definition_is_named_below_its_comment_and_annotations() -> None:
    document = read_document("a.kt", b"import x\n\n/**\n * Sends.\n */\n@Throws\nfun <T> send(a: T) {\n    b()\n}\n")
    assert [(block.kind, block.name) for block in document.blocks] == [("code", ""), ("definition", "send")]


@pytest.mark.parametrize(
    "text",
    [
        "fun f(" * 3_000,
        "a: [" * 900 + "\n",
        "{:a, b: " * 120 + "\n",
        "use A, " + "B, " * 300 + "\n",
        "a: :b, " * 140 + "\n",
        "val a = [" + "1, " * 300 + "]\n" * 9,
        "a " * 400 + "\n",
        "x = 1\n" * 9_000,
    ],
)
def test_facts_of_hostile_lines_are_bounded(text: str) -> None:
    with patience():
        assert len(stated("a.kt", text)) <= MAX_FACTS
        assert len(stated("a.exs", text)) <= MAX_FACTS
