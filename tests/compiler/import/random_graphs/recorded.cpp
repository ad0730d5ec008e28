// SPDX-License-Identifier: Apache-2.0
#include "tests/compiler/import/random_graphs/recorded.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

#include "support/error.h"

namespace vdla::random_graphs {
namespace {

constexpr std::size_t kMostRecorded = 12;  // of an output

std::vector<double> spread(const import::Array& array) {
  const std::size_t count = elements_of(array);
  const std::size_t step = std::max<std::size_t>(1, (count + kMostRecorded - 1) / kMostRecorded);
  std::vector<double> some;
  for (std::size_t i = 0; i < count; i += step) some.push_back(element_of(array, i));
  return some;
}

void mix(std::uint64_t& hash, const void* data, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    hash = (hash ^ static_cast<const unsigned char*>(data)[i]) * 0x100000001b3ULL;
}

DataType type_named(const std::string& name) {
  for (const DataType t :
       {DataType::Float32, DataType::Int8, DataType::UInt8, DataType::Int16, DataType::UInt16,
        DataType::Int32, DataType::Int64, DataType::Bool, DataType::UInt32, DataType::UInt64})
    if (graph::name_of(t) == name) return t;
  throw UserError("'" + name + "' is no type of a recorded output");
}

Shape parse_shape(const std::string& text) {
  Shape shape;
  if (text == "scalar") return shape;
  std::istringstream parts(text);
  for (std::string extent; std::getline(parts, extent, 'x');) shape.push_back(std::stoll(extent));
  return shape;
}

}  // namespace

std::uint64_t hash_of(std::span<const std::byte> model, const std::vector<import::Array>& inputs) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  mix(hash, model.data(), model.size());
  for (const import::Array& array : inputs) mix(hash, array.data->data(), array.data->size());
  return hash;
}

std::uint64_t hash_of(const Drawn& drawn) {
  const std::string model = drawn.model.SerializeAsString();
  std::vector<import::Array> inputs;
  for (const auto& [name, array] : drawn.inputs) inputs.push_back(array);
  return hash_of(std::as_bytes(std::span(model)), inputs);
}

Recorded record_of(std::uint64_t seed, std::uint64_t hash, const Answer& answer,
                   const std::vector<Allowed>& allowed) {
  Recorded recorded{seed, hash, {}};
  for (std::size_t i = 0; i < answer.outputs.size(); ++i) {
    const import::Array& array = answer.outputs[i].second;
    const double more = allowed.empty() ? 0 : allowed[i].amount;
    recorded.outputs.push_back({array.type, array.shape, near_of(array) + more, spread(array)});
  }
  return recorded;
}

std::string to_text(const Recorded& recorded) {
  std::string text = fmt::format("graph {} {:016x}\n", recorded.seed, recorded.hash);
  for (const RecordedOutput& o : recorded.outputs) {
    text += fmt::format("{} {} {:.3g}", graph::name_of(o.type), graph::to_string(o.shape), o.near);
    for (const double v : o.elements) text += fmt::format(" {:.8g}", v);
    text += "\n";
  }
  return text;
}

std::vector<Recorded> parse_recorded(const std::string& text) {
  std::vector<Recorded> all;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line.starts_with("#")) continue;
    std::istringstream words(line);
    std::string first, second;
    words >> first >> second;
    if (first == "graph") {
      all.push_back({std::stoull(second), 0, {}});
      words >> std::hex >> all.back().hash;
    } else {
      VDLA_CHECK_USER(!all.empty()) << "line '" << line << "' stands before the first graph";
      RecordedOutput output{type_named(first), parse_shape(second), 0, {}};
      std::string word;
      words >> word;
      output.near = std::stod(word);
      while (words >> word) output.elements.push_back(std::stod(word));
      all.back().outputs.push_back(std::move(output));
    }
  }
  return all;
}

std::string compare(const std::vector<import::Array>& have, const Recorded& want) {
  if (have.size() != want.outputs.size())
    return fmt::format("{} outputs, recorded are {}", have.size(), want.outputs.size());
  for (std::size_t i = 0; i < have.size(); ++i) {
    const RecordedOutput& right = want.outputs[i];
    if (have[i].type != right.type || have[i].shape != right.shape)
      return fmt::format("output {} is {} {}, recorded {} {}", i, graph::name_of(have[i].type),
                         graph::to_string(have[i].shape), graph::name_of(right.type),
                         graph::to_string(right.shape));
    const std::vector<double> values = spread(have[i]);
    for (std::size_t k = 0; k < right.elements.size(); ++k) {
      const double h = values.at(k), w = right.elements[k];
      // Recorded numbers have eight digits.
      if (h == w || (std::isnan(h) && std::isnan(w)) || std::fabs(h - w) <= right.near + 1e-7 * std::fabs(w))
        continue;
      return fmt::format("output {}: element {} of those recorded is {}, right is {} within {:.3g}", i, k, h,
                         w, right.near);
    }
  }
  return "";
}

std::vector<Recorded> read_recorded(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return parse_recorded(text.str());
}

}  // namespace vdla::random_graphs
