// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <sstream>

#include "compiler/import/metadata.h"
#include "compiler/import/schema/tflite_metadata_generated.h"
#include "compiler/import/tflite/model.h"
#include "support/error.h"

namespace vdla::import {
namespace {

using Buffer = std::vector<std::uint8_t>;
template <class T>
using Tables = flatbuffers::Vector<flatbuffers::Offset<T>>;

/// A copy, since its place in the file may be off the alignment; empty: there is none.
Buffer metadata_buffer(const tflite::Model& model, const std::string& where) {
  if (model.metadata() == nullptr || model.buffers() == nullptr) return {};
  for (const auto* entry : *model.metadata()) {
    if (entry->name() == nullptr || entry->name()->str() != "TFLITE_METADATA") continue;
    VDLA_CHECK_USER(entry->buffer() < model.buffers()->size())
        << where << "metadata names buffer " << entry->buffer() << " of " << model.buffers()->size()
        << " (corrupt)";
    const auto* data = model.buffers()->Get(entry->buffer())->data();
    if (data != nullptr) return {data->begin(), data->end()};
  }
  return {};
}

/// The first of a list that may be absent.
template <class T>
const T* first(const Tables<T>* list) {
  return list == nullptr || list->size() == 0 ? nullptr : list->Get(0);
}

std::vector<double> reals(const flatbuffers::Vector<float>* values) {
  return values ? std::vector<double>(values->begin(), values->end()) : std::vector<double>{};
}

Preprocessing pixels_of(const schema::TensorMetadata& input, const std::string& where) {
  Preprocessing pixels;
  const auto* content = input.content();
  if (content == nullptr || content->properties_type() != schema::ContentProperties::Image ||
      input.process_units() == nullptr)
    return pixels;
  for (const auto* unit : *input.process_units())
    if (const auto* n = unit->options_as_NormalizationOptions())
      pixels.normalise = Normalisation{1, reals(n->mean()), reals(n->std())};
  check_preprocessing(pixels, where + "normalisation in its metadata");
  return pixels;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    lines.push_back(line);
  }
  return lines;
}

/// Names of classes in the language that is not named, or in the first.
std::vector<std::string> classes_of(const schema::TensorMetadata& output, std::span<const std::byte> file) {
  const schema::AssociatedFile* chosen = nullptr;
  if (output.associated_files() != nullptr)
    for (const auto* f : *output.associated_files()) {
      if (f->type() != schema::AssociatedFileType::TENSOR_AXIS_LABELS || f->name() == nullptr) continue;
      const bool plain = f->locale() == nullptr || f->locale()->size() == 0;
      if (chosen == nullptr || plain) chosen = f;
      if (plain) break;
    }
  if (chosen == nullptr) return {};
  const auto text = archived_file(file, chosen->name()->str());
  return text ? lines_of(*text) : std::vector<std::string>{};
}

}  // namespace

Metadata tflite_metadata(std::span<const std::byte> bytes, const std::string& name) {
  const std::string where = "TFLite model '" + name + "': ";
  const Buffer buffer = metadata_buffer(tflite::checked_model(bytes, name), where);
  if (buffer.empty()) return {};
  flatbuffers::Verifier verifier(buffer.data(), buffer.size());
  VDLA_CHECK_USER(schema::VerifyModelMetadataBuffer(verifier))
      << where << "its buffer TFLITE_METADATA is truncated or corrupt";
  const auto* graph = first(schema::GetModelMetadata(buffer.data())->subgraph_metadata());
  if (graph == nullptr) return {};
  Metadata result;
  if (const auto* input = first(graph->input_tensor_metadata())) result.pixels = pixels_of(*input, where);
  if (const auto* output = first(graph->output_tensor_metadata()))
    result.class_names = classes_of(*output, bytes);
  return result;
}

}  // namespace vdla::import
