// SPDX-License-Identifier: Apache-2.0
#include "support/file_kind.h"

#include <gtest/gtest.h>

namespace vdla {
namespace {

using namespace std::string_view_literals;

TEST(FileKind, IsSeenByTheFirstBytes) {
  EXPECT_EQ(file_kind(""sv), FileKind::Empty);
  EXPECT_EQ(file_kind("VDLA-MOD\1"sv), FileKind::Module);
  EXPECT_EQ(file_kind("\x1c\0\0\0TFL3\0"sv), FileKind::TfLite);
  EXPECT_EQ(file_kind("\x93NUMPY\1"sv), FileKind::Npy);
  EXPECT_EQ(file_kind("PK\3\4\0"sv), FileKind::Zip);
  EXPECT_EQ(file_kind("\xff\xd8\xff\xe0"sv), FileKind::Jpeg);
  EXPECT_EQ(file_kind("\n<!DOCTYPE html><html>"sv), FileKind::Html);
  EXPECT_EQ(file_kind("version https://git-lfs.example/spec/v1\n"sv), FileKind::LfsPointer);
  EXPECT_EQ(file_kind("\xef\xbb\xbf {\"a\": 1}"sv), FileKind::Json);
  EXPECT_EQ(file_kind("\xff\xfeg\0r\0"sv), FileKind::Utf16);
  EXPECT_EQ(file_kind("gr\xc3\xbc\xc3\x9f Gott\n"sv), FileKind::Text);
  EXPECT_EQ(file_kind("\x08\x07\x12\x00"sv), FileKind::Unknown) << "an ONNX model has no mark";
}

TEST(FileKind, AByteOrderMarkIsNoText) {
  EXPECT_EQ(without_byte_order_mark("\xef\xbb\xbfgraph"sv), "graph");
  EXPECT_EQ(without_byte_order_mark("graph\xef\xbb\xbf"sv), "graph\xef\xbb\xbf");
  EXPECT_EQ(without_byte_order_mark("\xef\xbb"sv), "\xef\xbb");
}

TEST(FileKind, TheMessageSaysWhatIsThereWhatIsNeededAndWhatToDo) {
  EXPECT_EQ(
      wrong_kind(FileKind::TfLite, "a compiled module"),
      "is a TFLite model, needs a compiled module; vdla compile MODEL -o OUT.vdla makes a module of it");
  EXPECT_EQ(wrong_kind(FileKind::Empty, "JSON text"), "is empty, needs JSON text");
  EXPECT_EQ(wrong_kind(FileKind::Unknown, "a compiled module"), "is not a compiled module");
}

}  // namespace
}  // namespace vdla
