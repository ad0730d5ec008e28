// SPDX-License-Identifier: Apache-2.0
#include "sim/host/xrt_device.h"

#include <fmt/format.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/dynamic_message.h>
#include <google/protobuf/io/coded_stream.h>
#include <xcl_macros.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <optional>

#include "support/element_with.h"
#include "support/error.h"
#include "support/input_file.h"

namespace vdla::sim {
namespace {

namespace pb = google::protobuf;

/// Bytes of a call's header: two numbers of fixed width, each behind its tag. An answer has the first only.
constexpr std::size_t kCallHeader = 14;
constexpr std::uint64_t kRegisterBytes = 4;
constexpr std::uint64_t kLongestCall = 64 << 20;
/// Most time of one look: a call comes at once, once it has begun.
constexpr std::chrono::milliseconds kRestOfCall{5'000};

struct Call {
  std::uint32_t number;
  const char* name;
};
/// Calls of a card with one kernel.
constexpr Call kCalls[] = {
    {xclClose_n, "xclClose"},
    {xclAllocDeviceBuffer_n, "xclAllocDeviceBuffer"},
    {xclFreeDeviceBuffer_n, "xclFreeDeviceBuffer"},
    {xclCopyBufferHost2Device_n, "xclCopyBufferHost2Device"},
    {xclCopyBufferDevice2Host_n, "xclCopyBufferDevice2Host"},
    {xclWriteAddrKernelCtrl_n, "xclWriteAddrKernelCtrl"},
    {xclReadAddrKernelCtrl_n, "xclReadAddrKernelCtrl"},
};

/// A file's description lies in each library of its messages: fields of a FileDescriptorProto, its name
/// first. Its length is not there: it ends where no such field begins.
std::optional<pb::FileDescriptorProto> description_in(std::string_view library, const std::string& file) {
  const std::string begin = std::string("\x0a") + static_cast<char>(file.size()) + file;
  const std::size_t at = library.find(begin);
  if (at == std::string_view::npos) return std::nullopt;
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(library.data() + at);
  const int size = static_cast<int>(std::min<std::size_t>(library.size() - at, 1 << 20));
  pb::io::CodedInputStream stream(bytes, size);
  int end = 0;
  for (;;) {
    const std::uint32_t tag = stream.ReadTag(), field = tag >> 3;
    std::uint32_t length = 0;
    constexpr std::uint32_t kLengthDelimited = 2;
    if ((tag & 7) != kLengthDelimited ||
        pb::FileDescriptorProto::descriptor()->FindFieldByNumber(static_cast<int>(field)) == nullptr)
      break;
    if (!stream.ReadVarint32(&length) || !stream.Skip(static_cast<int>(length))) break;
    end = stream.CurrentPosition();
  }
  pb::FileDescriptorProto description;
  return description.ParseFromArray(bytes, end) ? std::optional(description) : std::nullopt;
}

/// A message by names of its fields. UserError: it has no such field, or one of another type.
class Fields {
 public:
  using Type = pb::FieldDescriptor::CppType;

  explicit Fields(pb::Message& message) : message_(message) {}

  std::uint64_t number(const char* name) const {
    const pb::FieldDescriptor& f = field(name, {Type::CPPTYPE_UINT32, Type::CPPTYPE_UINT64});
    return f.cpp_type() == Type::CPPTYPE_UINT32 ? reflection().GetUInt32(message_, &f)
                                                : reflection().GetUInt64(message_, &f);
  }
  std::string bytes(const char* name) const {
    return reflection().GetString(message_, &field(name, {Type::CPPTYPE_STRING}));
  }
  void set(const char* name, std::uint64_t value) {
    reflection().SetUInt64(&message_, &field(name, {Type::CPPTYPE_UINT64}), value);
  }
  void set(const char* name, std::string value) {
    reflection().SetString(&message_, &field(name, {Type::CPPTYPE_STRING}), std::move(value));
  }
  /// Every answer says in some field that the call was done.
  void acknowledge() {
    for (int i = 0; i < message_.GetDescriptor()->field_count(); ++i) {
      const pb::FieldDescriptor* f = message_.GetDescriptor()->field(i);
      if (f->cpp_type() == Type::CPPTYPE_BOOL && !f->is_repeated()) reflection().SetBool(&message_, f, true);
    }
  }

 private:
  const pb::Reflection& reflection() const { return *message_.GetReflection(); }
  const pb::FieldDescriptor& field(const char* name, std::initializer_list<Type> types) const {
    const pb::FieldDescriptor* f = message_.GetDescriptor()->FindFieldByName(name);
    const bool fits = f != nullptr && !f->is_repeated() && std::ranges::count(types, f->cpp_type()) != 0;
    VDLA_CHECK_USER(fits) << "XRT's message " << message_.GetDescriptor()->name() << " has "
                          << (f == nullptr ? "no field " : "another type of field ") << name
                          << ", needs the messages of XRT 2.13";
    return *f;
  }

  pb::Message& message_;
};

}  // namespace

/// XRT's messages by name.
class XrtDevice::Messages {
 public:
  explicit Messages(const std::filesystem::path& library) {
    const std::vector<std::byte> bytes = read_input(library);
    const auto description =
        description_in({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, "rpc_messages.proto");
    VDLA_CHECK_USER(description && pool_.BuildFile(*description) != nullptr)
        << library.string() << " describes no messages of XRT's emulation, needs the library of XRT 2.13";
  }

  std::unique_ptr<pb::Message> make(const std::string& name) {
    const pb::Descriptor* type = pool_.FindMessageTypeByName(name);
    VDLA_CHECK_USER(type != nullptr) << "XRT's emulation has no message " << name
                                     << ", needs those of XRT 2.13";
    return std::unique_ptr<pb::Message>(factory_.GetPrototype(type)->New());
  }
  std::unique_ptr<pb::Message> parse(const std::string& name, const std::string& bytes) {
    auto message = make(name);
    VDLA_CHECK_USER(message->ParsePartialFromString(bytes) && message->IsInitialized())
        << "XRT's emulation sent what is no " << name;
    return message;
  }

 private:
  pb::DescriptorPool pool_;
  pb::DynamicMessageFactory factory_;
};

XrtDevice::XrtDevice(const std::filesystem::path& library, const MemorySegment& memory,
                     AttachedEngine& engine)
    : messages_(std::make_unique<Messages>(library)), memory_(memory), engine_(engine) {}

XrtDevice::~XrtDevice() = default;

bool XrtDevice::serve(Connection& connection) {
  if (!connection.receive(received_, std::chrono::milliseconds(0))) return false;
  const auto wait_for = [&](std::size_t bytes) {
    while (received_.size() < bytes)
      VDLA_CHECK_USER(connection.receive(received_, kRestOfCall))
          << connection.peer() << " sent " << received_.size() << " bytes of a call and no more, needs "
          << bytes;
  };
  wait_for(kCallHeader);
  const auto header = messages_->parse("call_packet_info", received_.substr(0, kCallHeader));
  const Fields call(*header);
  const std::uint64_t size = call.number("size");
  VDLA_CHECK_USER(size <= kLongestCall)
      << connection.peer() << " sent a call of " << size << " bytes, needs at most " << kLongestCall;
  wait_for(kCallHeader + size);
  const std::string body =
      answer(static_cast<std::uint32_t>(call.number("xcl_api")), received_.substr(kCallHeader, size));
  received_.erase(0, kCallHeader + size);
  const auto reply = messages_->make("response_packet_info");
  Fields(*reply).set("size", body.size());
  connection.send(reply->SerializePartialAsString() + body);
  return true;
}

std::string XrtDevice::answer(std::uint32_t number, const std::string& request) {
  const Call* known = std::ranges::find(kCalls, number, &Call::number);
  VDLA_CHECK_USER(known != std::end(kCalls))
      << "XRT's emulation makes call " << number << ", which a card with one kernel has not";
  const std::string name = known->name;
  const auto call = messages_->parse(name + "_call", request), response = messages_->make(name + "_response");
  const Fields asked(*call);
  Fields said(*response);
  said.acknowledge();
  const auto registers = [&](std::uint64_t bytes) {
    const std::uint64_t at = asked.number("addr") - kRegistersBase;
    VDLA_CHECK_USER(at % kRegisterBytes == 0 && bytes % kRegisterBytes == 0 && at < kRegistersBytes &&
                    bytes <= kRegistersBytes - at)
        << "XRT accesses " << bytes << fmt::format(" bytes at {:#x}", asked.number("addr"))
        << ", needs whole registers of the kernel";
    return static_cast<std::uint32_t>(at);
  };
  const auto memory = [&](std::uint64_t address, std::uint64_t bytes) {
    const std::uint64_t at = address - memory_.base;
    VDLA_CHECK_USER(at <= memory_.bytes.size() && bytes <= memory_.bytes.size() - at)
        << "XRT copies " << bytes << fmt::format(" bytes at {:#x}", address) << ", needs memory of the card";
    return memory_.bytes.subspan(at, bytes);
  };
  switch (number) {
    case xclWriteAddrKernelCtrl_n: {
      const std::string data = asked.bytes("data");
      const std::uint32_t first = registers(data.size());
      for (std::uint32_t i = 0; i < data.size(); i += kRegisterBytes) {
        std::uint32_t value = 0;
        std::memcpy(&value, data.data() + i, sizeof value);
        engine_.write(first + i, value);
      }
      break;
    }
    case xclReadAddrKernelCtrl_n: {
      const std::uint64_t bytes = asked.number("size");
      const std::uint32_t first = registers(bytes);
      std::string data;
      for (std::uint32_t i = 0; i < bytes; i += kRegisterBytes) {
        const std::uint32_t value = engine_.read(first + i);
        data.append(reinterpret_cast<const char*>(&value), sizeof value);
      }
      said.set("data", std::move(data));
      break;
    }
    case xclCopyBufferHost2Device_n: {
      const std::string data = asked.bytes("src");
      const auto to = memory(asked.number("dest") + asked.number("seek"), data.size());
      std::memcpy(to.data(), data.data(), data.size());
      said.set("size", data.size());
      break;
    }
    case xclCopyBufferDevice2Host_n: {
      const auto from = memory(asked.number("src") + asked.number("skip"), asked.number("size"));
      said.set("dest", std::string(reinterpret_cast<const char*>(from.data()), from.size()));
      said.set("size", from.size());
      break;
    }
    default:
      break;  // the card is closed, or blocks of memory, which are XRT's own business
  }
  return response->SerializeAsString();
}

}  // namespace vdla::sim
