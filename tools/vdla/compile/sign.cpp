// SPDX-License-Identifier: Apache-2.0
// vdla keygen, vdla sign: who vouches for a module.
#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <string>

#include "runtime/container/module_file.h"
#include "runtime/container/sections.h"
#include "support/error.h"
#include "support/interrupt.h"
#include "tools/vdla/common/command.h"

namespace vdla::tools {
namespace {

/// A file that is not there yet, gone again unless it is kept: a key that is written over is lost for good,
/// and one without its other half is of no use.
class NewKeyFile {
 public:
  NewKeyFile(std::string path, mode_t mode) : path_(std::move(path)) {
    const Uninterrupted held;
    file_ = open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    VDLA_CHECK_USER(file_ >= 0) << "cannot write key '" << path_ << "': " << std::strerror(errno)
                                << (errno == EEXIST ? "; keys are never written over, choose another name"
                                                    : "");
    unfinished_.emplace(held, [this](const Uninterrupted&) {
      unlink(path_.c_str());
      return "removed the unfinished " + path_;
    });
  }
  ~NewKeyFile() {
    close(file_);
    if (kept_) return;
    const Uninterrupted held;
    unfinished_->cancel(held);
    unlink(path_.c_str());
  }
  NewKeyFile(const NewKeyFile&) = delete;
  NewKeyFile& operator=(const NewKeyFile&) = delete;

  /// All of it is on the disk, or UserError.
  void write(const std::string& text) {
    errno = 0;
    const bool whole =
        ::write(file_, text.data(), text.size()) == static_cast<ssize_t>(text.size()) && fsync(file_) == 0;
    // A write that was cut off without an error would have failed with this one.
    VDLA_CHECK_USER(whole) << "cannot write key '" << path_
                           << "': " << std::strerror(errno == 0 ? ENOSPC : errno);
  }
  void keep(const Uninterrupted& held) {
    unfinished_->cancel(held);
    kept_ = true;
  }

 private:
  std::string path_;
  int file_ = -1;
  bool kept_ = false;
  std::optional<OnInterrupt> unfinished_;
};

void keygen(const std::string& name, const Context& context) {
  const std::string secret_path = name + ".key", public_path = name + ".pub";
  NewKeyFile open_to_all(public_path, 0644), secret(secret_path, 0600);
  const runtime::SecretKey key = runtime::make_key();
  secret.write(runtime::to_text(key));
  open_to_all.write(runtime::to_text(key.public_key()));
  {
    const Uninterrupted held;
    secret.keep(held);
    open_to_all.keep(held);
  }
  context.report({{"secret_key", secret_path},
                  {"public_key", public_path},
                  {"key", runtime::base64_of(key.public_key())}},
                 [&] {
                   fmt::print(
                       "{}: keep it secret, vdla sign --key {} signs with it\n{}: for everybody, --trust {} "
                       "checks with it\n",
                       secret_path, secret_path, public_path, public_path);
                 });
}

struct SignFlags {
  std::string module, key, output;
};

void sign(const SignFlags& f, const Context& context) {
  const std::string& target = f.output.empty() ? f.module : f.output;
  runtime::Bytes file = runtime::read_module_file(f.module);
  const runtime::Container container = runtime::unpack(file, f.module);
  runtime::from_sections(container, f.module);  // a module that cannot be loaded is not signed
  const runtime::SecretKey key = runtime::read_secret_key(f.key);
  const runtime::Signature signature = runtime::sign(container.digest, key);
  const std::string digest = runtime::to_string(container.digest), name = runtime::base64_of(signature.key);
  runtime::set_signature(file, signature);
  runtime::write_module_file(file, target);
  context.report({{"output", target}, {"sha256", digest}, {"key", name}}, [&] {
    fmt::print("{}: signed with key {}\nsha256 {}, as before: the signature is the only change\n", target,
               name, digest);
  });
}

}  // namespace

void add_keygen(CLI::App& app, Context& context) {
  auto name = std::make_shared<std::string>();
  CLI::App* c =
      add_command(app, context, "keygen", "Make a key pair for signing modules",
                  "NAME.key is not encrypted: its file is readable for its owner alone, keep it so. Existing "
                  "files are never written over.\n"
                  "example: vdla keygen release    # release.key signs, release.pub checks",
                  [name, &context] { keygen(*name, context); });
  c->add_option("name", *name, "Writes NAME.key (Ed25519, secret) and NAME.pub")->required();
}

void add_sign(CLI::App& app, Context& context) {
  auto f = std::make_shared<SignFlags>();
  CLI::App* c = add_command(
      app, context, "sign", "Sign a compiled module (checked by --trust of other commands)",
      "Nothing of the module changes but the signature, its hash stays as it is. A signature that "
      "is there is replaced.\n"
      "example: vdla sign net.vdla --key release.key && vdla run net.vdla --trust release.pub ...",
      [f, &context] { sign(*f, context); });
  c->add_option("module", f->module, "Compiled module (.vdla)")->required();
  c->add_option("--key", f->key, "Secret key (NAME.key of vdla keygen)")->required();
  c->add_option("-o,--output", f->output, "Signed module to write; left out: the module itself");
}

}  // namespace vdla::tools
