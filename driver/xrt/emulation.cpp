// SPDX-License-Identifier: Apache-2.0
#include "driver/xrt/emulation.h"

#include <elf.h>
#include <link.h>
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string>
#include <string_view>

namespace vdla::driver {
namespace {

/// Size of the emulation's buffer: a transfer with what else is in its message.
constexpr std::size_t kRoom = 2 * kLongestTransfer;

void* roomy_malloc(std::size_t bytes) { return std::malloc(std::max(bytes, kRoom)); }

void* staying_realloc(void* block, std::size_t bytes) {
  return block != nullptr && bytes <= malloc_usable_size(block) ? block : std::realloc(block, bytes);
}

thread_local bool opens_card = false;

unsigned short_sleep(unsigned seconds) {
  constexpr useconds_t kLookAgain = 10'000;
  return opens_card ? static_cast<unsigned>(usleep(kLookAgain)) : sleep(seconds);
}

/// Answers for /proc/self/exe, by which the emulation asks for the program's folder.
ssize_t readlink_in_run_folder(const char* path, char* to, std::size_t size) {
  const char* folder = std::getenv("SDACCEL_EM_RUN_DIR");
  if (folder == nullptr || std::strcmp(path, "/proc/self/exe") != 0) return readlink(path, to, size);
  const std::string program = std::string(folder) + "/program";
  const std::size_t bytes = std::min(size, program.size());
  std::memcpy(to, program.data(), bytes);
  return static_cast<ssize_t>(bytes);
}

struct Replacement {
  std::string_view name;
  void* function;
};
const Replacement kReplacements[] = {{"malloc", reinterpret_cast<void*>(roomy_malloc)},
                                     {"realloc", reinterpret_cast<void*>(staying_realloc)},
                                     {"sleep", reinterpret_cast<void*>(short_sleep)},
                                     {"readlink", reinterpret_cast<void*>(readlink_in_run_folder)}};

/// The table of a library's calls of other libraries' functions.
struct Calls {
  const ElfW(Rela) * first = nullptr;
  std::size_t bytes = 0;
  const ElfW(Sym) * symbols = nullptr;
  const char* names = nullptr;
};

Calls calls_of(const dl_phdr_info& library) {
  Calls calls;
  const ElfW(Dyn)* entry = nullptr;
  for (int i = 0; i < library.dlpi_phnum; ++i)
    if (library.dlpi_phdr[i].p_type == PT_DYNAMIC)
      entry = reinterpret_cast<const ElfW(Dyn)*>(library.dlpi_addr + library.dlpi_phdr[i].p_vaddr);
  for (; entry != nullptr && entry->d_tag != DT_NULL; ++entry) {
    const void* at = reinterpret_cast<const void*>(entry->d_un.d_ptr);
    if (entry->d_tag == DT_JMPREL) calls.first = static_cast<const ElfW(Rela)*>(at);
    if (entry->d_tag == DT_PLTRELSZ) calls.bytes = entry->d_un.d_val;
    if (entry->d_tag == DT_SYMTAB) calls.symbols = static_cast<const ElfW(Sym)*>(at);
    if (entry->d_tag == DT_STRTAB) calls.names = static_cast<const char*>(at);
  }
  return calls;
}

/// Makes the library's calls at `slot` go to `function`; whether they do.
bool redirect(void** slot, void* function) {
  const auto page_bytes = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  void* page = reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(slot) / page_bytes * page_bytes);
  if (mprotect(page, page_bytes, PROT_READ | PROT_WRITE) != 0) return false;
  *slot = function;
  return true;
}

constexpr std::string_view kLibrary = "libxrt_hwemu.so";

/// Functions that were replaced, and their library.
struct Replaced {
  std::string library;
  std::set<std::string_view> names;
};

int redirect_calls(dl_phdr_info* library, std::size_t, void* to) {
  if (std::string_view(library->dlpi_name).find(kLibrary) == std::string_view::npos) return 0;
  auto& replaced = *static_cast<Replaced*>(to);
  replaced.library = library->dlpi_name;
  const Calls calls = calls_of(*library);
  if (calls.first == nullptr || calls.symbols == nullptr || calls.names == nullptr) return 0;
  for (std::size_t i = 0; i < calls.bytes / sizeof *calls.first; ++i) {
    const ElfW(Rela)& call = calls.first[i];
    const std::string_view name = calls.names + calls.symbols[call.r_info >> 32].st_name;
    void** slot = reinterpret_cast<void**>(library->dlpi_addr + call.r_offset);
    for (const Replacement& r : kReplacements)
      if (r.name == name && redirect(slot, r.function)) replaced.names.insert(r.name);
  }
  return 0;
}

void end_at_once(int status, void*) {
  std::fflush(nullptr);
  _exit(status);
}

}  // namespace

bool xrt_is_emulated() {
  const char* mode = std::getenv("XCL_EMULATION_MODE");
  return mode != nullptr && *mode != '\0';
}

PrintsToStandardError::PrintsToStandardError()
    : kept_(stdout), stream_(xrt_is_emulated() ? fdopen(dup(STDERR_FILENO), "w") : nullptr) {
  std::fflush(kept_);
  if (stream_ != nullptr) stdout = stream_;
}

PrintsToStandardError::~PrintsToStandardError() {
  stdout = kept_;
  if (stream_ != nullptr) std::fclose(stream_);
}

std::string mend_emulation() {
  opens_card = true;
  Replaced replaced;
  dl_iterate_phdr(redirect_calls, &replaced);
  if (replaced.library.empty()) return std::string(kLibrary) + " is not loaded";
  for (const Replacement& r : kReplacements)
    if (!replaced.names.contains(r.name))
      return replaced.library + " has no call of " + std::string(r.name) + "() that could be replaced";
  return {};
}

void end_before_emulation() {
  if (xrt_is_emulated()) on_exit(end_at_once, nullptr);
}

}  // namespace vdla::driver
