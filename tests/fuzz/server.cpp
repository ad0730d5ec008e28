// SPDX-License-Identifier: Apache-2.0
// The server of boards elsewhere: calls in any order with any content, as a desk's connection hands them to
// the service, without the network. After them the device is free, and the cache holds whole modules alone.
#include <stdlib.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <optional>

#include "driver/memory/arena.h"
#include "isa/generated/vdla_isa.h"
#include "runtime/container/module_file.h"
#include "tests/fuzz/target.h"
#include "tools/remote/service.h"

namespace vdla::fuzzing {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostBytes = 64 << 10;

/// Registers that keep what is written, and 64 KiB of memory behind the kit's own arena of blocks.
class EchoTransport {
 public:
  EchoTransport() {
    transport_.context = this;
    transport_.time_unit = "us";
    transport_.read32 = [](void* c, std::uint32_t offset, std::uint32_t* value) {
      *value = self(c).registers_.at(offset / 4);
      return 0;
    };
    transport_.write32 = [](void* c, std::uint32_t offset, std::uint32_t value) {
      self(c).registers_.at(offset / 4) = value;
      return 0;
    };
    transport_.alloc = [](void* c, std::uint64_t bytes, std::uint64_t alignment, std::uint64_t* address) {
      return vdla_arena_take(&self(c).arena_, bytes, alignment, address) == VDLA_ARENA_OK ? 0 : 1;
    };
    transport_.free = [](void* c, std::uint64_t address) { vdla_arena_give_back(&self(c).arena_, address); };
    transport_.copy_in = [](void* c, std::uint64_t to, const void* from, std::uint64_t bytes) {
      std::memcpy(self(c).place(to, bytes), from, bytes);
      return 0;
    };
    transport_.copy_out = [](void* c, void* to, std::uint64_t from, std::uint64_t bytes) {
      std::memcpy(to, self(c).place(from, bytes), bytes);
      return 0;
    };
    transport_.sync_for_device =
        transport_.sync_for_cpu = [](void* c, std::uint64_t address, std::uint64_t bytes) {
          self(c).place(address, bytes);
          return 0;
        };
    transport_.wait_interrupt = [](void*, std::uint64_t, std::uint64_t* spent) {
      *spent = 0;
      return VDLA_WAIT_STUCK;
    };
    transport_.last_error = [](void*) { return "no room"; };
  }
  const vdla_transport* transport() const { return &transport_; }
  bool all_free() const { return vdla_arena_taken(&arena_) == 0; }

 private:
  static constexpr std::uint64_t kFirst = 0x1000'0000;
  static EchoTransport& self(void* context) { return *static_cast<EchoTransport*>(context); }
  std::byte* place(std::uint64_t address, std::uint64_t bytes) {
    VDLA_CHECK(address >= kFirst && address - kFirst <= memory_.size() &&
               bytes <= memory_.size() - (address - kFirst))
        << bytes << " bytes at " << address << " reached the device";
    return memory_.data() + (address - kFirst);
  }

  std::vector<std::uint32_t> registers_ = std::vector<std::uint32_t>(VDLA_REGISTER_SPACE / 4);
  std::vector<std::byte> memory_ = std::vector<std::byte>(64 << 10);
  std::vector<vdla_block> blocks_ = std::vector<vdla_block>(2048);
  vdla_arena arena_{
      .first = kFirst, .bytes = 64 << 10, .line = 1, .blocks = blocks_.data(), .used = 0, .capacity = 2048};
  vdla_transport transport_{};
};

/// Counts what is on it. Runs ask once whether they are to stop, and give their inputs back, fail or break.
class EchoDevice final : public remote::LeasedDevice {
 public:
  int loaded = 0;

  remote::Facts facts() override { return {.device = "echo"}; }
  std::unique_ptr<remote::Loaded> load(const runtime::Bytes& file, const remote::RunOptions&,
                                       std::function<std::string()> why) override {
    return std::make_unique<Echo>(*this, runtime::parse(file, "echo"), std::move(why));
  }
  const vdla_transport* attach() override { return direct_.emplace().transport(); }
  void detach() override {
    VDLA_CHECK(direct_->all_free()) << "a desk's memory was not given back";
    direct_.reset();
  }
  std::string broken() override { return broken_; }
  void renew() override {
    VDLA_CHECK(loaded == 0 && !attached());
    broken_.clear();
  }
  void reopen(const std::function<void()>& work) override { work(); }
  bool attached() const { return direct_.has_value(); }

 private:
  /// Bytes of an input with which a run breaks the device.
  static constexpr std::size_t kBreaks = 2;

  std::optional<EchoTransport> direct_;
  std::string broken_;

  class Echo final : public remote::Loaded {
   public:
    Echo(EchoDevice& device, runtime::Module module, std::function<std::string()> why)
        : device_(device), module_(std::move(module)), why_(std::move(why)) {
      ++device_.loaded;
    }
    ~Echo() override { --device_.loaded; }
    remote::RunReply run(const std::vector<runtime::Bytes>& inputs) override {
      remote::RunReply reply;
      if (std::string why = why_(); !why.empty()) reply.failed = {why, why, "", nullptr};
      VDLA_CHECK_USER(inputs.size() == module_.inputs.size()) << inputs.size() << " inputs";
      if (!inputs.empty() && inputs[0].empty()) reply.failed = {"it failed", "it failed", "", nullptr};
      if (!inputs.empty() && inputs[0].size() == kBreaks) {
        device_.broken_ = "it broke";
        throw UserError(device_.broken_);
      }
      reply.result.outputs = inputs;
      return reply;
    }
    std::string timeline() override { return "[]"; }

   private:
    EchoDevice& device_;
    runtime::Module module_;
    std::function<std::string()> why_;
  };
};

/// Numbers and texts from the bytes, zeros behind their end.
class Source {
 public:
  Source(const std::uint8_t* data, std::size_t size) : data_(data), left_(size) {}
  bool more() const { return left_ > 0; }
  std::uint8_t byte() {
    if (left_ == 0) return 0;
    --left_;
    return *data_++;
  }
  std::uint64_t number() {
    std::uint64_t value = 0;
    for (int i = 0; i < 8; ++i) value = value << 8 | byte();
    return value;
  }
  std::string text(std::size_t size) {
    const std::size_t n = std::min(size, left_);
    std::string out(reinterpret_cast<const char*>(data_), n);
    data_ += n;
    left_ -= n;
    return out;
  }

 private:
  const std::uint8_t* data_;
  std::size_t left_;
};

runtime::Bytes good_module() {
  runtime::Module module;
  module.model_name = "echo";
  module.target = "cpu";
  runtime::Tensor tensor;
  tensor.name = "x";
  tensor.shape = {1};
  module.tensors = {tensor};
  runtime::Port port;
  port.name = "x";
  port.model_shape = {1};
  module.inputs = module.outputs = {port};
  return runtime::serialize(module);
}

std::string sha256_of(const runtime::Bytes& file) {
  return runtime::to_string(runtime::Hash().add(file).finish());
}

/// In memory where the machine has such a file system: a life writes some files.
class Folder {
 public:
  Folder() {
    const bool memory = access("/dev/shm", W_OK) == 0;
    std::string name = (memory ? fs::path("/dev/shm") : fs::temp_directory_path()) / "vdla-fuzz-XXXXXX";
    VDLA_CHECK(mkdtemp(name.data()) != nullptr) << "no folder " << name;
    path_ = name;
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  /// Empty, so that a case depends on no other.
  fs::path empty_cache() const {
    fs::remove_all(path_ / "cache");
    return path_ / "cache";
  }

 private:
  fs::path path_;
};

/// One life of a server.
class Life {
 public:
  Life(Source& source, const fs::path& folder)
      : source_(source),
        cache_(folder, {.file_bytes = kMostBytes, .folder_bytes = 2 * kMostBytes}),
        service_(device_, cache_, {.max_lease_seconds = 1000, .flash_command = {}}) {}

  void live() {
    for (int calls = 0; calls < 32 && source_.more(); ++calls) call();
    service_.end(lease_, "the end");
    VDLA_CHECK(device_.loaded == 0) << device_.loaded << " modules are left on the device";
    VDLA_CHECK(!device_.attached()) << "a desk is still attached to the device";
    VDLA_CHECK(service_.describe().holder.empty()) << "the board is still leased";
  }

 private:
  void call() {
    const std::uint8_t what = source_.byte();
    gone_ = (what & 0x40) != 0;
    const remote::Caller caller{source_.byte() % 4 == 0 ? source_.text(9) : "", [this] { return gone_; },
                                [] {}};
    switch (what % 8) {
      case 0: {
        remote::LeaseGrant grant;
        const auto seconds = static_cast<std::uint32_t>((what & 0x80) != 0 ? source_.number() : 900);
        if (service_.grant({source_.text(source_.byte()), seconds}, caller, grant).ok()) lease_ = grant.token;
        return;
      }
      case 1:
        return service_.end(token(), source_.text(5));
      case 2:
        return upload(caller);
      case 3:
        return run(caller);
      case 4: {
        remote::HookReply reply;
        service_.hook({token(), (what & 0x80) != 0 ? remote::Hook::Flash : remote::Hook::Reset}, caller,
                      reply);
        return;
      }
      case 5: {
        driver::TransportFacts facts;
        service_.attach(token(), caller, facts);
        return;
      }
      case 6:
        return access(caller);
      default:
        service_.describe();
    }
  }

  /// Mostly right.
  std::string token() { return source_.byte() % 8 == 0 ? source_.text(32) : lease_; }

  void upload(const remote::Caller& caller) {
    const std::uint8_t how = source_.byte();
    const std::string content = source_.text(source_.number() % 4096);
    runtime::Bytes file = good_;
    if ((how & 1) != 0) file.assign(as_bytes_of(content).begin(), as_bytes_of(content).end());
    if ((how & 2) != 0 && !file.empty())  // one byte of a good one
      file[source_.number() % file.size()] ^= static_cast<std::byte>(source_.byte());
    remote::UploadHead head{token(), sha256_of(file), file.size()};
    if ((how & 4) != 0) head.sha256 = source_.text(64);
    if ((how & 8) != 0) head.bytes = source_.number();
    const std::size_t part_bytes = 1 + source_.number() % 5000;
    std::size_t at = 0;
    const bool endless = (how & 16) != 0;
    service_.upload(head, caller, [&](std::string& part) {
      if (endless && at >= file.size()) at = 0;
      const std::size_t n = std::min(part_bytes, file.size() - at);
      part.assign(reinterpret_cast<const char*>(file.data()) + at, n);
      at += n;
      return n > 0;
    });
  }

  void access(const remote::Caller& caller) {
    const auto number = [&] {
      return source_.byte() % 2 == 0 ? source_.byte() * std::uint64_t{4} : source_.number();
    };
    remote::AccessCall call{token(), {}};
    call.request.kind = static_cast<driver::AccessKind>(source_.byte() % (driver::kAccessKinds + 1));
    // Mostly the block that was given last.
    call.request.address = source_.byte() % 4 == 0 ? number() : block_ + source_.byte();
    call.request.value = number();
    call.request.alignment = std::uint64_t{1} << source_.byte() % 64;
    const std::string data = source_.text(source_.byte());
    call.request.data.assign(as_bytes_of(data).begin(), as_bytes_of(data).end());
    driver::AccessReply reply;
    service_.access(call, caller, reply);
    if (call.request.kind == driver::AccessKind::Alloc && reply.error.empty()) block_ = reply.value;
  }

  void run(const remote::Caller& caller) {
    remote::RunRequest request;
    request.token = token();
    request.sha256 = source_.byte() % 4 == 0 ? source_.text(64) : sha256_of(good_);
    const std::uint8_t flags = source_.byte();
    request.options = {static_cast<std::uint32_t>((flags & 1) != 0 ? source_.number() : 1),
                       static_cast<std::uint32_t>(source_.byte()),
                       source_.byte(),
                       (flags & 2) != 0,
                       (flags & 4) != 0,
                       (flags & 8) != 0};
    for (int i = source_.byte() % 4; i > 0; --i) request.inputs.emplace_back(source_.byte() % 3);
    remote::RunReply reply;
    service_.run(request, caller, reply);
  }

  static std::span<const std::byte> as_bytes_of(const std::string& text) {
    return std::as_bytes(std::span(text));
  }

  Source& source_;
  EchoDevice device_;
  remote::ModuleCache cache_;
  remote::BoardService service_;
  std::string lease_;
  std::uint64_t block_ = 0;
  bool gone_ = false;
  const runtime::Bytes good_ = good_module();
};

/// Files under their hash, and nothing else.
void check_cache(const fs::path& folder) {
  std::uint64_t bytes = 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const runtime::Bytes file = runtime::read_module_file(entry.path());
    VDLA_CHECK(entry.path().filename() == sha256_of(file) + ".vdla")
        << entry.path() << " is left in the cache";
    runtime::parse(file, "cached");
    bytes += file.size();
  }
  VDLA_CHECK(bytes <= 2 * kMostBytes) << "the cache has " << bytes << " bytes";
}

}  // namespace
}  // namespace vdla::fuzzing

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace vdla::fuzzing;
  static const Folder folder;
  const auto cache = folder.empty_cache();
  Source source(data, size);
  Life(source, cache).live();
  check_cache(cache);
  return 0;
}
