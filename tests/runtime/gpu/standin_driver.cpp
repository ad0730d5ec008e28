// SPDX-License-Identifier: Apache-2.0
// A library that looks like CUDA's driver, for machines without a GPU: libcuda.so.1 for programs that find it
// by LD_LIBRARY_PATH. It looks at the order of calls, at sizes and at what is not given back, fails where it
// is told to, and runs kernels in the emulator.
//
// What a stream is told to do happens when somebody waits for it, so whoever does not wait sees nothing. It
// is set up by variables of the environment:
//   VDLA_STANDIN_OBJECT      the object file whose kernels stand for those of the PTX,
//                            or a folder with one for each part of a program
//   VDLA_STANDIN_REPORT      where it writes what was wrong, a line each, and "calls: N" at the end
//   VDLA_STANDIN_LOG         where it writes what streams are told, a line each: "launch 0", "copy from 1",
//                            "wait 0"
//   VDLA_STANDIN_FAIL        FUNCTION:N:RESULT: the N-th call of the function gives the result
//   VDLA_STANDIN_DEVICES, VDLA_STANDIN_CAPABILITY (80), VDLA_STANDIN_MEMORY (bytes), VDLA_STANDIN_THREADS of
//   a block
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <regex>
#include <span>
#include <utility>
#include <vector>

#include "runtime/gpu/cuda_api.h"
#include "runtime/gpu/emulator.h"
#include "support/error.h"

struct CUctx_st {};
struct CUmod_st {};
struct CUfunc_st {
  CUmod_st* module;
  std::string name;
  std::size_t parameters;
  std::array<std::size_t, 3> threads;
  std::size_t most_shared = 0;  ///< that launches of it may ask for
};
struct CUstream_st {
  std::size_t number;  ///< in the order in which they were made
  std::vector<std::function<int()>> waiting = {};
  bool captures = false;
};
struct CUgraph_st {
  std::vector<std::function<int()>> work;
};
struct CUgraphExec_st {
  std::vector<std::function<int()>> work;
};
struct CUevent_st {
  bool is_over = false;
  std::size_t at = 0;  ///< launches that were done before
};

namespace vdla::gpu::cuda {
namespace {

std::string variable(const char* name, const std::string& otherwise) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : otherwise;
}
std::size_t number(const char* name, std::size_t otherwise) {
  return std::stoull(variable(name, std::to_string(otherwise)));
}

class Driver {
 public:
  Driver() {
    std::smatch parts;
    const std::string fail = variable("VDLA_STANDIN_FAIL", "");
    if (std::regex_match(fail, parts, std::regex("(\\w+):(\\d+):(\\d+)"))) {
      fails_ = parts[1];
      fails_at_ = std::stoull(parts[2]);
      fails_with_ = std::stoi(parts[3]);
    }
  }

  ~Driver() {
    if (retained_ != 0) note("the context is retained " + std::to_string(retained_) + " times");
    if (!current_.empty()) note("a context is current");
    for (const auto& [address, bytes] : memory_)
      note("leaks memory of " + std::to_string(bytes.size()) + " bytes");
    if (!modules_.empty()) note("leaks a module");
    if (!streams_.empty()) note("leaks a stream");
    if (!graphs_.empty() || !executables_.empty()) note("leaks a graph");
    if (!events_.empty()) note("leaks an event");
    std::ofstream report(variable("VDLA_STANDIN_REPORT", "/dev/null"));
    for (const std::string& line : notes_) report << line << "\n";
    report << "calls: " << calls_ << "\n";
  }

  /// What the call gives at once, if it does: it is told to fail, comes too early, or an earlier kernel has
  /// failed.
  std::optional<Result> enter(const std::string& function, bool needs_start = true,
                              bool needs_context = false) {
    ++calls_;
    if (function == fails_ && ++count_ == fails_at_) return fails_with_;
    if (needs_start && !is_started_) return note(function + " before cuInit"), k_CUDA_ERROR_NOT_INITIALIZED;
    if (needs_context && current_.empty())
      return note(function + " without a context"), k_CUDA_ERROR_INVALID_CONTEXT;
    if (needs_context && broken_ != k_CUDA_SUCCESS) return broken_;
    return std::nullopt;
  }
  void note(const std::string& text) { notes_.push_back(text); }
  void log(const std::string& what, Stream stream) {
    if (!stream->captures) log_ << what << " " << stream->number << "\n";
  }
  Result wrong(const std::string& text, Result result = k_CUDA_ERROR_INVALID_VALUE) {
    note(text);
    return result;
  }

  Result start() {
    is_started_ = true;
    return devices() == 0 ? k_CUDA_ERROR_NO_DEVICE : k_CUDA_SUCCESS;
  }
  static int devices() { return static_cast<int>(number("VDLA_STANDIN_DEVICES", 1)); }

  Result retain(Context* context) {
    ++retained_;
    *context = &context_;
    return k_CUDA_SUCCESS;
  }
  Result release() {
    return retained_-- > 0 ? k_CUDA_SUCCESS : wrong("the context is given back once more than it was taken");
  }
  Result push(Context context) {
    if (context != &context_ || retained_ == 0) return wrong("a context that is none");
    current_.push_back(context);
    return k_CUDA_SUCCESS;
  }
  Result pop(Context* context) {
    *context = current_.back();
    current_.pop_back();
    return k_CUDA_SUCCESS;
  }

  Result load(Module* module, const std::string& ptx) {
    std::smatch target;
    if (!std::regex_search(ptx, target, std::regex("\\.target sm_(\\d+)")))
      return wrong("no PTX", k_CUDA_ERROR_INVALID_PTX);
    if (std::stoull(target[1]) > number("VDLA_STANDIN_CAPABILITY", 90)) return k_CUDA_ERROR_NO_BINARY_FOR_GPU;
    modules_.push_back(std::make_unique<CUmod_st>());
    *module = modules_.back().get();
    const std::regex entry("\\.visible \\.entry (\\w+)\\(([^)]*)\\)\\s*\\.reqntid (\\d+), (\\d+), (\\d+)");
    for (std::sregex_iterator it(ptx.begin(), ptx.end(), entry); it != std::sregex_iterator(); ++it) {
      const std::string parameters = (*it)[2];
      functions_.push_back(std::make_unique<CUfunc_st>(
          CUfunc_st{*module,
                    (*it)[1],
                    static_cast<std::size_t>(std::count(parameters.begin(), parameters.end(), '_') == 0
                                                 ? 0
                                                 : std::count(parameters.begin(), parameters.end(), ',') + 1),
                    {std::stoull((*it)[3]), std::stoull((*it)[4]), std::stoull((*it)[5])}}));
    }
    return k_CUDA_SUCCESS;
  }
  Result unload(Module module) {
    const auto erased = std::erase_if(modules_, [&](const auto& m) { return m.get() == module; });
    std::erase_if(functions_, [&](const auto& f) { return f->module == module; });
    return erased == 1 ? k_CUDA_SUCCESS : wrong("unloads a module that is not there");
  }
  Result find(Function* function, Module module, const std::string& name) {
    for (const auto& f : functions_)
      if (f->module == module && f->name == name) return *function = f.get(), k_CUDA_SUCCESS;
    return wrong("looks for a kernel '" + name + "' that is not there", k_CUDA_ERROR_NOT_FOUND);
  }

  void room(std::size_t* free, std::size_t* total) const {
    *total = number("VDLA_STANDIN_MEMORY", std::size_t{1} << 30);
    std::size_t taken = 0;
    for (const auto& [address, bytes] : memory_) taken += bytes.size();
    *free = *total - taken;
  }
  Result allocate(Address* address, std::size_t bytes) {
    std::size_t free = 0, total = 0;
    room(&free, &total);
    if (bytes == 0) return wrong("allocates no bytes");
    if (bytes > free) return k_CUDA_ERROR_OUT_OF_MEMORY;
    *address = next_;
    memory_[next_] = std::vector<std::byte>(bytes, std::byte{0xa5});
    next_ += (bytes + 511) / 256 * 256;
    return k_CUDA_SUCCESS;
  }
  Result free(Address address) {
    return memory_.erase(address) == 1 ? k_CUDA_SUCCESS : wrong("frees memory that is not there");
  }

  Result make_stream(Stream* stream) {
    streams_.push_back(std::make_unique<CUstream_st>(CUstream_st{made_++}));
    *stream = streams_.back().get();
    return k_CUDA_SUCCESS;
  }
  Result destroy(Stream stream) {
    if (stream != nullptr && stream->captures) note("destroys a stream in the middle of a graph");
    if (stream != nullptr && !stream->waiting.empty()) note("destroys a stream that nobody has waited for");
    const auto erased = std::erase_if(streams_, [&](const auto& s) { return s.get() == stream; });
    return erased == 1 ? k_CUDA_SUCCESS : wrong("destroys a stream that is not there");
  }
  Result enqueue(Stream stream, std::function<Result()> work) {
    if (std::none_of(streams_.begin(), streams_.end(), [&](const auto& s) { return s.get() == stream; }))
      return wrong("uses a stream that is not there", k_CUDA_ERROR_INVALID_HANDLE);
    stream->waiting.push_back(std::move(work));
    return k_CUDA_SUCCESS;
  }
  Result wait(Stream stream) {
    if (stream->captures) return wrong("waits for a stream in the middle of a graph");
    log("wait", stream);
    for (const auto& work : std::exchange(stream->waiting, {}))
      if (broken_ == k_CUDA_SUCCESS) broken_ = work();
    return broken_;
  }

  Result capture(Stream stream, CaptureMode mode) {
    if (mode != k_CU_STREAM_CAPTURE_MODE_THREAD_LOCAL || stream->captures || !stream->waiting.empty())
      return wrong("begins a graph in a mode, or on a stream, that cannot have one");
    stream->captures = true;
    return k_CUDA_SUCCESS;
  }
  Result end_capture(Stream stream, Graph* graph) {
    if (!std::exchange(stream->captures, false)) return wrong("ends a graph that was not begun");
    *graph = add(graphs_, CUgraph_st{std::exchange(stream->waiting, {})});
    return k_CUDA_SUCCESS;
  }
  Result instantiate(GraphExec* executable, Graph graph) {
    if (!has(graphs_, graph)) return wrong("instantiates a graph that is not there");
    *executable = add(executables_, CUgraphExec_st{graph->work});
    return k_CUDA_SUCCESS;
  }
  Result launch_graph(GraphExec executable, Stream stream) {
    if (!has(executables_, executable)) return wrong("launches a graph that is not there");
    log("launch", stream);
    for (const auto& work : executable->work)
      if (const Result result = enqueue(stream, work); result != k_CUDA_SUCCESS) return result;
    return k_CUDA_SUCCESS;
  }
  Result destroy(Graph graph) {
    return std::erase_if(graphs_, [&](const auto& g) { return g.get() == graph; }) == 1
               ? k_CUDA_SUCCESS
               : wrong("destroys a graph that is not there");
  }
  Result destroy(GraphExec executable) {
    return std::erase_if(executables_, [&](const auto& e) { return e.get() == executable; }) == 1
               ? k_CUDA_SUCCESS
               : wrong("destroys a graph that is not there");
  }

  Result make_event(Event* event) {
    *event = add(events_, CUevent_st{});
    return k_CUDA_SUCCESS;
  }
  Result destroy(Event event) {
    return std::erase_if(events_, [&](const auto& e) { return e.get() == event; }) == 1
               ? k_CUDA_SUCCESS
               : wrong("destroys an event that is not there");
  }
  Result record(Event event, Stream stream) {
    if (!has(events_, event)) return wrong("records an event that is not there");
    return enqueue(stream, [this, event] {
      event->is_over = true;
      event->at = launched_;
      return k_CUDA_SUCCESS;
    });
  }
  /// A millisecond for each launch between them.
  Result elapsed(float* milliseconds, Event from, Event to) {
    if (!has(events_, from) || !has(events_, to) || !from->is_over || !to->is_over)
      return wrong("reads the time of an event that is not over");
    *milliseconds = static_cast<float>(to->at - from->at);
    return k_CUDA_SUCCESS;
  }

  /// Memory of `bytes` from the address on, within one allocation; null: there is none.
  std::byte* memory_at(Address address, std::size_t bytes) {
    auto found = memory_.upper_bound(address);
    if (found == memory_.begin()) return nullptr;
    --found;
    const std::size_t offset = address - found->first;
    return offset + bytes <= found->second.size() ? found->second.data() + offset : nullptr;
  }

  /// From the address to the end of its allocation.
  std::span<std::byte> memory_from(Address address) {
    auto found = memory_.upper_bound(address);
    if (found == memory_.begin()) return {};
    --found;
    const std::size_t offset = address - found->first;
    if (offset >= found->second.size()) return {};
    return std::span(found->second).subspan(offset);
  }

  Result launch(const CUfunc_st& f, const std::array<std::size_t, 3>& blocks,
                const std::array<std::size_t, 3>& threads, std::vector<Address> arguments) {
    if (threads != f.threads)
      return wrong("launches '" + f.name + "' with other threads than its PTX asks for");
    ++launched_;
    Program program{{{object_with(f.name), ""}}, {}, {}, {}};
    program.launches.push_back({f.name, blocks, threads, {}, std::max<std::size_t>(f.most_shared, 48 << 10)});
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const std::span<std::byte> memory = memory_from(arguments[i]);
      if (memory.empty()) return wrong("gives '" + f.name + "' an address that is no buffer");
      program.launches[0].arguments.push_back(i);
      program.buffer_bytes.push_back(memory.size());
    }
    try {
      const auto loaded = open_emulator(calls_)->load(program);
      std::vector<std::vector<std::byte>> before;
      for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::span<std::byte> memory = memory_from(arguments[i]);
        before.emplace_back(memory.begin(), memory.end());
        loaded->write(i, before.back());
      }
      loaded->run();
      // Parts of one arena lie over each other up to its end: what the kernel has changed counts.
      for (std::size_t i = 0; i < arguments.size(); ++i) {
        std::vector<std::byte> after(before[i].size());
        loaded->read(i, after);
        for (std::size_t b = 0; b < after.size(); ++b)
          if (after[b] != before[i][b]) memory_from(arguments[i])[b] = after[b];
      }
      return k_CUDA_SUCCESS;
    } catch (const UserError& error) {
      return wrong(error.what(), k_CUDA_ERROR_LAUNCH_FAILED);
    }
  }

 private:
  static std::string bytes_of(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  /// The kernel's name is among the strings of its object, at the end of one.
  static std::string object_with(const std::string& kernel) {
    const std::filesystem::path path = variable("VDLA_STANDIN_OBJECT", "");
    if (!std::filesystem::is_directory(path)) return bytes_of(path);
    const std::string wanted = kernel + '\0';
    for (const auto& entry : std::filesystem::directory_iterator(path))
      if (std::string bytes = bytes_of(entry.path()); bytes.find(wanted) != std::string::npos) return bytes;
    return {};
  }

  template <class T>
  static T* add(std::vector<std::unique_ptr<T>>& to, T value) {
    to.push_back(std::make_unique<T>(std::move(value)));
    return to.back().get();
  }
  template <class T>
  static bool has(const std::vector<std::unique_ptr<T>>& all, const T* one) {
    return std::any_of(all.begin(), all.end(), [&](const auto& t) { return t.get() == one; });
  }

  std::vector<std::string> notes_;
  std::ofstream log_{variable("VDLA_STANDIN_LOG", "/dev/null")};
  std::size_t made_ = 0;  ///< streams
  std::string fails_;
  std::size_t fails_at_ = 0, count_ = 0, calls_ = 0, launched_ = 0;
  Result fails_with_ = 0;
  bool is_started_ = false;
  CUctx_st context_;
  int retained_ = 0;
  std::vector<Context> current_;
  Result broken_ = k_CUDA_SUCCESS;  ///< by a kernel, for all that follows
  std::vector<std::unique_ptr<CUmod_st>> modules_;
  std::vector<std::unique_ptr<CUfunc_st>> functions_;
  std::vector<std::unique_ptr<CUstream_st>> streams_;
  std::vector<std::unique_ptr<CUgraph_st>> graphs_;
  std::vector<std::unique_ptr<CUgraphExec_st>> executables_;
  std::vector<std::unique_ptr<CUevent_st>> events_;
  std::map<Address, std::vector<std::byte>> memory_;
  Address next_ = Address{7} << 40;
};

Driver& driver() {
  static Driver the_driver;
  return the_driver;
}

}  // namespace
}  // namespace vdla::gpu::cuda

using namespace vdla::gpu::cuda;

// Leaves the function where the driver says so.
#define VDLA_ENTER(...) \
  if (const auto early = driver().enter(__func__, ##__VA_ARGS__)) return *early
#define VDLA_ENTER_IN_CONTEXT VDLA_ENTER(true, true)

extern "C" {
Result cuInit(Uint flags) {
  VDLA_ENTER(false);
  return flags == 0 ? driver().start() : k_CUDA_ERROR_INVALID_VALUE;
}
Result cuDriverGetVersion(int* version) {
  VDLA_ENTER(false);
  *version = 12040;
  return k_CUDA_SUCCESS;
}
Result cuGetErrorName(Result result, const char** name) {
  VDLA_ENTER(false);
  *name = nullptr;
#define VDLA_NAME(constant, value) \
  if (std::strncmp(#constant, "CUDA_", 5) == 0 && result == (value)) *name = #constant;
  VDLA_CUDA_CONSTANTS(VDLA_NAME)
#undef VDLA_NAME
  return *name != nullptr ? k_CUDA_SUCCESS : k_CUDA_ERROR_INVALID_VALUE;
}
Result cuGetErrorString(Result, const char** text) {
  VDLA_ENTER(false);
  *text = "as the stand-in was told";
  return k_CUDA_SUCCESS;
}
Result cuDeviceGetCount(int* count) {
  VDLA_ENTER();
  *count = Driver::devices();
  return k_CUDA_SUCCESS;
}
Result cuDeviceGet(DeviceId* device, int number_of_device) {
  VDLA_ENTER();
  *device = number_of_device;
  return number_of_device < Driver::devices() ? k_CUDA_SUCCESS : k_CUDA_ERROR_INVALID_DEVICE;
}
Result cuDeviceGetName(char* name, int bytes, DeviceId) {
  VDLA_ENTER();
  std::strncpy(name, "Stand-in GPU", static_cast<std::size_t>(bytes));
  return k_CUDA_SUCCESS;
}
Result cuDeviceGetAttribute(int* value, Attribute which, DeviceId) {
  VDLA_ENTER();
  const auto capability = static_cast<int>(number("VDLA_STANDIN_CAPABILITY", 90));
  *value = which == k_CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR ? capability / 10 : capability % 10;
  return k_CUDA_SUCCESS;
}
Result cuDevicePrimaryCtxRetain(Context* context, DeviceId) {
  VDLA_ENTER();
  return driver().retain(context);
}
Result cuDevicePrimaryCtxRelease_v2(DeviceId) {
  VDLA_ENTER();
  return driver().release();
}
Result cuCtxPushCurrent_v2(Context context) {
  VDLA_ENTER();
  return driver().push(context);
}
Result cuCtxPopCurrent_v2(Context* context) {
  VDLA_ENTER(true, true);
  return driver().pop(context);
}
Result cuModuleLoadDataEx(Module* module, const void* image, Uint, Option*, void**) {
  VDLA_ENTER_IN_CONTEXT;
  return driver().load(module, static_cast<const char*>(image));
}
Result cuModuleUnload(Module module) {
  VDLA_ENTER_IN_CONTEXT;
  return driver().unload(module);
}
Result cuModuleGetFunction(Function* function, Module module, const char* name) {
  VDLA_ENTER_IN_CONTEXT;
  return driver().find(function, module, name);
}
Result cuFuncSetAttribute(Function function, Attribute which, int value) {
  VDLA_ENTER_IN_CONTEXT;
  if (which != k_CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES || value <= 48 << 10)
    return driver().wrong("sets an attribute of a kernel that needs none");
  function->most_shared = static_cast<std::size_t>(value);
  return k_CUDA_SUCCESS;
}
Result cuFuncGetAttribute(int* value, Attribute, Function) {
  VDLA_ENTER_IN_CONTEXT;
  *value = static_cast<int>(number("VDLA_STANDIN_THREADS", 1024));
  return k_CUDA_SUCCESS;
}
Result cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
  VDLA_ENTER_IN_CONTEXT;
  driver().room(free, total);
  return k_CUDA_SUCCESS;
}
Result cuMemAlloc_v2(Address* address, std::size_t bytes) {
  VDLA_ENTER_IN_CONTEXT;
  return driver().allocate(address, bytes);
}
Result cuMemFree_v2(Address address) {
  VDLA_ENTER_IN_CONTEXT;
  return driver().free(address);
}
Result cuMemcpyHtoDAsync_v2(Address to, const void* from, std::size_t bytes, Stream stream) {
  VDLA_ENTER_IN_CONTEXT;
  std::byte* memory = driver().memory_at(to, bytes);
  if (memory == nullptr) return driver().wrong("copies to the device outside of a buffer");
  driver().log("copy to", stream);
  return driver().enqueue(stream, [=] { return std::memcpy(memory, from, bytes), k_CUDA_SUCCESS; });
}
Result cuMemcpyDtoHAsync_v2(void* to, Address from, std::size_t bytes, Stream stream) {
  VDLA_ENTER_IN_CONTEXT;
  const std::byte* memory = driver().memory_at(from, bytes);
  if (memory == nullptr) return driver().wrong("copies from the device outside of a buffer");
  driver().log("copy from", stream);
  return driver().enqueue(stream, [=] { return std::memcpy(to, memory, bytes), k_CUDA_SUCCESS; });
}
Result cuStreamCreate(Stream* stream, Uint) {
  VDLA_ENTER_IN_CONTEXT;
  return driver().make_stream(stream);
}
Result cuStreamSynchronize(Stream stream) {
  VDLA_ENTER_IN_CONTEXT;
  return driver().wait(stream);
}
Result cuStreamDestroy_v2(Stream stream) {
  VDLA_ENTER_IN_CONTEXT;
  return driver().destroy(stream);
}
Result cuStreamBeginCapture_v2(Stream stream, CaptureMode mode) {
  VDLA_ENTER_IN_CONTEXT;
  return driver().capture(stream, mode);
}
Result cuStreamEndCapture(Stream stream, Graph* graph) {
  VDLA_ENTER_IN_CONTEXT;
  return driver().end_capture(stream, graph);
}
Result cuGraphInstantiateWithFlags(GraphExec* executable, Graph graph, unsigned long long) {
  VDLA_ENTER_IN_CONTEXT;
  return driver().instantiate(executable, graph);
}
Result cuGraphLaunch(GraphExec executable, Stream stream) {
  VDLA_ENTER_IN_CONTEXT;
  return driver().launch_graph(executable, stream);
}
Result cuGraphDestroy(Graph graph) {
  VDLA_ENTER_IN_CONTEXT;
  return driver().destroy(graph);
}
Result cuGraphExecDestroy(GraphExec executable) {
  VDLA_ENTER_IN_CONTEXT;
  return driver().destroy(executable);
}
Result cuEventCreate(Event* event, Uint) {
  VDLA_ENTER_IN_CONTEXT;
  return driver().make_event(event);
}
Result cuEventRecord(Event event, Stream stream) {
  VDLA_ENTER_IN_CONTEXT;
  return driver().record(event, stream);
}
Result cuEventElapsedTime(float* milliseconds, Event from, Event to) {
  VDLA_ENTER_IN_CONTEXT;
  return driver().elapsed(milliseconds, from, to);
}
Result cuEventDestroy_v2(Event event) {
  VDLA_ENTER_IN_CONTEXT;
  return driver().destroy(event);
}
Result cuLaunchKernel(Function f, Uint x, Uint y, Uint z, Uint tx, Uint ty, Uint tz, Uint shared,
                      Stream stream, void** parameters, void** buffer) {
  VDLA_ENTER_IN_CONTEXT;
  if (shared > f->most_shared)
    return driver().wrong("asks for more memory of a block than the kernel may have");
  // Parameters in one buffer, whose size is said: as many as the kernel has.
  const auto word = [](std::int64_t what) { return reinterpret_cast<void*>(what); };
  if (parameters != nullptr || buffer == nullptr || buffer[0] != word(k_CU_LAUNCH_PARAM_BUFFER_POINTER) ||
      buffer[2] != word(k_CU_LAUNCH_PARAM_BUFFER_SIZE) || buffer[4] != word(k_CU_LAUNCH_PARAM_END))
    return driver().wrong("does not say how large its parameters are");
  if (*static_cast<std::size_t*>(buffer[3]) != f->parameters * sizeof(Address))
    return k_CUDA_ERROR_INVALID_VALUE;
  const auto* first = static_cast<const Address*>(buffer[1]);
  const std::vector<Address> arguments(first, first + f->parameters);
  driver().log("launch", stream);
  return driver().enqueue(stream,
                          [=, own = *f] { return driver().launch(own, {x, y, z}, {tx, ty, tz}, arguments); });
}
}
