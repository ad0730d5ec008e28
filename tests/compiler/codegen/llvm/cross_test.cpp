// SPDX-License-Identifier: Apache-2.0
// Object code for other machines, linked by their own compilers and run under qemu-user, and for older
// machines of this kind: the same outputs as here. Parallel loops run in the one thread that there is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>

#include "compiler/loop/parse.h"
#include "compiler/loop/print.h"
#include "compiler/targets/cpu/code/code.h"
#include "tests/compiler/codegen/llvm/dot_kernel.h"
#include "tests/compiler/loop/hostile.h"

namespace vdla::codegen {
namespace {

namespace fs = std::filesystem;

struct Foreign {
  const char* name;
  HostTarget target;
  const char *compiler, *emulator;  ///< no emulator: it runs here
  const char* root;                 ///< of the emulated system; without emulator what this CPU must have
};

const Foreign kForeign[] = {
    {"armv7",
     {"armv7-unknown-linux-gnueabihf", "cortex-a9", "+neon"},
     "arm-linux-gnueabihf-gcc",
     "qemu-arm",
     "/usr/arm-linux-gnueabihf"},
    {"aarch64",
     {"aarch64-unknown-linux-gnu", "cortex-a53", ""},
     "aarch64-linux-gnu-gcc",
     "qemu-aarch64",
     "/usr/aarch64-linux-gnu"},
    {"aarch64_dotprod",
     {"aarch64-unknown-linux-gnu", "cortex-a53", "+dotprod"},
     "aarch64-linux-gnu-gcc",
     "qemu-aarch64",  // whose CPU has everything
     "/usr/aarch64-linux-gnu"},
    {"sse4", {"x86_64-unknown-linux-gnu", "x86-64-v2", ""}, "cc", nullptr, "sse4_2"},
    {"avx2", {"x86_64-unknown-linux-gnu", "x86-64-v3", ""}, "cc", nullptr, "avx2"},
    {"avx_vnni", {"x86_64-unknown-linux-gnu", "x86-64-v3", "+avxvnni"}, "cc", nullptr, "avx_vnni"},
    {"avx512", {"x86_64-unknown-linux-gnu", "x86-64-v4", ""}, "cc", nullptr, "avx512bw"},
    {"avx512_vnni", {"x86_64-unknown-linux-gnu", "x86-64-v4", "+avx512vnni"}, "cc", nullptr, "avx512_vnni"},
};

struct Kernel {
  std::string name, text;
  double bound;  ///< largest difference; 0: the same bytes
};

const Kernel kKernels[] = {
    {"requant", R"(func kernel(in a: i32[64, 16], in m: i32[16], out c: i8[64, 16]) {
  for i in 0..64 parallel { for j in 0..16 vectorized {
    c[i, j] = i8(min(max(round_shift_right(srdh_mul(a[i, j], m[j]), 5i32), -128i32), 127i32)) } } })",
     0},
    {"border", R"(func kernel(in a: i8[100], out c: i32[128]) {
  for j in 0..128 vectorized { c[j] = i32(select(j >= 14 & j < 114, a[j - 14], -7i8)) * 3i32 } })",
     0},
    {"division", R"(func kernel(in a: i32[256], out c: i32[256]) {
  for i in 0..256 { c[i] = floor_div(a[i], 7i32) + floor_mod(a[i], 13i32) } })",
     0},
    {"large", R"(func kernel(in a: i32[8192], out c: i32[8192]) {
  alloc t: i32[8192]
  for i in 0..8192 parallel { t[8191 - i] = a[i] * 3i32 }
  for i in 0..8192 { c[i] = t[i] + i32(i) } })",
     0},
    {"product", R"(func kernel(in a: f32[4, 64], in b: f32[64, 8], out c: f32[4, 8]) {
  alloc t: f32[4, 8]
  for i in 0..4 unrolled { for j in 0..8 vectorized { t[i, j] = 0f32 } }
  for k in 0..64 { for i in 0..4 unrolled { for j in 0..8 vectorized { t[i, j] = t[i, j] + a[i, k] * b[k, j] } } }
  for i in 0..4 unrolled { for j in 0..8 vectorized { c[i, j] = t[i, j] } } })",
     1e-4},
    {"functions", R"(func kernel(in a: f32[256], out c: f32[256]) {
  for i in 0..256 vectorized { c[i] = tanh(a[i]) + exp(a[i]) + erf(a[i]) + log(abs(a[i]) + 1f32) } })",
     1e-4},
    {"dot_u8x4", dot_kernel("kernel", "u8", 4), 0},
    {"dot_u8x8", dot_kernel("kernel", "u8", 8), 0},
    {"dot_u8x16", dot_kernel("kernel", "u8", 16), 0},
    {"dot_i8x4", dot_kernel("kernel", "i8", 4), 0},
    {"dot_i8x8", dot_kernel("kernel", "i8", 8), 0},
    {"dot_i8x16", dot_kernel("kernel", "i8", 16), 0},
};

bool runs(const std::string& command) { return std::system((command + " >/dev/null 2>&1").c_str()) == 0; }

std::size_t size_of(const loop::Param& p) {
  return static_cast<std::size_t>(expr::storage_size(*p.buffer) * expr::bytes(p.buffer->dtype));
}

/// Random inputs: small floats, any integers.
std::vector<std::vector<std::byte>> memory_for(const loop::Func& func) {
  std::mt19937 random(11);
  std::vector<std::vector<std::byte>> memory;
  for (const loop::Param& p : func.params) {
    memory.emplace_back(size_of(p));
    if (p.direction != loop::Direction::In) continue;
    if (p.buffer->dtype == expr::DType::F32) {
      for (std::size_t i = 0; i + 4 <= memory.back().size(); i += 4) {
        const float value = std::uniform_real_distribution<float>(-3, 3)(random);
        std::memcpy(&memory.back()[i], &value, 4);
      }
    } else {
      for (std::byte& b : memory.back()) b = std::byte(random());
    }
  }
  return memory;
}

/// A program that reads the parameters from a file, one after the other, runs the kernel and writes them
/// back.
std::string main_program(const loop::Func& func) {
  std::string text = "#include <stdio.h>\n#include <stdlib.h>\nvoid kernel(void* const*);\n";
  text += "int main(int argc, char** argv) {\n  (void)argc;\n  FILE* f = fopen(argv[1], \"r+b\");\n";
  text += "  static const size_t sizes[] = {";
  for (const loop::Param& p : func.params) text += std::to_string(size_of(p)) + ", ";
  text += "};\n  enum { N = sizeof sizes / sizeof *sizes };\n  void* params[N];\n";
  text += "  for (int i = 0; i < N; ++i) {\n    params[i] = aligned_alloc(64, (sizes[i] + 63) / 64 * 64);\n";
  text +=
      "    if (fread(params[i], 1, sizes[i], f) != sizes[i]) return 2;\n  }\n  kernel(params);\n  "
      "rewind(f);\n";
  text += "  for (int i = 0; i < N; ++i) fwrite(params[i], 1, sizes[i], f);\n  return fclose(f);\n}\n";
  return text;
}

void write(const fs::path& path, const void* data, std::size_t size) {
  std::ofstream(path, std::ios::binary)
      .write(static_cast<const char*>(data), static_cast<std::streamsize>(size));
}

void expect_same(const loop::Func& func, const std::vector<std::vector<std::byte>>& here,
                 const std::vector<std::vector<std::byte>>& there, double bound) {
  for (std::size_t p = 0; p < here.size(); ++p) {
    if (bound == 0) {
      EXPECT_EQ(here[p], there[p]) << func.params[p].buffer->name;
      continue;
    }
    for (std::size_t i = 0; i + 4 <= here[p].size(); i += 4) {
      float a = 0, b = 0;
      std::memcpy(&a, &here[p][i], 4);
      std::memcpy(&b, &there[p][i], 4);
      ASSERT_NEAR(a, b, bound * std::max(1.0f, std::abs(a))) << func.params[p].buffer->name << " " << i / 4;
    }
  }
}

void PrintTo(const Foreign& m, std::ostream* out) { *out << m.name; }

using Memory = std::vector<std::vector<std::byte>>;

class Cross : public testing::TestWithParam<Foreign> {
 protected:
  Cross()
      : folder_(fs::temp_directory_path() /
                ("vdla_cross_" + std::to_string(::getpid()) + "_" + GetParam().name)) {}
  ~Cross() override { fs::remove_all(folder_); }

  void SetUp() override {
    const Foreign& m = GetParam();
    const std::string needed = m.emulator ? std::string("command -v ") + m.emulator
                                          : std::string("grep -qw ") + m.root + " /proc/cpuinfo";
    if (!runs(std::string("command -v ") + m.compiler))
      GTEST_SKIP() << "needs " << m.compiler << ": install the packages of scripts/packages/test.txt";
    if (!runs(needed))
      GTEST_SKIP() << (m.emulator ? std::string(m.emulator) + " is missing: install qemu-user"
                                  : std::string("this CPU has no ") + m.root);
    fs::create_directories(folder_);
  }

  /// Parameters of a function named kernel after a run on the machine; none if the run fails.
  Memory run_there(const loop::Func& func, const Memory& memory) const {
    const Foreign& m = GetParam();
    std::vector<std::byte> input;
    for (const auto& bytes : memory) input.insert(input.end(), bytes.begin(), bytes.end());
    write(folder_ / "data", input.data(), input.size());
    const auto object = host::to_object({&func, 1}, m.target);
    write(folder_ / "kernel.o", object.data(), object.size());
    const std::string program = main_program(func);
    write(folder_ / "main.c", program.data(), program.size());
    const std::string at = folder_.string() + "/";
    const std::string run = m.emulator ? std::string(m.emulator) + " -L " + m.root + " " : "";
    if (!runs(std::string(m.compiler) + " " + at + "main.c " + at + "kernel.o -lm -o " + at + "program") ||
        !runs(run + at + "program " + at + "data"))
      return {};
    Memory there;
    std::ifstream file(folder_ / "data", std::ios::binary);
    for (const auto& bytes : memory) {
      there.emplace_back(bytes.size());
      file.read(reinterpret_cast<char*>(there.back().data()), static_cast<std::streamsize>(bytes.size()));
    }
    return there;
  }

 private:
  const fs::path folder_;
};

TEST_P(Cross, SameOutputsAsHere) {
  for (const Kernel& k : kKernels) {
    SCOPED_TRACE(k.name);
    const loop::Func func = loop::parse(k.text);
    Memory memory = memory_for(func);
    const Memory there = run_there(func, memory);
    std::vector<void*> pointers;
    for (auto& bytes : memory) pointers.push_back(bytes.data());
    host::Jit jit;
    jit.add(func)(pointers.data());
    ASSERT_EQ(there.size(), memory.size());
    expect_same(func, memory, there, k.bound);
  }
}

TEST_P(Cross, HostileOperandsAreTheInterpreters) {
  for (loop::HostileCase& hostile : loop::hostile_cases(loop::ForKind::Serial)) {
    hostile.func.name = "kernel";
    EXPECT_EQ(run_there(hostile.func, hostile.arguments), interpreted(hostile))
        << loop::to_string(hostile.func);
  }
}
INSTANTIATE_TEST_SUITE_P(Machines, Cross, testing::ValuesIn(kForeign),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace vdla::codegen
