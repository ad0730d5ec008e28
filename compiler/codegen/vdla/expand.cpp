// SPDX-License-Identifier: Apache-2.0
// The first pass over the stream: functions become instructions. Their loops are run as far as no instruction
// can, and each run through an allocation is an instance from its first use on to the last statement of its
// block that uses it.
#include "compiler/codegen/vdla/passes.h"

#include <span>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "compiler/codegen/vdla/actions.h"
#include "compiler/codegen/vdla/compute.h"
#include "compiler/codegen/vdla/dma.h"
#include "compiler/form/form.h"
#include "compiler/intrinsics/copy_call.h"
#include "support/error.h"
#include "support/overloaded.h"

namespace vdla::codegen {
namespace {

/// A buffer of the function that lies in SRAM.
struct BufferStorage {
  isa::Buffer buffer;
  std::int64_t entries;
  std::int64_t entry_elements;
  InstanceId instance = kNoInstance;  ///< instance that it is at the moment
  std::int64_t first = 0;             ///< entry of the instance where it begins
};

/// Runs one function and appends what it does.
class Expander {
 public:
  Expander(const FunctionCall& call, Stream& out) : call_(call), out_(out) {
    const loop::Func& func = call.func;
    VDLA_CHECK_USER(call.places.size() == func.params.size())
        << "has " << func.params.size() << " parameters, got places for " << call.places.size();
    for (std::size_t i = 0; i < call.places.size(); ++i) bind(*func.params[i].buffer, call.places[i]);
  }

  void run() {
    form::refuse(form::device_rules(), call_.func);
    const ActionTree tree = compile_actions(call_.func.body, out_.intrinsics, environment_);
    for (const expr::Buffer* buffer : tree.allocated) declare(*buffer);
    run(*tree.root);
  }

 private:
  void bind(const expr::Buffer& param, const std::variant<DramPlace, StoragePlace>& place) {
    if (const auto* dram = std::get_if<DramPlace>(&place)) {
      VDLA_CHECK_USER(param.scope == expr::kGlobalScope)
          << "parameter '" << param.name << "' has scope '" << param.scope << "', its place is in DRAM";
      params_[&param] = *dram;
      return;
    }
    const auto& [instance, first] = std::get<StoragePlace>(place);
    BufferStorage& storage = declare(param);
    const isa::Buffer buffer = out_.instances.at(instance).buffer;
    VDLA_CHECK_USER(buffer == storage.buffer) << "parameter '" << param.name << "' has scope '" << param.scope
                                              << "', its place is in " << isa::to_string(buffer);
    storage.instance = instance;
    storage.first = first;
  }

  BufferStorage& declare(const expr::Buffer& b) {
    const auto buffer = intrinsics::buffer_of(b.scope);
    VDLA_CHECK_USER(buffer && *buffer != isa::Buffer::Uop)
        << "buffer '" << b.name << "' has scope '" << b.scope
        << "', needs inp, wgt, acc, out or par; compute its stage in one of them, or inline it";
    VDLA_CHECK_USER(b.dtype == intrinsics::dtype_of(*buffer))
        << "buffer '" << b.name << "' of scope '" << b.scope << "' must be "
        << expr::name(intrinsics::dtype_of(*buffer)) << ", is " << expr::name(b.dtype);
    const std::int64_t elements = out_.used().entry_bytes(*buffer) / expr::bytes(b.dtype);
    return storages_[&b] = {*buffer, (expr::storage_size(b) + elements - 1) / elements, elements};
  }

  void run(const Action& step) {
    std::visit(overloaded{
                   [&](const LoopAction& n) {
                     const std::int64_t min = n.min.evaluate(environment_);
                     const std::int64_t end = min + n.extent.evaluate(environment_);
                     running_.push_back(&n);
                     for (std::int64_t i = min; i < end; ++i) {
                       environment_.set(n.slot, i);
                       run(*n.body);
                     }
                     running_.pop_back();
                   },
                   [&](const BranchAction& n) {
                     const ActionPtr& chosen =
                         environment_.evaluate(n.condition) != 0 ? n.then_body : n.else_body;
                     if (chosen) run(*chosen);
                   },
                   [&](const BlockAction& n) {
                     for (std::size_t i = 0; i < n.children.size(); ++i) {
                       run(*n.children[i]);
                       for (const expr::Buffer* buffer : n.ends[i]) end(*buffer);
                     }
                   },
                   [&](const NestAction& n) { run(n.task); },
               },
               step.node);
  }

  void end(const expr::Buffer& b) {
    BufferStorage& storage = storages_.at(&b);
    if (storage.instance == kNoInstance) return;
    out_.marks.push_back({Mark::Kind::End, std::exchange(storage.instance, kNoInstance), out_.insns.size()});
  }

  SramPlace place(const expr::Buffer& b) {
    const auto it = storages_.find(&b);
    VDLA_CHECK_USER(it != storages_.end())
        << "buffer '" << b.name << "' must be in scope '" << b.scope << "', but is not allocated";
    BufferStorage& storage = it->second;
    if (storage.instance == kNoInstance) {
      storage.instance = static_cast<InstanceId>(out_.instances.size());
      out_.instances.push_back({storage.buffer, storage.entries, b.name, std::nullopt});
      out_.marks.push_back({Mark::Kind::Begin, storage.instance, out_.insns.size()});
    }
    return {storage.first, storage.entry_elements, storage.instance};
  }

  void run(const FoldedNest& task) {
    NestInstance nest = instantiate(task, environment_);
    if (!normalize(nest)) return;
    out_.sources.push_back({call_.layer, describe(task)});
    try {
      task.intrinsic ? run_compute(task, nest) : run_copy(task, nest);
    } catch (const UserError& error) {
      throw UserError(task.text + ": " + error.what());
    }
  }

  /// "y.o=1 n.o=0: gemm acc over y:4 x:8".
  std::string describe(const FoldedNest& task) const {
    std::string text;
    for (const LoopAction* l : running_)
      text += fmt::format("{}{}={}", text.empty() ? "" : " ", l->name, environment_.value(l->slot));
    return text.empty() ? task.text : text + ": " + task.text;
  }

  void run_compute(const FoldedNest& task, const NestInstance& nest) {
    std::vector<SramPlace> places;
    for (const FoldedOperand& operand : task.operands) places.push_back(place(*operand.buffer));
    emit_compute(task, nest, places, out_);
  }

  void run_copy(const FoldedNest& task, const NestInstance& nest) {
    const std::size_t sram = task.call->name == intrinsics::kLoad ? 0 : 1;
    if (task.call->inputs.empty())
      return emit_copy(task, nest, place(*task.operands[sram].buffer), {isa::Window::Const, 0}, out_);
    const expr::Buffer& dram = *task.operands[1 - sram].buffer;
    const auto it = params_.find(&dram);
    VDLA_CHECK_USER(it != params_.end())
        << "'" << dram.name << "' is no parameter; intermediate tensors in DRAM must be parameters too";
    emit_copy(task, nest, place(*task.operands[sram].buffer), it->second, out_);
  }

  const FunctionCall& call_;
  Stream& out_;
  Environment environment_;
  std::vector<const LoopAction*> running_;  ///< outermost first
  std::unordered_map<const expr::Buffer*, DramPlace> params_;
  std::unordered_map<const expr::Buffer*, BufferStorage> storages_;
};

}  // namespace

/// Leaves no call. UserError for a function that the device has no instructions for, naming the layer.
void expand(Stream& stream) {
  const std::vector<Mark> marks = std::exchange(stream.marks, {});
  std::vector<StreamInsn> insns = std::exchange(stream.insns, {});
  const auto on_mark = [&](Mark mark) {
    if (mark.kind != Mark::Kind::Call) {
      mark.at = stream.insns.size();
      stream.marks.push_back(mark);
      return;
    }
    const FunctionCall call = std::move(stream.calls.at(mark.id));  // its loops are not needed any more
    try {
      Expander(call, stream).run();
    } catch (const UserError& error) {
      throw UserError(fmt::format("layer '{}': {}", stream.layers.at(call.layer).name, error.what()));
    }
  };
  for_each_item(marks, insns, on_mark, [&](std::size_t i) { stream.insns.push_back(std::move(insns[i])); });
  stream.calls.clear();
}

}  // namespace vdla::codegen
