// SPDX-License-Identifier: Apache-2.0
// docs/how-to/add-a-transport.md: its examples are those of examples/own_transport, which the tests build and
// run; each function of the interface is in its table; the files that it names exist. docs/driver.md names
// each status of the driver.
#include <gtest/gtest.h>

#include "driver/core/types.h"
#include "tests/compiler/how_to_page.h"

namespace vdla::kit {
namespace {

constexpr const char* kPage = "add-a-transport.md";
constexpr const char* kExample = "examples/own_transport/main.cpp";

TEST(HowTo, ATransportIsAddedAsItsPageSays) {
  for (const auto& [begin, end] : {std::pair("  /// One block behind the other", "  static void free("),
                                   {"  const vdla_transport functions_{", "};\n\nint run("},
                                   {"  SocketTransport transport(socket);", "  const bool equal"}})
    testing::expect_shows(kPage, "```cpp\n" + testing::cut(kExample, begin, end) + "```");
  testing::expect_files_exist(kPage, 2);
}

TEST(HowTo, EachFunctionOfATransportIsInTheTable) {
  const std::string header = testing::read_source("driver/core/transport.h");
  const std::string page = testing::read_source(std::string("docs/how-to/") + kPage);
  const std::regex member("\\(\\*([a-z_0-9]+)\\)\\(void\\* context");
  int members = 0;
  for (std::sregex_iterator m(header.begin(), header.end(), member), end; m != end; ++m, ++members)
    EXPECT_NE(page.find("`" + m->str(1) + "`"), std::string::npos) << m->str(1);
  EXPECT_EQ(members, 14);
}

TEST(DriverPage, NamesEachStatus) {
  const std::string page = testing::read_source("docs/driver.md");
#define VDLA_NAME(name, doc) #name,
  for (const std::string name : {VDLA_DRIVER_STATUSES(VDLA_NAME)})
#undef VDLA_NAME
    if (name != "OK") EXPECT_NE(page.find("`" + name + "`"), std::string::npos) << name;
}

}  // namespace
}  // namespace vdla::kit
