// SPDX-License-Identifier: Apache-2.0
#include "tools/remote/grpc/convert.h"

#include <algorithm>
#include <iterator>

namespace vdla::remote {
namespace {

runtime::Bytes bytes_of(const std::string& text) {
  const auto* begin = reinterpret_cast<const std::byte*>(text.data());
  return {begin, begin + text.size()};
}

void add_bytes(const runtime::Bytes& bytes, std::string& out) {
  out.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

void write_part(const vdla_counters& counters, wire::Counters& out) {
  out.set_cycles(counters.cycles);
  out.set_read_bytes(counters.read_bytes);
  out.set_write_bytes(counters.write_bytes);
  for (const std::uint32_t busy : counters.busy) out.add_busy(busy);
  for (const std::uint32_t stall : counters.token_stall) out.add_token_stall(stall);
}

vdla_counters read_part(const wire::Counters& in) {
  vdla_counters counters{};
  counters.cycles = in.cycles();
  counters.read_bytes = in.read_bytes();
  counters.write_bytes = in.write_bytes();
  std::copy_n(in.busy().begin(), std::min<int>(in.busy_size(), std::size(counters.busy)), counters.busy);
  std::copy_n(in.token_stall().begin(), std::min<int>(in.token_stall_size(), std::size(counters.token_stall)),
              counters.token_stall);
  return counters;
}

void write_part(const runtime::LayerResult& layer, wire::LayerResult& out) {
  out.set_name(layer.name);
  out.set_op(layer.op);
  out.set_step(static_cast<std::uint32_t>(layer.step));
  out.set_macs(layer.macs);
  out.set_ideal_gemm_cycles(layer.ideal_gemm_cycles);
  out.set_cycles(layer.cost.cycles);
  out.set_read_bytes(layer.cost.read_bytes);
  out.set_write_bytes(layer.cost.write_bytes);
  for (const SourceTensor& tensor : layer.sources) {
    wire::SourceTensor& row = *out.add_sources();
    row.set_name(tensor.name);
    row.set_likeness(static_cast<std::uint32_t>(tensor.likeness));
  }
}

runtime::LayerResult read_part(const wire::LayerResult& in) {
  runtime::LayerResult layer;
  layer.name = in.name();
  layer.op = in.op();
  layer.step = in.step();
  layer.macs = in.macs();
  layer.ideal_gemm_cycles = in.ideal_gemm_cycles();
  layer.cost = {in.cycles(), in.read_bytes(), in.write_bytes()};
  for (const wire::SourceTensor& tensor : in.sources()) {
    // One that this kit does not know counts as the furthest.
    const auto code = std::min(tensor.likeness(), static_cast<std::uint32_t>(Likeness::From));
    layer.sources.push_back({tensor.name(), static_cast<Likeness>(code)});
  }
  return layer;
}

void write_part(const runtime::Result& result, wire::Result& out) {
  for (const runtime::Bytes& bytes : result.outputs) add_bytes(bytes, *out.add_outputs());
  out.set_cycles(result.cycles);
  out.set_read_bytes(result.read_bytes);
  out.set_write_bytes(result.write_bytes);
  for (const runtime::StepResult& step : result.steps) {
    wire::StepResult& row = *out.add_steps();
    row.set_step(static_cast<std::uint32_t>(step.step));
    row.set_on_device(step.on_device);
    if (step.on_device) write_part(step.counters, *row.mutable_counters());
    row.set_seconds(step.seconds);
  }
  for (const runtime::LayerResult& layer : result.layers) write_part(layer, *out.add_layers());
  out.set_warning(result.warning);
}

runtime::Result read_part(const wire::Result& in) {
  runtime::Result result;
  for (const std::string& output : in.outputs()) result.outputs.push_back(bytes_of(output));
  result.cycles = in.cycles();
  result.read_bytes = in.read_bytes();
  result.write_bytes = in.write_bytes();
  for (const wire::StepResult& step : in.steps())
    result.steps.push_back({step.step(), step.on_device(), read_part(step.counters()), step.seconds()});
  for (const wire::LayerResult& layer : in.layers()) result.layers.push_back(read_part(layer));
  result.warning = in.warning();
  return result;
}

}  // namespace

void to_wire(const Facts& facts, wire::Facts& out) {
  out.set_device(facts.device);
  out.set_variant(facts.variant);
  out.set_isa_version(facts.about.isa_version);
  out.set_geometry_hash(facts.about.geometry_hash);
  for (const std::uint32_t number : facts.about.numbers) out.add_geometry(number);
  out.set_build_id(facts.about.build_id);
  out.set_clock_khz(facts.about.clock_khz);
  out.set_address_bits(facts.about.address_bits);
  out.set_has_time(facts.has_time);
  out.set_holder(facts.holder);
  out.set_seconds_left(facts.seconds_left);
  out.set_can_flash(facts.can_flash);
  out.set_max_upload(facts.max_upload);
}

Facts from_wire(const wire::Facts& in) {
  runtime::DeviceFacts about{.isa_version = in.isa_version(),
                             .geometry_hash = in.geometry_hash(),
                             .numbers = {in.geometry().begin(), in.geometry().end()},
                             .build_id = in.build_id(),
                             .clock_khz = in.clock_khz(),
                             .address_bits = in.address_bits()};
  return {in.device(), in.variant(),      std::move(about), in.has_time(),
          in.holder(), in.seconds_left(), in.can_flash(),   in.max_upload()};
}

void to_wire(const LeaseRequest& request, wire::LeaseRequest& out) {
  out.set_who(request.who);
  out.set_seconds(request.seconds);
}

LeaseRequest from_wire(const wire::LeaseRequest& in) { return {in.who(), in.seconds()}; }

void to_wire(const LeaseGrant& grant, wire::LeaseGrant& out) {
  out.set_token(grant.token);
  out.set_seconds(grant.seconds);
}

LeaseGrant from_wire(const wire::LeaseGrant& in) { return {in.token(), in.seconds()}; }

void to_wire(const UploadHead& head, wire::UploadHead& out) {
  out.set_token(head.token);
  out.set_sha256(head.sha256);
  out.set_bytes(head.bytes);
}

UploadHead from_wire(const wire::UploadHead& in) { return {in.token(), in.sha256(), in.bytes()}; }

void to_wire(const RunRequest& request, wire::RunRequest& out) {
  out.set_token(request.token);
  out.set_sha256(request.sha256);
  out.set_threads(request.options.threads);
  out.set_stall_limit(request.options.stall_limit);
  out.set_timeout(request.options.timeout);
  out.set_interpret(request.options.interpret);
  out.set_verify(request.options.verify);
  out.set_timeline(request.options.timeline);
  out.set_cycles_only(request.options.cycles_only);
  for (const runtime::Bytes& input : request.inputs) add_bytes(input, *out.add_inputs());
}

RunRequest from_wire(const wire::RunRequest& in) {
  RunRequest request{in.token(),
                     in.sha256(),
                     {in.threads(), in.stall_limit(), in.timeout(), in.interpret(), in.verify(),
                      in.timeline(), in.cycles_only()},
                     {}};
  for (const std::string& input : in.inputs()) request.inputs.push_back(bytes_of(input));
  return request;
}

void to_wire(const RunReply& reply, wire::RunReply& out) {
  if (reply.failed) {
    wire::FailedRun& failed = *out.mutable_failed();
    failed.set_message(reply.failed->message);
    failed.set_text(reply.failed->text);
    failed.set_post_mortem_json(reply.failed->post_mortem_json);
    if (const auto& recording = reply.failed->recording) {
      failed.mutable_registers()->Add(recording->registers.begin(), recording->registers.end());
      add_bytes(recording->insns, *failed.mutable_insns());
    }
  } else {
    write_part(reply.result, *out.mutable_result());
  }
  out.set_timeline(reply.timeline);
}

RunReply from_wire(const wire::RunReply& in) {
  RunReply reply;
  if (in.has_failed()) {
    const wire::FailedRun& failed = in.failed();
    reply.failed = {failed.message(), failed.text(), failed.post_mortem_json(), nullptr};
    if (failed.registers_size() > 0)
      reply.failed->recording = std::make_shared<runtime::Recording>(runtime::Recording{
          {failed.registers().begin(), failed.registers().end()}, bytes_of(failed.insns())});
  } else {
    reply.result = read_part(in.result());
  }
  reply.timeline = in.timeline();
  return reply;
}

void to_wire(const HookRequest& request, wire::HookRequest& out) {
  out.set_token(request.token);
  out.set_hook(request.hook == Hook::Flash ? wire::FLASH : wire::RESET);
}

HookRequest from_wire(const wire::HookRequest& in) {
  return {in.token(), in.hook() == wire::FLASH ? Hook::Flash : Hook::Reset};
}

void to_wire(const driver::TransportFacts& facts, wire::TransportFacts& out) {
  out.set_time_unit(facts.time_unit);
  out.set_arms(facts.arms);
  out.set_resets_hard(facts.resets_hard);
  out.set_units_per_second(facts.units_per_second);
  out.set_first_wait(facts.first_wait);
  out.set_cache_line(facts.cache_line);
  out.set_dma_bits(facts.dma_bits);
  out.set_dma_first(facts.dma_first);
  out.set_dma_bytes(facts.dma_bytes);
  out.set_asks_fpga(facts.asks_fpga);
}

driver::TransportFacts from_wire(const wire::TransportFacts& in) {
  return {in.time_unit(),  in.arms(),       in.resets_hard(), in.asks_fpga(), in.units_per_second(),
          in.first_wait(), in.cache_line(), in.dma_bits(),    in.dma_first(), in.dma_bytes()};
}

void to_wire(const AccessCall& call, wire::AccessCall& out) {
  out.set_token(call.token);
  out.set_kind(static_cast<std::uint32_t>(call.request.kind));
  out.set_address(call.request.address);
  out.set_value(call.request.value);
  out.set_alignment(call.request.alignment);
  add_bytes(call.request.data, *out.mutable_data());
}

AccessCall from_wire(const wire::AccessCall& in) {
  // A number beyond the last is of no known kind.
  const auto kind = static_cast<driver::AccessKind>(std::min(in.kind(), driver::kAccessKinds));
  return {in.token(), {kind, in.address(), in.value(), in.alignment(), bytes_of(in.data())}};
}

void to_wire(const driver::AccessReply& reply, wire::AccessReply& out) {
  out.set_error(reply.error);
  out.set_value(reply.value);
  out.set_spent(reply.spent);
  add_bytes(reply.data, *out.mutable_data());
}

driver::AccessReply from_wire(const wire::AccessReply& in) {
  return {in.error(), in.value(), in.spent(), bytes_of(in.data())};
}

}  // namespace vdla::remote
