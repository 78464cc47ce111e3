"""mixrag doctor: is this machine fit for mixrag, with a remedy for each finding."""

from __future__ import annotations

from pathlib import Path

from mixrag_cli.actions.health import examine
from mixrag_cli.actions.model_health import examine_model
from mixrag_cli.actions.screen import render
from mixrag_cli.commands.options import Face
from mixrag_cli.errors import ExitCode
from mixrag_cli.output.payloads import findings_to_json
from mixrag_cli.output.terminal import print_findings


def doctor(index: bool, model: bool, gpu: bool, face: Face) -> int:
    """Check that this machine is fit, with remedies."""
    findings = examine(Path.cwd(), face, read_index=index)
    if model:
        findings += examine_model(face)
    if gpu:
        from mixrag_cli.actions.gpu_health import examine_gpu

        findings += examine_gpu(face)
    rows = [(each.state, each.name, each.detail, each.remedy) for each in findings]
    render(face, findings_to_json, print_findings, rows)
    return ExitCode.FAILED if any(each.state == "fail" for each in findings) else ExitCode.DONE
