// SPDX-License-Identifier: Apache-2.0
#include "tests/runtime/code/host_object.h"

namespace vdla::runtime {

KernelObject add_one_object(const codegen::HostTarget& target, const std::string& source_file) {
  auto from = expr::make_buffer("from", expr::DType::I8, {12}),
       to = expr::make_buffer("to", expr::DType::I8, {12});
  auto i = expr::make_var("i");
  const auto index = expr::var_ref(i);
  const auto one = expr::int_imm(1, expr::DType::I8);
  const auto body =
      loop::store(to, {index}, expr::binary(expr::BinaryOp::Add, expr::load(from, {index}), one));
  const loop::Func func = host::lowered(
      {"add_one", {{from, loop::Direction::In}, {to, loop::Direction::Out}}, loop::make_for(i, 12, body)});
  return {.triple = target.triple,
          .cpu = target.cpu,
          .features = target.features,
          .elf = codegen::to_object({&func, 1}, target, source_file)};
}

}  // namespace vdla::runtime
