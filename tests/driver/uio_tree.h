// SPDX-License-Identifier: Apache-2.0
// A folder that looks like /sys and /dev of a machine with UIO devices, and the kernel's side of their
// interrupts: tests are linked with --wrap for the calls that a plain file cannot answer.
#pragma once

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include "tests/driver/fake_page.h"

namespace vdla::driver {

class UioTree {
 public:
  static constexpr std::size_t kPage = 4096, kMemoryBytes = 4 * kPage;
  static constexpr std::uint64_t kAddress = 0x1800'0000;

  /// uio1 'vdla' with maps registers and memory, beside uio0 'timer'.
  UioTree();
  UioTree(const UioTree&) = delete;
  UioTree& operator=(const UioTree&) = delete;
  ~UioTree();

  std::string root() const { return root_.string(); }
  /// Of a path below the root; folders come into being.
  void write(const std::string& path, const std::string& text) const;
  std::string read(const std::string& path) const;
  void remove(const std::string& path) const { std::filesystem::remove_all(root_ / path); }
  /// A device file of so many bytes, mapped here.
  void* device_file(const std::string& name, std::size_t bytes);

  /// What the kernel does with the interrupt of dev/uio1.
  struct Kernel {
    int events = 0;                                  ///< counted, not read yet
    int unmasked = 0, polls = 0, failing_polls = 0;  ///< the next polls that a signal ends
    int unmask_error = 0;                            ///< errno of letting the line through; 0: it works
    std::function<void()> on_unmask = [] {};
    std::function<void()> on_poll = [] {};
    std::function<void()> on_pause = [] {};  ///< a wait without a line begins
  };
  Kernel kernel;
  unsigned char* memory() { return pages_ + kPage; }
  FakePage& page() { return *page_; }
  bool is_device(int file) const;

 private:
  std::filesystem::path root_;
  unsigned char* pages_ = nullptr;
  std::unique_ptr<FakePage> page_;
  std::vector<std::pair<void*, std::size_t>> mapped_;
  ino_t node_ = 0;
};

}  // namespace vdla::driver
