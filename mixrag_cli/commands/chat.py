"""mixrag chat: question after question over one warm session, with follow-ups and a look behind each answer."""

from __future__ import annotations

from mixrag_cli.commands.options import Face, GeneratorOption, Search, StrategyOption, command


@command
def chat(
    *,
    search: Search,
    generator: GeneratorOption = None,
    strategy: StrategyOption = None,
    face: Face,
) -> None:
    """Ask question after question; follow-ups may lean on what was said before.

    Lines that begin with a slash are commands: /help lists them. Without a terminal, questions are read from stdin.
    With --json each line that is read gives one JSON object, a command too; only /quit gives none.
    """
