// SPDX-License-Identifier: Apache-2.0
#include "tools/remote/certificate_files.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include "support/error.h"
#include "support/path.h"
#include "support/temporary.h"

namespace vdla::remote {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMake = "vdla board certificates DIR makes one of each";

std::string read_pem(const fs::path& path, const char* mark) {
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  VDLA_CHECK_USER(in && !is_folder(path))
      << "cannot read '" << path.string() << "': " << std::strerror(errno == 0 ? EISDIR : errno) << "; "
      << kMake;
  VDLA_CHECK_USER(text.find(mark) != std::string::npos)
      << path.string() << ": has no line '-----BEGIN ... " << mark << "', needs a PEM file; " << kMake;
  return text;
}

void write_pem(const fs::path& path, const std::string& text, mode_t mode) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  VDLA_CHECK_USER(file >= 0) << path.string() << ": cannot be written: " << std::strerror(errno);
  errno = 0;
  const bool whole =
      write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size()) && fsync(file) == 0;
  const int error = errno;
  close(file);
  VDLA_CHECK_USER(whole) << path.string()
                         << ": cannot be written: " << std::strerror(error == 0 ? ENOSPC : error);
}

}  // namespace

Certificates read_certificates(const fs::path& folder, Side side) {
  const std::string name = side == Side::Server ? "server" : "client";
  return {read_pem(folder / "ca.pem", "CERTIFICATE-----"),
          read_pem(folder / (name + ".pem"), "CERTIFICATE-----"),
          read_pem(folder / (name + ".key"), "PRIVATE KEY-----")};
}

void write_certificates(const Authority& authority, const fs::path& folder) {
  VDLA_CHECK_USER(!is_there(folder))
      << folder.string() << " is there already, and keys are never written over; choose another name";
  const fs::path target = without_links(folder);
  Temporary made(target.parent_path(), Temporary::Kind::Folder, folder.string());
  write_pem(made.path() / "ca.pem", authority.ca, 0644);
  write_pem(made.path() / "server.pem", authority.server.certificate, 0644);
  write_pem(made.path() / "server.key", authority.server.key, 0600);
  write_pem(made.path() / "client.pem", authority.client.certificate, 0644);
  write_pem(made.path() / "client.key", authority.client.key, 0600);
  made.rename_to(target, Uninterrupted());
}

}  // namespace vdla::remote
