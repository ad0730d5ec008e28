// SPDX-License-Identifier: Apache-2.0
#include "runtime/gpu/cuda.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "runtime/gpu/cuda_api.h"
#include "runtime/gpu/held.h"
#include "runtime/gpu/library.h"

namespace vdla::gpu {
namespace {

/// Of the PTX that the kit makes (compiler/codegen/llvm/ptx.h), ten times.
constexpr int kLeastCapability = 80;

const cuda::Api& cuda_api() {
  static const cuda::Api loaded = [] {
    const Library library(
        "libcuda.so.1", "CUDA's driver",
        "install the driver of the NVIDIA GPU, or take '--device emulator', which needs none");
    cuda::Api found{};
#define VDLA_FIND(name, parameters) \
  library.find(#name, found.name, "CUDA 11.0 or later; install a newer driver of the NVIDIA GPU");
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
  VDLA_CHECK_USER(count > 0) << "CUDA has a driver here and no GPU: look at 'nvidia-smi', or take '--device "
                                "emulator', which needs none";
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

/// What all programs of a device have in common.
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

/// What a program has on its device; given back together, also where its making fails half-way.
struct CudaBelongings {
  std::shared_ptr<const CudaContext> context;
  std::optional<Held<cuda::Stream, cuda::Result>> stream;
  std::optional<Held<cuda::Module, cuda::Result>> module;
  std::vector<Held<cuda::Address, cuda::Result>> buffers;

  explicit CudaBelongings(std::shared_ptr<const CudaContext> of) : context(std::move(of)) {}
  CudaBelongings(const CudaBelongings&) = delete;
  CudaBelongings& operator=(const CudaBelongings&) = delete;
  ~CudaBelongings() {
    try {
      const Current current(*context);
      if (stream) cuda_api().cuStreamSynchronize(stream->get());
      buffers.clear();
      module.reset();
      stream.reset();
    } catch (const UserError&) {
      // The driver is broken and has said so before; it takes everything back with the process.
    }
  }
};

class CudaProgram final : public Loaded {
 public:
  CudaProgram(std::shared_ptr<const CudaContext> context, const Program& program)
      : own_(std::move(context)), sizes_(program.buffer_bytes) {
    const Current current(*own_.context);
    cuda::Stream stream = nullptr;
    check_cuda(cuda_api().cuStreamCreate(&stream, cuda::k_CU_STREAM_NON_BLOCKING), "making a stream");
    own_.stream.emplace(stream, cuda_api().cuStreamDestroy_v2);
    own_.module.emplace(build(program.text), cuda_api().cuModuleUnload);
    for (const std::size_t bytes : sizes_)
      own_.buffers.emplace_back(allocate(bytes), cuda_api().cuMemFree_v2);
    for (const Launch& launch : program.launches) launches_.push_back(prepare(launch));
  }

  void write(std::size_t buffer, std::span<const std::byte> bytes) override {
    const Current current(*own_.context);
    check_size(buffer, bytes.size());
    check_cuda(
        cuda_api().cuMemcpyHtoDAsync_v2(own_.buffers[buffer].get(), bytes.data(), bytes.size(), stream()),
        "copying to " + own_.context->gpu().text());
    wait("copying to " + own_.context->gpu().text());
  }

  void read(std::size_t buffer, std::span<std::byte> bytes) override {
    const Current current(*own_.context);
    check_size(buffer, bytes.size());
    check_cuda(
        cuda_api().cuMemcpyDtoHAsync_v2(bytes.data(), own_.buffers[buffer].get(), bytes.size(), stream()),
        "copying from " + own_.context->gpu().text());
    wait("copying from " + own_.context->gpu().text());
  }

  void run() override {
    const Current current(*own_.context);
    std::string names;
    for (Prepared& p : launches_) {
      names += (names.empty() ? "'" : "', '") + p.launch.kernel;
      std::vector<void*> arguments;
      for (cuda::Address& address : p.arguments) arguments.push_back(&address);
      const auto [x, y, z] = narrow(p.launch.blocks);
      const auto [tx, ty, tz] = narrow(p.launch.threads);
      const cuda::Result result =
          cuda_api().cuLaunchKernel(p.function, x, y, z, tx, ty, tz, 0, stream(), arguments.data(), nullptr);
      VDLA_CHECK_USER(result == cuda::k_CUDA_SUCCESS)
          << "kernel '" << p.launch.kernel << "' cannot be launched on " << own_.context->gpu().text() << ": "
          << words_of(result);
    }
    const cuda::Result result = cuda_api().cuStreamSynchronize(stream());
    VDLA_CHECK_USER(result == cuda::k_CUDA_SUCCESS)
        << (launches_.size() == 1 ? "kernel " : "one of the kernels ") << names << "' fails on "
        << own_.context->gpu().text() << ": " << words_of(result)
        << "; 'vdla check-kernel --device emulator' names the line";
  }

 private:
  struct Prepared {
    Launch launch;
    cuda::Function function;
    std::vector<cuda::Address> arguments;
  };

  static std::array<cuda::Uint, 3> narrow(const std::array<std::size_t, 3>& n) {
    for (const std::size_t each : n)
      VDLA_CHECK(each <= std::numeric_limits<cuda::Uint>::max()) << "a grid of " << each << " in one axis";
    return {static_cast<cuda::Uint>(n[0]), static_cast<cuda::Uint>(n[1]), static_cast<cuda::Uint>(n[2])};
  }

  cuda::Stream stream() const { return own_.stream->get(); }
  void wait(const std::string& what) const { check_cuda(cuda_api().cuStreamSynchronize(stream()), what); }
  void check_size(std::size_t buffer, std::size_t bytes) const {
    VDLA_CHECK(bytes == sizes_.at(buffer)) << "buffer " << buffer << " has " << sizes_[buffer] << " bytes";
  }

  cuda::Module build(const std::string& ptx) const {
    char log[8192] = "";
    cuda::Option options[] = {cuda::k_CU_JIT_ERROR_LOG_BUFFER, cuda::k_CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void* values[] = {log, reinterpret_cast<void*>(sizeof log)};
    cuda::Module module = nullptr;
    const cuda::Result result = cuda_api().cuModuleLoadDataEx(&module, ptx.c_str(), 2, options, values);
    VDLA_CHECK_USER(result == cuda::k_CUDA_SUCCESS)
        << own_.context->gpu().text() << " does not compile the kernels: " << words_of(result)
        << (log[0] == '\0' ? "" : ": ") << log;
    return module;
  }

  cuda::Address allocate(std::size_t bytes) const {
    cuda::Address address = 0;
    const cuda::Result result = cuda_api().cuMemAlloc_v2(&address, std::max<std::size_t>(bytes, 1));
    if (result == cuda::k_CUDA_ERROR_OUT_OF_MEMORY) {
      std::size_t free = 0, total = 0;
      cuda_api().cuMemGetInfo_v2(&free, &total);
      throw UserError(
          fmt::format("no memory for a buffer of {} bytes on {}, which has {} of {} bytes free; end what "
                      "else runs there, or take smaller shapes",
                      bytes, own_.context->gpu().text(), free, total));
    }
    check_cuda(result, fmt::format("allocating {} bytes on {}", bytes, own_.context->gpu().text()));
    return address;
  }

  Prepared prepare(const Launch& launch) const {
    Prepared p{launch, nullptr, {}};
    check_cuda(cuda_api().cuModuleGetFunction(&p.function, own_.module->get(), launch.kernel.c_str()),
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
    for (const std::size_t buffer : launch.arguments) p.arguments.push_back(own_.buffers.at(buffer).get());
    return p;
  }

  CudaBelongings own_;
  std::vector<std::size_t> sizes_;
  std::vector<Prepared> launches_;
};

class CudaDevice final : public Device {
 public:
  explicit CudaDevice(const CudaGpu& gpu) : context_(std::make_shared<CudaContext>(gpu)) {}
  std::string name() const override { return context_->gpu().text(); }
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
