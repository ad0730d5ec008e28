// SPDX-License-Identifier: Apache-2.0
#include "tests/driver/uio_tree.h"

#include <fcntl.h>
#include <poll.h>

#include <cerrno>
#include <ctime>
#include <stdexcept>

namespace vdla::driver {
namespace {

UioTree* tree = nullptr;  // the one that lives

}  // namespace

UioTree::UioTree() {
  std::string name = (std::filesystem::temp_directory_path() / "vdla-uio-XXXXXX").string();
  if (!mkdtemp(name.data())) throw std::runtime_error("no temporary folder");
  root_ = name;
  write("sys/class/uio/uio0/name", "timer\n");
  write("sys/class/uio/uio1/name", "vdla\n");
  const std::string maps = "sys/class/uio/uio1/maps/map";
  write(maps + "0/name", "registers\n");
  write(maps + "0/addr", "0x43c00000\n");
  write(maps + "0/size", "0x1000\n");
  write(maps + "1/name", "memory\n");
  write(maps + "1/addr", "0x18000000\n");
  write(maps + "1/size", "0x4000\n");
  write(maps + "1/offset", "0x0\n");
  pages_ = static_cast<unsigned char*>(device_file("uio1", kPage + kMemoryBytes));
  page_ = std::make_unique<FakePage>(pages_);
  struct stat status{};
  stat((root_ / "dev/uio1").c_str(), &status);
  node_ = status.st_ino;
  tree = this;
}

UioTree::~UioTree() {
  tree = nullptr;
  for (const auto& [at, bytes] : mapped_) munmap(at, bytes);
  std::filesystem::remove_all(root_);
}

void UioTree::write(const std::string& path, const std::string& text) const {
  std::filesystem::create_directories((root_ / path).parent_path());
  std::ofstream(root_ / path) << text;
}

std::string UioTree::read(const std::string& path) const {
  std::ifstream file(root_ / path);
  std::string line;
  std::getline(file, line);
  return line;
}

void* UioTree::device_file(const std::string& name, std::size_t bytes) {
  std::filesystem::create_directories(root_ / "dev");
  const int file = open((root_ / "dev" / name).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0 || ftruncate(file, static_cast<off_t>(bytes)) != 0) throw std::runtime_error("no device file");
  void* at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  mapped_.emplace_back(at, bytes);
  return at;
}

bool UioTree::is_device(int file) const {
  struct stat status{};
  return fstat(file, &status) == 0 && status.st_ino == node_;
}

}  // namespace vdla::driver

using vdla::driver::tree;

extern "C" {

int __real_ppoll(pollfd*, nfds_t, const timespec*, const sigset_t*);
ssize_t __real_read(int, void*, size_t);
ssize_t __real_write(int, const void*, size_t);
int __real_clock_nanosleep(clockid_t, int, const timespec*, timespec*);

int __wrap_ppoll(pollfd* files, nfds_t count, const timespec* time, const sigset_t* mask) {
  if (!tree || !tree->is_device(files[0].fd)) return __real_ppoll(files, count, time, mask);
  auto& kernel = tree->kernel;
  ++kernel.polls;
  if (kernel.failing_polls > 0) {
    --kernel.failing_polls;
    errno = EINTR;
    return -1;
  }
  if (time->tv_sec != 0 || time->tv_nsec != 0) {
    kernel.on_poll();
    if (kernel.events == 0) nanosleep(time, nullptr);
  }
  files[0].revents = kernel.events > 0 ? POLLIN : 0;
  return kernel.events > 0 ? 1 : 0;
}

ssize_t __wrap_read(int file, void* to, size_t bytes) {
  if (!tree || !tree->is_device(file)) return __real_read(file, to, bytes);
  *static_cast<std::int32_t*>(to) = tree->kernel.events;
  tree->kernel.events = 0;
  return 4;
}

ssize_t __wrap_write(int file, const void* from, size_t bytes) {
  if (!tree || !tree->is_device(file)) return __real_write(file, from, bytes);
  tree->page().step();
  tree->kernel.on_unmask();
  if (tree->kernel.unmask_error != 0) {
    errno = tree->kernel.unmask_error;
    return -1;
  }
  tree->kernel.unmasked += *static_cast<const std::int32_t*>(from);
  return 4;
}

int __wrap_clock_nanosleep(clockid_t clock, int flags, const timespec* time, timespec* left) {
  if (tree) tree->kernel.on_pause();
  return __real_clock_nanosleep(clock, flags, time, left);
}
}
