// SPDX-License-Identifier: Apache-2.0
#include <cpuid.h>
#include <elf.h>

#include <cstring>
#include <limits>

#include "runtime/code/machine.h"

namespace vdla::runtime::machine {

const std::uint16_t kElf = EM_X86_64;
const std::string_view kArchitecture = "x86_64";
bool is_architecture(std::string_view first) { return first == kArchitecture; }

std::optional<Relocation> relocation(std::uint32_t type) {
  switch (type) {
    case R_X86_64_NONE:
      return Relocation{};
    case R_X86_64_64:
    case R_X86_64_PC64:
      return Relocation{Puts::Address, 8};
    case R_X86_64_32:
    case R_X86_64_32S:
    case R_X86_64_PC32:
      return Relocation{Puts::Address, 4};
    case R_X86_64_PLT32:
      return Relocation{Puts::Branch, 4};
    case R_X86_64_GOTPCREL:
    case R_X86_64_GOTPCRELX:
    case R_X86_64_REX_GOTPCRELX:
      return Relocation{Puts::Slot, 4};
    default:
      return std::nullopt;
  }
}

std::int64_t addend_in(std::uint32_t /*type*/, const std::byte* /*code*/) { return 0; }

bool relocate(std::uint32_t type, std::byte* code, std::uint64_t place, std::uint64_t value,
              std::int64_t addend) {
  const bool absolute = type == R_X86_64_64 || type == R_X86_64_32 || type == R_X86_64_32S;
  const std::uint64_t result = value + static_cast<std::uint64_t>(addend) - (absolute ? 0 : place);
  if (type == R_X86_64_64 || type == R_X86_64_PC64) {
    std::memcpy(code, &result, sizeof result);
    return true;
  }
  const auto number = static_cast<std::int64_t>(result);
  if (type == R_X86_64_32 ? result > std::numeric_limits<std::uint32_t>::max()
                          : number != static_cast<std::int32_t>(number))
    return false;
  const auto low = static_cast<std::uint32_t>(result);
  std::memcpy(code, &low, sizeof low);
  return true;
}

void write_veneer(std::byte* code, std::uint64_t target) {
  constexpr unsigned char kJump[] = {0xff, 0x25, 0, 0, 0, 0};  // jmp *(%rip)
  std::memcpy(code, kJump, sizeof kJump);
  std::memcpy(code + sizeof kJump, &target, sizeof target);
}

namespace {

/// State that the operating system keeps when it switches threads, in XCR0.
enum SavedState : std::uint32_t { kSaveNone = 0, kSaveAvx = 0x6, kSaveAvx512 = 0xe6, kSaveTiles = 0x60000 };
enum CpuidRegister : std::uint32_t { kEax, kEbx, kEcx, kEdx };

std::uint32_t saved_states() {
  std::uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
  if (__get_cpuid(1, &eax, &ebx, &ecx, &edx) == 0 || (ecx >> 27 & 1) == 0) return 0;
  std::uint32_t low = 0, high = 0;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low;
}

/// place as leaf << 8 | subleaf, register, bit, state
bool cpuid(const Feature& feature) {
  const auto [leaf, reg, bit, state] = feature.where;
  std::uint32_t registers[4] = {};
  const std::uint32_t number = (leaf >> 8 & 0xff) | (leaf & 0x80000000);
  if (__get_cpuid_count(number, leaf & 0xff, &registers[kEax], &registers[kEbx], &registers[kEcx],
                        &registers[kEdx]) == 0)
    return false;
  return (registers[reg] >> bit & 1) != 0 && (saved_states() & state) == state;
}

constexpr std::uint32_t kBasic = 0x100, kExtended = 0x700, kExtended1 = 0x701, kSaving = 0xd01,
                        kTrace = 0x1400, kKeys = 0x1900, kVectors = 0x2400, kMore = 0x80000100,
                        kMost = 0x80000800;

/// Features of LLVM's getHostCPUFeatures().
const Feature kFeatures[] = {
    {"64bit", cpuid, {kMore, kEdx, 29, kSaveNone}},
    {"adx", cpuid, {kExtended, kEbx, 19, kSaveNone}},
    {"aes", cpuid, {kBasic, kEcx, 25, kSaveNone}},
    {"amx-bf16", cpuid, {kExtended, kEdx, 22, kSaveTiles}},
    {"amx-complex", cpuid, {kExtended1, kEdx, 8, kSaveTiles}},
    {"amx-fp16", cpuid, {kExtended1, kEax, 21, kSaveTiles}},
    {"amx-int8", cpuid, {kExtended, kEdx, 25, kSaveTiles}},
    {"amx-tile", cpuid, {kExtended, kEdx, 24, kSaveTiles}},
    {"avx", cpuid, {kBasic, kEcx, 28, kSaveAvx}},
    {"avx10.1-256", cpuid, {kExtended1, kEdx, 19, kSaveAvx}},
    {"avx10.1-512", cpuid, {kVectors, kEbx, 18, kSaveAvx512}},
    {"avx2", cpuid, {kExtended, kEbx, 5, kSaveAvx}},
    {"avx512bf16", cpuid, {kExtended1, kEax, 5, kSaveAvx512}},
    {"avx512bitalg", cpuid, {kExtended, kEcx, 12, kSaveAvx512}},
    {"avx512bw", cpuid, {kExtended, kEbx, 30, kSaveAvx512}},
    {"avx512cd", cpuid, {kExtended, kEbx, 28, kSaveAvx512}},
    {"avx512dq", cpuid, {kExtended, kEbx, 17, kSaveAvx512}},
    {"avx512f", cpuid, {kExtended, kEbx, 16, kSaveAvx512}},
    {"avx512fp16", cpuid, {kExtended, kEdx, 23, kSaveAvx512}},
    {"avx512ifma", cpuid, {kExtended, kEbx, 21, kSaveAvx512}},
    {"avx512vbmi", cpuid, {kExtended, kEcx, 1, kSaveAvx512}},
    {"avx512vbmi2", cpuid, {kExtended, kEcx, 6, kSaveAvx512}},
    {"avx512vl", cpuid, {kExtended, kEbx, 31, kSaveAvx512}},
    {"avx512vnni", cpuid, {kExtended, kEcx, 11, kSaveAvx512}},
    {"avx512vp2intersect", cpuid, {kExtended, kEdx, 8, kSaveAvx512}},
    {"avx512vpopcntdq", cpuid, {kExtended, kEcx, 14, kSaveAvx512}},
    {"avxifma", cpuid, {kExtended1, kEax, 23, kSaveAvx}},
    {"avxneconvert", cpuid, {kExtended1, kEdx, 5, kSaveAvx}},
    {"avxvnni", cpuid, {kExtended1, kEax, 4, kSaveAvx}},
    {"avxvnniint16", cpuid, {kExtended1, kEdx, 10, kSaveAvx}},
    {"avxvnniint8", cpuid, {kExtended1, kEdx, 4, kSaveAvx}},
    {"bmi", cpuid, {kExtended, kEbx, 3, kSaveNone}},
    {"bmi2", cpuid, {kExtended, kEbx, 8, kSaveNone}},
    {"ccmp", cpuid, {kExtended1, kEdx, 21, kSaveNone}},
    {"cf", cpuid, {kExtended1, kEdx, 21, kSaveNone}},
    {"cldemote", cpuid, {kExtended, kEcx, 25, kSaveNone}},
    {"clflushopt", cpuid, {kExtended, kEbx, 23, kSaveNone}},
    {"clwb", cpuid, {kExtended, kEbx, 24, kSaveNone}},
    {"clzero", cpuid, {kMost, kEbx, 0, kSaveNone}},
    {"cmov", cpuid, {kBasic, kEdx, 15, kSaveNone}},
    {"cmpccxadd", cpuid, {kExtended1, kEax, 7, kSaveNone}},
    {"crc32", cpuid, {kBasic, kEcx, 20, kSaveNone}},
    {"cx16", cpuid, {kBasic, kEcx, 13, kSaveNone}},
    {"cx8", cpuid, {kBasic, kEdx, 8, kSaveNone}},
    {"egpr", cpuid, {kExtended1, kEdx, 21, kSaveNone}},
    {"enqcmd", cpuid, {kExtended, kEcx, 29, kSaveNone}},
    {"evex512", cpuid, {kExtended, kEbx, 16, kSaveAvx512}},
    {"f16c", cpuid, {kBasic, kEcx, 29, kSaveAvx}},
    {"fma", cpuid, {kBasic, kEcx, 12, kSaveAvx}},
    {"fma4", cpuid, {kMore, kEcx, 16, kSaveAvx}},
    {"fsgsbase", cpuid, {kExtended, kEbx, 0, kSaveNone}},
    {"fxsr", cpuid, {kBasic, kEdx, 24, kSaveNone}},
    {"gfni", cpuid, {kExtended, kEcx, 8, kSaveNone}},
    {"hreset", cpuid, {kExtended1, kEax, 22, kSaveNone}},
    {"invpcid", cpuid, {kExtended, kEbx, 10, kSaveNone}},
    {"kl", cpuid, {kExtended, kEcx, 23, kSaveNone}},
    {"lwp", cpuid, {kMore, kEcx, 15, kSaveNone}},
    {"lzcnt", cpuid, {kMore, kEcx, 5, kSaveNone}},
    {"mmx", cpuid, {kBasic, kEdx, 23, kSaveNone}},
    {"movbe", cpuid, {kBasic, kEcx, 22, kSaveNone}},
    {"movdir64b", cpuid, {kExtended, kEcx, 28, kSaveNone}},
    {"movdiri", cpuid, {kExtended, kEcx, 27, kSaveNone}},
    {"mwaitx", cpuid, {kMore, kEcx, 29, kSaveNone}},
    {"ndd", cpuid, {kExtended1, kEdx, 21, kSaveNone}},
    {"pclmul", cpuid, {kBasic, kEcx, 1, kSaveNone}},
    {"pconfig", cpuid, {kExtended, kEdx, 18, kSaveNone}},
    {"pku", cpuid, {kExtended, kEcx, 4, kSaveNone}},
    {"popcnt", cpuid, {kBasic, kEcx, 23, kSaveNone}},
    {"ppx", cpuid, {kExtended1, kEdx, 21, kSaveNone}},
    {"prefetchi", cpuid, {kExtended1, kEdx, 14, kSaveNone}},
    {"prfchw", cpuid, {kMore, kEcx, 8, kSaveNone}},
    {"ptwrite", cpuid, {kTrace, kEbx, 4, kSaveNone}},
    {"push2pop2", cpuid, {kExtended1, kEdx, 21, kSaveNone}},
    {"raoint", cpuid, {kExtended1, kEax, 3, kSaveNone}},
    {"rdpid", cpuid, {kExtended, kEcx, 22, kSaveNone}},
    {"rdpru", cpuid, {kMost, kEbx, 4, kSaveNone}},
    {"rdrnd", cpuid, {kBasic, kEcx, 30, kSaveNone}},
    {"rdseed", cpuid, {kExtended, kEbx, 18, kSaveNone}},
    {"rtm", cpuid, {kExtended, kEbx, 11, kSaveNone}},
    {"sahf", cpuid, {kMore, kEcx, 0, kSaveNone}},
    {"serialize", cpuid, {kExtended, kEdx, 14, kSaveNone}},
    {"sgx", cpuid, {kExtended, kEbx, 2, kSaveNone}},
    {"sha", cpuid, {kExtended, kEbx, 29, kSaveNone}},
    {"sha512", cpuid, {kExtended1, kEax, 0, kSaveAvx}},
    {"shstk", cpuid, {kExtended, kEcx, 7, kSaveNone}},
    {"sm3", cpuid, {kExtended1, kEax, 1, kSaveAvx}},
    {"sm4", cpuid, {kExtended1, kEax, 2, kSaveAvx}},
    {"sse", cpuid, {kBasic, kEdx, 25, kSaveNone}},
    {"sse2", cpuid, {kBasic, kEdx, 26, kSaveNone}},
    {"sse3", cpuid, {kBasic, kEcx, 0, kSaveNone}},
    {"sse4.1", cpuid, {kBasic, kEcx, 19, kSaveNone}},
    {"sse4.2", cpuid, {kBasic, kEcx, 20, kSaveNone}},
    {"sse4a", cpuid, {kMore, kEcx, 6, kSaveNone}},
    {"ssse3", cpuid, {kBasic, kEcx, 9, kSaveNone}},
    {"tbm", cpuid, {kMore, kEcx, 21, kSaveNone}},
    {"tsxldtrk", cpuid, {kExtended, kEdx, 16, kSaveNone}},
    {"uintr", cpuid, {kExtended, kEdx, 5, kSaveNone}},
    {"usermsr", cpuid, {kExtended1, kEdx, 15, kSaveNone}},
    {"vaes", cpuid, {kExtended, kEcx, 9, kSaveAvx}},
    {"vpclmulqdq", cpuid, {kExtended, kEcx, 10, kSaveAvx}},
    {"waitpkg", cpuid, {kExtended, kEcx, 5, kSaveNone}},
    {"wbnoinvd", cpuid, {kMost, kEbx, 9, kSaveNone}},
    {"widekl", cpuid, {kKeys, kEbx, 2, kSaveNone}},
    {"xop", cpuid, {kMore, kEcx, 11, kSaveAvx}},
    {"xsave", cpuid, {kBasic, kEcx, 26, kSaveAvx}},
    {"xsavec", cpuid, {kSaving, kEax, 1, kSaveAvx}},
    {"xsaveopt", cpuid, {kSaving, kEax, 0, kSaveAvx}},
    {"xsaves", cpuid, {kSaving, kEax, 3, kSaveAvx}},
};

#define VDLA_V2 "cx16,popcnt,sahf,sse3,sse4.1,sse4.2,ssse3"
#define VDLA_V3 VDLA_V2 ",avx,avx2,bmi,bmi2,f16c,fma,lzcnt,movbe,xsave"
constexpr Cpu kCpus[] = {
    {"", ""},
    {"generic", ""},
    {"x86-64", ""},
    {"x86-64-v2", VDLA_V2},
    {"x86-64-v3", VDLA_V3},
    {"x86-64-v4", VDLA_V3 ",avx512bw,avx512cd,avx512dq,avx512f,avx512vl"},
};
#undef VDLA_V2
#undef VDLA_V3

}  // namespace

std::span<const Feature> features() { return kFeatures; }
std::span<const Cpu> cpus() { return kCpus; }

}  // namespace vdla::runtime::machine
