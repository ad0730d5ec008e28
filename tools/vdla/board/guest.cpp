// SPDX-License-Identifier: Apache-2.0
#include "tools/vdla/board/guest.h"

#include <fmt/format.h>
#include <link.h>

#include <algorithm>

#include "kit/data.h"
#include "kit/prefix.h"
#include "kit/rtl.h"
#include "support/child_process.h"
#include "support/error.h"
#include "support/own_file.h"
#include "support/path.h"
#include "support/shell_word.h"
#include "support/temporary.h"
#include "tools/vdla/board/board.h"

namespace vdla::tools {
namespace {

/// This program's loader and shared libraries, by the names under which they are looked for.
std::vector<std::filesystem::path> loaded_libraries() {
  std::vector<std::filesystem::path> libraries;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* to) {
        if (info->dlpi_name[0] == '/')
          static_cast<std::vector<std::filesystem::path>*>(to)->push_back(info->dlpi_name);
        return 0;
      },
      &libraries);
  return libraries;
}

/// Debian's packages are downloaded and the module is built: a minute.
void get_kernel(const std::filesystem::path& folder, const Context& context) {
  const std::filesystem::path script = kit::data_root() / "boards/linux/get_kernel.sh";
  context.say({fmt::format("gets the guest's kernel, which {} lacks: 40 MB of Debian's packages, once ({})",
                           folder.string(), script.string())});
  // The script's own, which an interrupt ends without its traps.
  const Temporary work(temporary_folder(), Temporary::Kind::Folder, "the guest's kernel");
  CommandOutcome got = run_command({script.string(), folder.string()}, {"TMPDIR=" + work.path().string()});
  while (got.tail.ends_with('\n')) got.tail.pop_back();
  std::ranges::replace(got.tail, '\n', ' ');  // one sentence
  VDLA_CHECK_USER(got.status == 0) << "cannot get the guest's kernel: " << got.tail
                                   << "; where that cannot be mended, run " << shell_word(script.string())
                                   << " FOLDER on another machine and name a copy of FOLDER by --kernel";
}

}  // namespace

sim::LinuxGuest bare_guest() {
  sim::LinuxGuest guest;
  guest.init = kit::prefix() / "lib/vdla/guest/init";
  return guest;
}

std::filesystem::path guest_kernel(const std::filesystem::path& named, const Context& context) {
  if (!named.empty()) return named;
  const std::filesystem::path cache = cached_guest_kernel();
  VDLA_CHECK_USER(!cache.empty())
      << "neither XDG_CACHE_HOME nor HOME says where the guest's kernel is; name its folder by --kernel";
  if (!sim::has_guest_kernel(cache)) {
    make_own_folder(cache);
    get_kernel(cache, context);
  }
  constexpr const char* kWhat = "taken for the guest's kernel";
  std::filesystem::path own = require_own(cache, kWhat);
  for (const std::filesystem::path& file : sim::guest_kernel_files(own)) require_own(file, kWhat);
  return own;
}

/// Its loader is what starts, which takes the libraries beside it.
void run_vdla_in(sim::LinuxGuest& guest, const Context& context) {
  guest.files = loaded_libraries();
  const auto loader = std::ranges::find_if(guest.files, [](const std::filesystem::path& file) {
    return file.filename().string().starts_with("ld-linux");
  });
  VDLA_CHECK_USER(loader != guest.files.end()) << "this vdla has no loader of shared libraries that could "
                                                  "start it in the guest; link it to shared ones";
  guest.program = *loader;
  guest.files.erase(loader);
  guest.files.push_back(context.executable);
  guest.arguments = {"--library-path", ".", "./" + context.executable.filename().string()};
}

void add_kernel_option(CLI::App& command, std::string& kernel) {
  command
      .add_option("--kernel", kernel,
                  "Kernel for qemu-pci: folder made by boards/linux/get_kernel.sh; default: the user's cache")
      ->check(CLI::ExistingDirectory);
}

/// Beside the RTL libraries.
std::filesystem::path cached_guest_kernel() {
  const std::filesystem::path rtl = kit::rtl_places().cache;
  return rtl.empty() ? rtl : rtl.parent_path() / "linux";
}

}  // namespace vdla::tools
