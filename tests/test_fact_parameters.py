"""Facts of parameters: what the documentation of a function or class says of each goes with its default."""

import pytest
from stated_facts import stated

CASES = {
    "a.R": (
        "#' Retry\n#'\n#' @param max_tries,max_seconds Cap the attempts,\n#'   or their time.\n#'\n#'   More.\n"
        "#' @param wait\n#'   Seconds to wait.\n#' @returns A request.\n"
        "retry <- function(req, max_tries = NULL, wait = 30, other = 1) {\n}\n",
        "default | retry > max_tries | default=NULL@10 help=Cap the attempts, or their time.@3",
        "default | retry > wait | default=30@10 help=Seconds to wait.@8",
        "default | retry > other | default=1@10",
    ),
    "a.cs": (
        "class A {\n  /// <summary>Writes.</summary>\n"
        '  /// <param name="limit">The largest size. Ignored when\n  /// <paramref name="other"/> is set.</param>\n'
        "  /// <returns>Nothing.</returns>\n  public static void File(int limit = 5, int other = 1) { }\n}\n",
        "default | A > File > limit | default=5@6 type=int@6 help=The largest size. Ignored when other is set.@3",
        "default | A > File > other | default=1@6 type=int@6 help=Writes.@2",
    ),
    "a.php": (
        "<?php\nclass A {\n  /**\n   * @param array<string, int> $hosts Where to go.\n"
        "   * @param int|null $wait  Seconds.\n"
        "   */\n  function f($hosts = [], $wait = null) {}\n}\n",
        "default | A > f > hosts | default=[]@7 help=Where to go.@4",
        "default | A > f > wait | default=null@7 help=Seconds.@5",
    ),
    "a.js": (
        "/**\n * Sends.\n * @param {{a: number}} [size=5] - How much.\n * @param {string} to whom\n */\n"
        "function send(size = 5, to = 'a') {}\n",
        "default | send > size | default=5@6 help=How much.@3",
        "default | send > to | default=a@6 help=whom@4",
    ),
    "a.rb": (
        "class A\n  # Opens.\n  # @param limit [Integer] how many\n  def open(limit: 5)\n  end\nend\n",
        "default | A > open > limit | default=5@4 help=how many@3",
    ),
    "a.py": (
        'class A:\n    """Keeps.\n\n    Args:\n        size (int): how much,\n            in bytes\n    """\n\n'
        "    def __init__(self, size=5):\n        pass\n\n    def g(self, b=1, c=2, d=3, e=4):\n"
        '        """Go.\n\n        :param int b: the first\n        :param c: the second,\n            with more\n'
        "        d : int, optional\n            The third.\n        e: int\n            The fourth.\n"
        '        """\n',
        "default | A > __init__ > size | default=5@9 help=how much, in bytes@5",
        "default | A > g > b | default=1@12 help=the first@15",
        "default | A > g > c | default=2@12 help=the second, with more@16",
        "default | A > g > d | default=3@12 help=The third.@19",
        "default | A > g > e | default=4@12 help=The fourth.@21",
    ),
    "a.ex": (
        'defmodule A do\n  @wait 5_000\n  opts = [\n    timeout: [\n      default: @wait,\n      doc: """\n'
        '      how long to wait\n      """\n    ]\n  ]\n  defp f(o) do\n    {host, 0}\n    {:error, 1}\n  end\nend\n',
        "entry | A > wait | value=5_000@2",
        "entry | A > timeout > default | value=5_000@5",
        "entry | A > timeout > doc | value=how long to wait@7",
        "entry | A > f > error | value=1@13",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_parameter_has_what_its_documentation_says(name: str) -> None:
    text, *expected = CASES[name]
    assert stated(name, text) == expected
