// SPDX-License-Identifier: Apache-2.0
#include "tools/remote/library.h"

#include <dlfcn.h>

#include "support/error.h"
#include "support/path.h"

namespace vdla::remote {

Library& load_library(const std::filesystem::path& prefix) {
  const std::filesystem::path path = prefix / "lib/vdla/libvdla_remote.so";
  VDLA_CHECK_USER(is_there(path))
      << "remote boards need gRPC, which this kit was built without (no " << path.string()
      << "); install libgrpc++-dev, libssl-dev and protobuf-compiler-grpc, configure and build again";
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  VDLA_CHECK_USER(handle != nullptr) << "cannot load the library of remote boards: " << dlerror();
  auto* function = reinterpret_cast<LibraryFunction*>(dlsym(handle, kLibrarySymbol));
  VDLA_CHECK_USER(function != nullptr) << path.string() << " lacks " << kLibrarySymbol << "; build it again";
  return *function();
}

}  // namespace vdla::remote
