# SPDX-License-Identifier: Apache-2.0
"""The VDLA kit: trained networks on simulators of the tensor accelerator of the TVM paper (OSDI 2018).

    import numpy, vdla

    network = vdla.load("net.tflite")                 # or .onnx, graph text; a .vdla file is a Module
    module = network.compile(variant="paper")         # for the device; target="cpu", "vdla,cuda", ...
    result = module.run(numpy.zeros((1, 32, 32, 3), "int8"))
    result.output, result.cycles                      # engine="systemc" or "rtl" for cycles

Arrays have the type and the shape of the network's file. Real numbers for a quantised input are quantised by its scale.
A mistake of the caller raises UserError, whose message is the sentence that the command `vdla` prints; a device that
fails raises DeviceError, and a fault of the kit InternalError.
"""
import functools
import os
import warnings

import numpy

from . import _vdla
from ._vdla import DeviceError, InternalError, UserError

__all__ = ["DeviceError", "InternalError", "Module", "Network", "Port", "Result", "Session", "UserError", "load"]


class Port:
    """An input or output as the network's file states it."""

    def __init__(self, facts, encode=None):
        self.name = facts["name"]
        self.dtype = numpy.dtype(facts["dtype"])
        self.shape = facts["shape"]
        self.scale = facts["scale"]  # real = scale * (q - zero_point); None: values stand for themselves
        self.zero_point = facts["zero_point"]
        self._encode = encode

    def __repr__(self):
        return f"{self.name}: {self.dtype} {'x'.join(map(str, self.shape))}"

    def encode(self, values):
        """The values in the port's type and shape; extents of 1 at the front may be left out. UserError for others."""
        array = numpy.asarray(values)
        missing = len(self.shape) - array.ndim
        if (1,) * missing + array.shape != tuple(self.shape):
            raise UserError(f"input '{self.name}' needs {self.shape}, got {array.shape}")
        array = numpy.ascontiguousarray(array).reshape(self.shape)
        if array.dtype == self.dtype:
            return array
        if array.dtype.kind != "f" and (self.scale is not None or array.dtype.kind not in "iu"):
            raise UserError(f"input '{self.name}' is {self.dtype}, got {array.dtype}")
        return self._encode(array)

    def real(self, values):
        """Real numbers that values of the port stand for."""
        return numpy.asarray(values) if self.scale is None else self.scale * (values.astype("float64") - self.zero_point)


class Result:
    """Outputs of a run, by name and in order, and what it took."""

    def __init__(self, ports, facts):
        self.outputs = {port.name: array for port, array in zip(ports, facts["outputs"])}
        self.engine = facts["engine"]
        self.cycles = facts["cycles"]  # None: the engine has none
        self.read_bytes, self.write_bytes = facts["read_bytes"], facts["write_bytes"]
        self.layers = facts["layers"]  # a dict for each layer of the device
        self.warning = facts["warning"]

    @property
    def output(self):
        """The only output."""
        if len(self.outputs) != 1:
            raise UserError(f"the network has {len(self.outputs)} outputs: {', '.join(self.outputs)}; name one")
        return next(iter(self.outputs.values()))

    def __getitem__(self, name):
        return self.outputs[name]

    def __repr__(self):
        return f"Result({', '.join(self.outputs)} on {self.engine}, {self.cycles} cycles)"


class Session:
    """A module on an engine; runs follow each other without a new start. `threads`: for layers on the CPU, 0: one for
    each core. `interpret`: none of the module's machine code is loaded. `timeout`: cycles of a run at most, 0: 20 times
    what is predicted. DeviceError, raised by a run, says what each unit of the device was doing."""

    def __init__(self, module, engine="functional", threads=1, interpret=False, timeout=0):
        self.module = module
        needs = module._module.needs_device()
        self._session = _vdla.Session(module._module, engine if needs else "", threads, interpret, timeout)

    def run(self, *inputs, **named):
        """Runs one input: an array for each input of the network, in order or by name. Other threads of Python run
        meanwhile; an interrupt (Ctrl-C) ends the device's run."""
        ports = self.module.inputs
        if len(inputs) == 1 and isinstance(inputs[0], dict):
            named, inputs = {**inputs[0], **named}, ()
        given = dict(zip((port.name for port in ports), inputs))
        given.update(named)
        unknown = [name for name in given if name not in {port.name for port in ports}]
        missing = [port.name for port in ports if port.name not in given]
        if unknown or missing or len(inputs) > len(ports):
            raise UserError(f"the network has the inputs {', '.join(map(repr, ports))}; got {len(inputs)} in order" +
                            "".join(f", and no {name}" for name in missing) + "".join(f", and {name}, which it has not" for name in unknown))
        return Result(self.module.outputs, self._session.run([port.encode(given[port.name]) for port in ports]))

    def reset_state(self):
        """The next run is as the first one: values that the network keeps from one run to the next (streaming,
        recurrent) are as the model has them at first."""
        self._session.reset_state()


class Module:
    """A compiled network: what a .vdla file holds."""

    def __init__(self, module):
        self._module = module
        self.inputs = [Port(facts, functools.partial(module.encode, i)) for i, facts in enumerate(module.inputs)]
        self.outputs = [Port(facts) for facts in module.outputs]

    name = property(lambda self: self._module.name)
    target = property(lambda self: self._module.target)
    variant = property(lambda self: self._module.variant)
    class_names = property(lambda self: self._module.class_names)

    @property
    def nodes(self):
        """A dict for each node of the network: where it runs and why, as `vdla explain` says."""
        return self._module.nodes

    def save(self, path):
        self._module.save(os.fspath(path))

    def read_inputs(self, path, normalise="", resize="", crop="", bgr=False):
        """Inputs in a file or a folder: images, CIFAR-10, .npy, .npz, raw bytes; a dict of files by name for a network
        with several inputs, unless an .npz has an array for each. A list of dicts: "name", "arrays" by the inputs'
        names, "array" where there is one, and "label", None where the file has none. `normalise`, `resize`, `crop`: as
        the options of `vdla run`; what they leave open the module says, or a warning how it was taken."""
        if isinstance(path, dict):
            paths = [f"{name}={os.fspath(file)}" for name, file in path.items()]
        else:
            paths = [os.fspath(path)]
        samples, notes = self._module.read_inputs(paths, normalise, str(resize), str(crop), bgr)
        for note in notes:
            warnings.warn(note, stacklevel=2)
        for sample in samples:
            if len(self.inputs) == 1:
                sample["array"] = sample["arrays"][self.inputs[0].name]
        return samples

    def session(self, engine="functional", **options):
        """A Session, with its options."""
        return Session(self, engine, **options)

    def run(self, *inputs, engine="functional", **named):
        """Runs one input on a session of its own."""
        return self.session(engine).run(*inputs, **named)

    def __repr__(self):
        return f"Module({self.name} for {self.target}, variant {self.variant})"


class Network:
    """A trained network, as read from its file."""

    def __init__(self, path):
        self.path = os.fspath(path)
        self._network = _vdla.read_network(self.path)

    def compile(self, variant="paper", target="vdla", place=None, capable=False):
        """Compiles it. `variant`: a name or the path of a JSON file. `target`: "vdla", "cpu", a GPU, or a list of
        them with commas. `place`: "cpu" or "gpu" by node. `capable`: all layers that the device can compute run on
        it, whatever they cost there."""
        return Module(self._network.compile(self.path, os.fspath(variant), target, place or {}, capable))

    def __repr__(self):
        return f"Network({self.path})"


def load(path):
    """A Module of a .vdla file, a Network of any other one (.tflite, .onnx, graph text)."""
    path = os.fspath(path)
    return Module(_vdla.load_module(path)) if _vdla.is_module(path) else Network(path)
