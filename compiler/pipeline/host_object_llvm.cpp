// SPDX-License-Identifier: Apache-2.0
#include "compiler/codegen/llvm/host.h"
#include "compiler/pipeline/host_object.h"

namespace vdla::pipeline {

std::vector<HostObject> host_objects(const std::vector<loop::Func>& funcs, bool levels) {
  std::vector<HostObject> objects;
  for (const codegen::HostTarget& target :
       levels ? codegen::portable_targets() : std::vector{codegen::portable_target()})
    objects.push_back({target.triple, target.cpu, target.features, codegen::to_object(funcs, target)});
  return objects;
}

}  // namespace vdla::pipeline
