// SPDX-License-Identifier: Apache-2.0
// Where libraries of the RTL engine are looked for, and what is said where none is.
#include "kit/rtl.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <fstream>

#include "isa/variants/variants.h"
#include "sim/rtl/library.h"
#include "support/error.h"
#include "support/shell_word.h"
#include "tests/support/reachable_folder.h"

namespace vdla::kit {
namespace {

namespace fs = std::filesystem;
using sim::RtlBuild;
using ::testing::AllOf;
using ::testing::HasSubstr;

/// Files stand for libraries: which one is taken does not depend on what is in them.
class RtlSearch : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(places_.installed);
    fs::create_directories(places_.cache);
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path put(const fs::path& folder, RtlBuild build = RtlBuild::Fast) const {
    const fs::path library = folder / sim::rtl_library_name(tiny_, build);
    std::ofstream(library) << "library";
    return library;
  }
  std::string refusal(const sim::RtlOptions& options, const RtlPlaces& places) const {
    try {
      located(tiny_, options, places);
    } catch (const UserError& e) {
      return e.what();
    }
    return "";
  }

  const isa::Variant tiny_ = isa::load_variant("tiny");
  const fs::path folder_ = vdla::reachable_folder() / ("vdla_kit_rtl_" + std::to_string(getpid()));
  const RtlPlaces places_{folder_ / "kit/lib/vdla/rtl", folder_ / "cache/vdla/rtl"};
};

TEST_F(RtlSearch, TheKitsOwnComesBeforeTheCache) {
  EXPECT_EQ(find_rtl(tiny_, RtlBuild::Fast, places_), fs::path());
  const fs::path cached = put(places_.cache);
  EXPECT_EQ(find_rtl(tiny_, RtlBuild::Fast, places_), cached);
  const fs::path installed = put(places_.installed);
  EXPECT_EQ(find_rtl(tiny_, RtlBuild::Fast, places_), installed);
  EXPECT_EQ(located(tiny_, {}, places_).directory, places_.installed);
  // Each build is a library of its own.
  EXPECT_EQ(find_rtl(tiny_, RtlBuild::Check, places_), fs::path());
  put(places_.cache, RtlBuild::Check);
  EXPECT_EQ(located(tiny_, {.build = RtlBuild::Check}, places_).directory, places_.cache);
}

/// The kit's own library was not taken, nor looked for: a ring of links is closed to root, too.
TEST_F(RtlSearch, ACacheThatCannotBeReadHasNoLibrary) {
  fs::remove(places_.cache);
  fs::create_symlink(places_.cache, places_.cache);
  EXPECT_EQ(find_rtl(tiny_, RtlBuild::Fast, places_), fs::path());
  EXPECT_THAT(refusal({}, places_), HasSubstr("cannot be read: "));
  const fs::path installed = put(places_.installed);
  EXPECT_EQ(find_rtl(tiny_, RtlBuild::Fast, places_), installed);
}

TEST_F(RtlSearch, AFolderThatIsGivenIsTheOnlyOne) {
  put(places_.installed);
  EXPECT_EQ(located(tiny_, {.directory = folder_ / "mine"}, places_).directory, folder_ / "mine");
}

/// A library that another user had put into a cache open to all ran with the rights of this one.
TEST_F(RtlSearch, ALibraryThatOthersMayHaveWrittenIsNotLoaded) {
  put(places_.cache);
  fs::permissions(places_.cache, fs::perms::all);
  try {
    sim::RtlModel(tiny_, places_.cache, RtlBuild::Fast);
    ADD_FAILURE() << "loaded";
  } catch (const UserError& e) {
    EXPECT_THAT(e.what(), AllOf(HasSubstr("is not loaded into this process: folder '"),
                                HasSubstr("can be written by all users (mode 0777)")));
  }
}

TEST_F(RtlSearch, WithoutALibraryThePlacesAndACommandThatWritesToOneAreNamed) {
  const std::string name = sim::rtl_library_name(tiny_, RtlBuild::Trace);
  EXPECT_THAT(
      refusal({.build = RtlBuild::Trace}, places_),
      AllOf(HasSubstr("no RTL engine for this geometry: " + name),
            HasSubstr("not in " + places_.installed.string() + " and not in " + places_.cache.string()),
            HasSubstr("'vdla build-rtl --variant NAME|FILE --build trace', which writes to the latter")));
  // Without a home there is no cache.
  EXPECT_THAT(refusal({}, {places_.installed, {}}),
              HasSubstr("not in " + places_.installed.string() +
                        "; build it with 'vdla build-rtl --variant "
                        "NAME|FILE --build fast --out " +
                        shell_word(places_.installed.string()) + "', which writes there"));
}

TEST(RtlPlaces, TheCacheIsTheUsers) {
  setenv("XDG_CACHE_HOME", "/caches", 1);
  EXPECT_EQ(rtl_places().cache, "/caches/vdla/rtl");
  unsetenv("XDG_CACHE_HOME");
  setenv("HOME", "/home/somebody", 1);
  EXPECT_EQ(rtl_places().cache, "/home/somebody/.cache/vdla/rtl");
  unsetenv("HOME");
  EXPECT_EQ(rtl_places().cache, "");
  // A program of the kit: in the build folder beside it.
  EXPECT_EQ(rtl_places().installed, fs::canonical(VDLA_BINARY_DIR) / "lib/vdla/rtl");
}

}  // namespace
}  // namespace vdla::kit
