// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/tflite/cut.h"

#include <algorithm>
#include <map>

#include "compiler/import/cut.h"
#include "support/error.h"

namespace vdla::import::tflite {
namespace {

class Cutter {
 public:
  Cutter(const SubGraph& function, std::string where) : function_(function), where_(std::move(where)) {
    for (std::size_t i = 0; i < count(); ++i)
      for (const int output : list(operator_at(i).outputs())) writers_.emplace(output, i);
  }

  Cut cut(const ImportOptions& options) {
    for (const std::string& name : options.from)
      result_.begun.insert(result_.inputs.emplace_back(tensor(name)));
    for (const std::string& name : options.until) result_.outputs.push_back(tensor(name));
    if (options.until.empty()) result_.outputs = list(function_.outputs());
    result_.needed.resize(count());
    for (const int output : result_.outputs) need(output);
    while (add_effects()) continue;
    for (std::size_t i = 0; i < options.from.size(); ++i)
      if (!tensors_.contains(result_.inputs[i])) refuse_idle_tensor(where_, options.from[i]);
    for (const int input : list(function_.inputs()))
      if (tensors_.contains(input) && !result_.begun.contains(input)) result_.inputs.push_back(input);
    return std::move(result_);
  }

 private:
  static std::vector<int> list(const flatbuffers::Vector<std::int32_t>* indices) {
    return indices == nullptr ? std::vector<int>{} : std::vector<int>(indices->begin(), indices->end());
  }
  std::size_t count() const { return function_.operators() ? function_.operators()->size() : 0; }
  const Operator& operator_at(std::size_t i) const {
    return *function_.operators()->Get(static_cast<flatbuffers::uoffset_t>(i));
  }
  const Tensor& tensor_at(int i) const {
    return *function_.tensors()->Get(static_cast<flatbuffers::uoffset_t>(i));
  }

  int tensor(const std::string& name) const {
    std::vector<std::string> names;
    std::vector<int> found;
    for (int i = 0; function_.tensors() && i < static_cast<int>(function_.tensors()->size()); ++i) {
      names.push_back(tensor_name(tensor_at(i)));
      if (names.back() == name) found.push_back(i);
    }
    if (found.empty()) refuse_unknown_tensor(where_, name, names);
    VDLA_CHECK_USER(found.size() == 1)
        << where_ << "has " << found.size() << " tensors '" << name << "', needs one at which it is cut";
    return found[0];
  }

  /// Notes that the tensor is needed, with the operators that it comes of.
  void need(int tensor) {
    std::vector<int> open{tensor};
    while (!open.empty()) {
      const int index = open.back();
      open.pop_back();
      if (index < 0 || !tensors_.insert(index).second || result_.begun.contains(index)) continue;
      for (auto [writer, end] = writers_.equal_range(index); writer != end; ++writer) {
        result_.needed[writer->second] = true;
        const std::vector<int> inputs = list(operator_at(writer->second).inputs());
        open.insert(open.end(), inputs.begin(), inputs.end());
      }
    }
  }

  /// Operators without outputs act on variables: all of them are needed where a variable is. Whether there
  /// were new ones.
  bool add_effects() {
    const auto is_variable = [&](int t) { return tensor_at(t).type() == TensorType::RESOURCE; };
    if (std::ranges::none_of(tensors_, is_variable)) return false;
    bool any = false;
    for (std::size_t i = 0; i < count(); ++i) {
      if (result_.needed[i] || !list(operator_at(i).outputs()).empty()) continue;
      any = result_.needed[i] = true;
      for (const int input : list(operator_at(i).inputs())) need(input);
    }
    return any;
  }

  const SubGraph& function_;
  std::string where_;
  std::multimap<int, std::size_t> writers_;  ///< operators that give a tensor
  Cut result_;
  std::set<int> tensors_;  ///< tensors that are needed
};

}  // namespace

Cut cut_of(const SubGraph& function, const ImportOptions& options, const std::string& file) {
  if (is_cut(options)) return Cutter(function, "TFLite model '" + file + "': ").cut(options);
  Cut whole;
  if (function.inputs()) whole.inputs.assign(function.inputs()->begin(), function.inputs()->end());
  if (function.outputs()) whole.outputs.assign(function.outputs()->begin(), function.outputs()->end());
  return whole;
}

}  // namespace vdla::import::tflite
