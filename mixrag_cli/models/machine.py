"""What this machine has for a model to run on: memory and cores. Reads /proc and /sys; unknown is None or a guess."""

from __future__ import annotations

import os
from pathlib import Path

MEMINFO = Path("/proc/meminfo")
CGROUP = Path("/sys/fs/cgroup")
CPUS = Path("/sys/devices/system/cpu")


def available_memory() -> int | None:
    """Bytes that can be had without pushing others out, within the container's limit; None where unknown."""
    try:
        lines = dict(line.split(":", 1) for line in MEMINFO.read_text("ascii").splitlines() if ":" in line)
        machine = int(lines["MemAvailable"].split()[0]) * 1024
    except (OSError, ValueError, KeyError, IndexError):
        return None
    container = _memory_left_in_container()
    return machine if container is None else min(machine, container)


def _memory_left_in_container() -> int | None:
    try:
        limit, used = ((CGROUP / name).read_text("ascii").strip() for name in ("memory.max", "memory.current"))
        # File pages are counted as used, but given back when someone needs them.
        statistics = dict(line.split() for line in (CGROUP / "memory.stat").read_text("ascii").splitlines())
        return int(limit) - int(used) + int(statistics.get("file", 0))
    except (OSError, ValueError):  # no such file outside of a container, and "max" where nothing is limited
        return None


def usable_cores() -> int:
    """The logical cores that this process may run on."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def physical_cores() -> int:
    """The cores that this process may run on, twins that share one unit counted once.

    Generating waits for memory, so the second thread of a core adds nothing but waiting.
    """
    if not hasattr(os, "sched_getaffinity"):
        return usable_cores()
    units = {_unit(cpu) for cpu in os.sched_getaffinity(0)}
    return len(units) or 1


def _unit(cpu: int) -> tuple[str, str]:
    topology = CPUS / f"cpu{cpu}" / "topology"
    try:
        return ((topology / "physical_package_id").read_text("ascii"), (topology / "core_id").read_text("ascii"))
    except OSError:
        return ("", str(cpu))
