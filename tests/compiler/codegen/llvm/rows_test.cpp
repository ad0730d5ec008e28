// SPDX-License-Identifier: Apache-2.0
// Code generation refuses what a row of the table of lowering should have removed, and names the row.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "compiler/codegen/llvm/host.h"
#include "compiler/loop/parse.h"
#include "support/error.h"
#include "support/temporary.h"
#include "tests/compiler/passes/every_row.h"
#include "tests/readers/readers.h"

namespace vdla::codegen {
namespace {

using ::testing::HasSubstr;

TEST(RowsOfLowering, CodeGenerationTakesWhatAllOfThemMake) {
  const loop::Func func = passes::lower(passes::cpu_target(), loop::parse(passes::kEveryRow));
  EXPECT_THAT(to_llvm_ir(func, native_target(), false), HasSubstr("@every_row"));
}

/// Text of `vdla opt --llvm-ir`, before and after LLVM has optimised it.
TEST(RowsOfLowering, TextOfTheCodeIsLlvmIrToOthers) {
  if (readers::missing(VDLA_LLVM_OPT)) GTEST_SKIP() << "needs " VDLA_LLVM_OPT " (Debian package llvm-19)";
  const Temporary folder(std::filesystem::temp_directory_path(), Temporary::Kind::Folder, "code");
  for (const bool optimised : {false, true}) {
    const std::string file = folder.path() / "f.ll";
    std::ofstream(file) << to_llvm_ir(passes::lower(passes::cpu_target(), loop::parse(passes::kEveryRow)),
                                      native_target(), optimised);
    EXPECT_EQ(readers::run_line(VDLA_LLVM_OPT " -passes=verify -disable-output " + file), "");
  }
}

TEST(RowsOfLowering, CodeGenerationNamesTheOneThatWasLeftOut) {
  unsigned refused = 0;
  for (const passes::Pass& pass : passes::cpu_target().rows) {
    const std::string_view row = pass.name;
    SCOPED_TRACE(row);
    const loop::Func func = passes::lower(passes::without(row), loop::parse(passes::kEveryRow));
    if (passes::cpu_target().rules_of(row).empty()) {
      EXPECT_NO_THROW(to_llvm_ir(func, native_target(), false));
      continue;
    }
    ++refused;
    try {
      to_llvm_ir(func, native_target(), false);
      ADD_FAILURE() << "accepted";
    } catch (const InternalError& e) {
      EXPECT_THAT(e.what(), HasSubstr("code generation of 'every_row' meets '"));
      EXPECT_THAT(e.what(), HasSubstr("run row '" + std::string(row) + "' of the table of lowering first"));
    }
  }
  EXPECT_EQ(refused, 7u);
}

}  // namespace
}  // namespace vdla::codegen
