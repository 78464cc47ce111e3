"""Cards that are not here, simulated: where layers go, what memory counts, what the doctor says, and who computes."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import numpy as np
import pytest
from cli_fixtures import environment_of, run_here
from typer.testing import CliRunner

from mixrag_cli.actions import gpu_health, health
from mixrag_cli.cli import app
from mixrag_cli.errors import ModelUnusable
from mixrag_cli.models import devices, onnx_model
from mixrag_cli.models.bundled import model_file
from mixrag_cli.models.devices import Device, find_cards, place_layers
from mixrag_cli.models.gguf_file import GgufHeader
from mixrag_cli.models.minilm import MiniLM
from mixrag_cli.settings import Settings

GB = 1_000_000_000
CARD = Device("CUDA0", "NVIDIA H100", "gpu", 79 * GB, 80 * GB)
SECOND = Device("CUDA1", "NVIDIA H100", "gpu", 40 * GB, 80 * GB)
SHARED = Device("Vulkan0", "AMD Radeon Graphics", "igpu", 14 * GB, 16 * GB)
# A model of 32 layers and 8 GB with keys and values of 131,072 bytes a token: 1.07 GB in a window of 8,192 tokens.
EIGHT_GB = GgufHeader(
    Path("eight.gguf"),
    8 * GB,
    {
        "general.architecture": "llama",
        "llama.block_count": 32,
        "llama.embedding_length": 4_096,
        "llama.attention.head_count": 32,
        "llama.attention.head_count_kv": 8,
    },
)
WINDOW = 8_192


@pytest.fixture
def bus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A PCI bus and device nodes of their own: nothing on them yet."""
    for name, attribute in (("pci", "PCI"), ("dev", "NODES")):
        (tmp_path / name).mkdir()
        monkeypatch.setattr(devices, attribute, tmp_path / name)
    monkeypatch.setenv("MIXRAG_CONFIG_DIR", str(tmp_path / "config"))
    return tmp_path


def plug(bus: Path, address: str, kind: str, vendor: str, *nodes: str) -> None:
    (bus / "pci" / address).mkdir()
    (bus / "pci" / address / "class").write_text(f"{kind}\n")
    (bus / "pci" / address / "vendor").write_text(f"{vendor}\n")
    for node in nodes:
        (bus / "dev" / node).parent.mkdir(exist_ok=True)
        (bus / "dev" / node).touch()


# --- where layers go --------------------------------------------------------------------------------------------------


def test_a_card_with_room_takes_all_layers_and_its_memory_counts() -> None:
    placed = place_layers(EIGHT_GB, WINDOW, [CARD], ram_bytes=2 * GB)
    assert (placed.layers, placed.all_layers, placed.own_memory_share) == (33, 33, 1.0)
    assert str(placed) == "NVIDIA H100 (CUDA0), 33 of 33 layers"


def test_a_small_card_takes_what_fits_and_the_processor_the_rest() -> None:
    small = Device("CUDA0", "GeForce", "gpu", 4 * GB, 6 * GB)
    placed = place_layers(EIGHT_GB, WINDOW, [small])
    assert placed.layers == int((4 * GB - devices.GPU_RESERVE_BYTES) / (9.0737 * GB / 33))
    assert 0 < placed.own_memory_share < 0.5


def test_several_cards_are_used_together_and_an_integrated_one_beside_them_is_not() -> None:
    placed = place_layers(EIGHT_GB, WINDOW, [SHARED, CARD, SECOND])
    assert [device.name for device in placed.devices] == ["CUDA0", "CUDA1"]


def test_an_integrated_device_is_used_alone_and_holds_no_more_than_the_machine_has_free() -> None:
    placed = place_layers(EIGHT_GB, WINDOW, [SHARED], ram_bytes=3 * GB)
    assert 0 < placed.layers <= 33 * 3 / 9
    assert placed.own_memory_share == 0.0  # it shares the machine's memory


@pytest.mark.parametrize(("wanted", "layers"), [(0, 0), (5, 5), (99, 33)])
def test_a_number_of_layers_that_is_set_is_kept(wanted: int, layers: int) -> None:
    placed = place_layers(EIGHT_GB, WINDOW, [CARD], wanted)
    assert placed.layers == layers
    assert bool(placed.devices) == bool(layers)
    assert str(place_layers(EIGHT_GB, WINDOW, [], wanted)) == devices.CPU


def test_memory_of_cards_counts_where_the_model_is_judged_to_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    local_generator = pytest.importorskip(
        "mixrag_cli.models.local_generator", reason="llama-cpp-python is not installed", exc_type=ImportError
    )
    monkeypatch.setattr(local_generator, "available_memory", lambda: 2 * GB)
    local_generator.check_memory(EIGHT_GB, WINDOW, place_layers(EIGHT_GB, WINDOW, [CARD]))
    for refused in (place_layers(EIGHT_GB, WINDOW, []), place_layers(EIGHT_GB, WINDOW, [SHARED], ram_bytes=2 * GB)):
        with pytest.raises(ModelUnusable, match=r"needs about 9\.4 GB of memory with"):
            local_generator.check_memory(EIGHT_GB, WINDOW, refused)
    with pytest.raises(ModelUnusable, match=r"needs about 4\.\d GB of memory beside NVIDIA H100 \(CUDA0\), 18 of 33"):
        local_generator.check_memory(EIGHT_GB, WINDOW, place_layers(EIGHT_GB, WINDOW, [CARD], 18))


def test_the_real_library_lists_its_devices_and_opens_none_for_no_layers(tiny_model: Path) -> None:
    llama_native = pytest.importorskip(
        "mixrag_cli.models.llama_native", reason="llama-cpp-python is not installed", exc_type=ImportError
    )
    from mixrag_cli.models.gguf_file import read_gguf_header
    from mixrag_cli.models.llama import LlamaGenerator

    assert all(device.kind in ("gpu", "igpu") and device.name for device in llama_native.offered_devices())
    model = LlamaGenerator(read_gguf_header(tiny_model), context_tokens=256, threads=1)
    assert model.device == devices.CPU
    model.close()


def test_the_trial_hides_every_kind_of_card(tiny_model: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    llama_child = pytest.importorskip(
        "mixrag_cli.models.llama_child", reason="llama-cpp-python is not installed", exc_type=ImportError
    )
    from mixrag_cli.models.gguf_file import read_gguf_header

    monkeypatch.setenv("MIXRAG_CACHE_DIR", str(tmp_path))
    seen: list[dict[str, str]] = []
    real = subprocess.run
    monkeypatch.setattr(subprocess, "run", lambda given, **more: seen.append(more["env"]) or real(given, **more))
    llama_child.ensure_sound(read_gguf_header(tiny_model))
    (surroundings,) = seen
    assert surroundings["CUDA_VISIBLE_DEVICES"] == surroundings["HIP_VISIBLE_DEVICES"] == "-1"
    assert surroundings["ROCR_VISIBLE_DEVICES"] == "-1"
    assert (surroundings["GGML_VK_VISIBLE_DEVICES"], surroundings["VK_LOADER_DRIVERS_DISABLE"]) == ("", "*")


# --- which cards there are, and what the doctor says -----------------------------------------------------------------


def test_cards_are_told_by_the_bus_and_by_whether_they_can_be_reached(bus: Path) -> None:
    plug(bus, "0000:00:02.0", "0x030000", "0x8086", "dri/renderD128")
    plug(bus, "0000:01:00.0", "0x030200", "0x10de", "nvidia0")
    plug(bus, "0000:03:00.0", "0x030000", "0x1a03")  # a server's console
    plug(bus, "0000:04:00.0", "0x020000", "0x8086")  # a network card
    plug(bus, "0000:c1:00.0", "0x120000", "0x1002")  # an accelerator without its driver
    cards = find_cards()
    assert [(card.maker, card.is_integrated, card.is_open) for card in cards] == [
        ("NVIDIA", False, True),
        ("AMD", False, True),  # by the render node of the other, as the kernel gives no better sign
        ("Intel", True, True),
    ]


def doctor(*options: str) -> dict[str, list[health.Finding]]:
    done = CliRunner().invoke(app, ["doctor", "--json", *options])
    found: dict[str, list[health.Finding]] = {}
    for check in json.loads(done.stdout)["checks"]:
        finding = health.Finding(check["state"], check["name"], check["detail"], check["remedy"])
        found.setdefault(finding.name, []).append(finding)
    return found


def test_a_build_for_the_processor_beside_a_card_is_named_with_its_remedy(
    bus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    llama_native = pytest.importorskip(
        "mixrag_cli.models.llama_native", reason="llama-cpp-python is not installed", exc_type=ImportError
    )
    plug(bus, "0000:01:00.0", "0x030200", "0x10de", "nvidia0")
    monkeypatch.setattr(llama_native, "offered_devices", list)
    (told,) = doctor()["llama.cpp"]
    assert (told.state, told.detail) == ("warn", "is built for the processor alone beside NVIDIA card at 0000:01:00.0")
    assert told.remedy.startswith('CMAKE_ARGS="-DGGML_CUDA=on" pip install --force-reinstall')
    monkeypatch.setattr(llama_native, "offered_devices", lambda: [CARD])
    (told,) = doctor()["llama.cpp"]
    assert (told.state, told.remedy) == ("ok", "")
    assert told.detail == "NVIDIA H100 (CUDA0): 79.0 of 80.0 GB free, its own memory"


def test_graphics_of_the_processor_and_cards_out_of_reach_are_no_warning_about_the_build(
    bus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    llama_native = pytest.importorskip(
        "mixrag_cli.models.llama_native", reason="llama-cpp-python is not installed", exc_type=ImportError
    )
    monkeypatch.setattr(llama_native, "offered_devices", list)
    plug(bus, "0000:01:00.0", "0x030200", "0x10de")
    assert [each.detail for each in doctor()["llama.cpp"]] == ["computes on the processor"]
    plug(bus, "0000:00:02.0", "0x030000", "0x8086", "dri/renderD128")
    (told,) = doctor()["llama.cpp"]
    assert (told.state, "GGML_VULKAN" in told.remedy) == ("ok", True)


def test_doctor_gpu_measures_and_says_what_is_missing(bus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpu_health, "N_TEXTS", 8)
    found = doctor("--gpu")
    assert found["card"][0].detail == "none on this machine; everything runs on the processor"
    assert "tokens a second on the processor" in found["embedder"][1].detail
    plug(bus, "0000:01:00.0", "0x030200", "0x10de")
    assert found["embedder"][-1].state == "ok"
    (told,) = doctor("--gpu")["card"]
    assert (told.state, "cannot reach" in told.detail) == ("warn", True)
    (bus / "dev" / "nvidia0").touch()
    told = doctor("--gpu")["embedder"][-1]
    if not onnx_model.card_providers():
        assert (told.state, "onnxruntime-gpu" in told.remedy) == ("warn", True)


# --- the embedder -----------------------------------------------------------------------------------------------------


def test_the_float32_graph_gives_nearly_the_same_vectors() -> None:
    pytest.importorskip("onnx", reason="onnx is not installed")
    from mixrag_cli.models.float_graph import to_float32

    texts = ["total revenue grew to 112,400", "def main(arguments): return 0", "Die Pumpe läuft. " * 40, "a"]
    ours, theirs = MiniLM(model_file(), 1), MiniLM(to_float32(model_file().read_bytes()), 1)
    (whole, whole_late), (rounded, rounded_late) = theirs.embed_late(texts), ours.embed_late(texts)
    assert (whole * rounded).sum(axis=1).min() > gpu_health.LEAST_COSINE
    assert [len(each) for each in whole_late] == [len(each) for each in rounded_late]
    assert not np.array_equal(whole, rounded)
    with pytest.raises(ValueError, match="no int8 graph of ours"):
        to_float32(to_float32(model_file().read_bytes()))


def test_a_card_that_onnxruntime_offers_and_cannot_start_leaves_the_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("onnx", reason="onnx is not installed")
    opened: list[list[str]] = []
    real = onnx_model.onnxruntime.InferenceSession

    def start(model: bytes, options: object, providers: list[str]) -> object:
        opened.append(providers)
        return real(model, options, providers=[each for each in providers if each == onnx_model.PROCESSOR])

    monkeypatch.setattr(onnx_model, "card_providers", lambda: ("CUDAExecutionProvider",))
    monkeypatch.setattr(onnx_model.onnxruntime, "InferenceSession", start)
    model = MiniLM(model_file(), 1, on_card=True)
    assert opened == [["CUDAExecutionProvider", onnx_model.PROCESSOR], [onnx_model.PROCESSOR]]
    assert model.device == onnx_model.PROCESSOR
    assert model.embed(["one text"]).shape == (1, 384)


def test_status_and_settings_say_where_the_generator_would_compute(
    tiny_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    local_generator = pytest.importorskip(
        "mixrag_cli.models.local_generator", reason="llama-cpp-python is not installed", exc_type=ImportError
    )
    from mixrag_cli.models import describe_generator

    settings = Settings(generator=str(tiny_model))
    monkeypatch.setattr(local_generator, "offered_devices", lambda: [CARD])
    assert describe_generator(settings)["device"] == "NVIDIA H100 (CUDA0), 3 of 3 layers"
    assert describe_generator(Settings(generator=str(tiny_model), gpu_layers=0))["device"] == devices.CPU
    assert describe_generator(Settings(generator="http://127.0.0.1:9")) == {"generator": "http://127.0.0.1:9"}
    assert describe_generator(Settings(generator="/nowhere/x.gguf")) == {"generator": "/nowhere/x.gguf"}
    assert describe_generator(Settings()) == {}


def test_answer_and_status_name_the_device(indexed: Path, tiny_model: Path) -> None:
    pytest.importorskip("llama_cpp", reason="llama-cpp-python is not installed")
    environment = environment_of(indexed.parent, MIXRAG_GENERATOR=str(tiny_model), MIXRAG_THREADS="1")
    for arguments in (("ask", "How many chairs were sold in 2024?"), ("status",)):
        told = json.loads(run_here(*arguments, "--json", cwd=indexed, env=environment).stdout)
        assert told["models"]["device"] == devices.CPU, arguments
