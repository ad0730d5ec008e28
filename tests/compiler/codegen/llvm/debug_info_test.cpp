// SPDX-License-Identifier: Apache-2.0
// Line tables lead from machine code to the line of the loop IR that it is of. Stores of constants that no
// other code has tell where a statement's machine code is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <llvm/DebugInfo/DWARF/DWARFContext.h>
#include <llvm/Object/ObjectFile.h>

#include <set>
#include <sstream>

#include "compiler/codegen/llvm/host.h"
#include "compiler/loop/parse.h"
#include "compiler/loop/print.h"

namespace vdla::codegen {
namespace {

const HostTarget kTarget = {"x86_64-unknown-linux-gnu", "x86-64-v3", ""};

/// Immediates of 32 bits, 0x51a2b301 .. 0x51a2b304, in two functions.
const char* const kFirst = R"(func first(in A: i32[64], out B: i32[64], out C: i32[8]) {
  for i in 0..64 { B[i] = A[i] * 3i32 }
  C[0] = 1369617153i32
  if A[0] > 5i32 { C[1] = 1369617154i32 }
  for i in 0..8 parallel { for j in 0..1 { if A[i] > 7i32 { C[i] = 1369617155i32 } } }
})";
const char* const kSecond = R"(func second(in A: i32[64], out C: i32[8]) {
  C[2] = A[3]
  C[1] = 1369617156i32
})";

class Object {
 public:
  Object(const std::vector<loop::Func>& funcs, const std::string& source_file)
      : bytes_(to_object(funcs, kTarget, source_file)) {
    const llvm::StringRef text(reinterpret_cast<const char*>(bytes_.data()), bytes_.size());
    object_ =
        llvm::cantFail(llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(text, "object")));
    debug_ = llvm::DWARFContext::create(*object_);
  }

  bool has_line_tables() const {
    for (const llvm::object::SectionRef& section : object_->sections())
      if (llvm::cantFail(section.getName()) == ".debug_line") return true;
    return false;
  }
  /// All machine code.
  std::string code() const {
    std::string all;
    for (const llvm::object::SectionRef& section : object_->sections())
      if (section.isText()) all += llvm::cantFail(section.getContents()).str();
    return all;
  }
  /// File and line of the places where the machine code holds the constant.
  std::set<std::string> places(std::uint32_t constant) const {
    std::set<std::string> found;
    for (const llvm::object::SectionRef& section : object_->sections()) {
      if (!section.isText()) continue;
      const llvm::StringRef code = llvm::cantFail(section.getContents());
      const llvm::StringRef wanted(reinterpret_cast<const char*>(&constant), sizeof constant);
      for (std::size_t at = code.find(wanted); at != llvm::StringRef::npos; at = code.find(wanted, at + 1)) {
        const llvm::DILineInfo line =
            debug_->getLineInfoForAddress({section.getAddress() + at, section.getIndex()},
                                          {llvm::DILineInfoSpecifier::FileLineInfoKind::AbsoluteFilePath,
                                           llvm::DILineInfoSpecifier::FunctionNameKind::None});
        found.insert(line.FileName + ":" + std::to_string(line.Line));
      }
    }
    return found;
  }

 private:
  std::vector<std::byte> bytes_;
  std::unique_ptr<llvm::object::ObjectFile> object_;
  std::unique_ptr<llvm::DWARFContext> debug_;
};

/// "/tmp/kernels.loop:LINE" of the line that holds `text`.
std::string place_of(const std::string& source, const std::string& text) {
  std::istringstream lines(source);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number)
    if (line.find(text) != std::string::npos) return "/tmp/kernels.loop:" + std::to_string(number);
  return "nowhere";
}

TEST(DebugInfo, AStoresMachineCodeLeadsToItsLineOfLoopIr) {
  const std::vector<loop::Func> funcs = {loop::parse(kFirst), loop::parse(kSecond)};
  const std::string source = loop::to_string(funcs);
  const Object object(funcs, "/tmp/kernels.loop");
  for (std::uint32_t constant = 0x51a2b301; constant <= 0x51a2b304; ++constant) {
    const std::string needed = place_of(source, std::to_string(constant) + "i32");
    const std::set<std::string> places = object.places(constant);
    EXPECT_THAT(places, ::testing::ElementsAre(needed)) << constant << " in\n" << source;
  }
}

/// Statements are shared where they are equal; each of their places has its line.
TEST(DebugInfo, OneStatementInTwoPlacesHasTwoLines) {
  const auto c = expr::make_buffer("C", expr::DType::I32, {2});
  const auto a = expr::make_buffer("A", expr::DType::I32, {2});
  const auto store = loop::store(c, {expr::int_imm(1)}, expr::int_imm(0x51a2b301, expr::DType::I32));
  const auto large = [&](int i) {
    return expr::binary(expr::BinaryOp::Gt, expr::load(a, {expr::int_imm(i)}),
                        expr::int_imm(0, expr::DType::I32));
  };
  const auto copy = loop::store(c, {expr::int_imm(0)}, expr::load(c, {expr::int_imm(1)}));
  const loop::Func func = {
      "twice",
      {{a, loop::Direction::In}, {c, loop::Direction::InOut}},
      loop::seq({loop::if_then_else(large(0), store), copy, loop::if_then_else(large(1), store)})};
  EXPECT_THAT(Object({func}, "/tmp/kernels.loop").places(0x51a2b301),
              ::testing::ElementsAre("/tmp/kernels.loop:3", "/tmp/kernels.loop:7"));
}

TEST(DebugInfo, ChangesNoMachineCode) {
  const std::vector<loop::Func> funcs = {loop::parse(kFirst), loop::parse(kSecond)};
  const std::string code = Object(funcs, "").code();
  EXPECT_GT(code.size(), 100u);
  EXPECT_EQ(Object(funcs, "/tmp/kernels.loop").code(), code);
}

TEST(DebugInfo, NoneUnlessASourceFileIsNamed) {
  const std::vector<loop::Func> funcs = {loop::parse(kFirst)};
  EXPECT_FALSE(Object(funcs, "").has_line_tables());
  EXPECT_TRUE(Object(funcs, "first.loop").has_line_tables());
}

}  // namespace
}  // namespace vdla::codegen
