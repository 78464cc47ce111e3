"""mixrag doctor: is this machine fit for mixrag, with a remedy for each finding."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mixrag_cli.commands.options import Face, command
from mixrag_cli.errors import ExitCode
from mixrag_cli.output.streams import write_json


@command
def doctor(
    index: Annotated[bool, typer.Option("--index", help="Also read all of the index and verify it.")] = False,
    model: Annotated[bool, typer.Option("--model", help="Also load the generator and measure how fast it is.")] = False,
    *,
    face: Face,
) -> int:
    """Check that this machine is fit, with remedies.

    Exit code 1 means that a check failed.
    """
    from mixrag_cli.commands.health import examine

    findings = examine(Path.cwd(), face, read_index=index)
    if model:
        from mixrag_cli.commands.model_health import examine_model

        findings += examine_model(face)
    rows = [(each.state, each.name, each.detail, each.remedy) for each in findings]
    if face.json:
        from mixrag_cli.output.payloads import findings_to_json

        write_json(findings_to_json(rows))
    else:
        from mixrag_cli.output.terminal import print_findings

        print_findings(face.console(), rows)
    return ExitCode.FAILED if any(each.state == "fail" for each in findings) else ExitCode.DONE
