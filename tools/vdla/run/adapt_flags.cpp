// SPDX-License-Identifier: Apache-2.0
#include "tools/vdla/run/adapt_flags.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "runtime/session/thread_pool.h"
#include "support/error.h"
#include "tools/common/validators.h"
#include "tools/tune/log.h"

namespace vdla::tools {

using nlohmann::ordered_json;

void AdaptFlags::add_to(CLI::App& command, bool appends) {
  auto* none = command.add_flag("--no-adapt", none_,
                                "Run the first kernel of each layer of a module compiled with --adapt");
  auto* log = command.add_option(
      "--use-log", path_,
      appends ? "Log of choices for a module compiled with --adapt (JSON lines): start from the choices in "
                "it and append those of this run; vdla tune --from and vdla compile --adapt-from read it"
              : "Log of vdla eval --use-log for a module compiled with --adapt: run the kernels chosen there "
                "(a single run chooses none)");
  log->check(not_empty("a file"))->excludes(none);
  appends_ = appends;
}

std::optional<tune::KernelUseLog> AdaptFlags::set(kit::SessionOptions& options, const runtime::Module& module,
                                                  const std::string& elsewhere,
                                                  const Context& context) const {
  const char* const flag = none_ ? "--no-adapt" : "--use-log";
  if (!none_ && path_.empty()) return std::nullopt;
  VDLA_CHECK_USER(!module.alternatives.empty())
      << flag << " is for a module whose layers choose among kernels, and '" << module.model_name
      << "' has one for each; compile it with --adapt, or leave the option out";
  VDLA_CHECK_USER(elsewhere.empty()) << flag << " is for machine code that runs here, and with " << elsewhere
                                     << " none does; leave one of them out";
  options.adapt = !none_;
  if (path_.empty()) return std::nullopt;
  std::error_code fault;
  VDLA_CHECK_USER(appends_ || std::filesystem::exists(path_, fault))
      << "--use-log: there is no file '" << path_ << "'; vdla eval --use-log makes it";
  tune::KernelUseLog log(path_, options.threads);
  options.chosen_kernels = log.chosen(module);
  if (options.chosen_kernels.empty() && log.size() > 0)
    context.say({fmt::format("{} has nothing of '{}' on this machine with {} thread{}", path_,
                             module.model_name, options.threads, options.threads == 1 ? "" : "s")});
  return log;
}

void say_tuned_threads(const runtime::Module& module, unsigned threads, const Context& context) {
  const unsigned tuned = module.provenance.tuned_threads, here = runtime::thread_count(threads);
  if (tuned == 0 || tuned == here) return;
  context.say({fmt::format(
      "the knobs of '{0}' were tuned with --threads {1}, and this run has {2}: others may be faster; "
      "give --threads {1}, or tune with --threads {2}",
      module.model_name, tuned, here)});
}

namespace {

const char* text_of(runtime::Dropped dropped) {
  return dropped == runtime::Dropped::Unproven ? "it is not proven to give the same results" : "it is slower";
}

std::string knobs_of(const runtime::Module& module, std::size_t step, std::size_t kernel) {
  const auto found = std::ranges::find(module.alternatives, step, &runtime::StepAlternatives::step);
  const std::string& knobs = kernel == 0 ? found->knobs : found->others.at(kernel - 1).knobs;
  return knobs.empty() ? tune::kByDefault : knobs;
}

}  // namespace

ordered_json kernel_use_json(const runtime::Module& module, const kit::Session& session) {
  ordered_json all = ordered_json::array();
  for (const runtime::StepUse& use : session.kernel_use()) {
    ordered_json row{{"step", use.step}, {"layer", tune::layer_of(module, use.step)}};
    row["chosen"] = use.chosen ? ordered_json(*use.chosen) : ordered_json(nullptr);
    row["kernels"] = ordered_json::array();
    for (std::size_t k = 0; k < use.kernels.size(); ++k) {
      const runtime::KernelUse& kernel = use.kernels[k];
      ordered_json one{{"kernel", kernel.kernel},
                       {"knobs", knobs_of(module, use.step, k)},
                       {"runs", kernel.seconds.size()},
                       {"median_us", nullptr}};
      if (!kernel.seconds.empty()) one["median_us"] = 1e6 * runtime::Adaptation::median(kernel.seconds);
      if (kernel.dropped != runtime::Dropped::No) one["dropped"] = text_of(kernel.dropped);
      row["kernels"].push_back(std::move(one));
    }
    all.push_back(std::move(row));
  }
  return all;
}

void print_kernel_use(const ordered_json& use, bool appends) {
  if (use.empty()) return;
  std::size_t chosen = 0, kernels = 0;
  for (const auto& row : use) {
    kernels = std::max(kernels, row["kernels"].size());
    if (row["chosen"].is_null()) continue;
    ++chosen;
    if (row["chosen"] == 0) continue;
    const auto& kernel = row["kernels"].at(row["chosen"].get<std::size_t>());
    fmt::print("kernel of {}: {}\n", row["layer"].get<std::string>(), kernel["knobs"].get<std::string>());
  }
  std::string what_next;
  if (chosen != use.size())
    what_next = appends ? fmt::format("; a layer chooses in at most {} inferences",
                                      runtime::Adaptation::kRuns * kernels)
                        : "; vdla eval --use-log lets them choose, and run takes its log";
  fmt::print("kernels: {} of {} layers have chosen{}\n", chosen, use.size(), what_next);
}

}  // namespace vdla::tools
