// SPDX-License-Identifier: Apache-2.0
// TFLite files of one operator, as tests need them.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compiler/import/import.h"
#include "compiler/import/schema/tflite_generated.h"

namespace vdla::import::tflite {

using Ints = std::vector<std::int32_t>;

/// Places of the elements of a sparse tensor.
struct FileSparsity {
  /// A dimension: dense with `size` indices, or compressed.
  struct Level {
    std::int32_t size = 0;
    bool compressed = false;
    Ints segments{}, indices{};
    SparseIndexVector kind = SparseIndexVector::Int32Vector;
    int format = -1;  ///< set: another format
  };
  Ints order, blocked;
  std::vector<Level> levels;
};

struct FileTensor {
  Ints shape{};
  TensorType type = TensorType::INT8;
  std::vector<std::uint8_t> data{};  ///< empty: not constant
  float scale = 1;                   ///< 0: no quantisation
  std::int64_t zero_point = 0;
  // Fields that newer files have beside the bytes of a buffer.
  std::uint64_t offset = 0;  ///< of data behind the tables
  std::optional<FileSparsity> sparsity{};
  unsigned external = 0;
  std::uint8_t details = 0;                                     ///< kind of another quantisation
  std::int32_t block_scales = -1, block_zeros = -1, block = 0;  ///< tensors, and a size; 0: none
  bool shapeless = false;                                       ///< the file states no shape
  bool inner = false;                                           ///< between two operators of the file
  bool variable = false;                                        ///< a state
  std::vector<float> scales{};  ///< one for each index of dimension `axis`, in the place of `scale`
  std::int32_t axis = 0;
  Ints free{};  ///< the shape with -1 where an extent is free
};

/// A constant of these elements; none: what an operator makes.
template <class Element>
FileTensor stored(TensorType type, const Ints& shape, const std::vector<Element>& elements, float scale = 0) {
  FileTensor t{shape, type, {}, scale};
  t.data.resize(elements.size() * sizeof(Element));
  if (!elements.empty()) std::memcpy(t.data.data(), elements.data(), t.data.size());
  return t;
}
inline FileTensor stored_reals(const Ints& shape, const std::vector<float>& elements = {}) {
  return stored(TensorType::FLOAT32, shape, elements);
}

/// An operator of a file: its tensors are indices.
struct FileOperator {
  int code = 0;
  BuiltinOptions kind = BuiltinOptions::NONE;
  flatbuffers::Offset<void> options{};
  Ints inputs, outputs;
};

/// A subgraph that operators stand for.
struct FileFunction {
  std::vector<FileTensor> tensors;
  Ints inputs, outputs;
  std::vector<FileOperator> operators;
};

/// A model of one operator: `inputs` are indices into `tensors`, the last ones are the outputs.
class File {
 public:
  const char* custom = nullptr;  ///< set: name of an operator that TFLite lacks
  std::vector<std::uint8_t> custom_options;
  std::vector<FileOperator> before;     ///< operators that make inner tensors
  std::vector<FileFunction> functions;  ///< subgraphs 1, 2, ...
  bool wrapped = false;                 ///< the operators are a subgraph that one of the format stands for

  template <class Options>
  void build(int code, BuiltinOptions kind, flatbuffers::Offset<Options> options,
             const std::vector<FileTensor>& tensors, const Ints& inputs, std::size_t outputs = 1) {
    buffers_ = {CreateBuffer(b_)};
    codes_.clear();
    std::vector<flatbuffers::Offset<Tensor>> all;
    Ints arriving, leaving;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      const FileTensor& t = tensors[i];
      all.push_back(made(t));
      const bool output = i + outputs >= tensors.size();
      if (output || (!constant(t) && !t.inner && !t.variable && t.external == 0))
        (output ? leaving : arriving).push_back(static_cast<std::int32_t>(i));
    }
    std::vector<FileOperator> chain = before;
    chain.push_back({code, kind, options.Union(), inputs, leaving});
    std::vector<flatbuffers::Offset<SubGraph>> graphs{made(all, arriving, leaving, chain)};
    for (const FileFunction& f : functions) {
      all.clear();
      for (const FileTensor& t : f.tensors) all.push_back(made(t));
      graphs.push_back(made(all, f.inputs, f.outputs, f.operators));
    }
    if (wrapped) {
      const auto last = static_cast<std::int32_t>(graphs.size());
      const std::vector<flatbuffers::Offset<Operator>> whole{CreateOperatorDirect(
          b_, static_cast<unsigned>(codes_.size()), &arriving, &leaving, BuiltinOptions::NONE, 0, nullptr, 0,
          nullptr, nullptr, 0, 0, BuiltinOptions2::CompositeOptions,
          CreateCompositeOptions(b_, 0, last).Union())};
      codes_.push_back(CreateOperatorCodeDirect(b_, 127, nullptr, 1, 206));
      all.clear();
      for (const FileTensor& t : tensors) all.push_back(made(t));
      graphs.push_back(graphs[0]);
      graphs[0] = CreateSubGraphDirect(b_, &all, &arriving, &leaving, &whole);
    }
    b_.Finish(CreateModelDirect(b_, 3, &codes_, &graphs, "", &buffers_), "TFL3");
  }

  std::span<const std::byte> bytes() const {
    return std::as_bytes(std::span(b_.GetBufferPointer(), b_.GetSize()));
  }

  template <class Options>
  graph::Graph import(int code, BuiltinOptions kind, flatbuffers::Offset<Options> options,
                      const std::vector<FileTensor>& tensors, const Ints& inputs) {
    build(code, kind, options, tensors, inputs);
    return import_tflite(bytes(), "built.tflite");
  }
  flatbuffers::FlatBufferBuilder& builder() { return b_; }

 private:
  static bool constant(const FileTensor& t) { return !t.data.empty() || t.offset > 0; }

  flatbuffers::Offset<Tensor> made(const FileTensor& t) {
    const std::vector<float> scale = t.scales.empty() ? std::vector<float>{t.scale} : t.scales;
    const std::vector<std::int64_t> zero(scale.size(), t.zero_point);
    const auto none = CreateUnused(b_);
    const flatbuffers::Offset<BlockwiseQuantization> details =
        t.block > 0 ? CreateBlockwiseQuantization(b_, t.block_scales, t.block_zeros, t.block) : none.o;
    const auto q = t.block > 0    ? CreateQuantizationParameters(b_, 0, 0, 0, 0, 2, details)
                   : t.scale == 0 ? 0
                                  : CreateQuantizationParametersDirect(b_, nullptr, nullptr, &scale, &zero,
                                                                       t.details, details, t.axis);
    const auto buffer = constant(t) ? static_cast<unsigned>(buffers_.size()) : 0;
    if (constant(t))
      buffers_.push_back(
          CreateBufferDirect(b_, t.data.empty() ? nullptr : &t.data, t.offset, t.offset > 0 ? 64 : 0));
    return CreateTensorDirect(b_, t.shapeless ? nullptr : &t.shape, t.type, buffer, "t", q, t.variable,
                              sparsity_of(t), t.free.empty() ? nullptr : &t.free, false, nullptr, t.external);
  }

  flatbuffers::Offset<SubGraph> made(const std::vector<flatbuffers::Offset<Tensor>>& tensors,
                                     const Ints& arriving, const Ints& leaving,
                                     const std::vector<FileOperator>& chain) {
    std::vector<flatbuffers::Offset<Operator>> operators;
    for (const FileOperator& o : chain) {
      operators.push_back(CreateOperatorDirect(b_, static_cast<unsigned>(codes_.size()), &o.inputs,
                                               &o.outputs, o.kind, o.options,
                                               custom_options.empty() ? nullptr : &custom_options));
      const int old = o.code < 127 ? o.code : 127;  // the byte that older readers know
      codes_.push_back(CreateOperatorCodeDirect(b_, static_cast<std::int8_t>(old), custom, 1, o.code));
    }
    return CreateSubGraphDirect(b_, &tensors, &arriving, &leaving, &operators);
  }

  flatbuffers::Offset<void> numbers_of(SparseIndexVector kind, const Ints& numbers) {
    const std::vector<std::uint8_t> bytes(numbers.begin(), numbers.end());
    const std::vector<std::uint16_t> halves(numbers.begin(), numbers.end());
    if (kind == SparseIndexVector::Uint8Vector) return CreateUint8VectorDirect(b_, &bytes).Union();
    if (kind == SparseIndexVector::Uint16Vector) return CreateUint16VectorDirect(b_, &halves).Union();
    return CreateInt32VectorDirect(b_, &numbers).Union();
  }
  flatbuffers::Offset<SparsityParameters> sparsity_of(const FileTensor& t) {
    if (!t.sparsity) return 0;
    std::vector<flatbuffers::Offset<DimensionMetadata>> levels;
    for (const FileSparsity::Level& level : t.sparsity->levels) {
      const auto none = SparseIndexVector::NONE;
      const auto kind = level.compressed ? level.kind : none;
      const auto format = level.compressed ? DimensionType::SPARSE_CSR : DimensionType::DENSE;
      const auto segments = level.compressed ? numbers_of(kind, level.segments) : 0;
      const auto indices = level.compressed ? numbers_of(kind, level.indices) : 0;
      levels.push_back(
          CreateDimensionMetadata(b_, level.format < 0 ? format : static_cast<DimensionType>(level.format),
                                  level.size, kind, segments, kind, indices));
    }
    return CreateSparsityParametersDirect(
        b_, &t.sparsity->order, t.sparsity->blocked.empty() ? nullptr : &t.sparsity->blocked, &levels);
  }

  flatbuffers::FlatBufferBuilder b_;
  std::vector<flatbuffers::Offset<Buffer>> buffers_;
  std::vector<flatbuffers::Offset<OperatorCode>> codes_;
};

}  // namespace vdla::import::tflite
