// SPDX-License-Identifier: Apache-2.0
// Through XGBoost's C API. Scores are computed by the kit's own Trees: they are read once, as the library's
// JSON dump of a model.
#include <fmt/format.h>
#include <xgboost/c_api.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "compiler/tune/boosting.h"
#include "support/error.h"

namespace vdla::tune {
namespace {

using Json = nlohmann::json;

void checked(int status) { VDLA_CHECK(status == 0) << "XGBoost: " << XGBGetLastError(); }

class Matrix {
 public:
  explicit Matrix(const Rows& rows) {
    checked(XGDMatrixCreateFromMat(rows.values().data(), rows.size(), rows.columns(),
                                   std::numeric_limits<float>::quiet_NaN(), &handle_));
  }
  ~Matrix() { XGDMatrixFree(handle_); }
  Matrix(const Matrix&) = delete;
  Matrix& operator=(const Matrix&) = delete;

  DMatrixHandle handle() const { return handle_; }

 private:
  DMatrixHandle handle_ = nullptr;
};

class Booster {
 public:
  Booster(const Matrix& matrix, const BoostingOptions& options) {
    const DMatrixHandle data = matrix.handle();
    checked(XGBoosterCreate(&data, 1, &handle_));
    set("objective", "reg:squarederror");
    set("tree_method", "exact");
    set("base_score", "0");
    set("nthread", "1");
    set("verbosity", "0");
    set("max_depth", std::to_string(options.depth));
    set("eta", fmt::format("{}", options.rate));
  }
  ~Booster() { XGBoosterFree(handle_); }
  Booster(const Booster&) = delete;
  Booster& operator=(const Booster&) = delete;

  BoosterHandle handle() const { return handle_; }

  std::vector<float> scores(const Matrix& matrix) const {
    bst_ulong count = 0;
    const float* values = nullptr;
    checked(XGBoosterPredict(handle_, matrix.handle(), 0, 0, 1, &count, &values));
    return {values, values + count};
  }

  Trees trees() const {
    bst_ulong count = 0;
    const char** texts = nullptr;
    checked(XGBoosterDumpModelEx(handle_, "", 0, "json", &count, &texts));
    Trees trees;
    for (bst_ulong i = 0; i < count; ++i) trees.roots.push_back(add(trees, Json::parse(texts[i])));
    return trees;
  }

 private:
  void set(const char* name, const std::string& value) const {
    checked(XGBoosterSetParam(handle_, name, value.c_str()));
  }

  /// Place of the node, which stands behind those below it.
  static std::int32_t add(Trees& trees, const Json& node) {
    Trees::Node made;
    if (node.contains("leaf")) {
      made.value = node["leaf"].get<float>();
    } else {
      made.feature = std::stoi(node.at("split").get<std::string>().substr(1));  // "f12"
      made.value = node.at("split_condition").get<float>();
      for (const Json& child : node.at("children"))
        (child.at("nodeid") == node.at("yes") ? made.below : made.other) = add(trees, child);
    }
    trees.nodes.push_back(made);
    return static_cast<std::int32_t>(trees.nodes.size()) - 1;
  }

  BoosterHandle handle_ = nullptr;
};

}  // namespace

bool can_boost() { return true; }

Trees boost(const Rows& rows, const std::vector<float>& labels, const BoostingOptions& options) {
  VDLA_CHECK(labels.size() == rows.size()) << labels.size() << " labels for " << rows.size() << " rows";
  const Matrix matrix(rows);
  checked(XGDMatrixSetFloatInfo(matrix.handle(), "label", labels.data(), labels.size()));
  const Booster booster(matrix, options);
  for (int round = 0; round < options.rounds; ++round)
    checked(XGBoosterUpdateOneIter(booster.handle(), round, matrix.handle()));
  return booster.trees();
}

Trees boost(const Rows& rows, const Loss& loss, const BoostingOptions& options) {
  const Matrix matrix(rows);
  const Booster booster(matrix, options);
  for (int round = 0; round < options.rounds; ++round) {
    Gradients g = loss(round == 0 ? std::vector<float>(rows.size()) : booster.scores(matrix));
    checked(XGBoosterBoostOneIter(booster.handle(), matrix.handle(), g.first.data(), g.second.data(),
                                  g.first.size()));
  }
  return booster.trees();
}

}  // namespace vdla::tune
