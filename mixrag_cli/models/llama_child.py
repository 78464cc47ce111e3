"""Trying an unknown GGUF file in a process that may die: `python -m …llama_child PATH MEMORY_MB PARENT`.

A damaged file makes llama.cpp abort, read beyond its bounds or allocate without end; here that ends a child. A file
that loaded, rendered its template and wrote a token is remembered by its place, size and times, and not tried again.
"""

from __future__ import annotations

import importlib.metadata
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

from mixrag_cli.children import child_command, child_surroundings
from mixrag_cli.errors import ModelUnusable
from mixrag_cli.limits import allow_computing, limit_process
from mixrag_cli.models.cache import Note, is_noted, keep_note, note_of
from mixrag_cli.models.gguf_file import GgufHeader, file_fingerprint, read_gguf_header

TRIED_TOKENS = 256  # window of the trial: enough for any template's frame
# Reading 10 GB from a slow disk takes minutes; a template that never ends takes for ever.
TRIAL_SECONDS = 600
TRIAL_CPU_SECONDS = 120
BESIDES_MB = 4_000  # address space beside the mapped file: threads, allocator arenas, graph buffers
# No driver is opened in the child: each reserves more address space than the child may have. A list of devices that
# ends at a number which none has is empty for CUDA and ROCm; Vulkan's loader and llama.cpp take a list of their own.
NO_DEVICES = {
    "CUDA_VISIBLE_DEVICES": "-1",
    "HIP_VISIBLE_DEVICES": "-1",
    "ROCR_VISIBLE_DEVICES": "-1",
    "GGML_VK_VISIBLE_DEVICES": "",
    "VK_LOADER_DRIVERS_DISABLE": "*",
}
SOUND_FILE = "gguf-sound.json"


def ensure_sound(header: GgufHeader) -> None:
    """Raises ModelUnusable when the file does not survive its trial."""
    note = _note(header)
    if not is_noted(SOUND_FILE, note):
        _try_in_child(header)
        keep_note(SOUND_FILE, note)


def _try_in_child(header: GgufHeader) -> None:
    memory_mb = BESIDES_MB + header.size_bytes // 1_000_000
    arguments = [str(header.path.resolve()), str(memory_mb), str(os.getpid())]
    try:
        done = subprocess.run(
            child_command("mixrag_cli.models.llama_child", arguments),
            stdout=subprocess.PIPE,
            timeout=TRIAL_SECONDS,
            check=False,
            **child_surroundings(**NO_DEVICES),
        )
    except subprocess.TimeoutExpired as error:
        raise _refused(header, f"does not open within {TRIAL_SECONDS} s") from error
    if done.returncode == ModelUnusable.exit_code:
        told = json.loads(done.stdout)
        raise ModelUnusable(told["message"], told["hint"])
    if done.returncode == -signal.SIGXCPU:
        raise _refused(header, f"does not open within {TRIAL_CPU_SECONDS} s of computing")
    if done.returncode:
        raise _refused(header, "damaged; it makes llama.cpp fail")


def _refused(header: GgufHeader, reason: str) -> ModelUnusable:
    return ModelUnusable(f"model file {header.path}: {reason}", "mixrag models list, for models that are known to work")


def _note(header: GgufHeader) -> Note:
    """The file that was tried, and the library that it was tried with."""
    return note_of(header.path, file_fingerprint(header.path), importlib.metadata.version("llama-cpp-python"))


def main(arguments: list[str]) -> int:
    """Open the file, let it write one token; 0 when that went well."""
    path, memory_mb, parent = Path(arguments[0]), int(arguments[1]), int(arguments[2])
    limit_process(memory_mb, parent)
    allow_computing(TRIAL_CPU_SECONDS)
    from mixrag_cli.generator import Message, Request
    from mixrag_cli.models.llama import LlamaGenerator

    try:
        model = LlamaGenerator(read_gguf_header(path), context_tokens=TRIED_TOKENS)
        said = (Message("system", "."), Message("user", "Hello"), Message("assistant", "Hello"), Message("user", "One"))
        model.reply(Request(said, max_tokens=1, seconds=0))
    except ModelUnusable as error:
        print(json.dumps({"message": error.message, "hint": error.hint}))
        return int(error.exit_code)
    return 0


if __name__ == "__main__":
    code = main(sys.argv[1:])
    sys.stdout.flush()
    os._exit(code)  # freeing gigabytes in order would only cost time
