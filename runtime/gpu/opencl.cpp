// SPDX-License-Identifier: Apache-2.0
#include "runtime/gpu/opencl.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <optional>

#include "runtime/gpu/clock.h"
#include "runtime/gpu/held.h"
#include "runtime/gpu/library.h"
#include "runtime/gpu/opencl_api.h"
#include "support/error.h"

namespace vdla::gpu {
namespace {

constexpr const char* kLoader = "libOpenCL.so.1";
constexpr const char* kNoDriver =
    "install the driver of the GPU, or pocl-opencl-icd, which runs kernels on the CPU";

const cl::Api& api() {
  static const cl::Api loaded = [] {
    const std::string remedy = "install package ocl-icd-libopencl1";
    const Library library(kLoader, "OpenCL's loader", remedy + ", and " + kNoDriver);
    cl::Api found{};
#define VDLA_FIND(name, result, parameters) library.find(#name, found.name, "OpenCL 1.2; " + remedy);
    VDLA_OPENCL_FUNCTIONS(VDLA_FIND)
#undef VDLA_FIND
    return found;
  }();
  return loaded;
}

std::string name_of(cl::Int status) {
#define VDLA_NAME(name, value) \
  if (std::int64_t{status} == (value) && (value) < 0) return #name;
  VDLA_OPENCL_CONSTANTS(VDLA_NAME)
#undef VDLA_NAME
  return "error " + std::to_string(status);
}

void check(cl::Int status, const std::string& what) {
  VDLA_CHECK_USER(status == cl::k_CL_SUCCESS) << "OpenCL: " << what << " fails with " << name_of(status);
}

/// A text that a function gives in two calls: its size, then itself.
template <class F>
std::string text_of(const F& get) {
  std::size_t bytes = 0;
  if (get(std::size_t{0}, nullptr, &bytes) != cl::k_CL_SUCCESS || bytes == 0) return "";
  std::string text(bytes, '\0');
  if (get(bytes, text.data(), nullptr) != cl::k_CL_SUCCESS) return "";
  return text.substr(0, text.find('\0'));
}

struct Found {
  cl::DeviceId id;
  OpenClName name;
  bool is_gpu = false;
};

/// PoCL 3.1 has several ways to run the threads of a block. One ended the process over a barrier in a loop;
/// "auto", which writes the threads of small blocks out, gave wrong values of a kernel on which interpreter,
/// emulator and oclgrind agree (test PaddedHalves). "loopvec" is right in all other tests, and there where a
/// CPU has AVX-512. A value of the environment stays; called before PoCL is loaded.
void take_barriers_in_loops() { setenv("POCL_WORK_GROUP_METHOD", "loopvec", 0); }

/// Compares letters of either case; only the version of PoCL's devices says "PoCL".
bool is_called(const OpenClName& name, const std::string& wanted) {
  const auto same = [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); };
  return std::ranges::any_of(std::array{&name.device, &name.platform, &name.version}, [&](const auto* text) {
    return wanted.empty() || !std::ranges::search(*text, wanted, same).empty();
  });
}

/// Returns all devices, GPUs first: the first one is the default.
std::vector<Found> find_devices() {
  take_barriers_in_loops();
  cl::Uint count = 0;
  api().clGetPlatformIDs(0, nullptr, &count);
  std::vector<cl::Platform> platforms(count);
  if (count > 0) check(api().clGetPlatformIDs(count, platforms.data(), nullptr), "listing drivers");
  std::vector<Found> found;
  for (const cl::Platform platform : platforms) {
    const std::string name = text_of([&](auto... a) {
      return api().clGetPlatformInfo(platform, static_cast<cl::Uint>(cl::k_CL_PLATFORM_NAME), a...);
    });
    cl::Uint devices = 0;
    api().clGetDeviceIDs(platform, static_cast<cl::Bits>(cl::k_CL_DEVICE_TYPE_ALL), 0, nullptr, &devices);
    std::vector<cl::DeviceId> ids(devices);
    if (devices == 0) continue;
    check(api().clGetDeviceIDs(platform, static_cast<cl::Bits>(cl::k_CL_DEVICE_TYPE_ALL), devices, ids.data(),
                               nullptr),
          "listing devices of " + name);
    for (const cl::DeviceId id : ids) {
      const auto info = [&](std::int64_t what) {
        return text_of(
            [&](auto... a) { return api().clGetDeviceInfo(id, static_cast<cl::Uint>(what), a...); });
      };
      cl::Bits type = 0;
      api().clGetDeviceInfo(id, static_cast<cl::Uint>(cl::k_CL_DEVICE_TYPE), sizeof type, &type, nullptr);
      constexpr auto kGpu = static_cast<cl::Bits>(cl::k_CL_DEVICE_TYPE_GPU),
                     kCpu = static_cast<cl::Bits>(cl::k_CL_DEVICE_TYPE_CPU);
      found.push_back({id,
                       {name, info(cl::k_CL_DEVICE_NAME), info(cl::k_CL_DEVICE_VERSION)},
                       (type & (kGpu | kCpu)) == kGpu});
    }
  }
  std::ranges::stable_partition(found, &Found::is_gpu);
  if (found.empty()) throw NoDevice(std::string("OpenCL has a loader here and no device; ") + kNoDriver);
  return found;
}

template <class Handle>
using ClHeld = Held<Handle, cl::Int>;

/// State of one device that all programs have in common.
struct Opened {
  cl::DeviceId id;
  std::string name;
  /// For its compiler. On a CPU with AVX2 alone PoCL's optimiser computes wrong values of the kernel of test
  /// PaddedHalves, by all of its ways; without it they are right, and kernels are compiled twice as fast.
  std::string options;
  ClHeld<cl::ContextHandle> context;

  explicit Opened(const Found& found)
      : id(found.id),
        name(found.name.device + " (" + found.name.platform + ")"),
        options(is_called(found.name, "pocl") ? "-cl-opt-disable" : ""),
        context(make_context(found.id), api().clReleaseContext) {}

 private:
  static cl::ContextHandle make_context(cl::DeviceId id) {
    cl::Int status = 0;
    cl::ContextHandle context = api().clCreateContext(nullptr, 1, &id, nullptr, nullptr, &status);
    check(status, "opening the device");
    return context;
  }
};

/// Each program has one: a wait for it waits for no other program.
cl::Queue make_queue(const Opened& device, std::int64_t properties = 0) {
  cl::Int status = 0;
  cl::Queue queue =
      api().clCreateCommandQueue(device.context.get(), device.id, static_cast<cl::Bits>(properties), &status);
  check(status, "making a queue");
  return queue;
}

class OpenClProgram final : public Loaded {
 public:
  OpenClProgram(std::shared_ptr<const Opened> device, const Program& program)
      : device_(std::move(device)),
        sizes_(program.buffer_bytes),
        queue_(make_queue(*device_), api().clReleaseCommandQueue) {
    for (const Part& part : program.parts) parts_.push_back(build(part));
    if (!program.offsets.empty()) arena_.emplace(allocate(arena_bytes(program)));
    for (std::size_t i = 0; i < sizes_.size(); ++i)
      buffers_.push_back(arena_ ? part_of_arena(program.offsets[i], sizes_[i]) : allocate(sizes_[i]));
    for (const Launch& launch : program.launches) launches_.push_back(prepare(launch));
  }

  void write(std::size_t buffer, std::span<const std::byte> bytes) override {
    VDLA_CHECK(bytes.size() == sizes_.at(buffer))
        << "buffer " << buffer << " has " << sizes_[buffer] << " bytes";
    check(api().clEnqueueWriteBuffer(queue_.get(), buffers_[buffer].get(), kWait, 0, bytes.size(),
                                     bytes.data(), 0, nullptr, nullptr),
          "copying to the device");
  }

  void read(std::size_t buffer, std::span<std::byte> bytes) override {
    VDLA_CHECK(bytes.size() == sizes_.at(buffer))
        << "buffer " << buffer << " has " << sizes_[buffer] << " bytes";
    check(api().clEnqueueReadBuffer(queue_.get(), buffers_[buffer].get(), kWait, 0, bytes.size(),
                                    bytes.data(), 0, nullptr, nullptr),
          "copying from the device");
  }

  void start() override { start(0, launches_.size()); }
  void wait() override { wait(queue_.get()); }

  std::vector<double> run_timed(std::span<const std::size_t> ends) override {
    return timed_by_clock(ends, [this](std::size_t first, std::size_t last) {
      start(first, last);
      wait();
    });
  }

  std::vector<double> time(std::size_t first, std::size_t last, const Timing& timing) override {
    // Queue whose commands have times of the device's clock.
    const ClHeld<cl::Queue> queue(make_queue(*device_, cl::k_CL_QUEUE_PROFILING_ENABLE),
                                  api().clReleaseCommandQueue);
    const double once = std::max(seconds_of(queue.get(), first, last, 1), 1e-9);
    const auto runs = static_cast<unsigned>(std::clamp(timing.sample_seconds / once, 1.0, kMostRuns));
    std::vector<double> samples;
    for (unsigned i = 0; i < timing.samples; ++i)
      samples.push_back(seconds_of(queue.get(), first, last, runs) / runs);
    return samples;
  }

 private:
  static constexpr cl::Uint kWait = cl::k_CL_TRUE;
  static constexpr double kMostRuns = 1000;  // most runs of a sample

  void start(std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) enqueue(queue_.get(), i, nullptr);
    // Without it a driver may keep them until the program waits.
    require(queue_.get(), api().clFlush(queue_.get()), "starting the kernels of " + device_->name);
  }

  /// Launches that were taken have ended before one that was not is told.
  static void require(cl::Queue queue, cl::Int status, const std::string& what) {
    if (status != cl::k_CL_SUCCESS) api().clFinish(queue);
    check(status, what);
  }

  /// `event`: told of the launch; or null.
  void enqueue(cl::Queue queue, std::size_t launch, cl::Event* event) {
    const Prepared& p = launches_[launch];
    require(queue,
            api().clEnqueueNDRangeKernel(queue, p.kernel.get(), 3, nullptr, p.global.data(), p.local.data(),
                                         0, nullptr, event),
            "kernel '" + p.name + "' on " + device_->name);
  }

  void wait(cl::Queue queue) const {
    check(api().clFinish(queue), "waiting for the kernels of " + device_->name);
  }

  /// From the begin of the first launch to the end of the last one, by the device's clock.
  double seconds_of(cl::Queue queue, std::size_t first, std::size_t last, unsigned runs) {
    const std::size_t launches = (last - first) * runs;
    if (launches == 0) return 0;
    cl::Event begin = nullptr, end = nullptr;
    for (std::size_t i = 0; i < launches; ++i)
      enqueue(queue, first + i % (last - first), i == 0 ? &begin : i + 1 == launches ? &end : nullptr);
    const ClHeld<cl::Event> begun(begin, api().clReleaseEvent), ended(end, api().clReleaseEvent);
    wait(queue);
    const auto nanoseconds = [&](cl::Event event, std::int64_t what) {
      std::uint64_t time = 0;
      check(api().clGetEventProfilingInfo(event, static_cast<cl::Uint>(what), sizeof time, &time, nullptr),
            "asking for the time of a kernel");
      return time;
    };
    return 1e-9 * static_cast<double>(nanoseconds(end ? end : begin, cl::k_CL_PROFILING_COMMAND_END) -
                                      nanoseconds(begin, cl::k_CL_PROFILING_COMMAND_START));
  }

  struct Prepared {
    std::string name;
    ClHeld<cl::KernelHandle> kernel;
    std::array<std::size_t, 3> global, local;
  };

  ClHeld<cl::ProgramHandle> build(const Part& part) const {
    const char* text = part.text.c_str();
    cl::Int status = 0;
    ClHeld<cl::ProgramHandle> made(
        api().clCreateProgramWithSource(device_->context.get(), 1, &text, nullptr, &status),
        api().clReleaseProgram);
    check(status, "taking the program");
    status = api().clBuildProgram(made.get(), 1, &device_->id, device_->options.c_str(), nullptr, nullptr);
    if (status == cl::k_CL_SUCCESS) return made;
    const std::string log = text_of([&](auto... a) {
      return api().clGetProgramBuildInfo(made.get(), device_->id,
                                         static_cast<cl::Uint>(cl::k_CL_PROGRAM_BUILD_LOG), a...);
    });
    throw UserError(
        fmt::format("{} does not compile the kernels ({}): {}", device_->name, name_of(status), log));
  }

  ClHeld<cl::Memory> allocate(std::size_t bytes) const {
    cl::Int status = 0;
    ClHeld<cl::Memory> made(api().clCreateBuffer(device_->context.get(), cl::k_CL_MEM_READ_WRITE,
                                                 std::max<std::size_t>(bytes, 1), nullptr, &status),
                            api().clReleaseMemObject);
    check(status, fmt::format("allocating {} bytes on {}", bytes, device_->name));
    return made;
  }

  ClHeld<cl::Memory> part_of_arena(std::size_t offset, std::size_t bytes) const {
    const std::array<std::size_t, 2> region{offset, std::max<std::size_t>(bytes, 1)};
    cl::Int status = 0;
    ClHeld<cl::Memory> made(api().clCreateSubBuffer(arena_->get(), cl::k_CL_MEM_READ_WRITE,
                                                    static_cast<cl::Uint>(cl::k_CL_BUFFER_CREATE_TYPE_REGION),
                                                    region.data(), &status),
                            api().clReleaseMemObject);
    check(status, fmt::format("placing {} bytes on {}", bytes, device_->name));
    return made;
  }

  Prepared prepare(const Launch& launch) const {
    cl::Int status = 0;
    Prepared p{launch.kernel,
               {api().clCreateKernel(parts_.at(launch.part).get(), launch.kernel.c_str(), &status),
                api().clReleaseKernel},
               {},
               launch.threads};
    check(status, "kernel '" + launch.kernel + "'");
    for (std::size_t d = 0; d < 3; ++d) p.global[d] = launch.blocks[d] * launch.threads[d];
    const std::size_t threads = launch.threads[0] * launch.threads[1] * launch.threads[2];
    const auto most = of_kernel<std::size_t>(p, cl::k_CL_KERNEL_WORK_GROUP_SIZE);
    VDLA_CHECK_USER(threads <= most) << "kernel '" << launch.kernel << "' has " << threads
                                     << " threads in a block, and " << device_->name << " takes " << most
                                     << " of it; split the axes that are bound to threads by less";
    std::uint64_t room = 0;
    api().clGetDeviceInfo(device_->id, static_cast<cl::Uint>(cl::k_CL_DEVICE_LOCAL_MEM_SIZE), sizeof room,
                          &room, nullptr);
    const auto local = of_kernel<std::uint64_t>(p, cl::k_CL_KERNEL_LOCAL_MEM_SIZE);
    VDLA_CHECK_USER(local <= room) << "kernel '" << launch.kernel << "' has " << local
                                   << " bytes of shared memory in a block, and " << device_->name << " has "
                                   << room << "; make its tiles smaller";
    for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
      const cl::Memory memory = buffers_.at(launch.arguments[i]).get();
      check(api().clSetKernelArg(p.kernel.get(), static_cast<cl::Uint>(i), sizeof memory, &memory),
            fmt::format("argument {} of kernel '{}'", i, launch.kernel));
    }
    return p;
  }

  template <class T>
  T of_kernel(const Prepared& p, std::int64_t what) const {
    T value{};
    check(api().clGetKernelWorkGroupInfo(p.kernel.get(), device_->id, static_cast<cl::Uint>(what),
                                         sizeof value, &value, nullptr),
          "asking about kernel '" + p.name + "'");
    return value;
  }

  std::shared_ptr<const Opened> device_;
  std::vector<std::size_t> sizes_;
  ClHeld<cl::Queue> queue_;
  std::vector<ClHeld<cl::ProgramHandle>> parts_;
  std::optional<ClHeld<cl::Memory>> arena_;
  std::vector<ClHeld<cl::Memory>> buffers_;
  std::vector<Prepared> launches_;
};

class OpenClDevice final : public Device {
 public:
  explicit OpenClDevice(const Found& found) : device_(std::make_shared<Opened>(found)) {}
  std::string name() const override { return device_->name; }
  std::string_view clock() const override { return kClockOfHost; }
  std::unique_ptr<Loaded> load(const Program& program) override {
    return std::make_unique<OpenClProgram>(device_, program);
  }

 private:
  std::shared_ptr<const Opened> device_;
};

}  // namespace

std::vector<OpenClName> opencl_devices() {
  std::vector<OpenClName> names;
  for (const Found& found : find_devices()) names.push_back(found.name);
  return names;
}

std::unique_ptr<Device> open_opencl(const std::string& wanted) {
  const std::vector<Found> devices = find_devices();
  std::string listed;
  for (const Found& found : devices) {
    if (is_called(found.name, wanted)) return std::make_unique<OpenClDevice>(found);
    listed += fmt::format("{}'{}' of driver '{}' ({})", listed.empty() ? "" : ", ", found.name.device,
                          found.name.platform, found.name.version);
  }
  throw UserError(
      fmt::format("no device of OpenCL has '{}' in its name, its driver's or its version; there are {}; give "
                  "a part of one of them",
                  wanted, listed));
}

}  // namespace vdla::gpu
