// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/kernel_use.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "compiler/targets/cpu/profile.h"
#include "support/error.h"
#include "tools/explore/hash.h"
#include "tools/tune/log.h"
#include "tools/tune/transfer_logs.h"

namespace vdla::tune {
namespace {

using explore::Json;
using runtime::StepAlternatives;

constexpr double kNs = 1e9;
constexpr const char* kUnproven = "it is not proven to give the results of the layer's own kernel";

/// Knobs of a step's kernels, its own first.
struct KernelKnobs {
  std::string text;
  double estimate = 0;  ///< 0: default ones
};

std::vector<KernelKnobs> knobs_of(const StepAlternatives& step) {
  std::vector<KernelKnobs> all{{step.knobs, step.estimate}};
  for (const runtime::Alternative& other : step.others) all.push_back({other.knobs, other.estimate});
  for (KernelKnobs& knobs : all)
    if (knobs.text.empty()) knobs.text = kByDefault;
  return all;
}

std::vector<pipeline::Knob> space_of(const StepAlternatives& step) {
  std::vector<pipeline::Knob> space;
  for (const runtime::KnobRange& knob : step.space) space.push_back({knob.name, knob.values, knob.names});
  return space;
}

const runtime::HostStep& kernel_of(const runtime::Module& module, const StepAlternatives& step,
                                   std::size_t kernel) {
  return kernel == 0 ? std::get<runtime::HostStep>(module.steps[step.step]) : step.others[kernel - 1].step;
}

/// As a race has it (race_layer()), but that half of the runs lie between `low` and `high`: an inference runs
/// one kernel, so there are no pairs.
Json outcome_of(const runtime::KernelUse& kernel, const runtime::KernelUse& own, const std::string& program) {
  if (kernel.dropped == runtime::Dropped::Unproven) return {{"status", "unbuildable"}, {"reason", kUnproven}};
  const auto quartile = [](std::vector<double> seconds, bool upper) {
    std::ranges::sort(seconds);
    const std::size_t n = seconds.size();
    return seconds[upper ? n - 1 - n / 4 : n / 4];
  };
  const double ns = kNs * runtime::Adaptation::median(kernel.seconds);
  const double own_ns = kNs * runtime::Adaptation::median(own.seconds);
  return {{"status", "ok"},
          {"ns", ns},
          {"incumbent_ns", own_ns},
          {"ratio", ns / own_ns},
          {"low", quartile(kernel.seconds, false) / quartile(own.seconds, true)},
          {"high", quartile(kernel.seconds, true) / quartile(own.seconds, false)},
          {"turns", kernel.seconds.size()},
          {"program", program}};
}

}  // namespace

std::string layer_of(const runtime::Module& module, std::size_t step) {
  const runtime::NodeInfo* node = runtime::main_node(module, step);
  return node ? node->name : "";
}

KernelUseLog::KernelUseLog(std::string path, unsigned threads)
    : path_(std::move(path)), threads_(threads), machine_(pipeline::cpu::host_profile().processor) {
  std::error_code fault;
  const bool is_there = std::filesystem::exists(path_, fault);
  VDLA_CHECK_USER(!fault) << "cannot look for '" << path_ << "': " << fault.message()
                          << "; give another --use-log";
  if (!is_there) return;
  for (const Json& record : records_of(path_, "--use-log")) {
    const std::string key = record.at("key");
    const Json& outcome = record.at("outcome");
    if (is_timed(outcome))
      ratios_[key] = outcome.at("ratio");
    else if (outcome.at("status") != "ok")
      wrong_.insert(key);
  }
}

/// Layers that compute the same share kernels, and each chooses for itself.
std::string KernelUseLog::key(const runtime::Module& module, const StepAlternatives& step,
                              std::size_t kernel) const {
  return explore::content_hash("use\n" + machine_ + "\n" + std::to_string(threads_) + "\n" +
                               layer_of(module, step.step) + "\n" + step.task + "\n" + step.context + "\n" +
                               kernel_of(module, step, kernel).loop_ir + "\n" +
                               kernel_of(module, step, 0).loop_ir);
}

std::map<std::size_t, std::size_t> KernelUseLog::chosen(const runtime::Module& module) const {
  std::map<std::size_t, std::size_t> chosen;
  for (const StepAlternatives& step : module.alternatives) {
    std::size_t best = 0, known = 0;
    double ratio = 1 - runtime::Adaptation::kGain;
    for (std::size_t k = 1; k <= step.others.size(); ++k) {
      const std::string id = key(module, step, k);
      const auto timed = ratios_.find(id);
      known += timed != ratios_.end() || wrong_.contains(id);
      if (timed == ratios_.end() || timed->second >= ratio) continue;
      best = k;
      ratio = timed->second;
    }
    if (known == step.others.size()) chosen[step.step] = best;
  }
  return chosen;
}

void KernelUseLog::add(const runtime::Module& module, const std::vector<runtime::StepUse>& use) {
  std::vector<const runtime::StepUse*> news;
  for (const runtime::StepUse& of : use)
    // Not those that are open, nor those that were known from before.
    if (of.chosen && !of.kernels[0].seconds.empty() && !written_.contains(of.step)) news.push_back(&of);
  if (news.empty()) return;
  TuneLog log(path_, "--use-log");
  for (const runtime::StepUse* of : news) {
    written_.insert(of->step);
    const auto step = std::ranges::find(module.alternatives, of->step, &StepAlternatives::step);
    VDLA_CHECK(step != module.alternatives.end()) << "step " << of->step << " has one kernel";
    const std::vector<KernelKnobs> knobs = knobs_of(*step);
    for (std::size_t k = 0; k < of->kernels.size(); ++k) {
      if (k == 0 && knobs[k].estimate == 0) continue;  // one by default: it says nothing of its knobs
      Json record{{"target", "use on " + machine_},
                  {"engine", "cpu"},
                  {"threads", threads_},
                  {"stage", kUse},
                  {"task", step->task},
                  {"context", step->context},
                  {"knobs", knobs[k].text},
                  {"incumbent", knobs[0].text}};
      if (knobs[k].estimate > 0)
        record.update({{"layers", step->layers},
                       {"estimate", knobs[k].estimate},
                       {"space", space_json(space_of(*step))}});
      const std::string program = explore::content_hash(kernel_of(module, *step, k).loop_ir);
      log.add(key(module, *step, k), record, outcome_of(of->kernels[k], of->kernels[0], program));
    }
  }
}

}  // namespace vdla::tune
