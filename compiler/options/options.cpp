// SPDX-License-Identifier: Apache-2.0
#include "compiler/options/options.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "isa/variants/variants.h"
#include "support/error.h"

namespace vdla::pipeline {

std::string target_of(const isa::Variant& variant) {
  const auto parts = nlohmann::ordered_json::parse(isa::to_json(variant));
  std::string text;
  for (const char* part : {"geometry", "timing"})
    for (const auto& [key, value] : parts.at(part).items())
      if (key != "clock_mhz") text += (text.empty() ? "" : " ") + key + "=" + value.dump();
  return text;
}

namespace {

std::string code_of(const CompileOptions& options) {
  std::string text;
  for (const CpuTarget& cpu : options.other_cpus)
    text += fmt::format("{}{} {}{}", text.empty() ? "" : ",", cpu.triple, cpu.cpu, cpu.features);
  if (!text.empty()) return text;
  switch (options.cpu_code) {
    case CpuCode::Portable:
      return "portable";
    case CpuCode::Levels:
      return "levels";
    case CpuCode::Native:
      return "native";
    case CpuCode::Avx2:
      return "avx2";
    case CpuCode::Avx512:
      return "avx512";
  }
  return text;
}

}  // namespace

std::string target_of(const CompileOptions& options) {
  if (options.use_device) return target_of(options.variant);
  const cpu::CpuProfile& m = options.cpu;
  return fmt::format(
      "cpu code={} vector_bytes={} vector_registers={} dot_product={} l1_bytes={} l2_bytes={} l3_bytes={} "
      "processor={}",
      code_of(options), m.vector_bytes, m.vector_registers, m.dot_product ? 1 : 0, m.l1_bytes, m.l2_bytes,
      m.l3_bytes, m.processor);
}

std::string target_of(const GpuOptions& gpu) {
  return fmt::format("{}kind={} machine={}", kGpuBook, gpu.kind, gpu.profile.name);
}

void require_fitting_books(const CompileOptions& options) {
  VDLA_CHECK_USER(!options.book || options.book->target == target_of(options))
      << "the knob book is for " << options.book->target << ", and this compile for " << target_of(options)
      << "; tune for that " << (options.use_device ? "variant" : "CPU") << ", or leave the book out";
  if (!options.gpu) return;
  const GpuOptions& gpu = *options.gpu;
  VDLA_CHECK_USER(!gpu.book || gpu.book->target == target_of(gpu))
      << "the knob book is for " << gpu.book->target << ", and this compile for " << target_of(gpu)
      << "; tune for that GPU, or leave the book out";
}

KeptOff kept_off(const CompileOptions& options) {
  KeptOff result = options.as_before;
  for (const std::string& node : options.on_gpu) result[node] = "placed on the GPU on request";
  for (const std::string& node : options.on_cpu) result[node] = "placed there on request";
  return result;
}

}  // namespace vdla::pipeline
