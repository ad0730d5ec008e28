// SPDX-License-Identifier: Apache-2.0
// Pages of explore, report, compare and tune in a browser without a head.
#include <cstdlib>
#include <fstream>

#include "support/inert.h"
#include "tests/readers/hostile.h"
#include "tests/readers/readers.h"
#include "tests/tools/hostile_network.h"
#include "tests/tools/vdla/explore/explore_fixture.h"

namespace vdla::tools {
namespace {

using testing::HasSubstr;
using testing::Not;

/// A browser without a head, in a folder of its own and without the network.
class Browser : public Explore {
 protected:
  void SetUp() override {
    Explore::SetUp();
    if (IsSkipped()) return;
    if (std::system("command -v chromium >/dev/null 2>&1") != 0)
      GTEST_SKIP() << "there is no chromium (Debian package chromium)";
  }

  /// The page's elements after its scripts have run; fails on any script error, and where a text leaves its
  /// picture or an element the page. Where extensions are allowed,
  /// a browser of root makes a folder for them beside itself.
  std::string open(const std::string& file) const {
    readers::read_by_others("html", file);
    std::string page = read_text(file);
    page.insert(page.rfind("</body>"), kOutside);
    write_file(path("page.html"), page);
    const std::string command =
        "timeout 100 chromium --headless --no-sandbox --disable-gpu --disable-extensions "
        "--disable-background-networking "
        "--disable-component-update --disable-sync --no-first-run --enable-logging=stderr --user-data-dir=" +
        path("profile") + "  --dump-dom file://" + path("page.html") + " >" + path("dom") + " 2>" +
        path("log");
    EXPECT_EQ(std::system(command.c_str()), 0) << read_text(path("log"));
    for (const char* bad : {"Uncaught", "CONSOLE"}) EXPECT_THAT(read_text(path("log")), Not(HasSubstr(bad)));
    const std::string dom = read_text(path("dom"));
    EXPECT_EQ(count(dom, "data-drawn=\"yes\""), 1u);
    EXPECT_THAT(dom, HasSubstr("data-outside=\"\""));
    const std::string head = dom.substr(0, dom.find("<main>"));
    for (const char* outside : {"src=", "<link", "@import", "url("})
      EXPECT_EQ(count(head, outside), 0u) << outside;
    for (const char* wrong : {"NaN", "undefined", "Infinity"})
      EXPECT_EQ(count(body(dom), wrong), 0u) << wrong;
    return body(dom);
  }

  /// Texts of pictures that the picture does not hold, and elements that the window does not.
  static constexpr const char* kOutside = R"(<script>
const leaves = (e, box) => {
  const a = e.getBoundingClientRect();
  return a.left < box.left - 1 || a.right > box.right + 1 || a.top < box.top - 1 || a.bottom > box.bottom + 1;
};
const page = {left: 0, right: innerWidth, top: 0, bottom: document.documentElement.scrollHeight};
document.body.dataset.outside = [
  ...[...document.querySelectorAll('svg text')].filter((t) => leaves(t, t.ownerSVGElement.getBoundingClientRect())),
  ...[...document.querySelectorAll('h1, h2, p, svg, .fact, .legend')].filter((e) => leaves(e, page)),
].map((e) => e.textContent).join('|');
</script>)";

  /// Returns the drawn elements alone: no scripts, no data.
  static std::string body(const std::string& dom) {
    return dom.substr(dom.find("<main>"), dom.find("</main>") - dom.find("<main>"));
  }

  static std::size_t count(const std::string& text, const std::string& piece) {
    std::size_t found = 0;
    for (std::size_t at = text.find(piece); at != std::string::npos; at = text.find(piece, at + 1)) ++found;
    return found;
  }
};

TEST_F(Browser, TheExploreReportShowsEveryPoint) {
  write_file(path("sweep.json"),
             json{{"networks", {example("digits.onnx")}},
                  {"axes", {{"array", {"1x4x4", "1x8x8", "1x16x16"}}, {"wgt_depth", {4, 64}}}},
                  {"points",
                   {{{"name", "<img src=x onerror=alert(1)></script>"}, {"geometry", {{"block_in", 32}}}}}}}
                 .dump());
  const Outcome o = run("explore " + path("sweep.json") + " --part xc7z020 -o " + path("x"));
  ASSERT_EQ(o.status, 0) << o.err;
  const std::string page = open(path("x/report.html"));
  EXPECT_EQ(count(page, "class=\"hit point\""), 4u);
  EXPECT_EQ(count(page, "&lt;img src=x onerror"), 1u + count(page, "Chosen: &lt;img"));
  EXPECT_EQ(count(page, "<img"), 0u);
  for (const char* id :
       {"pareto", "roofline", "layers", "points", "absent", "models", "area-errors", "energy-table"})
    EXPECT_EQ(count(page, std::string("id=\"") + id + "\""), 1u) << id;
  EXPECT_EQ(count(page, "needs a power of two from 16"), 3u);
  EXPECT_THAT(page, HasSubstr("no: DSP"));
  EXPECT_THAT(page, HasSubstr("conv1.conv"));
}

TEST_F(Browser, TheReportOfARunShowsUnitsLayersAndLosses) {
  const std::string module = digits();
  ASSERT_EQ(run("run " + module + " --engine systemc --random-input 1 --record " + path("r.json")).status, 0);
  ASSERT_EQ(run("report " + path("r.json")).status, 0);
  const std::string page = open(path("r.html"));
  for (const char* id : {"next", "advice", "no-advice", "bounds", "roofline", "memory", "layers", "timeline",
                         "stalls", "waits", "sram", "table", "models"})
    EXPECT_EQ(count(page, std::string("id=\"") + id + "\""), 1u) << id;
  const json record = json::parse(read_text(path("r.json")));
  std::string cycles = std::to_string(record.at("cycles").get<std::uint64_t>());
  for (std::size_t i = cycles.size(); i > 3;) cycles.insert(i -= 3, ",");
  EXPECT_THAT(page, HasSubstr("account adds up to the " + cycles + " cycles"));
  for (const auto& layer : record.at("layers"))
    EXPECT_THAT(page, HasSubstr(layer.at("name").get<std::string>()));
  EXPECT_THAT(page, HasSubstr("window const"));
}

/// A network whose names are hostile, compiled for a small machine and run, with a record.
TEST_F(Browser, PagesOfAnyNamesShowThem) {
  std::vector<std::string> names = readers::hostile_names();
  std::erase(names, "Infinity");          // a number that a script made nothing of looks so
  names.push_back(std::string(60, 'W'));  // the widest letter
  write_file(path("h.graph"), hostile_network(names));
  ASSERT_EQ(run("compile " + path("h.graph") + " --variant tiny -o " + path("h.vdla")).status, 0);
  ASSERT_EQ(run("run " + path("h.vdla") + " --engine systemc --timing-only --random-input 1 --record " +
                path("r.json"))
                .status,
            0);
  ASSERT_EQ(run("report " + path("r.json") + " -o " + path("r.html")).status, 0);
  ASSERT_EQ(run("compare " + path("h.vdla") + " " + path("h.vdla") + " --html " + path("c.html")).status, 0);
  for (const char* file : {"r.html", "c.html"}) {
    const std::string page = open(path(file));
    EXPECT_EQ(count(page, "<img"), 0u);
    for (const std::string& name : names) {
      std::string shown = markup_text(visible(name, "\n").substr(0, 200));
      for (std::size_t at; (at = shown.find("&quot;")) != std::string::npos;) shown.replace(at, 6, "\"");
      for (std::size_t at; (at = shown.find("\\u000a")) != std::string::npos;) shown.replace(at, 6, "\n");
      EXPECT_EQ(count(page, shown) > 0, true) << shown;
    }
  }
}

// The page of a sweep said it, the report of a run did not.
TEST_F(Browser, TheReportOfARunSaysWhatWasLostToTheVariant) {
  write_file(path("net.graph"),
             "graph \"g\"\ninput %x: int8[1, 8, 8, 16]\nconst %w: int8[16, 3, 3, 16] = splat 1\n"
             "%first = conv2d(%x, %w) {pads = [1, 1, 1, 1]}\n%second = conv2d(%first, %w)\noutput %second\n");
  auto variant = nlohmann::ordered_json::parse(read_text(VDLA_SOURCE_DIR "/isa/variants/tiny.json"));
  variant["name"] = "wide-out";
  variant["geometry"]["block_out"] = 8;
  write_file(path("wide-out.json"), variant.dump());
  Outcome o =
      run("compile " + path("net.graph") + " --variant " + path("wide-out.json") + " -o " + path("n.vdla"));
  ASSERT_EQ(o.status, 0) << o.err;
  o = run("run " + path("n.vdla") + " --engine systemc --random-input 1 --record " + path("r.json"));
  ASSERT_EQ(o.status, 0) << o.err;
  ASSERT_EQ(run("report " + path("r.json")).status, 0);
  const std::string page = open(path("r.html"));
  EXPECT_EQ(count(page, "id=\"made\""), 1u);
  EXPECT_THAT(page, HasSubstr("its result goes to DRAM: "));
}

TEST_F(Browser, ASearchShowsItsTrialsLayersAndTasks) {
  const Outcome o = run("tune " + example("digits.onnx") + " --variant tiny --trials 60 --json --book " +
                        path("k.json") + " --html " + path("t.html"));
  ASSERT_EQ(o.status, 0) << o.err;
  const json result = json::parse(o.out);
  const std::string page = open(path("t.html"));
  for (const char* id : {"curve", "layers", "tasks"})
    EXPECT_EQ(count(page, std::string("id=\"") + id + "\""), 1u) << id;
  EXPECT_GT(count(page, "class=\"hit trial\""), 20u);
  // Each layer of the device with its cycles before and after.
  ASSERT_EQ(
      run("run " + digits("tiny") + " --engine systemc --random-input 1 --record " + path("r.json")).status,
      0);
  const json record = json::parse(read_text(path("r.json")));
  for (const auto& layer : record.at("layers"))
    EXPECT_THAT(page, HasSubstr(">" + layer.at("name").get<std::string>() + "</td>"));
  for (const char* key : {"default_cycles", "cycles"}) {
    std::string cycles = std::to_string(static_cast<std::int64_t>(result.at(key).get<double>()));
    for (std::size_t i = cycles.size(); i > 3;) cycles.insert(i -= 3, ",");
    EXPECT_THAT(page, HasSubstr(cycles)) << key;
  }
}

TEST_F(Browser, AComparisonShowsBothSidesOfEachLayer) {
  const Outcome o = run("compare " + digits("tiny") + " " + digits("paper") + " --html " + path("c.html"));
  ASSERT_EQ(o.status, 0) << o.err;
  const std::string page = open(path("c.html"));
  for (const char* id : {"total", "totals", "layers", "table"})
    EXPECT_EQ(count(page, std::string("id=\"") + id + "\""), 1u) << id;
  EXPECT_THAT(page, HasSubstr("conv3.conv"));
  EXPECT_THAT(page, HasSubstr("assumed MHz"));
}

TEST_F(Browser, AReportWithAModelProposesWhatARunConfirmed) {
  const std::string module = digits("tiny");
  ASSERT_EQ(
      run("run " + module + " --engine systemc --timing-only --random-input 1 --record " + path("r.json"))
          .status,
      0);
  const Outcome o = run("report " + path("r.json") + " --model " + example("digits.onnx"));
  ASSERT_EQ(o.status, 0) << o.err;
  EXPECT_THAT(o.out, HasSubstr("array 1x8x8"));
  EXPECT_THAT(o.out, HasSubstr("cannot be tried: DRAM bytes per cycle x2"));
  const std::string page = open(path("r.html"));
  EXPECT_EQ(count(page, "id=\"no-advice\""), 0u);
  EXPECT_THAT(page, HasSubstr("confirmed to help"));
  EXPECT_THAT(page, HasSubstr("array 1x8x8"));
  EXPECT_THAT(page, HasSubstr("at an assumed 100 MHz"));
}

}  // namespace
}  // namespace vdla::tools
