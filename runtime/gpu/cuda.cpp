// SPDX-License-Identifier: Apache-2.0
#include "runtime/gpu/cuda.h"

#include <fmt/core.h>

#include <algorithm>
#include <exception>
#include <limits>
#include <optional>

#include "runtime/gpu/cuda_api.h"
#include "runtime/gpu/held.h"
#include "runtime/gpu/library.h"

namespace vdla::gpu {
namespace {

/// Compute capability of the PTX that the kit makes (compiler/codegen/llvm/ptx.h), ten times.
constexpr int kLeastCapability = 80;
/// Launches of a graph that is timed.
constexpr double kMostNodes = 2000;

const cuda::Api& cuda_api() {
  static const cuda::Api loaded = [] {
    const Library library("libcuda.so.1", "CUDA's driver", "install the driver of the NVIDIA GPU");
    cuda::Api found{};
#define VDLA_FIND(name, parameters) \
  library.find(#name, found.name, "CUDA 11.4 or later; install a newer driver of the NVIDIA GPU");
    VDLA_CUDA_FUNCTIONS(VDLA_FIND)
#undef VDLA_FIND
    return found;
  }();
  return loaded;
}

std::string words_of(cuda::Result result) {
  const char *name = nullptr, *text = nullptr;
  cuda_api().cuGetErrorName(result, &name);
  cuda_api().cuGetErrorString(result, &text);
  return fmt::format("{} ({})", name != nullptr ? name : "error " + std::to_string(result),
                     text != nullptr ? text : "no text");
}

void check_cuda(cuda::Result result, const std::string& what) {
  VDLA_CHECK_USER(result == cuda::k_CUDA_SUCCESS) << "CUDA: " << what << " fails with " << words_of(result);
}

int number_of_devices() {
  check_cuda(cuda_api().cuInit(0), "starting the driver");
  int count = 0;
  check_cuda(cuda_api().cuDeviceGetCount(&count), "counting devices");
  if (count == 0) throw NoDevice("CUDA has a driver here and no GPU: look at 'nvidia-smi'");
  return count;
}

struct CudaGpu {
  cuda::DeviceId id = 0;
  std::string name, model;
  int capability = 0;  ///< ten times

  explicit CudaGpu(int number) : name(fmt::format("{}:{}", kCuda, number)) {
    check_cuda(cuda_api().cuDeviceGet(&id, number), "opening " + name);
    char text[256] = "";
    check_cuda(cuda_api().cuDeviceGetName(text, sizeof text, id), "asking for the name of " + name);
    model = text;
    capability = 10 * attribute(cuda::k_CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) +
                 attribute(cuda::k_CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  }

  std::string text() const { return fmt::format("{} ({})", name, model); }

 private:
  int attribute(cuda::Attribute which) const {
    int value = 0;
    check_cuda(cuda_api().cuDeviceGetAttribute(&value, which, id), "asking about " + name);
    return value;
  }
};

/// Context that all programs of a device have in common.
class CudaContext {
 public:
  explicit CudaContext(const CudaGpu& gpu) : gpu_(gpu), context_(retained(gpu)) {}
  CudaContext(const CudaContext&) = delete;
  CudaContext& operator=(const CudaContext&) = delete;
  ~CudaContext() { cuda_api().cuDevicePrimaryCtxRelease_v2(gpu_.id); }

  const CudaGpu& gpu() const { return gpu_; }
  cuda::Context get() const { return context_; }

 private:
  static cuda::Context retained(const CudaGpu& gpu) {
    cuda::Context context = nullptr;
    check_cuda(cuda_api().cuDevicePrimaryCtxRetain(&context, gpu.id), "opening " + gpu.text());
    return context;
  }
  CudaGpu gpu_;
  cuda::Context context_;
};

/// The context that calls of this thread are for, while it lives.
class Current {
 public:
  explicit Current(const CudaContext& context) {
    check_cuda(cuda_api().cuCtxPushCurrent_v2(context.get()), "taking " + context.gpu().text());
  }
  Current(const Current&) = delete;
  Current& operator=(const Current&) = delete;
  ~Current() {
    cuda::Context popped = nullptr;
    cuda_api().cuCtxPopCurrent_v2(&popped);
  }
};

/// Belongings of a program on its device; given back together, also where its making fails half-way.
struct CudaBelongings {
  std::shared_ptr<const CudaContext> context;
  std::optional<Held<cuda::Stream, cuda::Result>> stream;
  std::vector<Held<cuda::Module, cuda::Result>> modules;
  std::vector<Held<cuda::Address, cuda::Result>> memory;
  std::optional<Held<cuda::GraphExec, cuda::Result>> graph;  ///< graph of all launches

  explicit CudaBelongings(std::shared_ptr<const CudaContext> of) : context(std::move(of)) {}
  CudaBelongings(const CudaBelongings&) = delete;
  CudaBelongings& operator=(const CudaBelongings&) = delete;
  ~CudaBelongings() {
    try {
      const Current current(*context);
      if (stream) cuda_api().cuStreamSynchronize(stream->get());
      graph.reset();
      memory.clear();
      modules.clear();
      stream.reset();
    } catch (const UserError&) {
      // The driver is broken and has said so before; it takes everything back with the process.
    }
  }
};

cuda::Module build(const CudaGpu& gpu, const std::string& ptx) {
  char log[8192] = "";
  cuda::Option options[] = {cuda::k_CU_JIT_ERROR_LOG_BUFFER, cuda::k_CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void* values[] = {log, reinterpret_cast<void*>(sizeof log)};
  cuda::Module module = nullptr;
  const cuda::Result result = cuda_api().cuModuleLoadDataEx(&module, ptx.c_str(), 2, options, values);
  VDLA_CHECK_USER(result == cuda::k_CUDA_SUCCESS)
      << gpu.text() << " does not compile the kernels: " << words_of(result) << (log[0] == '\0' ? "" : ": ")
      << log;
  return module;
}

cuda::Address allocate(const CudaGpu& gpu, std::size_t bytes) {
  cuda::Address address = 0;
  const cuda::Result result = cuda_api().cuMemAlloc_v2(&address, std::max<std::size_t>(bytes, 1));
  if (result == cuda::k_CUDA_ERROR_OUT_OF_MEMORY) {
    std::size_t free = 0, total = 0;
    cuda_api().cuMemGetInfo_v2(&free, &total);
    throw UserError(
        fmt::format("no memory for a buffer of {} bytes on {}, which has {} of {} bytes free; end what "
                    "else runs there, or take smaller shapes",
                    bytes, gpu.text(), free, total));
  }
  check_cuda(result, fmt::format("allocating {} bytes on {}", bytes, gpu.text()));
  return address;
}

std::array<cuda::Uint, 3> narrow(const std::array<std::size_t, 3>& n) {
  for (const std::size_t each : n)
    VDLA_CHECK(each <= std::numeric_limits<cuda::Uint>::max()) << "a grid of " << each << " in one axis";
  return {static_cast<cuda::Uint>(n[0]), static_cast<cuda::Uint>(n[1]), static_cast<cuda::Uint>(n[2])};
}

Held<cuda::Event, cuda::Result> make_event() {
  cuda::Event event = nullptr;
  check_cuda(cuda_api().cuEventCreate(&event, cuda::k_CU_EVENT_DEFAULT), "making an event");
  return {event, cuda_api().cuEventDestroy_v2};
}

double seconds_between(cuda::Event begin, cuda::Event end) {
  float milliseconds = 0;
  check_cuda(cuda_api().cuEventElapsedTime(&milliseconds, begin, end), "reading the time");
  return 1e-3 * static_cast<double>(milliseconds);
}

// Long: launches, captured graphs and times of one program over one set of handles, given back in order.
class CudaProgram final : public Loaded {
 public:
  CudaProgram(std::shared_ptr<const CudaContext> context, const Program& program)
      : own_(std::move(context)), sizes_(program.buffer_bytes) {
    const Current current(*own_.context);
    cuda::Stream stream = nullptr;
    check_cuda(cuda_api().cuStreamCreate(&stream, cuda::k_CU_STREAM_NON_BLOCKING), "making a stream");
    own_.stream.emplace(stream, cuda_api().cuStreamDestroy_v2);
    for (const Part& part : program.parts)
      own_.modules.emplace_back(build(own_.context->gpu(), part.text), cuda_api().cuModuleUnload);
    if (program.offsets.empty()) {
      for (const std::size_t bytes : sizes_) buffers_.push_back(allocate(bytes));
    } else {
      const cuda::Address arena = allocate(arena_bytes(program));
      for (const std::size_t offset : program.offsets) buffers_.push_back(arena + offset);
    }
    for (const Launch& launch : program.launches) launches_.push_back(prepare(launch));
  }

  void write(std::size_t buffer, std::span<const std::byte> bytes) override {
    const Current current(*own_.context);
    check_size(buffer, bytes.size());
    check_cuda(cuda_api().cuMemcpyHtoDAsync_v2(buffers_[buffer], bytes.data(), bytes.size(), stream()),
               "copying to " + own_.context->gpu().text());
    wait_for_copy("copying to " + own_.context->gpu().text());
  }

  void read(std::size_t buffer, std::span<std::byte> bytes) override {
    const Current current(*own_.context);
    check_size(buffer, bytes.size());
    check_cuda(cuda_api().cuMemcpyDtoHAsync_v2(bytes.data(), buffers_[buffer], bytes.size(), stream()),
               "copying from " + own_.context->gpu().text());
    wait_for_copy("copying from " + own_.context->gpu().text());
  }

  void start() override {
    const Current current(*own_.context);
    if (launches_.size() < 2) {
      launch(0, launches_.size());
    } else {
      // One call for all launches; the graph has their arguments, which stay what they are.
      if (!own_.graph) own_.graph.emplace(captured(0, launches_.size(), 1));
      check_cuda(cuda_api().cuGraphLaunch(own_.graph->get(), stream()), "launching a graph");
    }
  }

  void wait() override {
    const Current current(*own_.context);
    wait_for_kernels(0, launches_.size());
  }

  std::vector<double> run_timed(std::span<const std::size_t> ends) override {
    const Current current(*own_.context);
    std::vector<Held<cuda::Event, cuda::Result>> events;
    const auto take_time = [&] {
      events.push_back(make_event());
      check_cuda(cuda_api().cuEventRecord(events.back().get(), stream()), "taking the time");
    };
    take_time();
    std::size_t first = 0;
    for (const std::size_t end : ends) {
      launch(first, end);
      take_time();
      first = end;
    }
    wait_for_kernels(0, first);
    std::vector<double> seconds;
    for (std::size_t i = 0; i < ends.size(); ++i)
      seconds.push_back(seconds_between(events[i].get(), events[i + 1].get()));
    return seconds;
  }

  std::vector<double> time(std::size_t first, std::size_t last, const Timing& timing) override {
    const Current current(*own_.context);
    // How long a run takes about, the driver's first preparations aside.
    double once = 0;
    {
      const HeldGraph graph = captured(first, last, 1);
      seconds_of(graph.get(), first, last);
      once = std::max(seconds_of(graph.get(), first, last), 1e-9);
    }
    const double most =
        std::max(1.0, kMostNodes / static_cast<double>(std::max<std::size_t>(last - first, 1)));
    const auto runs = static_cast<unsigned>(std::clamp(timing.sample_seconds / once, 1.0, most));
    const HeldGraph graph = captured(first, last, runs);
    seconds_of(graph.get(), first, last);
    std::vector<double> samples;
    for (unsigned i = 0; i < timing.samples; ++i)
      samples.push_back(seconds_of(graph.get(), first, last) / runs);
    return samples;
  }

 private:
  struct Prepared {
    Launch launch;
    cuda::Function function;
    std::vector<cuda::Address> arguments;
  };

  using HeldGraph = Held<cuda::GraphExec, cuda::Result>;

  void launch(std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      Prepared& p = launches_.at(i);
      // All parameters are addresses. Handed over with their size, they are refused where the kernel has
      // others: by a list of pointers a driver would read as many as the kernel has.
      std::size_t bytes = p.arguments.size() * sizeof(cuda::Address);
      const auto word = [](std::int64_t what) { return reinterpret_cast<void*>(what); };
      void* arguments[] = {word(cuda::k_CU_LAUNCH_PARAM_BUFFER_POINTER), p.arguments.data(),
                           word(cuda::k_CU_LAUNCH_PARAM_BUFFER_SIZE), &bytes,
                           word(cuda::k_CU_LAUNCH_PARAM_END)};
      const auto [x, y, z] = narrow(p.launch.blocks);
      const auto [tx, ty, tz] = narrow(p.launch.threads);
      const cuda::Result result = cuda_api().cuLaunchKernel(p.function, x, y, z, tx, ty, tz,
                                                            static_cast<cuda::Uint>(p.launch.shared_bytes),
                                                            stream(), nullptr, arguments);
      VDLA_CHECK_USER(result == cuda::k_CUDA_SUCCESS)
          << "kernel '" << p.launch.kernel << "' cannot be launched on " << own_.context->gpu().text() << ": "
          << words_of(result);
    }
  }

  void wait_for_kernels(std::size_t first, std::size_t last) const {
    const cuda::Result result = cuda_api().cuStreamSynchronize(stream());
    if (result == cuda::k_CUDA_SUCCESS) return;
    std::string names;
    for (std::size_t i = first; i < last; ++i)
      names += (names.empty() ? "'" : "', '") + launches_[i].launch.kernel;
    throw UserError(
        fmt::format("{} {}' fails on {}: {}; 'vdla check-kernel --device emulator' names the line",
                    last - first == 1 ? "kernel" : "one of the kernels", names, own_.context->gpu().text(),
                    words_of(result)));
  }

  /// The launches, `runs` times, as one thing to launch, so that times are of kernels and not of calls.
  HeldGraph captured(std::size_t first, std::size_t last, unsigned runs) {
    check_cuda(cuda_api().cuStreamBeginCapture_v2(stream(), cuda::k_CU_STREAM_CAPTURE_MODE_THREAD_LOCAL),
               "beginning a graph");
    std::exception_ptr failed;
    try {
      for (unsigned i = 0; i < runs; ++i) launch(first, last);
    } catch (...) {
      failed = std::current_exception();  // the capture has to end first
    }
    cuda::Graph made = nullptr;
    const cuda::Result result = cuda_api().cuStreamEndCapture(stream(), &made);
    const Held<cuda::Graph, cuda::Result> graph(made, cuda_api().cuGraphDestroy);
    if (failed) std::rethrow_exception(failed);
    check_cuda(result, "ending a graph");
    cuda::GraphExec executable = nullptr;
    check_cuda(cuda_api().cuGraphInstantiateWithFlags(&executable, graph.get(), 0), "making a graph");
    return {executable, cuda_api().cuGraphExecDestroy};
  }

  double seconds_of(cuda::GraphExec graph, std::size_t first, std::size_t last) const {
    const auto begin = make_event(), end = make_event();
    check_cuda(cuda_api().cuEventRecord(begin.get(), stream()), "taking the time");
    check_cuda(cuda_api().cuGraphLaunch(graph, stream()), "launching a graph");
    check_cuda(cuda_api().cuEventRecord(end.get(), stream()), "taking the time");
    wait_for_kernels(first, last);
    return seconds_between(begin.get(), end.get());
  }

  cuda::Address allocate(std::size_t bytes) {
    own_.memory.emplace_back(gpu::allocate(own_.context->gpu(), bytes), cuda_api().cuMemFree_v2);
    return own_.memory.back().get();
  }

  cuda::Stream stream() const { return own_.stream->get(); }
  void wait_for_copy(const std::string& what) const {
    check_cuda(cuda_api().cuStreamSynchronize(stream()), what);
  }
  void check_size(std::size_t buffer, std::size_t bytes) const {
    VDLA_CHECK(bytes == sizes_.at(buffer)) << "buffer " << buffer << " has " << sizes_[buffer] << " bytes";
  }

  Prepared prepare(const Launch& launch) const {
    Prepared p{launch, nullptr, {}};
    check_cuda(cuda_api().cuModuleGetFunction(&p.function, own_.modules.at(launch.part).get(),
                                              launch.kernel.c_str()),
               "finding kernel '" + launch.kernel + "'");
    int most = 0;
    check_cuda(
        cuda_api().cuFuncGetAttribute(&most, cuda::k_CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, p.function),
        "asking about kernel '" + launch.kernel + "'");
    const std::size_t threads = launch.threads[0] * launch.threads[1] * launch.threads[2];
    VDLA_CHECK_USER(threads <= static_cast<std::size_t>(most))
        << "kernel '" << launch.kernel << "' has " << threads << " threads in a block, and "
        << own_.context->gpu().text() << " takes " << most
        << " of it; split the axes that are bound to threads by less";
    if (launch.shared_bytes > 0) {
      const cuda::Result result =
          cuda_api().cuFuncSetAttribute(p.function, cuda::k_CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                        static_cast<int>(launch.shared_bytes));
      VDLA_CHECK_USER(result == cuda::k_CUDA_SUCCESS)
          << "kernel '" << launch.kernel << "' has " << launch.shared_bytes
          << " bytes of shared memory in a block, which " << own_.context->gpu().text()
          << " does not have: " << words_of(result) << "; make its tiles smaller";
    }
    for (const std::size_t buffer : launch.arguments) p.arguments.push_back(buffers_.at(buffer));
    return p;
  }

  CudaBelongings own_;
  std::vector<std::size_t> sizes_;
  std::vector<cuda::Address> buffers_;
  std::vector<Prepared> launches_;
};

class CudaDevice final : public Device {
 public:
  explicit CudaDevice(const CudaGpu& gpu) : context_(std::make_shared<CudaContext>(gpu)) {}
  std::string name() const override { return context_->gpu().text(); }
  std::string_view clock() const override { return "the GPU's own events"; }
  std::unique_ptr<Loaded> load(const Program& program) override {
    return std::make_unique<CudaProgram>(context_, program);
  }

 private:
  std::shared_ptr<const CudaContext> context_;
};

std::string capability_text(int capability) { return fmt::format("{}.{}", capability / 10, capability % 10); }

}  // namespace

std::vector<CudaName> cuda_devices() {
  const int count = number_of_devices();
  int version = 0;
  check_cuda(cuda_api().cuDriverGetVersion(&version), "asking for the driver's version");
  std::vector<CudaName> names;
  for (int i = 0; i < count; ++i) {
    const CudaGpu gpu(i);
    names.push_back({gpu.name,
                     fmt::format("{}, compute capability {}", gpu.model, capability_text(gpu.capability)),
                     fmt::format("CUDA {}.{}", version / 1000, version % 1000 / 10)});
  }
  return names;
}

std::unique_ptr<Device> open_cuda(const std::string& name) {
  const int count = number_of_devices();
  std::string listed;
  for (int i = 0; i < count; ++i) {
    const CudaGpu gpu(i);
    if (name != gpu.name && !(i == 0 && name == kCuda)) {
      listed += (listed.empty() ? "" : ", ") + gpu.text();
      continue;
    }
    VDLA_CHECK_USER(gpu.capability >= kLeastCapability)
        << gpu.text() << " has compute capability " << capability_text(gpu.capability)
        << ", and kernels need " << capability_text(kLeastCapability)
        << "; take a newer GPU, or its driver of OpenCL";
    return std::make_unique<CudaDevice>(gpu);
  }
  throw UserError(fmt::format("there is no device '{}' of CUDA; there are {}", name, listed));
}

}  // namespace vdla::gpu
