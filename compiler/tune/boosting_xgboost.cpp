// SPDX-License-Identifier: Apache-2.0
// Through XGBoost's C API. Scores are computed by the kit's own Trees: they are read once, as the library's
// JSON dump of a model.
#include <dlfcn.h>
#include <fmt/format.h>
#include <xgboost/c_api.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "compiler/tune/boosting.h"
#include "support/error.h"

namespace vdla::tune {
namespace {

using Json = nlohmann::json;

#define VDLA_XGBOOST_FUNCTIONS(X) \
  X(XGBGetLastError)              \
  X(XGDMatrixCreateFromMat)       \
  X(XGDMatrixFree)                \
  X(XGDMatrixSetFloatInfo)        \
  X(XGBoosterCreate)              \
  X(XGBoosterFree)                \
  X(XGBoosterSetParam)            \
  X(XGBoosterUpdateOneIter)       \
  X(XGBoosterBoostOneIter)        \
  X(XGBoosterPredict)             \
  X(XGBoosterDumpModelEx)

struct Library {
#define VDLA_MEMBER(name) decltype(&::name) name = nullptr;
  VDLA_XGBOOST_FUNCTIONS(VDLA_MEMBER)
#undef VDLA_MEMBER
};

/// Nothing where it is not there, or lacks one of them.
std::optional<Library> load() {
  void* handle = dlopen("libxgboost.so.0", RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) handle = dlopen("libxgboost.so", RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return std::nullopt;
  Library library;
#define VDLA_LOAD(name)                                                          \
  library.name = reinterpret_cast<decltype(library.name)>(dlsym(handle, #name)); \
  if (library.name == nullptr) return std::nullopt;
  VDLA_XGBOOST_FUNCTIONS(VDLA_LOAD)
#undef VDLA_LOAD
  return library;
}

/// Loaded when a search first learns: linked, it takes 2 ms of 25 of the start of every command.
const std::optional<Library>& library() {
  static const std::optional<Library> kLibrary = load();
  return kLibrary;
}

void checked(int status) { VDLA_CHECK(status == 0) << "XGBoost: " << library()->XGBGetLastError(); }

class Matrix {
 public:
  explicit Matrix(const Rows& rows) {
    checked(library()->XGDMatrixCreateFromMat(rows.values().data(), rows.size(), rows.columns(),
                                              std::numeric_limits<float>::quiet_NaN(), &handle_));
  }
  ~Matrix() { library()->XGDMatrixFree(handle_); }
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
    checked(library()->XGBoosterCreate(&data, 1, &handle_));
    set("objective", "reg:squarederror");
    set("tree_method", "exact");
    set("base_score", "0");
    set("nthread", "1");
    set("verbosity", "0");
    set("max_depth", std::to_string(options.depth));
    set("eta", fmt::format("{}", options.rate));
  }
  ~Booster() { library()->XGBoosterFree(handle_); }
  Booster(const Booster&) = delete;
  Booster& operator=(const Booster&) = delete;

  BoosterHandle handle() const { return handle_; }

  std::vector<float> scores(const Matrix& matrix) const {
    bst_ulong count = 0;
    const float* values = nullptr;
    checked(library()->XGBoosterPredict(handle_, matrix.handle(), 0, 0, 1, &count, &values));
    return {values, values + count};
  }

  Trees trees() const {
    bst_ulong count = 0;
    const char** texts = nullptr;
    checked(library()->XGBoosterDumpModelEx(handle_, "", 0, "json", &count, &texts));
    Trees trees;
    for (bst_ulong i = 0; i < count; ++i) trees.roots.push_back(add(trees, Json::parse(texts[i])));
    return trees;
  }

 private:
  void set(const char* name, const std::string& value) const {
    checked(library()->XGBoosterSetParam(handle_, name, value.c_str()));
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

bool can_boost() { return library().has_value(); }

Trees boost(const Rows& rows, const std::vector<float>& labels, const BoostingOptions& options) {
  VDLA_CHECK(labels.size() == rows.size()) << labels.size() << " labels for " << rows.size() << " rows";
  const Matrix matrix(rows);
  checked(library()->XGDMatrixSetFloatInfo(matrix.handle(), "label", labels.data(), labels.size()));
  const Booster booster(matrix, options);
  for (int round = 0; round < options.rounds; ++round)
    checked(library()->XGBoosterUpdateOneIter(booster.handle(), round, matrix.handle()));
  return booster.trees();
}

Trees boost(const Rows& rows, const Loss& loss, const BoostingOptions& options) {
  const Matrix matrix(rows);
  const Booster booster(matrix, options);
  for (int round = 0; round < options.rounds; ++round) {
    Gradients g = loss(round == 0 ? std::vector<float>(rows.size()) : booster.scores(matrix));
    checked(library()->XGBoosterBoostOneIter(booster.handle(), matrix.handle(), g.first.data(),
                                             g.second.data(), g.first.size()));
  }
  return booster.trees();
}

}  // namespace vdla::tune
