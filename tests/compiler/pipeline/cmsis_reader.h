// SPDX-License-Identifier: Apache-2.0
// The data file of one published operator case of CMSIS-NN.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace vdla::testing {

struct CmsisReader {
  nlohmann::json json;

  std::int64_t number(const std::string& key, std::int64_t otherwise = 0) const {
    return json["params"].contains(key) ? json["params"][key].get<std::int64_t>() : otherwise;
  }
  std::int32_t number32(const std::string& key, std::int32_t otherwise = 0) const {
    return static_cast<std::int32_t>(number(key, otherwise));
  }
  bool has(const std::string& tensor) const { return json["tensors"].contains(tensor); }
  /// The tensor's numbers; the file holds them as a list, or as its text.
  template <class T = std::int32_t>
  std::vector<T> values(const std::string& tensor) const {
    const auto& data = json["tensors"][tensor]["data"];
    return (data.is_string() ? nlohmann::json::parse(data.get<std::string>()) : data).get<std::vector<T>>();
  }
  std::string first_of(std::initializer_list<const char*> names) const {
    for (const char* name : names)
      if (has(name)) return name;
    return {};
  }
  /// Padding before is given; what stands behind follows from the output's extent.
  static std::pair<std::int64_t, std::int64_t> pads(std::int64_t in, std::int64_t before, std::int64_t kernel,
                                                    std::int64_t stride, std::int64_t dilation,
                                                    std::int64_t out) {
    return {before,
            std::max<std::int64_t>(0, (out - 1) * stride + (kernel - 1) * dilation + 1 - in - before)};
  }
};

}  // namespace vdla::testing
