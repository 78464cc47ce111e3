"""The bundled int8 model as a float32 graph, for graphics cards: their runtimes have no int8 products to speak of.

Each quantised product, that is the steps from |x| to the product scaled back, becomes one product with the weights that
the int8 ones stand for. So the weights are those of the int8 file, and only the rounding of what is multiplied is gone.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import onnx
from onnx import helper, numpy_helper

INTEGER_PRODUCT = "MatMulInteger"
ACTIVATION_STEPS = 127  # of training/embedder/graph.py, which writes the int8 file
# The nodes of one quantised product, by the ends of their names; the last one's result is the product.
STEPS = ("abs", "largest", "range", "relative", "rounded", "int32", "float", "unscaled", "product")


def to_float32(model: bytes) -> bytes:
    """The float32 graph of the same inputs and outputs. model: the bytes of an int8 file of training/embedder/graph.py.

    Raises ValueError for a graph of another make.
    """
    proto = onnx.load_from_string(model)
    graph = proto.graph
    constants = {one.name: one for one in graph.initializer}
    nodes = {node.name: node for node in graph.node}
    products = [node.name.removesuffix(".int32") for node in graph.node if node.op_type == INTEGER_PRODUCT]
    replaced = {f"{name}.{step}" for name in products for step in STEPS}
    if not products or not replaced <= nodes.keys():
        raise ValueError("no int8 graph of ours")
    for name in products:
        constants[f"{name}.weight"] = _float_weight(constants, name)
    made = {
        f"{name}.product": helper.make_node(
            "MatMul", [nodes[f"{name}.abs"].input[0], f"{name}.weight"], [f"{name}.product"], name=f"{name}.product"
        )
        for name in products
    }
    kept = [made.get(node.name, node) for node in graph.node if node.name not in replaced or node.name in made]
    used = {name for node in kept for name in node.input}
    del graph.node[:]
    graph.node.extend(kept)
    del graph.initializer[:]
    graph.initializer.extend(one for name, one in constants.items() if name in used)
    return bytes(proto.SerializeToString())


def _float_weight(constants: Mapping[str, onnx.TensorProto], name: str) -> onnx.TensorProto:
    whole, unscale = (numpy_helper.to_array(constants[f"{name}.{part}"]) for part in ("weight", "unscale"))
    weight = whole.astype(np.float32) * (unscale * ACTIVATION_STEPS)
    return numpy_helper.from_array(weight, f"{name}.weight")
