// SPDX-License-Identifier: Apache-2.0
// The front door (kit/kit.h) for Python: networks, modules and sessions as vdla._vdla, with arrays for bytes.
// Conveniences that need no C++ are in vdla/__init__.py.
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <map>
#include <memory>
#include <ranges>

#include "compiler/targets/target.h"
#include "kit/kit.h"
#include "runtime/device/device_error.h"
#include "runtime/session/port.h"
#include "support/error.h"
#include "tools/common/model_facts.h"
#include "tools/common/model_input.h"
#include "tools/common/network_inputs.h"
#include "tools/common/pixels.h"
#include "tools/common/post_mortem.h"
#include "tools/data/input.h"
#include "tools/remote/stoppable.h"

namespace vdla::python {
namespace {

namespace py = pybind11;

/// Memory of an array that takes the place of `bytes`.
py::array array_of(const runtime::Port& port, runtime::Bytes bytes) {
  auto kept = std::make_unique<runtime::Bytes>(std::move(bytes));
  std::byte* const data = kept->data();
  const py::capsule owner(kept.release(), [](void* p) { delete static_cast<runtime::Bytes*>(p); });
  const auto shape = port.model_shape | std::views::transform([](std::int64_t n) { return py::ssize_t{n}; });
  return {py::dtype(std::string(name_of(port.model_type))),
          std::vector<py::ssize_t>(shape.begin(), shape.end()), data, owner};
}

/// Bytes of an array of the port's own type and shape, which vdla/__init__.py has made of what it was given.
runtime::Bytes bytes_of(const runtime::Port& port, const py::array& array) {
  const auto bytes = static_cast<std::size_t>(array.nbytes());
  VDLA_CHECK_USER(bytes == runtime::model_bytes(port) && (array.flags() & py::array::c_style) != 0)
      << "input '" << port.name << "' needs a contiguous array of " << runtime::model_bytes(port)
      << " bytes, got one of " << bytes;
  const auto* const data = static_cast<const std::byte*>(array.data());
  return {data, data + bytes};
}

py::dict port_facts(const runtime::Module& module, const runtime::Port& port) {
  using namespace py::literals;
  py::dict facts("name"_a = port.name, "dtype"_a = std::string(name_of(port.model_type)),
                 "shape"_a = py::tuple(py::cast(port.model_shape)), "scale"_a = py::none(),
                 "zero_point"_a = 0);
  if (const auto scale = runtime::scale_of(module, port);
      scale && port.model_type != runtime::DataType::Float32) {
    facts["scale"] = scale->scale;
    facts["zero_point"] = scale->zero_point;
  }
  return facts;
}

py::list ports_facts(const runtime::Module& module, const std::vector<runtime::Port>& ports) {
  py::list list;
  for (const runtime::Port& port : ports) list.append(port_facts(module, port));
  return list;
}

py::list nodes_of(const runtime::Module& module) {
  using namespace py::literals;
  py::list list;
  for (const runtime::NodeInfo& n : module.nodes)
    list.append(py::dict("name"_a = n.name, "op"_a = n.op, "place"_a = n.place, "reason"_a = n.reason,
                         "step"_a = n.step, "macs"_a = n.macs, "estimated_cycles"_a = n.estimated_cycles,
                         "bytes_to_device"_a = n.bytes_to_device,
                         "bytes_from_device"_a = n.bytes_from_device));
  return list;
}

py::list layers_of(const runtime::Result& result, bool has_time) {
  using namespace py::literals;
  py::list list;
  for (const runtime::LayerResult& l : result.layers) {
    py::dict layer("name"_a = l.name, "op"_a = l.op, "macs"_a = l.macs,
                   "ideal_gemm_cycles"_a = l.ideal_gemm_cycles, "read_bytes"_a = l.cost.read_bytes,
                   "write_bytes"_a = l.cost.write_bytes);
    if (has_time) layer["cycles"] = l.cost.cycles;
    list.append(std::move(layer));
  }
  return list;
}

/// Values of another type as an input, quantised as the command does with those of a .npy file.
py::array encoded(const runtime::Module& module, std::size_t input, const py::array& values) {
  const runtime::Port& port = module.inputs.at(input);
  const auto* const bytes = static_cast<const std::byte*>(values.data());
  return array_of(port, tools::encode_values(values.dtype().attr("str").cast<std::string>(),
                                             {bytes, static_cast<std::size_t>(values.nbytes())},
                                             tools::input_spec(module, port), "the array"));
}

/// Inputs in files, as `vdla run` and `vdla eval` read them, with the notes that these print. A sample has an
/// array for each input.
py::tuple read_inputs(const runtime::Module& module, const std::vector<std::string>& paths,
                      const std::string& normalise, const std::string& resize, const std::string& crop,
                      bool bgr) {
  using namespace py::literals;
  const tools::PixelFlags flags{normalise, resize, crop, bgr};
  tools::NetworkInputs input =
      tools::load_inputs(paths, module, flags.options(), module.preprocessing, "path");
  py::list samples;
  for (tools::NetworkSample& s : input.samples) {
    py::dict arrays;
    for (std::size_t i = 0; i < s.inputs.size(); ++i)
      arrays[py::str(module.inputs[i].name)] = array_of(module.inputs[i], std::move(s.inputs[i]));
    samples.append(py::dict("name"_a = s.name, "arrays"_a = arrays, "label"_a = s.label));
  }
  return py::make_tuple(samples, input.notes);
}

/// Options of a compile by words of the command line: "vdla", "cpu", a GPU, or a list of them.
pipeline::CompileOptions compile_options(const std::string& variant, const std::string& target,
                                         const std::map<std::string, std::string>& place, bool capable) {
  pipeline::CompileOptions options;
  options.variant = isa::load_variant(variant);
  options.partition = capable ? pipeline::Partition::Capable : pipeline::Partition::Cost;
  const targets::TargetList list = targets::parse_targets(target);
  options.use_device = list.device;
  if (!list.gpu.empty()) {
    options.gpu = targets::gpu_options(list.gpu, "");
    options.gpu->cpu_keeps = list.cpu && !capable;
  }
  for (const auto& [node, where] : place) {
    VDLA_CHECK_USER(where == "cpu" || (where == "gpu" && options.gpu))
        << "place of '" << node << "' is '" << where << "', needs cpu" << (options.gpu ? " or gpu" : "");
    (where == "cpu" ? options.on_cpu : options.on_gpu).insert(node);
  }
  return options;
}

using ModulePointer = std::shared_ptr<runtime::Module>;

class Session {
 public:
  Session(ModulePointer module, const std::string& engine, unsigned threads, bool interpret,
          std::uint64_t timeout)
      : module_(std::move(module)) {
    kit::SessionOptions options{.costs = true, .threads = threads, .interpret = interpret};
    options.limits.timeout = timeout;
    options.through = [this](const vdla_transport* behind) {
      stoppable_.emplace(behind, [] {
        const py::gil_scoped_acquire lock;
        return std::string(PyErr_CheckSignals() != 0 ? "interrupted" : "");
      });
      return stoppable_->transport();
    };
    const py::gil_scoped_release others;
    session_ = std::make_unique<kit::Session>(*module_, engine, options);
  }

  py::dict run(const std::vector<py::array>& arrays) {
    using namespace py::literals;
    std::vector<runtime::Bytes> inputs;
    VDLA_CHECK(arrays.size() == module_->inputs.size());
    inputs.reserve(arrays.size());
    for (std::size_t i = 0; i < arrays.size(); ++i) inputs.push_back(bytes_of(module_->inputs[i], arrays[i]));
    runtime::Result result = run_unlocked(inputs);
    const bool has_time = session_->has_time();
    py::list outputs;
    for (std::size_t i = 0; i < module_->outputs.size(); ++i)
      outputs.append(array_of(module_->outputs[i], std::move(result.outputs[i])));
    py::dict facts("outputs"_a = outputs, "cycles"_a = py::none(), "read_bytes"_a = result.read_bytes,
                   "write_bytes"_a = result.write_bytes, "layers"_a = layers_of(result, has_time),
                   "engine"_a = session_->place(), "warning"_a = result.warning);
    if (has_time) facts["cycles"] = result.cycles;
    return facts;
  }

  void reset_state() { session_->reset_state(); }

 private:
  /// An interrupt ends the run of a device; its exception is Python's own.
  runtime::Result run_unlocked(const std::vector<runtime::Bytes>& inputs) try {
    const py::gil_scoped_release others;
    return session_->run_model(inputs);
  } catch (const runtime::DeviceError&) {
    if (PyErr_Occurred() != nullptr) throw py::error_already_set();
    throw;
  }

  ModulePointer module_;
  std::optional<remote::StoppableTransport> stoppable_;  // the session goes before it
  std::unique_ptr<kit::Session> session_;
};

runtime::Module compile(const kit::NetworkFile& network, const std::string& path, const std::string& variant,
                        const std::string& target, const std::map<std::string, std::string>& place,
                        bool capable) {
  const py::gil_scoped_release others;
  runtime::Module module =
      kit::compile_module(network.graph, compile_options(variant, target, place, capable));
  tools::keep_model_facts(module, network, path, {});
  return module;
}

}  // namespace

PYBIND11_MODULE(_vdla, m) {
  using namespace py::literals;
  static py::exception<UserError> user(m, "UserError", PyExc_ValueError);
  static py::exception<InternalError> internal(m, "InternalError", PyExc_RuntimeError);
  static py::exception<runtime::DeviceError> device(m, "DeviceError", user.ptr());
  py::register_exception_translator(
      [](std::exception_ptr p) {  // NOLINT(performance-unnecessary-value-param): pybind11 asks for it
        try {
          if (p) std::rethrow_exception(p);
        } catch (const runtime::DeviceError& e) {
          device(e.post_mortem() != nullptr ? tools::to_text(*e.post_mortem()).c_str() : e.what());
        } catch (const UserError& e) {
          user(e.what());
        } catch (const InternalError& e) {
          internal(e.what());
        }
      });
  py::class_<kit::NetworkFile>(m, "Network")
      .def("compile",
           [](const kit::NetworkFile& n, const std::string& path, const std::string& variant,
              const std::string& target, const std::map<std::string, std::string>& place, bool capable) {
             return std::make_shared<runtime::Module>(compile(n, path, variant, target, place, capable));
           });
  py::class_<runtime::Module, ModulePointer>(m, "Module")
      .def_property_readonly("name", [](const runtime::Module& x) { return x.model_name; })
      .def_property_readonly("target", [](const runtime::Module& x) { return x.target; })
      .def_property_readonly("variant", [](const runtime::Module& x) { return isa::label(x.variant); })
      .def_property_readonly("inputs", [](const runtime::Module& x) { return ports_facts(x, x.inputs); })
      .def_property_readonly("outputs", [](const runtime::Module& x) { return ports_facts(x, x.outputs); })
      .def_property_readonly("nodes", nodes_of)
      .def_property_readonly("class_names", [](const runtime::Module& x) { return x.class_names; })
      .def("save", [](const runtime::Module& x, const std::string& path) { runtime::save(x, path); })
      .def("encode", encoded)
      .def("read_inputs", read_inputs)
      .def("needs_device", runtime::needs_device);
  py::class_<Session>(m, "Session")
      .def(py::init<ModulePointer, const std::string&, unsigned, bool, std::uint64_t>())
      .def("run", &Session::run)
      .def("reset_state", &Session::reset_state);
  m.def("is_module", kit::is_module);
  m.def("read_network", [](const std::string& path) {
    const py::gil_scoped_release others;
    return kit::read_network_file(path);
  });
  m.def("load_module",
        [](const std::string& path) { return std::make_shared<runtime::Module>(runtime::load(path)); });
}

}  // namespace vdla::python
