// SPDX-License-Identifier: Apache-2.0
// The C interface: every status, and its message.
#include "runtime/vdla.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "compiler/codegen/llvm/host.h"
#include "runtime/container/container.h"
#include "runtime/container/module_file.h"
#include "tests/runtime/code/host_object.h"
#include "tests/runtime/module/small_modules.h"

extern "C" int run_from_c(const char* path, const void* input, void* output, char* message, std::size_t size);

namespace vdla::runtime {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using ::testing::StrEq;

/// The chain of two "add_one", int8 in and out, with machine code.
Module compiled_chain() {
  Module m = two_host_steps();
  m.inputs[0].model_type = DataType::Int8;
  m.inputs[0].model_shape = {12};
  m.inputs[0].perm = {};
  m.objects = {add_one_object(codegen::native_target())};
  return m;
}

class CInterface : public ::testing::Test {
 protected:
  vdla_rt_module* parsed(const Module& m) {
    const Bytes bytes = serialize(m);
    EXPECT_EQ(vdla_rt_module_parse(bytes.data(), bytes.size(), &module, message, sizeof message), VDLA_RT_OK)
        << message;
    return module;
  }
  ~CInterface() override {
    vdla_rt_session_close(session);
    vdla_rt_module_free(module);
  }

  vdla_rt_module* module = nullptr;
  vdla_rt_session* session = nullptr;
  char message[300] = "";
};

TEST_F(CInterface, RunsFromC) {
  const std::filesystem::path path = std::filesystem::temp_directory_path() / "vdla_c_interface.vdla";
  save(compiled_chain(), path);
  const Bytes in = int8s({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  Bytes out(12);
  EXPECT_EQ(run_from_c(path.c_str(), in.data(), out.data(), message, sizeof message), 0) << message;
  EXPECT_EQ(out, int8s({3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14}));
  std::filesystem::remove(path);
  EXPECT_EQ(run_from_c(path.c_str(), in.data(), out.data(), message, sizeof message), 1);
  EXPECT_THAT(message, StrEq("cannot read '" + path.string() + "': No such file or directory"));
}

TEST_F(CInterface, LoadsWhatATrustedKeySigned) {
  const std::filesystem::path folder = std::filesystem::temp_directory_path();
  const std::string path = folder / "vdla_c_signed.vdla", key_path = folder / "vdla_c_signed.pub";
  const SecretKey key = make_key();
  const std::string text = to_text(key.public_key());
  write_module_file(Bytes(reinterpret_cast<const std::byte*>(text.data()),
                          reinterpret_cast<const std::byte*>(text.data()) + text.size()),
                    key_path);
  Bytes file = serialize(compiled_chain());
  write_module_file(file, path);
  const auto load_it = [&] {
    return vdla_rt_module_load_signed(path.c_str(), key_path.c_str(), &module, message, sizeof message);
  };
  EXPECT_EQ(load_it(), VDLA_RT_INVALID);
  EXPECT_THAT(message, HasSubstr("is not signed"));
  set_signature(file, sign(unpack(file, "m").digest, key));
  write_module_file(file, path);
  EXPECT_EQ(load_it(), VDLA_RT_OK) << message;
  EXPECT_EQ(vdla_rt_input_count(module), 1u);
  std::filesystem::remove(path);
  std::filesystem::remove(key_path);
}

TEST_F(CInterface, DescribesPorts) {
  const vdla_rt_module* m = parsed(two_host_steps());
  EXPECT_EQ(vdla_rt_input_count(m), 1u);
  EXPECT_EQ(vdla_rt_output_count(m), 1u);
  vdla_rt_port port;
  ASSERT_EQ(vdla_rt_input(m, 0, &port, message, sizeof message), VDLA_RT_OK);
  EXPECT_STREQ(port.name, "image");
  EXPECT_STREQ(port.type, "float32");
  EXPECT_EQ(port.bytes, 48u);
  ASSERT_EQ(port.rank, 4u);
  EXPECT_EQ(port.shape[1], 3);
  EXPECT_EQ(vdla_rt_output(m, 1, &port, message, sizeof message), VDLA_RT_INVALID);
  EXPECT_THAT(message, StrEq("port 1 does not exist; there are 1"));
}

TEST_F(CInterface, InvalidModule) {
  EXPECT_EQ(vdla_rt_module_parse("nonsense", 8, &module, message, sizeof message), VDLA_RT_INVALID);
  EXPECT_THAT(message, StrEq("'module' is text, needs a compiled module; make one with 'vdla compile'"));
  EXPECT_EQ(module, nullptr);
  EXPECT_EQ(vdla_rt_module_parse("nonsense", 8, &module, nullptr, 0), VDLA_RT_INVALID);
  char tiny[6];
  EXPECT_EQ(vdla_rt_module_parse("nonsense", 8, &module, tiny, sizeof tiny), VDLA_RT_INVALID);
  EXPECT_STREQ(tiny, "'modu");
}

TEST_F(CInterface, SessionThatCannotOpen) {
  EXPECT_EQ(vdla_rt_session_open(parsed(two_host_steps()), nullptr, &session, message, sizeof message),
            VDLA_RT_INVALID);
  EXPECT_THAT(message,
              StartsWith("kernel 'add_one' of 'two' cannot run on this machine: it has no machine code"));
}

/// Of the chain, what arrives is what left it in the run before.
TEST_F(CInterface, StatesGoOnUntilTheyAreReset) {
  Module m = compiled_chain();
  m.states = {{m.inputs[0].tensor, m.outputs[0].tensor, Bytes(12)}};
  m.inputs.clear();
  ASSERT_EQ(vdla_rt_session_open(parsed(m), nullptr, &session, message, sizeof message), VDLA_RT_OK)
      << message;
  Bytes out(vdla_rt_output_count(module) == 1 ? 12 * sizeof(float) : 0);
  void* outputs[] = {out.data()};
  const auto first = [&] {
    EXPECT_EQ(vdla_rt_run(session, nullptr, outputs, nullptr, message, sizeof message), VDLA_RT_OK)
        << message;
    return out;
  };
  const Bytes once = first();
  const Bytes twice = first();
  EXPECT_NE(once, twice);
  vdla_rt_reset_state(session);
  EXPECT_EQ(first(), once);
  EXPECT_EQ(first(), twice);
}

TEST_F(CInterface, NullPointers) {
  ASSERT_EQ(vdla_rt_session_open(parsed(compiled_chain()), nullptr, &session, message, sizeof message),
            VDLA_RT_OK)
      << message;
  const Bytes in(12);
  const void* inputs[] = {nullptr};
  void* outputs[] = {nullptr};
  EXPECT_EQ(vdla_rt_run(session, inputs, outputs, nullptr, message, sizeof message), VDLA_RT_INVALID);
  EXPECT_THAT(message, StrEq("input 'image' is a null pointer"));
  inputs[0] = in.data();
  EXPECT_EQ(vdla_rt_run(session, inputs, outputs, nullptr, message, sizeof message), VDLA_RT_INVALID);
  EXPECT_THAT(message, StrEq("output 'scores' is a null pointer"));
}

}  // namespace
}  // namespace vdla::runtime
