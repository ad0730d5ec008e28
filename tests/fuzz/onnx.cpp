// SPDX-License-Identifier: Apache-2.0
// ONNX files: the importer, and runs of the networks that it accepts. Most mutations change one field of the
// model, since most changes of bytes end in protobuf.
#include <onnx/onnx_pb.h>

#include <string>
#include <vector>

#include "compiler/import/import.h"
#include "tests/fuzz/mutate.h"
#include "tests/fuzz/network.h"
#include "tests/fuzz/target.h"

namespace vdla::fuzzing {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

/// A field that is set in a message, and its element where it is repeated (-1: it is not).
struct Place {
  Message* message;
  const FieldDescriptor* field;
  int element;
};

/// The places of a model, by what they hold.
struct Places {
  std::vector<Place> numbers;  ///< and bytes of constants
  std::vector<Place> names;
  std::vector<Place> parts;  ///< nodes, tensors and the like
};

void collect(Message& message, Places& places) {
  const Reflection& r = *message.GetReflection();
  std::vector<const FieldDescriptor*> fields;
  r.ListFields(message, &fields);
  for (const FieldDescriptor* field : fields) {
    const int count = field->is_repeated() ? r.FieldSize(message, field) : 1;
    for (int i = 0; i < count; ++i) {
      const Place place{&message, field, field->is_repeated() ? i : -1};
      if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
        places.parts.push_back(place);
        collect(field->is_repeated() ? *r.MutableRepeatedMessage(&message, field, i)
                                     : *r.MutableMessage(&message, field),
                places);
      } else {
        const bool name = field->type() == FieldDescriptor::TYPE_STRING;
        (name ? places.names : places.numbers).push_back(place);
      }
    }
  }
}

const Place* one_of(const std::vector<Place>& places, std::mt19937& random) {
  return places.empty() ? nullptr : &places[random() % places.size()];
}

std::string text_of(const Place& place) {
  const Reflection& r = *place.message->GetReflection();
  return place.element < 0 ? r.GetString(*place.message, place.field)
                           : r.GetRepeatedString(*place.message, place.field, place.element);
}

/// Another name of the model mostly; bytes change in place.
std::string other_text(const Place& place, const Places& places, std::mt19937& random) {
  std::string text = text_of(place);
  const Place* other = one_of(places.names, random);
  if (other && place.field->type() == FieldDescriptor::TYPE_STRING && random() % 4 != 0)
    return text_of(*other);
  if (!text.empty()) text[random() % text.size()] = static_cast<char>(random());
  return text;
}

// A setter for each of protobuf's types, of single and of repeated fields.
#define VDLA_SET(Type, old_value)                                         \
  (place.element < 0 ? r.Set##Type(place.message, place.field, old_value) \
                     : r.SetRepeated##Type(place.message, place.field, place.element, old_value))
#define VDLA_GET(Type)                                          \
  (place.element < 0 ? r.Get##Type(*place.message, place.field) \
                     : r.GetRepeated##Type(*place.message, place.field, place.element))

void change(const Place& place, const Places& places, std::mt19937& random) {
  const Reflection& r = *place.message->GetReflection();
  switch (place.field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      VDLA_SET(Int32, static_cast<std::int32_t>(likely_number(random, VDLA_GET(Int32))));
      break;
    case FieldDescriptor::CPPTYPE_INT64:
      VDLA_SET(Int64, likely_number(random, VDLA_GET(Int64)));
      break;
    case FieldDescriptor::CPPTYPE_UINT64:
      VDLA_SET(UInt64, static_cast<std::uint64_t>(
                           likely_number(random, static_cast<std::int64_t>(VDLA_GET(UInt64)))));
      break;
    case FieldDescriptor::CPPTYPE_FLOAT:
      VDLA_SET(Float, odd_real(random, VDLA_GET(Float)));
      break;
    case FieldDescriptor::CPPTYPE_DOUBLE:
      VDLA_SET(Double, double{odd_real(random, static_cast<float>(VDLA_GET(Double)))});
      break;
    case FieldDescriptor::CPPTYPE_STRING:
      VDLA_SET(String, other_text(place, places, random));
      break;
    case FieldDescriptor::CPPTYPE_ENUM:
      if (place.element < 0) r.SetEnumValue(place.message, place.field, static_cast<int>(random() % 24));
      break;
    default:
      break;
  }
}

#undef VDLA_SET
#undef VDLA_GET

/// Takes the part away, or another of its kind in its place.
void move_part(const Place& part, std::mt19937& random) {
  const Reflection& r = *part.message->GetReflection();
  if (part.element < 0) return r.ClearField(part.message, part.field);
  const int last = r.FieldSize(*part.message, part.field) - 1;
  r.SwapElements(part.message, part.field, part.element,
                 random() % 2 == 0 ? last : static_cast<int>(random() % (static_cast<unsigned>(last) + 1)));
  if (random() % 2 == 0) r.RemoveLast(part.message, part.field);
}

}  // namespace
}  // namespace vdla::fuzzing

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed) {
  using namespace vdla::fuzzing;
  std::mt19937 random(seed);
  onnx::ModelProto model;
  if (random() % 8 != 0 && model.ParseFromArray(data, static_cast<int>(size))) {
    for (unsigned left = 1 + random() % 2; left > 0; --left) {
      Places places;
      collect(model, places);
      const unsigned kind = random() % 16;
      const Place* part = kind == 0 ? one_of(places.parts, random) : nullptr;
      const Place* place = one_of(kind < 4 ? places.names : places.numbers, random);
      if (part)
        move_part(*part, random);
      else if (place)
        change(*place, places, random);
    }
    const std::size_t changed = model.ByteSizeLong();
    if (changed <= max_size && model.SerializePartialToArray(data, static_cast<int>(changed))) return changed;
  }
  return LLVMFuzzerMutate(data, size, max_size);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace vdla;
  fuzzing::accepted([&] { import::summarise_onnx(fuzzing::as_bytes(data, size), "fuzz"); });
  graph::Graph graph;
  if (fuzzing::accepted([&] { graph = import::import_onnx(fuzzing::as_bytes(data, size), "fuzz"); }))
    fuzzing::run_network(graph);
  fuzzing::accepted([&] { import::read_onnx_tensor(fuzzing::as_bytes(data, size), "fuzz"); });
  return 0;
}
