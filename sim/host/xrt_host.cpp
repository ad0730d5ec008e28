// SPDX-License-Identifier: Apache-2.0
#include "sim/host/xrt_host.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <zip.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <optional>
#include <sstream>

#include "sim/host/companion.h"
#include "sim/host/shared_memory.h"
#include "sim/host/xclbin.h"
#include "sim/host/xrt_device.h"
#include "support/error.h"
#include "support/input_file.h"
#include "support/path.h"
#include "support/temporary.h"

namespace vdla::sim {
namespace {

namespace fs = std::filesystem;
using HostClock = std::chrono::steady_clock;

/// XRT's emulation makes its sockets in a folder of this one, which $USER names, wherever TMPDIR is.
constexpr const char* kSocketsParent = "/tmp";
constexpr const char* kKernel = "vdla_axi";  // kernel that driver/xrt takes
constexpr std::chrono::milliseconds kGlance{100};

const boards::Board& checked_xrt_board(const boards::Board& board) {
  VDLA_CHECK_USER(board.xrt && board.simulated())
      << "board '" << board.name << "' is no card that XRT emulates, needs xrt-emu or one like it";
  return board;
}

/// Archive that the emulation unpacks and starts. This process is the simulator, so there is nothing to
/// start.
std::string simulator_archive(const fs::path& folder) {
  const std::string path = folder / "simulator.zip";
  constexpr std::string_view kScript = "#!/bin/sh\nexit 0\n";
  zip_t* archive = zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, nullptr);
  VDLA_CHECK_USER(archive != nullptr) << "cannot write " << path;
  zip_source_t* script = zip_source_buffer(archive, kScript.data(), kScript.size(), 0);
  const bool added = zip_file_add(archive, "behav_waveform/xsim/simulate.sh", script, ZIP_FL_ENC_UTF_8) >= 0;
  VDLA_CHECK_USER(added && zip_close(archive) == 0)
      << "cannot write " << path << ": " << zip_strerror(archive);
  const std::vector<std::byte> bytes = read_input(path);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void write_text(const fs::path& path, std::string_view text) {
  std::ofstream file(path, std::ios::binary);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  VDLA_CHECK_USER(file.flush().good()) << "cannot write " << path.string();
}

/// The socket on which the emulation waits for its simulator; none yet: -1.
Descriptor connect_in(const fs::path& folder) {
  for (const fs::path& entry : entries_of(folder)) {
    const std::string path = entry;
    std::error_code gone;
    if (!fs::is_socket(entry, gone) || !entry.filename().string().starts_with("device")) continue;
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof address.sun_path) continue;
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    Descriptor end(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (connect(end.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return end;
  }
  return Descriptor();
}

/// Errors of the program, without what the emulation says each time.
std::string without_emulation(const std::string& errors) {
  constexpr std::string_view kEachTime[] = {"[HW-EMU", "configuring penguin scheduler",
                                            "scheduler config ert"};
  std::istringstream lines(errors);
  std::string kept;
  for (std::string line; std::getline(lines, line);)
    if (std::ranges::none_of(kEachTime,
                             [&](std::string_view said) { return line.find(said) != std::string::npos; }))
      kept += line + "\n";
  return kept;
}

class XrtRun {
 public:
  XrtRun(const boards::Board& board, const XrtHost& host, const EngineOverMemory& make_engine,
         const HostOptions& options)
      : board_(checked_xrt_board(board)),
        options_(options),
        folder_(kSocketsParent, Temporary::Kind::Folder, "XRT's emulation"),
        memory_(board.memory.region.bytes),
        segment_{board.memory.region.base, memory_.bytes()},
        engine_(make_engine({segment_})),
        attached_(*engine_),
        device_(host.libraries / "libxrt_hwemu.so.2", segment_, attached_) {
    start(host);
  }

  HostOutcome run() {
    const auto end = HostClock::now() + options_.time_limit;
    while (!program_->wait(std::chrono::milliseconds(0))) {
      if (HostClock::now() >= end) give_up();
      if (connection_)
        look();
      else
        connect();
      if (attached_.active()) attached_.advance();
      print();
    }
    print();
    return {*program_->wait(std::chrono::milliseconds(0)), attached_.counts(), attached_.stuck(),
            without_emulation(errors_)};
  }

 private:
  void start(const XrtHost& host) {
    VDLA_CHECK_USER(!find_program("unzip").empty())
        << "XRT's emulation needs unzip, which is not installed; it comes with package unzip";
    const fs::path& folder = folder_.path();
    std::error_code error;
    fs::permissions(folder, fs::perms::owner_all,
                    error);  // the emulation makes files of all users in it, and runs them
    if (!error) fs::create_directory_symlink(host.libraries, folder / "lib", error);
    VDLA_CHECK_USER(!error) << folder.string() << ": cannot be written: " << error.message();
    const fs::path xclbin = folder / "vdla.xclbin";
    write_text(xclbin, make_xclbin({.kernel = kKernel,
                                    .registers_base = XrtDevice::kRegistersBase,
                                    .registers_bytes = XrtDevice::kRegistersBytes,
                                    .bank = board_.memory.port,
                                    .memory_base = board_.memory.region.base,
                                    .memory_bytes = board_.memory.region.bytes,
                                    .archive = simulator_archive(folder)}));
    std::vector<std::string> command{
        "env", "XILINX_XRT=" + folder.string(), "XCL_EMULATION_MODE=" + board_.xrt->emulation,
        "SDACCEL_EM_RUN_DIR=" + folder.string(), "USER=" + folder.filename().string()};
    for (std::string& word : host.command("0:" + xclbin.string())) command.push_back(std::move(word));
    program_.emplace(command, std::span<const int>(), "coreutils");
  }

  void connect() {
    Descriptor end = connect_in(folder_.path());
    if (end.get() >= 0) {
      connection_.emplace(std::move(end), "XRT's emulation");
      opened_ = true;
      return;
    }
    pollfd output{program_->output(), POLLIN, 0};
    poll(&output, 1, patience());
  }

  /// The program waits for each of its calls, and polls while the engine works: a slice of the engine's time
  /// after each call.
  void look() {
    std::array<pollfd, 2> ready{{{connection_->fd(), POLLIN, 0}, {program_->output(), POLLIN, 0}}};
    poll(ready.data(), ready.size(), patience());
    if (ready[0].revents != 0) serve();
  }

  /// Milliseconds to wait.
  int patience() const { return attached_.active() ? 0 : static_cast<int>(kGlance.count()); }

  /// A card outlives the process that has it, and goes on with what it does: the next one may open it.
  void serve() {
    try {
      device_.serve(*connection_);
    } catch (const UserError&) {
      if (!connection_->closed()) throw;
      connection_.reset();
      device_.forget_call();
    }
  }

  void print() {
    const std::string text = program_->take_output();
    if (!text.empty() && options_.print) options_.print(text);
    errors_ += program_->take_errors();
  }

  [[noreturn]] void give_up() {
    print();
    throw UserError(fmt::format(
        "the program over XRT did not end within {:g} s: the card has {}, seen {} reads and {} "
        "writes of registers "
        "and {} whole runs; --time-limit gives it more{}{}",
        static_cast<double>(options_.time_limit.count()) / 1000, opened_ ? "been opened" : "not been opened",
        attached_.counts().reads, attached_.counts().writes, attached_.counts().runs,
        attached_.stuck().empty() ? "" : "; the engine is stuck: ", attached_.stuck()));
  }

  const boards::Board& board_;
  const HostOptions& options_;
  Temporary folder_;
  SharedMemory memory_;
  MemorySegment segment_;
  std::unique_ptr<Engine> engine_;
  AttachedEngine attached_;
  XrtDevice device_;
  std::optional<Companion> program_;  ///< goes before its folder
  std::optional<Connection> connection_;
  bool opened_ = false;  ///< whether some process opened it
  std::string errors_;   ///< errors of the program and XRT
};

}  // namespace

HostOutcome run_xrt_host(const boards::Board& board, const XrtHost& host, const EngineOverMemory& make_engine,
                         const HostOptions& options) {
  return XrtRun(board, host, make_engine, options).run();
}

}  // namespace vdla::sim
