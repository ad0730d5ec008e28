#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains the embedded digit classifier on scikit-learn's handwritten digits and writes it as an ONNX QDQ int8 network.

    usage: train.py [--seed N] [--epochs N] [--out FOLDER]

The network, on 8x8 grey images with values 0..16, NCHW:
    conv 3x3 1->16, ReLU -> conv 3x3 16->16, ReLU -> + (residual) -> max pool 2x2
    -> conv 3x3 16->32, ReLU -> average pool 2x2 -> dense 128->10.
Needs numpy, scikit-learn and onnx (Debian: python3-numpy python3-sklearn python3-onnx). Writes digits.onnx, and the
first test images with their labels as images.npy (N x 1 x 8 x 8, float32) and labels.csv. The training split and the
test split share no image.
"""
import argparse
import pathlib

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from sklearn.datasets import load_digits

TEST_IMAGES = 360
SHIPPED_IMAGES = 48


def im2col(x, size=3):
    """N,C,H,W -> N*H*W, C*size*size with zero padding that keeps the size."""
    n, c, h, w = x.shape
    pad = size // 2
    padded = np.pad(x, ((0, 0), (0, 0), (pad, pad), (pad, pad)))
    cols = np.stack([padded[:, :, i:i + h, j:j + w] for i in range(size) for j in range(size)], axis=2)
    return cols.transpose(0, 3, 4, 1, 2).reshape(n * h * w, c * size * size)


def col2im(cols, shape, size=3):
    """Gradient of im2col."""
    n, c, h, w = shape
    pad = size // 2
    out = np.zeros((n, c, h + 2 * pad, w + 2 * pad), np.float32)
    cols = cols.reshape(n, h, w, c, size * size).transpose(0, 3, 4, 1, 2)
    for i in range(size):
        for j in range(size):
            out[:, :, i:i + h, j:j + w] += cols[:, :, i * size + j]
    return out[:, :, pad:pad + h, pad:pad + w]


class Conv:
    def __init__(self, rng, cin, cout):
        self.w = rng.normal(0, np.sqrt(2 / (9 * cin)), (cout, cin * 9)).astype(np.float32)
        self.b = np.zeros(cout, np.float32)

    def forward(self, x):
        self.shape, self.cols = x.shape, im2col(x)
        n, _, h, w = x.shape
        y = self.cols @ self.w.T + self.b
        self.y = np.maximum(y, 0).reshape(n, h, w, -1).transpose(0, 3, 1, 2)
        return self.y

    def backward(self, grad):
        grad = (grad * (self.y > 0)).transpose(0, 2, 3, 1).reshape(-1, self.w.shape[0])
        self.dw, self.db = grad.T @ self.cols, grad.sum(0)
        return col2im(grad @ self.w, self.shape)


class Dense:
    def __init__(self, rng, cin, cout):
        self.w = rng.normal(0, np.sqrt(1 / cin), (cout, cin)).astype(np.float32)
        self.b = np.zeros(cout, np.float32)

    def forward(self, x):
        self.x = x
        return x @ self.w.T + self.b

    def backward(self, grad):
        self.dw, self.db = grad.T @ self.x, grad.sum(0)
        return grad @ self.w


class Network:
    def __init__(self, rng):
        self.conv1, self.conv2, self.conv3 = Conv(rng, 1, 16), Conv(rng, 16, 16), Conv(rng, 16, 32)
        self.dense = Dense(rng, 128, 10)
        self.conv1.w /= 8  # pixels reach 16

    def layers(self):
        return {"conv1": self.conv1, "conv2": self.conv2, "conv3": self.conv3, "dense": self.dense}

    def forward(self, x):
        """Every tensor by name: what is needed for backward and for calibration."""
        t = {"input": x, "conv1": self.conv1.forward(x)}
        t["conv2"] = self.conv2.forward(t["conv1"])
        t["add"] = t["conv1"] + t["conv2"]
        n, c = x.shape[0], 16
        t["pool"] = t["add"].reshape(n, c, 4, 2, 4, 2).max(axis=(3, 5))
        t["conv3"] = self.conv3.forward(t["pool"])
        t["mean"] = t["conv3"].reshape(n, 32, 2, 2, 2, 2).mean(axis=(3, 5))
        t["dense"] = self.dense.forward(t["mean"].reshape(n, 128))
        return t

    def backward(self, t, grad):
        grad = self.dense.backward(grad).reshape(t["mean"].shape)
        grad = self.conv3.backward(grad.repeat(2, axis=2).repeat(2, axis=3) / 4)
        n, c = grad.shape[:2]
        blocks = t["add"].reshape(n, c, 4, 2, 4, 2)
        hit = blocks == t["pool"][:, :, :, None, :, None]
        grad = (hit * grad[:, :, :, None, :, None] / hit.sum(axis=(3, 5), keepdims=True)).reshape(n, c, 8, 8)
        self.conv1.backward(grad + self.conv2.backward(grad))


def train(network, x, y, rng, epochs):
    momentum = {}
    for epoch in range(epochs):
        rate = 0.05 * 0.5 * (1 + np.cos(np.pi * epoch / epochs))
        order = rng.permutation(len(x))
        for begin in range(0, len(x), 64):
            pick = order[begin:begin + 64]
            t = network.forward(x[pick])
            logits = t["dense"] - t["dense"].max(axis=1, keepdims=True)
            p = np.exp(logits)
            p /= p.sum(axis=1, keepdims=True)
            p[np.arange(len(pick)), y[pick]] -= 1
            network.backward(t, p / len(pick))
            for name, layer in network.layers().items():
                for kind, grad in (("w", layer.dw), ("b", layer.db)):
                    value = getattr(layer, kind)
                    step = 0.9 * momentum.get((name, kind), 0) - rate * (grad + 1e-4 * value)
                    momentum[name, kind] = step
                    value += step


def activation_scale(values):
    """Affine int8 over the seen range, which always contains zero."""
    low, high = min(float(values.min()), 0.0), max(float(values.max()), 0.0)
    scale = (high - low) / 255
    return np.float32(scale), np.int8(np.clip(round(-128 - low / scale), -128, 127))


class QdqWriter:
    """Collects nodes and constants of a QDQ graph: every tensor passes a QuantizeLinear/DequantizeLinear pair."""

    def __init__(self):
        self.nodes, self.constants = [], []

    def constant(self, name, value):
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def weights(self, layer, shape, input_scale, name):
        """Per-channel symmetric int8 weights and int32 bias, dequantised in the graph."""
        w = layer.w.reshape(shape)
        axes = tuple(range(1, w.ndim))
        scale = (np.abs(w).max(axis=axes) / 127).astype(np.float32)
        q = np.clip(np.round(w / scale.reshape(-1, *[1] * (w.ndim - 1))), -127, 127).astype(np.int8)
        bias_scale = (scale * input_scale).astype(np.float32)
        bias = np.round(layer.b / bias_scale).astype(np.int32)
        for kind, value, s, zero in (("weight", q, scale, np.zeros(len(scale), np.int8)),
                                     ("bias", bias, bias_scale, np.zeros(len(scale), np.int32))):
            base = f"{name}.{kind}"
            self.nodes.append(helper.make_node(
                "DequantizeLinear",
                [self.constant(base, value), self.constant(base + ".scale", s), self.constant(base + ".zero", zero)],
                [base + ".float"], name=base + ".dequantize", axis=0))
        return [f"{name}.weight.float", f"{name}.bias.float"]

    def quantised(self, name, scale, zero):
        s, z = self.constant(name + ".scale", scale), self.constant(name + ".zero", zero)
        self.nodes.append(helper.make_node("QuantizeLinear", [name, s, z], [name + ".q"], name=name + ".quantize"))
        self.nodes.append(helper.make_node("DequantizeLinear", [name + ".q", s, z], [name + ".dq"], name=name + ".dequantize"))
        return name + ".dq"

    def node(self, op, inputs, output, **attributes):
        self.nodes.append(helper.make_node(op, inputs, [output], name=output, **attributes))


def export(network, calibration, path):
    t = network.forward(calibration)
    params = {name: activation_scale(values) for name, values in t.items()}
    # Pooling keeps the parameters of its input.
    params["pool"], params["mean"] = params["add"], params["conv3"]
    w = QdqWriter()
    dq = {"input": w.quantised("input", *params["input"])}

    def conv(name, layer, source):
        cout, cin = layer.w.shape[0], layer.w.shape[1] // 9
        inputs = w.weights(layer, (cout, cin, 3, 3), params[source][0], name)
        w.node("Conv", [dq[source], *inputs], name + ".conv", kernel_shape=[3, 3], pads=[1, 1, 1, 1])
        w.node("Relu", [name + ".conv"], name)
        dq[name] = w.quantised(name, *params[name])

    conv("conv1", network.conv1, "input")
    conv("conv2", network.conv2, "conv1")
    w.node("Add", [dq["conv1"], dq["conv2"]], "add")
    dq["add"] = w.quantised("add", *params["add"])
    w.node("MaxPool", [dq["add"]], "pool", kernel_shape=[2, 2], strides=[2, 2])
    dq["pool"] = w.quantised("pool", *params["pool"])
    conv("conv3", network.conv3, "pool")
    w.node("AveragePool", [dq["conv3"]], "mean", kernel_shape=[2, 2], strides=[2, 2])
    dq["mean"] = w.quantised("mean", *params["mean"])
    w.node("Flatten", [dq["mean"]], "flat", axis=1)
    inputs = w.weights(network.dense, (10, 128), params["mean"][0], "dense")
    w.node("Gemm", ["flat", *inputs], "dense", transB=1)
    w.quantised("dense", *params["dense"])
    graph = helper.make_graph(
        w.nodes, "digits",
        [helper.make_tensor_value_info("input", TensorProto.FLOAT, [1, 1, 8, 8])],
        [helper.make_tensor_value_info("dense.dq", TensorProto.FLOAT, [1, 10])], w.constants)
    model = helper.make_model(graph, producer_name="vdla-digits", opset_imports=[helper.make_opsetid("", 13)])
    model.ir_version = 7
    onnx.checker.check_model(model)
    onnx.save(model, path)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--epochs", type=int, default=40)
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path(__file__).parent)
    args = parser.parse_args()

    rng = np.random.default_rng(args.seed)
    digits = load_digits()
    x, y = digits.images.astype(np.float32)[:, None], digits.target
    order = rng.permutation(len(x))
    test, training = order[:TEST_IMAGES], order[TEST_IMAGES:]
    network = Network(rng)
    train(network, x[training], y[training], rng, args.epochs)
    correct = (network.forward(x[test])["dense"].argmax(axis=1) == y[test]).mean()
    print(f"float accuracy on {TEST_IMAGES} test images: {100 * correct:.2f} %")
    args.out.mkdir(parents=True, exist_ok=True)
    export(network, x[training][:256], args.out / "digits.onnx")
    shipped = test[:SHIPPED_IMAGES]
    np.save(args.out / "images.npy", x[shipped])
    rows = [f"digit_{index:04d},10,{y[index]}" for index in shipped]
    (args.out / "labels.csv").write_text("\n".join(rows) + "\n")


if __name__ == "__main__":
    main()
