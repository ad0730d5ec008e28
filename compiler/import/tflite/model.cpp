// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/tflite/model.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <vector>

#include "support/error.h"

namespace vdla::import::tflite {

std::size_t element_bits(TensorType type) {
  switch (type) {
    case TensorType::INT2:
      return 2;
    case TensorType::INT4:
    case TensorType::UINT4:
      return 4;
    case TensorType::INT8:
    case TensorType::UINT8:
    case TensorType::BOOL:
    case TensorType::FLOAT8_E4M3FN:
    case TensorType::FLOAT8_E5M2:
      return 8;
    case TensorType::INT16:
    case TensorType::UINT16:
    case TensorType::FLOAT16:
    case TensorType::BFLOAT16:
      return 16;
    case TensorType::FLOAT32:
    case TensorType::INT32:
    case TensorType::UINT32:
      return 32;
    case TensorType::INT64:
    case TensorType::UINT64:
    case TensorType::FLOAT64:
    case TensorType::COMPLEX64:
      return 64;
    case TensorType::COMPLEX128:
      return 128;
    case TensorType::STRING:
    case TensorType::RESOURCE:
    case TensorType::VARIANT:
      return 0;
  }
  return 0;
}

namespace {

void check_indices(const flatbuffers::Vector<std::int32_t>* list, std::size_t limit, int lowest,
                   const std::string& what) {
  if (list == nullptr) return;
  for (std::int32_t i : *list)
    VDLA_CHECK_USER(i >= lowest && i < static_cast<std::int64_t>(limit))
        << what << " names tensor " << i << " of " << limit << " (corrupt)";
}

/// Refuses the places of constants that newer files have beside the bytes of a buffer.
void check_storage(const Tensor& t, const Buffer* buffer, const std::string& where) {
  VDLA_CHECK_USER(t.external_buffer() == 0)
      << where << "has its data in another file (external buffer " << t.external_buffer()
      << "); this kit reads data within the model's tables: convert the network without external buffers";
  // 0 and 1: there is none.
  VDLA_CHECK_USER(buffer == nullptr || buffer->offset() <= 1)
      << where << "has its data behind the model's tables (" << buffer->size() << " bytes from byte "
      << buffer->offset()
      << " on); this kit reads data within them: convert the network without buffer offsets";
}

void check_tensor(const Model& model, const Tensor& t, const std::string& where) {
  const auto buffers = model.buffers() ? model.buffers()->size() : 0u;
  VDLA_CHECK_USER(t.buffer() < buffers || (t.buffer() == 0 && buffers == 0))
      << where << "names buffer " << t.buffer() << " of " << buffers << " (corrupt)";
  std::size_t bits = element_bits(t.type());
  if (t.shape())
    for (std::int32_t extent : *t.shape()) {
      VDLA_CHECK_USER(extent >= 0 && extent < (1 << 28))
          << where << "has extent " << extent << ", needs a fixed shape";
      bits *= static_cast<std::size_t>(extent);
      VDLA_CHECK_USER(bits < (std::size_t{1} << 35)) << where << "is larger than 4 GiB (corrupt)";
    }
  const Buffer* buffer = buffers > 0 ? model.buffers()->Get(t.buffer()) : nullptr;
  check_storage(t, buffer, where);
  const std::size_t size = buffer && buffer->data() ? buffer->data()->size() : 0;
  const std::size_t bytes = (bits + 7) / 8;
  // Bytes of a sparse one are counted when they are read (sparsity.h).
  VDLA_CHECK_USER(size == 0 || size == bytes || element_bits(t.type()) == 0 || t.sparsity() != nullptr)
      << where << "has " << size << " bytes of data, its shape needs " << bytes << " (corrupt)";
}

void check_subgraph(const Model& model, const SubGraph& g, const std::string& prefix) {
  const std::size_t tensors = g.tensors() ? g.tensors()->size() : 0;
  for (std::size_t i = 0; i < tensors; ++i) {
    const Tensor& t = *g.tensors()->Get(static_cast<flatbuffers::uoffset_t>(i));
    check_tensor(model, t, prefix + "tensor " + std::to_string(i) + " '" + tensor_name(t) + "' ");
  }
  check_indices(g.inputs(), tensors, 0, prefix + "the list of inputs");
  check_indices(g.outputs(), tensors, 0, prefix + "the list of outputs");
  const std::size_t codes = model.operator_codes() ? model.operator_codes()->size() : 0;
  for (std::size_t i = 0; g.operators() && i < g.operators()->size(); ++i) {
    const Operator& op = *g.operators()->Get(static_cast<flatbuffers::uoffset_t>(i));
    const std::string where = prefix + "operator " + std::to_string(i);
    VDLA_CHECK_USER(op.opcode_index() < codes)
        << where << " names operator code " << op.opcode_index() << " of " << codes << " (corrupt)";
    const OperatorCode& code = *model.operator_codes()->Get(op.opcode_index());
    const std::string name = operator_name(number_of(code));
    const bool gives_none = name == "ASSIGN_VARIABLE" || name == "CALL_ONCE";
    VDLA_CHECK_USER(op.inputs() && op.outputs() && (gives_none || op.outputs()->size() > 0))
        << where << " (" << name
        << ") has no inputs or no outputs, which no operator does that is known to this kit";
    check_indices(op.inputs(), tensors, -1, where);
    check_indices(op.outputs(), tensors, 0, where);
  }
}

}  // namespace

std::string type_name(TensorType type) {
  const char* known = EnumNameTensorType(type);
  return *known != '\0' ? known : "of type " + std::to_string(static_cast<int>(type));
}

int number_of(const OperatorCode& code) {
  return std::max<int>(code.deprecated_builtin_code(), code.builtin_code());
}

std::string tensor_name(const Tensor& t) { return t.name() ? t.name()->str() : ""; }

const Model& checked_model(std::span<const std::byte> bytes, const std::string& file) {
  const std::string prefix = "TFLite model '" + file + "': ";
  const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data());
  VDLA_CHECK_USER(bytes.size() >= 8 && std::memcmp(data + 4, ModelIdentifier(), 4) == 0)
      << prefix << "does not begin with the identifier TFL3 (" << bytes.size() << " bytes)";
  flatbuffers::Verifier verifier(data, bytes.size(), 64, 1'000'000);
  VDLA_CHECK_USER(VerifyModelBuffer(verifier)) << prefix << "its tables point outside of its " << bytes.size()
                                               << " bytes: the file is truncated or corrupt";
  const Model& model = *GetModel(data);
  VDLA_CHECK_USER(model.version() == 3) << prefix << "has format version " << model.version() << ", needs 3";
  VDLA_CHECK_USER(model.subgraphs() && model.subgraphs()->size() > 0) << prefix << "has no subgraph";
  return model;
}

const SubGraph& checked_subgraph(const Model& model, std::int64_t number, const std::string& where,
                                 const std::string& file) {
  VDLA_CHECK_USER(number >= 0 && number < static_cast<std::int64_t>(model.subgraphs()->size()))
      << where << "names subgraph " << number << " of " << model.subgraphs()->size() << " (corrupt)";
  const SubGraph& g = *model.subgraphs()->Get(static_cast<flatbuffers::uoffset_t>(number));
  check_subgraph(model, g, "TFLite model '" + file + "': subgraph " + std::to_string(number) + ": ");
  return g;
}

const SubGraph& function_of(const Model& model, const std::string& signature, const std::string& file) {
  const std::string prefix = "TFLite model '" + file + "': ";
  std::vector<std::string> names;
  std::set<std::uint32_t> subgraphs;
  for (flatbuffers::uoffset_t i = 0; model.signature_defs() && i < model.signature_defs()->size(); ++i) {
    const SignatureDef& s = *model.signature_defs()->Get(i);
    VDLA_CHECK_USER(s.subgraph_index() < model.subgraphs()->size())
        << prefix << "signature " << i << " names subgraph " << s.subgraph_index() << " of "
        << model.subgraphs()->size() << " (corrupt)";
    names.push_back(s.signature_key() ? s.signature_key()->str() : "");
    subgraphs.insert(s.subgraph_index());
    if (signature.empty() || names.back() != signature) continue;
    check_subgraph(model, *model.subgraphs()->Get(s.subgraph_index()), prefix);
    return *model.subgraphs()->Get(s.subgraph_index());
  }
  const std::string all = names.empty() ? "none" : fmt::format("'{}'", fmt::join(names, "', '"));
  VDLA_CHECK_USER(signature.empty()) << prefix << "has no signature '" << signature
                                     << "', its signatures are: " << all;
  VDLA_CHECK_USER(subgraphs.size() <= 1) << prefix << "has several functions, with the signatures " << all
                                         << "; name one (vdla compile --signature)";
  const SubGraph& only = *model.subgraphs()->Get(subgraphs.empty() ? 0 : *subgraphs.begin());
  check_subgraph(model, only, prefix);
  return only;
}

}  // namespace vdla::import::tflite
