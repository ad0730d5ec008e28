// SPDX-License-Identifier: Apache-2.0
// Networks with several inputs and outputs, of all types, through the commands.
#include <cstring>

#include "tests/compiler/import/onnx_builder.h"
#include "tests/tools/image_commands.h"
#include "tools/data/npy.h"
#include "tools/data/npz.h"

namespace vdla::tools {
namespace {

using ::vdla::testing::OnnxModel;
using Shape = std::vector<std::int64_t>;

template <class T>
NpyArray array_of(const std::string& type, const Shape& shape, const std::vector<T>& values) {
  NpyArray a{type, shape, std::vector<std::byte>(sizeof(T) * values.size())};
  std::memcpy(a.bytes.data(), values.data(), a.bytes.size());
  return a;
}

/// sum = x + row[id], of rows 10, 20 and 30; kept = x where mask, 0 elsewhere.
class SeveralInputs : public ImageCommands {
 protected:
  std::string network() const {
    OnnxModel m;
    m.opset(13);
    m.input("x", {1, 3});
    m.input("id", {1}, onnx::TensorProto::INT64);
    m.input("mask", {1, 3}, onnx::TensorProto::BOOL);
    m.output("sum");
    m.output("kept");
    m.node("Gather", {m.constant("rows", onnx::TensorProto::FLOAT, {3, 1}, {10, 20, 30}).name(), "id"},
           "row");
    m.node("Add", {"x", "row"}, "sum");
    m.node("Where", {"mask", "x", m.constant("zero", onnx::TensorProto::FLOAT, {1}, {0}).name()}, "kept");
    const graph::Bytes bytes = m.bytes();
    write_file(path("m.onnx"), {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    return compile(path("m.onnx"));
  }
  std::string file(const std::string& name, const NpyArray& array) const {
    write_npy(path(name + ".npy"), array);
    return name + "=" + path(name + ".npy");
  }
  /// Options of the three inputs.
  std::string files(const std::string& option) const {
    return " " + option + " " + file("x", x_) + " " + option + " " + file("id", id_) + " " + option + " " +
           file("mask", mask_);
  }
  std::string archive(const std::string& name,
                      const std::vector<std::pair<std::string, NpyArray>>& arrays) const {
    std::vector<std::pair<std::string, std::string>> contents;
    for (const auto& [key, array] : arrays) contents.emplace_back(key + ".npy", npy_file(array));
    write_file(path(name), archive_of(contents));
    return path(name);
  }
  static std::vector<double> values(const nlohmann::json& report, std::size_t output) {
    return report["outputs"][output]["values"];
  }
  void expect_values(const nlohmann::json& report) const {
    EXPECT_EQ(values(report, 0), (std::vector<double>{21, 22, 23}));
    EXPECT_EQ(values(report, 1), (std::vector<double>{1, 0, 3}));
  }

  const NpyArray x_ = array_of<float>("<f4", {1, 3}, {1, 2, 3});
  const NpyArray id_ = array_of<std::int32_t>("<i4", {1}, {1});
  const NpyArray mask_ = array_of<std::uint8_t>("|u1", {1, 3}, {1, 0, 1});
};

TEST_F(SeveralInputs, AreFilesByNameOrArraysOfAnArchive) {
  const std::string net = network();
  expect_values(json("run " + net + files("--input")));
  expect_values(
      json("run " + net + " --input " + archive("all.npz", {{"mask", mask_}, {"id", id_}, {"x", x_}})));
  expect_values(json("run " + net + " --input " +
                     archive("numbered.npz", {{"arr_0", x_}, {"arr_1", id_}, {"arr_2", mask_}})));
  const nlohmann::json drawn = json("run " + net + " --random-input 3");
  EXPECT_EQ(values(drawn, 0).size(), 3U);
  EXPECT_EQ(drawn["outputs"], json("run " + net + " --random-input 3")["outputs"]);
}

TEST_F(SeveralInputs, AreNamedByExplain) {
  const nlohmann::json ports = json("explain " + network());
  EXPECT_EQ(ports["inputs"], nlohmann::json::parse(R"([
    {"name": "x", "type": "float32", "shape": [1, 3]},
    {"name": "id", "type": "int64", "shape": [1]},
    {"name": "mask", "type": "bool", "shape": [1, 3]}])"));
  EXPECT_EQ(ports["outputs"][1]["name"], "kept");
}

TEST_F(SeveralInputs, OutputsAreArraysByName) {
  const std::string net = network();
  ok("run " + net + files("--input") + " --output " + path("out"));
  EXPECT_EQ(to_real(read_npy(path("out/sum.npy"))), (std::vector<double>{21, 22, 23}));
  EXPECT_EQ(to_real(read_npy(path("out/kept.npy"))), (std::vector<double>{1, 0, 3}));
  ok("run " + net + files("--input") + " --output " + path("out.npz"));
  const auto written = files_of_archive(path("out.npz"));
  ASSERT_EQ(written.size(), 2U);
  EXPECT_EQ(written[1].first, "kept.npy");
  expect_error("run " + net + files("--input") + " --output " + path("one.npy"),
               {"one.npy: is one array, and model", "has 2 outputs; name a new folder, or FILE.npz"});
  expect_error("run " + net + files("--input") + " --output " + path("out"), {"out: is no empty folder"});
}

TEST_F(SeveralInputs, OfManyRunsAreEvaluated) {
  const std::string net = network();
  const NpyArray two_x = array_of<float>("<f4", {2, 3}, {1, 2, 3, 4, 5, 6});
  const NpyArray two_ids = array_of<std::int64_t>("<i8", {2}, {0, 2});
  const NpyArray two_masks = array_of<std::uint8_t>("|b1", {2, 3}, {0, 0, 1, 1, 1, 1});
  const std::string all = archive("batch.npz", {{"x", two_x}, {"id", two_ids}, {"mask", two_masks}});
  EXPECT_EQ(json("eval " + net + " --inputs " + all + " --output " + path("out"))["count"], 2);
  const NpyArray sums = read_npy(path("out/sum.npy"));
  EXPECT_EQ(sums.shape, (Shape{2, 3}));
  EXPECT_EQ(to_real(sums), (std::vector<double>{11, 12, 13, 34, 35, 36}));
  EXPECT_EQ(to_real(read_npy(path("out/kept.npy"))), (std::vector<double>{0, 0, 3, 4, 5, 6}));
  std::filesystem::create_directory(path("samples"));
  archive("samples/a.npz", {{"x", x_}, {"id", id_}, {"mask", mask_}});
  archive("samples/b.npz", {{"x", x_}, {"id", id_}, {"mask", mask_}});
  EXPECT_EQ(json("eval " + net + " --inputs " + path("samples"))["count"], 2);
  expect_error("eval " + net + " --inputs " + file("x", two_x) + " --inputs " + file("id", id_) +
                   " --inputs " + file("mask", two_masks),
               {"has 1 samples of input 'id', input 'x' has 2"});
}

// Elements beyond the extents of a run were compared, too.
TEST_F(ImageCommands, AnEvaluationComparesWithinTheExtentsOfEachRun) {
  OnnxModel m;
  m.opset(13);
  m.input("x", {1, 4});
  m.output("places", onnx::TensorProto::INT64);
  m.node("NonZero", {"x"}, "places");
  const graph::Bytes bytes = m.bytes();
  write_file(path("m.onnx"), {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  const std::string net = compile(path("m.onnx"));
  write_npy(path("x.npy"), array_of<float>("<f4", {3, 4}, {0, 5, 0, 7, 1, 0, 0, 0, 0, 0, 0, 0}));
  const auto equal = [&](const std::string& second, const std::string& third, int status) {
    write_file(path("g.csv"), "0,0,0,1,3\n1" + second + "\n2" + third + "\n");
    const Outcome outcome =
        run("eval " + net + " --inputs " + path("x.npy") + " --golden " + path("g.csv") + " --json");
    EXPECT_EQ(outcome.status, status) << outcome.err;
    return nlohmann::json::parse(outcome.out)["golden_exact"].get<int>();
  };
  EXPECT_EQ(equal(",0,0", "", 0), 3);
  EXPECT_EQ(equal(",0,1", "", 1), 2);
  EXPECT_EQ(equal(",0,0,0,0", ",0,0", 1), 1);
  write_file(path("g.csv"), "0,0,0,1,3\n1,0,0,0,0,0,0,0,0,0\n2\n");
  expect_error("eval " + net + " --inputs " + path("x.npy") + " --golden " + path("g.csv"),
               {":2: has 9 values, output 'places' has 8 at most"});
}

TEST_F(SeveralInputs, OfADiffAreThoseOfBothSides) {
  const std::string net = network();
  EXPECT_EQ(
      json("diff " + path("m.onnx") + " --target cpu --against interpreter" + files("--input"))["differing"],
      0);
}

TEST_F(SeveralInputs, ErrorsSayWhatIsNeeded) {
  const std::string net = network();
  expect_error("run " + net + " --input " + path("x.npy"),
               {"names no input: the network has 'x' and 'id' and 'mask', needs --input NAME=FILE for each"});
  expect_error("run " + net + " --input " + file("x", x_),
               {"input 'id' has no samples, needs --input id=FILE"});
  expect_error("run " + net + " --input " + archive("part.npz", {{"x", x_}, {"id", id_}}),
               {"part.npz: has no array 'mask.npy' for input 'mask', but 'x.npy', 'id.npy'"});
  const auto with = [&](const NpyArray& id, const NpyArray& mask) {
    return "run " + net + " --input " + archive("bad.npz", {{"x", x_}, {"id", id}, {"mask", mask}});
  };
  expect_error(with(array_of<float>("<f4", {1}, {1}), mask_),
               {"has type float32, input 'id' needs int64 or other integers"});
  expect_error(with(array_of<std::uint64_t>("<u8", {1}, {1ull << 63}), mask_),
               {"has value 9223372036854775808, needs integers below 2^63"});
  expect_error(with(id_, array_of<std::uint8_t>("|u1", {1, 3}, {1, 2, 1})),
               {"value 2 does not fit input 'mask' of bool, needs 0 to 1"});
}

/// It was called a module.
TEST_F(SeveralInputs, AFileThatIsMissingIsSaidToBe) {
  expect_error("run " + path("none.onnx") + " --target cpu --random-input 1", {"none.onnx", "No such file"});
}

}  // namespace
}  // namespace vdla::tools
