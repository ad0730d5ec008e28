#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Long: it is copied alone to a machine that has PyTorch and JAX and not the kit; parent and children are one script.
"""Times what others make of the kit's work on one NVIDIA GPU: cuBLAS, cuDNN, PyTorch, torch.compile and JAX.

usage: python3 bench/gpu/rivals.py PACKAGE_JSON -o OUT_JSON [--seconds 150] [--only ID ...]

PACKAGE_JSON is made by the kit. Its "tasks" are matrix products ("matmul"), convolutions ("conv2d"), depthwise
convolutions ("depthwise") and networks ("network": ResNet-18, and those that are a list of "layers", which JAX is not
asked for); other kinds are recorded as skipped. The task "copy", a copy of 1 GiB within the device's memory, is always
added, and products of f16 and int8 where the package has none. --only names
the tasks to time, --seconds is the budget for all of them.

PyTorch and JAX run in children of this script. A child appends what it measured to a file, line by line; this script
rewrites OUT_JSON after every line. A measurement that fails leaves its error's text in the place of a time. A child
that crashes or takes too long loses the step it was at, and another child goes on with the next one.

A time is of a CUDA graph that holds the call so often that it takes a millisecond or more: the median of 25 replays,
divided by the number of calls. Where the graph cannot be captured the calls are timed as they are queued, and the
record says so ("graph"). The calls of one measurement work on the same tensors, so that small ones stay in the L2
cache. TF32 is off wherever the type is f32; "difference" is that from the same work in f64,
||out - exact|| / ||exact||, and shows it: f32 arithmetic gives about 1e-6, TF32 about 3e-4.
"""
import argparse
import collections
import contextlib
import datetime
import functools
import importlib.metadata
import json
import math
import os
import pathlib
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import traceback

SAMPLES = 25                # replays that are timed
LEAST = 1e-3                # seconds that one replay should take at least
MOST_CALLS = 2000           # calls in one graph
WARM = 0.05                 # seconds of calls before the first timed one
SEARCH = 45                 # seconds that cuDNN may try algorithms in all; after that its guess is taken
COPY = 1 << 30              # bytes of the copy
STEP = 60                   # seconds that a step may take before its child is stopped
LIMITS = {"start": 90, "max-autotune": 70, "compile": 50, "jax": 60}
JAX_RESERVE = 25            # seconds of the budget that torch.compile leaves to JAX, unless that cuts it to under 40
TYPES = {"f32": "f32", "float32": "f32", "f16": "f16", "float16": "f16", "i8": "i8", "int8": "i8", "s8": "i8",
         "tf32": "tf32"}
NOTE_CONVOLUTION = "The plain convolution. What the kit times has its own bias and relu fused into the kernel besides."
DIFFERENCE = {"f32": 1e-4, "tf32": 1e-2, "f16": 1e-2, "i8": 0}  # a variant that differs more is not taken for the best
FIELDS = ("id", "kind", "type", "timed", "batch", "m", "n", "k", "transposed_a", "in_channels", "out_channels",
          "channels", "height", "width", "kernel", "stride", "padding", "flops", "input", "layers")
EXTRA = [{"id": f"matmul-{name}-4096", "kind": "matmul", "type": name, "m": 4096, "n": 4096, "k": 4096}
         for name in ("f16", "i8")]  # left out where the package has no product of that type
OVER = "the budget of time is over"


# --- What is to be done: pure functions of the package ----------------------------------------------------------------

def pair(value):
    """[vertical, horizontal] of a number that stands for both, or of a list of two."""
    return [int(value)] * 2 if not isinstance(value, list) else [int(v) for v in (value * 2)[:2]]


def padding_of(task):
    """([vertical, horizontal], None) of a padding that is the same on both sides, else ([0, 0], what F.pad takes)."""
    value = task.get("padding", 0)
    if not isinstance(value, list) or len(value) < 4:
        return pair(value), None
    top, left, bottom, right = map(int, value)
    return ([top, left], None) if (top, left) == (bottom, right) else ([0, 0], [left, right, top, bottom])


def output_size(task):
    """[height, width] of a convolution's output."""
    both, extra = padding_of(task)
    extra = extra or [0, 0, 0, 0]
    sums = [2 * both[0] + extra[2] + extra[3], 2 * both[1] + extra[0] + extra[1]]
    sizes = zip((task["height"], task["width"]), sums, pair(task["kernel"]), pair(task.get("stride", 1)))
    return [(size + pad - kernel) // stride + 1 for size, pad, kernel, stride in sizes]


def operations(task):
    """Multiplications and additions of a task, None where that says nothing."""
    kind = task.get("kind")
    if kind == "matmul":
        return 2 * task["m"] * task["n"] * task["k"]
    if kind in ("conv2d", "depthwise"):
        channels = task["channels"] if kind == "depthwise" else task["out_channels"] * task["in_channels"]
        return 2 * task.get("batch", 1) * math.prod(output_size(task)) * channels * math.prod(pair(task["kernel"]))
    if kind == "network":
        return task["flops"] if "layers" in task else resnet18_operations() * task.get("batch", 1)
    return None


def tasks_of(package, only):
    """The package's tasks without what the kit alone needs, and those of this script; of these only the named ones."""
    tasks = [{key: task.get(key) for key in FIELDS if key in task} for task in package["tasks"]
             if task.get("id") not in (None, "copy")]
    for extra in EXTRA:
        if not any(task.get("kind") == "matmul" and TYPES.get(task.get("type")) == extra["type"] for task in tasks):
            tasks.append(dict(extra))
    tasks.append({"id": "copy", "kind": "copy"})
    return [task for task in tasks if not only or task["id"] in only]


def refusal(task):
    """Why a task cannot be timed here, None if it can."""
    kind, kept = task.get("kind"), TYPES.get(task.get("type", "f32"))
    if kind == "copy":
        return None
    if not task.get("timed", True):
        return "the kit only checks it and does not time it"
    if kind not in ("matmul", "conv2d", "depthwise", "network"):
        return f"kind '{kind}' is unknown here"
    if kept is None or kind != "matmul" and kept != "f32":
        return f"type '{task.get('type')}' is unknown here for kind '{kind}'"
    if kind == "network" and "layers" not in task and not is_resnet18(task):
        return "of networks only ResNet-18 and lists of layers are known here"
    return None


def is_resnet18(task):
    return re.sub(r"[^a-z0-9]", "", str(task["id"]).lower()).startswith("resnet18")


def steps_of(tasks):
    """[task's id, part] the most important first; the parts of a network stand apart, since some are slow."""
    ranked = []
    for task in tasks:
        kind = task["kind"]
        if kind == "network":
            parts = [(4, "torch"), (6, "fused"), (7, "compile")]
            if "layers" not in task:
                parts += [(8, "max-autotune"), (9, "jax")]
            elif not any(layer["act"] == "relu" and layer["kind"] in ("conv", "depthwise") for layer in task["layers"]):
                parts.remove((6, "fused"))
            ranked += [(rank, task["id"], part) for rank, part in parts]
        else:
            first = 0 if TYPES.get(task.get("type", "f32")) == "f32" else 5
            ranked.append(({"matmul": first, "copy": 1, "conv2d": 2, "depthwise": 3}[kind], task["id"], "torch"))
    return [[name, part] for _, name, part in sorted(ranked, key=lambda entry: entry[0])]


def limit_of(part, remaining, jax_waits):
    """Seconds that a step may take when `remaining` are left of the budget."""
    if part in ("compile", "max-autotune") and jax_waits:
        remaining = max(remaining - JAX_RESERVE, min(remaining, 40))
    return max(0, min(LIMITS.get(part, STEP), remaining))


def is_inexact(row, record):
    """Whether a record's difference says that something else was computed, or with less precision."""
    value = record.get("difference")
    most = DIFFERENCE[TYPES.get(row.get("type"), "f32")]
    return value in ("nan", "inf") or isinstance(value, float) and value > most


def best_of(row):
    """Writes into a row its fastest variant and that one's time."""
    for key in ("best", "seconds", "bytes_per_second"):
        row.pop(key, None)
    times = {name: record["seconds"] for name, record in row["variants"].items()
             if "seconds" in record and not is_inexact(row, record)}
    if times:
        row["best"] = min(times, key=times.get)
        row["seconds"] = times[row["best"]]
        if row["id"] == "copy":
            row["bytes_per_second"] = row["bytes"] / row["seconds"]


def graph_size(count, replay):
    """How many calls a graph must hold for its replay to last LEAST seconds, when it held count and lasted so long."""
    return count if replay >= LEAST else min(MOST_CALLS, math.ceil(count * 1.3 * LEAST / max(replay, 1e-7)))


def summary(times, count):
    """The record of samples that held count calls each."""
    return {"seconds": statistics.median(times) / count, "min": min(times) / count, "max": max(times) / count,
            "samples": len(times), "calls": count}


def kernel_names(dot):
    """How often each kernel stands in a CUDA graph that was printed in Graphviz's language."""
    names = re.findall(r"\|\s*([^|{}\n]+?)\s*(?:\\?<){3}", dot)
    return dict(collections.Counter(name[:160] for name in names))


def said(error):
    """An exception's text, short enough for a record."""
    return f"{type(error).__name__}: {error}".strip()[:600]


# --- ResNet-18: its layers and its forward pass, for PyTorch and JAX alike --------------------------------------------

def resnet18_layers():
    """{name: (inputs, outputs, kernel, stride, padding)} of the convolutions, in the order of their use."""
    layers, inputs = {"stem": (3, 64, 7, 2, 3)}, 64
    for stage, outputs in enumerate((64, 128, 256, 512)):
        for block in range(2):
            stride = 2 if stage and not block else 1
            if inputs != outputs:
                layers[f"s{stage}b{block}down"] = (inputs, outputs, 1, stride, 0)
            layers[f"s{stage}b{block}first"] = (inputs, outputs, 3, stride, 1)
            layers[f"s{stage}b{block}second"] = (outputs, outputs, 3, 1, 1)
            inputs = outputs
    return layers


def resnet18_operations():
    """Multiplications and additions for one image, in the convolutions and in the last layer."""
    total = 2 * 512 * 1000
    for name, (inputs, outputs, kernel, _, _) in resnet18_layers().items():
        size = 112 if name == "stem" else 56 >> int(name[1])
        total += 2 * size * size * outputs * inputs * kernel * kernel
    return total


def resnet18_blocks():
    """[(first convolution, second, the one that the input goes through or None)] of the residual blocks."""
    layers = resnet18_layers()
    names = [name.removesuffix("first") for name in layers if name.endswith("first")]
    return [(f"{name}first", f"{name}second", f"{name}down" if f"{name}down" in layers else None) for name in names]


def resnet18_forward(x, blocks, conv, pool, head):
    """conv(x, name, add) is a convolution, plus `add` if it is given, and a relu unless the name ends in 'down'."""
    x = pool(conv(x, "stem", None))
    for first, second, down in blocks:
        kept = conv(x, down, None) if down else x
        x = conv(conv(x, first, None), second, kept)
    return head(x)


def folded(weight, gamma, beta, mean, variance, epsilon=1e-5):
    """The weight and the bias of a convolution that does what it and its batch norm did."""
    scale = gamma / (variance + epsilon) ** 0.5
    return weight * scale[:, None, None, None], beta - mean * scale


@functools.cache
def resnet18_weights(numpy):
    """{name: (weight, bias)} in f32, random but the same in every process, batch norms folded into convolutions."""
    random, weights = numpy.random.default_rng(18), {}
    for name, (inputs, outputs, kernel, _, _) in resnet18_layers().items():
        weight = random.standard_normal((outputs, inputs, kernel, kernel)) * (2 / (inputs * kernel * kernel)) ** 0.5
        gamma, variance = random.uniform(0.3, 0.8, outputs), random.uniform(0.5, 1.5, outputs)
        beta, mean = random.standard_normal(outputs) * 0.1, random.standard_normal(outputs) * 0.1
        weights[name] = folded(weight, gamma, beta, mean, variance)
    weights["last"] = random.standard_normal((1000, 512)) * 512 ** -0.5, random.standard_normal(1000) * 0.1
    return {name: tuple(part.astype(numpy.float32) for part in parts) for name, parts in weights.items()}


def resnet18_input(numpy, batch):
    """Images of random numbers, NCHW, the same in every process."""
    return numpy.random.default_rng(224).standard_normal((batch, 3, 224, 224)).astype(numpy.float32)


# --- PyTorch: how a call is timed -------------------------------------------------------------------------------------

def prepare_torch(torch):
    """f32 stays f32, and cuDNN tries all of its algorithms and keeps the fastest."""
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    torch.set_float32_matmul_precision("highest")
    torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction = False
    torch.backends.cudnn.benchmark = True
    with contextlib.suppress(Exception):
        torch.backends.cudnn.benchmark_limit = 0
    torch.set_grad_enabled(False)


def nvidia_smi(*fields):
    """Fields of the first GPU by nvidia-smi; the card's settings are only read, never changed."""
    run = subprocess.run(["nvidia-smi", "--query-gpu=" + ",".join(fields), "--format=csv,noheader,nounits", "--id=0"],
                         capture_output=True, text=True, timeout=20)
    return dict(zip(fields, (value.strip() for value in run.stdout.strip().split(","))))


def clocks():
    """The clocks in MHz, or why they could not be read."""
    try:
        read = nvidia_smi("clocks.sm", "clocks.mem")
        return {"sm": read["clocks.sm"], "memory": read["clocks.mem"]}
    except Exception as error:
        return {"error": said(error)}


def clocks_under_load(torch):
    """The clocks while most of a second of matrix products is queued, which also brings the card to speed."""
    a = torch.rand(4096, 4096, device="cuda")
    torch.mm(a, a)
    torch.cuda.synchronize()
    for _ in range(300):
        torch.mm(a, a)
    read = clocks()
    torch.cuda.synchronize()
    return read


def warm_up(torch, call):
    """Calls until WARM seconds are over; returns seconds of the first one, where searches lie, and of the fastest."""
    times = []
    while len(times) < 3 or sum(times[1:]) < WARM:
        start = time.perf_counter()
        call()
        torch.cuda.synchronize()
        times.append(time.perf_counter() - start)
    return times[0], min(times)


def time_samples(torch, run, samples):
    """Seconds of each run between two events of the device; all are queued at once, so that the device never waits."""
    events = [[torch.cuda.Event(enable_timing=True) for _ in range(2)] for _ in range(samples)]
    for _ in range(3):
        run()
    for start, stop in events:
        start.record()
        run()
        stop.record()
    torch.cuda.synchronize()
    return [start.elapsed_time(stop) * 1e-3 for start, stop in events]


def captured(torch, call, count, **kind):
    """A CUDA graph of count calls."""
    graph = torch.cuda.CUDAGraph(**kind)
    with torch.cuda.graph(graph, capture_error_mode="thread_local"):
        for _ in range(count):
            call()
    return graph


def names_in_graph(torch, call):
    """The kernels of a call, {} where they cannot be told."""
    with contextlib.suppress(Exception), tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "graph.dot")
        captured(torch, call, 1, keep_graph=True).debug_dump(path)
        return kernel_names(pathlib.Path(path).read_text(errors="replace"))
    return {}


def measure(torch, call, graph=True, names=True):
    """The record of one call's time."""
    first, fastest = warm_up(torch, call)
    count = max(1, min(MOST_CALLS, math.ceil(1.3 * LEAST / fastest)))
    record = {"graph": graph}
    if graph:
        try:
            held = captured(torch, call, count)
            needed = graph_size(count, statistics.median(time_samples(torch, held.replay, 3)))
            if needed > count:
                count, held = needed, captured(torch, call, needed)
            times = time_samples(torch, held.replay, SAMPLES)
        except Exception as error:
            record = {"graph": False, "graph_error": said(error)}
            torch.cuda.synchronize()
    if not record["graph"]:
        def run():
            for _ in range(count):
                call()
        times = time_samples(torch, run, SAMPLES)
    record = {**summary(times, count), **record, "first_seconds": first}
    kernels = names_in_graph(torch, call) if names and record["graph"] else {}
    return {**record, "kernels": kernels} if kernels else record


@contextlib.contextmanager
def cudnn_set(torch, **settings):
    """Other settings of cuDNN for a while, `enabled` or `benchmark`."""
    before = {name: getattr(torch.backends.cudnn, name) for name in settings}
    try:
        for name, value in settings.items():
            setattr(torch.backends.cudnn, name, value)
        yield
    finally:
        for name, value in before.items():
            setattr(torch.backends.cudnn, name, value)


# --- PyTorch: the tasks -----------------------------------------------------------------------------------------------
# A case is {variant's name: (call, what the record also says, settings of cuDNN)}, and a function for the exact result.

def matmul_case(torch, task, _):
    """Both operands as they are (nn), A given transposed (tn), B given transposed (nt); of a task that has A transposed
    only tn."""
    m, n, k, kept = task["m"], task["n"], task["k"], TYPES[task.get("type", "f32")]
    random = torch.Generator("cuda")
    random.manual_seed(1)
    shapes = (m, k), (k, n)
    if kept == "i8":
        a, b = (torch.randint(-127, 128, shape, generator=random, device="cuda", dtype=torch.int8) for shape in shapes)
    else:
        dtype = torch.float16 if kept == "f16" else torch.float32
        a, b = (torch.randn(shape, generator=random, device="cuda").to(dtype) for shape in shapes)
    layouts = {"nn": (a, b), "tn": (a.t().contiguous().t(), b), "nt": (a, b.t().contiguous().t())}
    if task.get("transposed_a"):
        layouts = {"tn": layouts["tn"]}

    # Every name of torch is looked up in a call, so that one that is missing costs its own variants and no others.
    def with_tf32(call):
        def with_it():
            torch.backends.cuda.matmul.allow_tf32 = True
            try:
                return call()
            finally:
                torch.backends.cuda.matmul.allow_tf32 = False
        return with_it if kept == "tf32" else call

    def product(left, right):
        return with_tf32(lambda: torch.mm(left, right))

    def product_of_integers(left, right):
        return lambda: torch._int_mm(left, right)

    def product_by_lt(left, right):
        def call():
            before = torch.backends.cuda.preferred_blas_library()
            torch.backends.cuda.preferred_blas_library("cublaslt")
            try:
                return torch.mm(left, right)
            finally:
                torch.backends.cuda.preferred_blas_library(before)
        return with_tf32(call)

    if kept == "i8":
        cases = {name: (product_of_integers(*layouts[name]), {"by": "torch._int_mm"}, {}) for name in layouts}
    else:
        cases = {name: (product(*both), {"by": "torch.mm, cuBLAS"}, {}) for name, both in layouts.items()}
        cases |= {f"{name} cublaslt": (product_by_lt(*both), {"by": "torch.mm, cuBLASLt"}, {})
                  for name, both in layouts.items()}
    return cases, lambda: torch.mm(a.double(), b.double())


def copy_case(torch, _task, _state):
    """A copy of COPY bytes from one place of the device's memory to another."""
    source = torch.rand(COPY // 4, device="cuda")
    target = torch.empty_like(source)
    return {"copy_": (lambda: target.copy_(source), {}, {})}, lambda: source.double()


def convolution_tensors(torch, task):
    """The input, the weight, the stride, the padding, the groups, and a remark for the record."""
    depthwise = task["kind"] == "depthwise"
    inputs = task["channels"] if depthwise else task["in_channels"]
    outputs = inputs if depthwise else task["out_channels"]
    random = torch.Generator("cuda")
    random.manual_seed(2)
    x = torch.randn(task.get("batch", 1), inputs, task["height"], task["width"], generator=random, device="cuda")
    weight = torch.randn(outputs, 1 if depthwise else inputs, *pair(task["kernel"]), generator=random, device="cuda")
    padding, extra = padding_of(task)
    remark = {}
    if extra:
        x = torch.nn.functional.pad(x, extra)
        remark["padding"] = f"asymmetric, done by F.pad(x, {extra}) outside of the timing"
    return x, weight, pair(task.get("stride", 1)), padding, inputs if depthwise else 1, remark


def convolution_case(torch, task, _):
    """cuDNN's best for NCHW and for channels_last; of depthwise convolutions also PyTorch's own kernels."""
    x, weight, stride, padding, groups, remark = convolution_tensors(torch, task)
    last = torch.channels_last
    tensors = {"nchw": (x, weight), "channels_last": (x.to(memory_format=last), weight.to(memory_format=last))}

    def plain(x, weight):
        return lambda: torch.nn.functional.conv2d(x, weight, None, stride, padding, 1, groups)

    def by_cudnn(x, weight):
        benchmark = torch.backends.cudnn.benchmark
        return lambda: torch.cudnn_convolution(x, weight, padding, stride, [1, 1], groups, benchmark, False, False)

    cases = {name: (plain(*both), {"by": "F.conv2d, cuDNN enabled", **remark}, {}) for name, both in tensors.items()}
    if groups > 1:
        # F.conv2d takes PyTorch's own kernel for f32 in NCHW even where cuDNN is enabled, so cuDNN is called by name.
        cases["nchw cudnn"] = by_cudnn(*tensors["nchw"]), {"by": "torch.cudnn_convolution", **remark}, {}
        cases |= {f"{name} native": (plain(*both), {"by": "F.conv2d, cuDNN disabled", **remark}, {"enabled": False})
                  for name, both in tensors.items()}

    def exact():
        with cudnn_set(torch, enabled=False):
            return torch.nn.functional.conv2d(x.double(), weight.double(), None, stride, padding, 1, groups)
    return cases, exact


def chain_parts(torch, layer, shape):
    """The module of a layer that reads a value of that shape, or None, and the shape that comes out."""
    nn, kind, outputs = torch.nn, layer["kind"], layer["outputs"]
    window = layer["kernel"], layer["stride"], layer["padding"]
    if kind in ("conv", "depthwise"):
        size = [(n + 2 * window[2] - window[0]) // window[1] + 1 for n in shape[2:]]
        made = nn.Conv2d(shape[1], outputs, *window, groups=outputs if kind == "depthwise" else 1)
        return made, [shape[0], outputs, *size]
    if kind == "transposed":
        size = [(n - 1) * window[1] - 2 * window[2] + window[0] for n in shape[2:]]
        return nn.ConvTranspose2d(shape[1], outputs, *window), [shape[0], outputs, *size]
    if kind == "dense":
        return nn.Linear(math.prod(shape[1:]), outputs), [shape[0], outputs]
    if kind == "lstm":
        return nn.LSTMCell(shape[1], outputs), [shape[0], outputs]
    if kind == "mean":
        return None, shape[:2]
    if kind == "image":
        return None, [shape[0], outputs, window[0], window[0]]
    raise ValueError(f"layer of kind '{kind}' is unknown here")


def chain(torch, task):
    """A network that is a list of layers as a module; its values are random but the same in every process."""
    functional, layers = torch.nn.functional, task["layers"]
    acts = {"relu": functional.relu_, "tanh": torch.tanh, "none": lambda x: x}

    class Chain(torch.nn.Module):
        def __init__(self):
            super().__init__()
            shape, parts = task["input"], []
            for layer in layers:
                part, shape = chain_parts(torch, layer, shape)
                parts.append(torch.nn.Identity() if part is None else part)
            self.parts = torch.nn.ModuleList(parts)

        def forward(self, x, *states, fused=False):
            states, kept = list(states), []
            for layer, part in zip(layers, self.parts):
                kind = layer["kind"]
                if kind == "lstm":
                    x, memory = part(x, (states.pop(0), states.pop(0)))
                    kept += [x, memory]
                elif kind == "mean":
                    x = x.mean((2, 3))
                elif kind == "image":
                    x = x.reshape(x.shape[0], layer["outputs"], layer["kernel"], layer["kernel"])
                elif fused and layer["act"] == "relu" and kind in ("conv", "depthwise"):
                    x = torch.cudnn_convolution_relu(x, part.weight, part.bias, part.stride, part.padding, (1, 1), part.groups)
                else:
                    x = acts[layer["act"]](part(x.flatten(1) if kind == "dense" else x))
            return torch.cat([x, *kept], 1) if kept else x

    torch.manual_seed(14)
    module = Chain().eval()
    for name, value in module.named_parameters():
        # Summed values stay about as large as they were.
        fan = value[0].numel() if value.dim() > 1 else 100
        value.data.normal_(0, (2 / fan) ** 0.5)
    return module


def chain_inputs(torch, task):
    """The input, and the states of cells: hidden and memory of each."""
    torch.manual_seed(15)
    states = [torch.randn(task["input"][0], layer["outputs"]) for layer in task["layers"] if layer["kind"] == "lstm"
              for _ in range(2)]
    return [torch.randn(task["input"]), *states]


def network(torch, task):
    """A task's network as a module, and what it reads."""
    import numpy
    if "layers" in task:
        return chain(torch, task), chain_inputs(torch, task)
    return resnet18(torch), [torch.from_numpy(resnet18_input(numpy, task.get("batch", 1)))]


def resnet18(torch):
    """ResNet-18 as a module, its batch norms folded into the convolutions by hand."""
    import numpy
    layers, blocks, weights = resnet18_layers(), resnet18_blocks(), resnet18_weights(numpy)
    functional = torch.nn.functional

    class ResNet18(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.convs = torch.nn.ModuleDict({
                name: torch.nn.Conv2d(inputs, outputs, kernel, stride, padding)
                for name, (inputs, outputs, kernel, stride, padding) in layers.items()})
            self.pool, self.last = torch.nn.MaxPool2d(3, 2, 1), torch.nn.Linear(512, 1000)
            for name, layer in [*self.convs.items(), ("last", self.last)]:
                layer.weight.copy_(torch.from_numpy(weights[name][0]))
                layer.bias.copy_(torch.from_numpy(weights[name][1]))

        def conv(self, x, name, add):
            x = self.convs[name](x)
            if add is not None:
                x = x.add_(add)
            return x if name.endswith("down") else functional.relu_(x)

        def fused(self, x, name, add):
            """One call of cuDNN for a convolution, its bias, its addition and its relu."""
            layer = self.convs[name]
            if name.endswith("down"):
                return layer(x)
            given = layer.bias, layer.stride, layer.padding, (1, 1), 1
            if add is None:
                return torch.cudnn_convolution_relu(x, layer.weight, *given)
            return torch.cudnn_convolution_add_relu(x, layer.weight, add, 1.0, *given)

        def head(self, x):
            return self.last(x.mean((2, 3)))

        def forward(self, x, fused=False):
            return resnet18_forward(x, blocks, self.fused if fused else self.conv, self.pool, self.head)
    return ResNet18().eval()


def network_tensors(torch, task, state):
    """{layout: (module, inputs)} on the device."""
    held = state["networks"].setdefault(task["id"], {})
    if not held:
        last = torch.channels_last
        module, inputs = network(torch, task)
        held["nchw"] = module.cuda(), [x.cuda() for x in inputs]
        if any(value.dim() == 4 for value in module.parameters()):
            held["channels_last"] = (network(torch, task)[0].cuda().to(memory_format=last),
                                     [x.cuda().to(memory_format=last) if x.dim() == 4 else x.cuda() for x in inputs])
    return held


def network_exact(torch, task):
    """The result in f64, by PyTorch's own convolutions."""
    with cudnn_set(torch, enabled=False):
        module, inputs = network(torch, task)
        return module.double().cuda()(*[x.double().cuda() for x in inputs])


def network_case(torch, task, state):
    """Call after call of PyTorch, as one writes it."""
    cases = {name: ((lambda module=module, inputs=inputs: module(*inputs)), {"by": "PyTorch eager"}, {})
             for name, (module, inputs) in network_tensors(torch, task, state).items()}
    return cases, lambda: network_exact(torch, task)


def fused_case(torch, task, state):
    """cuDNN's convolution with bias, addition and relu in one; its algorithms are only tried where time is left."""
    settings = {"benchmark": state["deadline"] - time.time() > 100 and state["search"] < SEARCH}
    cases = {f"fused {name}": ((lambda module=module, inputs=inputs: module(*inputs, fused=True)),
                               {"by": "PyTorch eager, torch.cudnn_convolution_relu and _add_relu"}, settings)
             for name, (module, inputs) in network_tensors(torch, task, state).items()}
    return cases, lambda: network_exact(torch, task)


def compiled_case(torch, task, state, mode):
    """torch.compile of the layout that was the faster one in eager mode; Inductor is kept from changing NCHW."""
    import torch._inductor.config
    layout = state["layouts"].get(task["id"], "nchw")
    torch._inductor.config.layout_optimization = layout != "nchw"
    with contextlib.suppress(Exception):
        torch._dynamo.reset()  # the other mode has compiled the same module
    module, inputs = network_tensors(torch, task, state)[layout]
    made = torch.compile(module) if mode == "default" else torch.compile(module, mode=mode)
    remark = {"by": f"torch.compile, mode {mode}", "layout": layout}
    if mode != "default":
        remark["graph_of"] = "Inductor's own CUDA graph, called again and again"
    return {f"compile {mode}": (lambda: made(*inputs), remark, {})}, lambda: network_exact(torch, task)


def case_of(torch, task, part, state):
    """The case of a step."""
    if part in ("compile", "max-autotune"):
        return compiled_case(torch, task, state, "default" if part == "compile" else part)
    if part == "fused":
        return fused_case(torch, task, state)
    kinds = {"matmul": matmul_case, "copy": copy_case, "conv2d": convolution_case, "depthwise": convolution_case,
             "network": network_case}
    return kinds[task["kind"]](torch, task, state)


def difference(torch, call, exact):
    """||call() - exact|| / ||exact||, as a text where that is no number, which JSON could not hold."""
    value = float((call().double() - exact).norm() / exact.norm())
    return value if math.isfinite(value) else str(value)


def torch_step(torch, task, part, state, say):
    """Measures the variants of one step and says each record as soon as it is there."""
    if state["search"] >= SEARCH:
        torch.backends.cudnn.benchmark = False
    cases, make_exact = case_of(torch, task, part, state)
    try:
        exact, failure = make_exact(), None
    except Exception as error:
        exact, failure = None, said(error)
    if part == "torch" and is_resnet18(task) and exact is not None and task.get("batch", 1) == 1:
        say(reference=exact.flatten().tolist())
    times = {}
    for name, (call, remark, settings) in cases.items():
        if time.time() > state["deadline"]:
            say(row=task["id"], variant=name, record={"skipped": OVER})
            continue
        try:
            with cudnn_set(torch, **settings):
                record = measure(torch, call, graph=part != "max-autotune", names=state["names"])
                record |= remark
                if task["kind"] not in ("matmul", "copy"):
                    record["benchmark"] = torch.backends.cudnn.benchmark and torch.backends.cudnn.enabled
                    state["search"] += record["first_seconds"] if part == "torch" else 0
                times[name] = record["seconds"]
                say(row=task["id"], variant=name, record=record)
                record["difference"] = difference(torch, call, exact) if exact is not None else failure
                say(row=task["id"], variant=name, record=record)
        except Exception as error:
            traceback.print_exc()
            key = "difference" if name in times else "error"
            say(row=task["id"], variant=name, record={**(record if name in times else remark), key: said(error)})
            torch.cuda.synchronize()  # raises where the device is lost to this process
    if part == "torch" and task["kind"] == "network" and times:
        state["layouts"][task["id"]] = min(times, key=times.get)


def torch_child(job, say):
    """Goes through the steps; ends at once when the device is lost, since another process can go on."""
    import gc
    import torch
    gc.freeze()  # a capture that collects garbage first need not look at all that torch brought
    prepare_torch(torch)
    major, minor = torch.cuda.get_device_capability()
    say(facts={"device": torch.cuda.get_device_name(), "capability": f"{major}.{minor}", "torch": torch.__version__,
               "cudnn": torch.backends.cudnn.version(), "cuda": torch.version.cuda})
    say(loaded=clocks_under_load(torch))
    state = {"deadline": job["deadline"], "names": job["names"], "search": 0.0, "layouts": dict(job["layouts"]),
             "networks": {}}
    tasks = {task["id"]: task for task in job["tasks"]}
    for name, part in job["steps"]:
        if time.time() > state["deadline"]:
            break
        say(begin=[name, part])
        try:
            torch_step(torch, tasks[name], part, state, say)
        except Exception as error:
            traceback.print_exc()
            say(row=name, variant=f"{part} step", record={"error": said(error)})
            torch.cuda.synchronize()
        say(end=[name, part], layouts=state["layouts"])
        torch.cuda.empty_cache()


# --- JAX --------------------------------------------------------------------------------------------------------------

def jax_forward(jax):
    """ResNet-18 in NHWC. The weights are OIHW, as cuDNN likes them for f32; XLA chooses the layouts in between."""
    lax, jnp, layers, blocks = jax.lax, jax.numpy, resnet18_layers(), resnet18_blocks()
    highest = lax.Precision.HIGHEST

    def forward(x, weights):
        def conv(x, name, add):
            _, _, _, stride, padding = layers[name]
            weight, bias = weights[name]
            x = lax.conv_general_dilated(x, weight, (stride, stride), [(padding, padding)] * 2, precision=highest,
                                         dimension_numbers=("NHWC", "OIHW", "NHWC")) + bias
            if add is not None:
                x = x + add
            return x if name.endswith("down") else jnp.maximum(x, 0)

        def pool(x):
            return lax.reduce_window(x, -jnp.inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), ((0, 0), (1, 1), (1, 1), (0, 0)))

        def head(x):
            weight, bias = weights["last"]
            return jnp.dot(x.mean((1, 2)), weight.T, precision=highest) + bias
        return resnet18_forward(x, blocks, conv, pool, head)
    return forward


def jax_record(jax, call):
    """Calls are queued without waiting and the last one is waited for, by the clock of the host."""
    def run(count):
        start = time.perf_counter()
        for _ in range(count):
            out = call()
        jax.block_until_ready(out)
        return time.perf_counter() - start
    first = run(1)
    run(20)
    count = max(1, math.ceil(0.02 / (run(10) / 10)))
    times = [run(count) for _ in range(5 + SAMPLES)][5:]
    return {**summary(times, count), "graph": False, "first_seconds": first,
            "by": "jax.jit, NHWC, f32 at precision 'highest', calls queued and timed by the host's clock"}


def jax_step(jax, task, reference, say):
    """Measures ResNet-18 and says the record, first without the difference, so that the time is not lost with it."""
    import numpy
    if jax.default_backend() == "cpu":
        raise RuntimeError("JAX found no GPU")
    batch, weights = task.get("batch", 1), jax.device_put(resnet18_weights(numpy))
    x = jax.device_put(resnet18_input(numpy, batch).transpose(0, 2, 3, 1))
    forward = jax.jit(jax_forward(jax))
    record = jax_record(jax, lambda: forward(x, weights))
    say(row=task["id"], variant="jax", record=record)
    if reference and batch == 1:
        exact, out = numpy.array(reference), numpy.asarray(forward(x, weights), dtype=numpy.float64).ravel()
        record["difference"] = float(numpy.linalg.norm(out - exact) / numpy.linalg.norm(exact))
        say(row=task["id"], variant="jax", record=record)


def jax_child(job, say):
    """The steps of JAX."""
    import jax
    jax.config.update("jax_default_matmul_precision", "highest")
    tasks = {task["id"]: task for task in job["tasks"]}
    for name, part in job["steps"]:
        say(begin=[name, part])
        try:
            jax_step(jax, tasks[name], job["reference"], say)
        except Exception as error:
            traceback.print_exc()
            say(row=name, variant="jax step", record={"error": said(error)})
        say(end=[name, part])


def child_main(kind, job_path, messages_path):
    """Runs in a child: reads its job, appends lines to the file of messages."""
    job = json.loads(pathlib.Path(job_path).read_text())
    with open(messages_path, "a") as messages:
        def say(**message):
            messages.write(json.dumps(message) + "\n")
            messages.flush()
        {"torch": torch_child, "jax": jax_child}[kind](job, say)


# --- The parent: starts the children, keeps the report ----------------------------------------------------------------

class Report:
    """Holds the content of OUT_JSON, written anew after each change."""

    def __init__(self, path, tasks):
        self.path = pathlib.Path(path)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.reference, self.layouts = None, {}
        rows = [{"id": task["id"], "kind": task.get("kind"), "type": task.get("type", "f32"), "variants": {}}
                for task in tasks]
        self.rows = {row["id"]: row for row in rows}
        for task, row in zip(tasks, rows):
            if task.get("kind") in ("conv2d", "depthwise"):
                row["note"] = NOTE_CONVOLUTION
            if task["id"] == "copy":
                row["bytes"] = 2 * COPY  # read and written
            if refusal(task):
                row["skipped"] = refusal(task)
        self.data = {"device": None, "capability": None, "driver": None, "torch": None, "cudnn": None, "cuda": None,
                     "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
                     "clocks": {"before": clocks()}, "rows": rows, "failures": []}
        for package in ("torch", "triton", "jax", "nvidia-cublas", "nvidia-cudnn-cu13"):
            with contextlib.suppress(Exception):
                self.data[package] = importlib.metadata.version(package)
        self.data["cublas"] = self.data.pop("nvidia-cublas", None)
        with contextlib.suppress(Exception):
            self.data["driver"] = nvidia_smi("driver_version").get("driver_version")
        self.save()

    def save(self):
        beside = self.path.with_name(self.path.name + ".new")
        beside.write_text(json.dumps(self.data, indent=1) + "\n")
        os.replace(beside, self.path)

    def record(self, name, variant, record):
        self.rows[name]["variants"][variant] = record
        best_of(self.rows[name])
        self.save()

    def take(self, message):
        """Enters a child's message."""
        if "row" in message:
            self.record(message["row"], message["variant"], message["record"])
        if "reference" in message:
            self.reference = message["reference"]
        self.layouts = message.get("layouts", self.layouts)
        if "facts" in message:
            self.data.update(message["facts"])
        if "loaded" in message:
            self.data["clocks"]["loaded"] = message["loaded"]
        self.save()

    def failed(self, text):
        self.data["failures"].append(text)
        print(text, file=sys.stderr, flush=True)
        self.save()


class Child:
    """A process that works at steps, and its file of messages."""

    def __init__(self, kind, job, folder):
        job_path, self.messages = folder / "job.json", folder / "messages.jsonl"
        job_path.write_text(json.dumps(job))
        self.messages.write_text("")
        self.log_path, self.read, self.rest = folder / "log.txt", 0, ""
        environment = {**os.environ, "TORCHINDUCTOR_CACHE_DIR": str(folder / "inductor"), "PYTHONUNBUFFERED": "1",
                       "XLA_PYTHON_CLIENT_PREALLOCATE": "false"}
        with open(self.log_path, "w") as log:
            command = [sys.executable, __file__, "--child", kind, job_path, self.messages]
            self.process = subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL, env=environment,
                                            process_group=0)

    def said(self):
        """The messages since the last call; a line that is not yet whole waits for the next one."""
        with open(self.messages) as messages:
            messages.seek(self.read)
            text = self.rest + messages.read()
            self.read = messages.tell()
        *lines, self.rest = text.split("\n")
        return [json.loads(line) for line in lines]

    def end(self):
        """Ends the child and the processes that it started."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def log(self):
        return self.log_path.read_text(errors="replace")[-1500:]


def follow(child, steps, report, deadline, jax_waits):
    """Takes a child's messages until it ends or a limit is over. Returns the steps that are left, the one that it had
    begun and not ended (or None), and what went wrong (or None)."""
    left, current = list(steps), None
    limit = time.time() + min(LIMITS["start"], max(0, deadline - time.time()))
    while True:
        over = child.process.poll() is not None  # asked before the messages are read, so that none is missed
        for message in child.said():
            report.take(message)
            if "begin" in message:
                current = message["begin"]
                left.remove(current)
                limit = time.time() + limit_of(current[1], deadline - time.time(), jax_waits) + 1
            if "end" in message:
                current = None
        if over:
            good = child.process.returncode == 0
            return left, current, None if good else f"the child ended with {child.process.returncode}: {child.log()}"
        if time.time() > limit:
            return left, current, "stopped, since its time was over"
        time.sleep(0.05)


def run_steps(kind, tasks, steps, report, deadline, folder, jax_waits=False):
    """Runs steps in children, a further one after each that failed, four at most."""
    names, failure = True, None
    for number in range(4):
        if not steps or time.time() >= deadline:
            break
        place = folder / f"{kind}{number}"
        place.mkdir()
        job = {"tasks": tasks, "steps": steps, "deadline": deadline, "names": names, "reference": report.reference,
               "layouts": report.layouts}
        child = Child(kind, job, place)
        try:
            before = len(steps)
            steps, current, failure = follow(child, steps, report, deadline, jax_waits)
        finally:
            child.end()
        if failure and time.time() < deadline or current:
            report.failed(f"{kind}, at {current or 'no step'}: {failure}")
            names = False  # the printing of graphs is the least tried of what a child does
        if current:
            report.record(current[0], f"{current[1]} step", {"error": (failure or "the child ended")[:600]})
        if len(steps) == before:
            break  # it did not even begin
    for name, part in steps:
        if time.time() < deadline and failure:
            report.record(name, f"{part} step", {"error": f"no child could go on: {failure.strip().splitlines()[-1]}"})
        else:
            report.record(name, f"{part} step", {"skipped": OVER})


def scaled(seconds):
    """A time with the unit that suits it."""
    return f"{seconds * 1e3:.3f} ms" if seconds >= 1e-3 else f"{seconds * 1e6:.2f} us"


def outcome(row, record):
    """A variant's record in a word or two."""
    if "seconds" in record:
        return scaled(record["seconds"]) + (" INEXACT" if is_inexact(row, record) else "")
    return "failed" if "error" in record else "skipped"


def table(rows, tasks):
    """The lines of the table that is printed at the end."""
    known, lines = {task["id"]: task for task in tasks}, []
    for row in rows:
        if "seconds" in row:
            work = operations(known[row["id"]])
            rate = f"{work / row['seconds'] * 1e-12:8.2f} T/s" if work else ""
            rate = f"{row['bytes_per_second'] * 1e-9:8.0f} GB/s" if "bytes_per_second" in row else rate
            others = ", ".join(f"{name} {outcome(row, record)}" for name, record in row["variants"].items()
                               if name != row["best"])
            lines.append(f"{row['id']:<14} {scaled(row['seconds']):>12} {rate:>14}  {row['best']}   ({others})")
        else:
            errors = [record.get("error") or record.get("skipped") or outcome(row, record)
                      for record in row["variants"].values()]
            lines.append(f"{row['id']:<14} no time: {row.get('skipped') or '; '.join(errors)[:150] or 'not reached'}")
    return lines


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("package")
    parser.add_argument("-o", "--output", required=True)
    parser.add_argument("--seconds", type=float, default=150)
    parser.add_argument("--only", nargs="+", metavar="ID")
    given = parser.parse_args(arguments)
    deadline = time.time() + given.seconds
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the children are ended

    tasks = tasks_of(json.loads(pathlib.Path(given.package).read_text()), given.only)
    steps = steps_of([task for task in tasks if not refusal(task)])
    torch_steps, jax_steps = ([step for step in steps if (step[1] == "jax") == is_jax] for is_jax in (False, True))
    report = Report(given.output, tasks)
    with tempfile.TemporaryDirectory(prefix="rivals", ignore_cleanup_errors=True) as folder:
        place = pathlib.Path(folder)
        run_steps("torch", tasks, torch_steps, report, deadline, place, jax_waits=bool(jax_steps))
        report.data["clocks"]["after_torch"] = clocks()
        run_steps("jax", tasks, jax_steps, report, deadline, place)
    report.data["clocks"]["after"] = clocks()
    report.save()
    data = report.data
    print(f"{data['device']}, driver {data['driver']}, torch {data['torch']}, cuDNN {data['cudnn']}, "
          f"{given.seconds - (deadline - time.time()):.0f} s")
    print("\n".join(table(data["rows"], tasks)))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        child_main(*sys.argv[2:5])
    else:
        main(sys.argv[1:])
