// SPDX-License-Identifier: Apache-2.0
// A machine with a grid that runs kernels: what a program for it is, and what one does with it. Back ends
// make such devices (runtime/gpu/opencl.h, cuda.h, emulator.h).
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace vdla::gpu {

struct Launch {
  std::string kernel;  ///< its name in the program's text
  std::array<std::size_t, 3> blocks, threads;
  std::vector<std::size_t> arguments;  ///< by parameter of the kernel: index of a buffer
  std::size_t shared_bytes = 0;        ///< of a block, as its code places them; drivers know it from the text
};

struct Program {
  std::string text;  ///< OpenCL C, PTX or, for the emulator, the bytes of an object file
  std::vector<std::size_t> buffer_bytes;
  std::vector<Launch> launches;  ///< in order, each seeing what those before it have stored
  std::string loop_ir;           ///< the function, whose lines the emulator names
};

/// A program on its device, with its buffers. What they hold at first is undefined.
class Loaded {
 public:
  virtual ~Loaded() = default;
  virtual void write(std::size_t buffer, std::span<const std::byte> bytes) = 0;
  virtual void read(std::size_t buffer, std::span<std::byte> bytes) = 0;
  /// All launches; returns when they are done.
  virtual void run() = 0;
  /// Of a device that watches accesses: why it has not watched all of the runs so far, a sentence. Empty
  /// where it has, and of devices that watch none.
  virtual std::string unwatched() const { return {}; }
};

class Device {
 public:
  virtual ~Device() = default;
  virtual std::string name() const = 0;
  /// UserError for a program that the device does not take: its compiler's words, more threads or memory than
  /// it has.
  virtual std::unique_ptr<Loaded> load(const Program& program) = 0;
};

}  // namespace vdla::gpu
