// SPDX-License-Identifier: Apache-2.0
// The interpreter's face: memory for allocations, arguments, and the way to intrinsics.
#include "compiler/loop/interpret.h"

#include <cstring>

#include "compiler/loop/bytecode.h"
#include "support/error.h"

namespace vdla::loop {
namespace {

std::int64_t storage_bytes(const Buffer& buffer) {
  return expr::storage_size(buffer) * expr::bytes(buffer.dtype);
}

Operand make_operand(const BytecodeOperand& operand, const std::vector<std::byte*>& buffers,
                     const Slot* slots) {
  return {operand.region, buffers[operand.buffer], expr::storage_size(*operand.region->buffer),
          slots[operand.origin].i};
}

void execute(const BytecodeCall& call, const Slot* slots, const std::vector<std::byte*>& buffers,
             const IntrinsicHandler& handler) {
  const IntrinsicCall& node = *call.stmt->as<IntrinsicCall>();
  VDLA_CHECK_USER(handler) << "intrinsic '" << node.name << "' has no implementation here";
  std::vector<Operand> outputs, inputs;
  for (const BytecodeOperand& operand : call.outputs)
    outputs.push_back(make_operand(operand, buffers, slots));
  for (const BytecodeOperand& operand : call.inputs) inputs.push_back(make_operand(operand, buffers, slots));
  std::vector<std::int64_t> attributes;
  for (int slot : call.attributes) attributes.push_back(slots[slot].i);
  bool reset = call.reset >= 0 && slots[call.reset].i != 0;
  handler({node, outputs, inputs, attributes, reset});
}

}  // namespace

std::byte* Operand::at(std::int64_t offset) const {
  std::int64_t element = origin + offset;
  VDLA_CHECK_USER(element >= 0 && element < size) << "intrinsic touches element " << element << " of buffer '"
                                                  << region->buffer->name << "', which has " << size;
  return data + element * expr::bytes(region->buffer->dtype);
}

std::int64_t Operand::load(std::int64_t offset) const {
  std::int64_t value = 0;
  std::memcpy(&value, at(offset), static_cast<std::size_t>(expr::bytes(region->buffer->dtype)));
  return expr::wrap(region->buffer->dtype, value);
}

void Operand::store(std::int64_t offset, std::int64_t value) const {
  value = expr::wrap(region->buffer->dtype, value);
  std::memcpy(at(offset), &value, static_cast<std::size_t>(expr::bytes(region->buffer->dtype)));
}

Interpreter::Interpreter(const Func& func, IntrinsicHandler handler)
    : code_(std::make_unique<const Bytecode>(compile(func))), handler_(std::move(handler)) {}
Interpreter::~Interpreter() = default;
Interpreter::Interpreter(Interpreter&&) noexcept = default;
Interpreter& Interpreter::operator=(Interpreter&&) noexcept = default;

void Interpreter::run(std::span<const std::span<std::byte>> arguments) const {
  VDLA_CHECK_USER(arguments.size() == code_->param_count)
      << "function '" << code_->name << "' has " << code_->param_count << " parameters, got "
      << arguments.size() << " arguments";
  std::vector<std::byte*> buffers;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Buffer& buffer = *code_->buffers[i];
    VDLA_CHECK_USER(static_cast<std::int64_t>(arguments[i].size()) >= storage_bytes(buffer))
        << "argument '" << buffer.name << "' of function '" << code_->name << "' needs "
        << storage_bytes(buffer) << " bytes, got " << arguments[i].size();
    buffers.push_back(arguments[i].data());
  }
  std::vector<std::unique_ptr<std::byte[]>> allocated;
  for (std::size_t i = arguments.size(); i < code_->buffers.size(); ++i) {
    auto size = static_cast<std::size_t>(storage_bytes(*code_->buffers[i]));
    allocated.push_back(std::make_unique_for_overwrite<std::byte[]>(size));
    buffers.push_back(allocated.back().get());
  }
  loop::run(*code_, buffers,
            [&](const BytecodeCall& call, const Slot* slots) { execute(call, slots, buffers, handler_); });
}

}  // namespace vdla::loop
