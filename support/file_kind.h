// SPDX-License-Identifier: Apache-2.0
// Kind of a file by its first bytes: messages about a wrong file name it for what it is.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace vdla {

/// Kinds of files that get handed to the kit, right or wrong. `remedy` is what to do with such a file, if the
/// kit has a use for it.
#define VDLA_FILE_KINDS(X)                                                              \
  X(Unknown, "a file of no known kind", "")                                             \
  X(Empty, "empty", "")                                                                 \
  X(Module, "a compiled module", "vdla run takes it")                                   \
  X(TfLite, "a TFLite model", "vdla compile MODEL -o OUT.vdla makes a module of it")    \
  X(Npy, "a NumPy array", "vdla run --input takes it")                                  \
  X(Zip, "a ZIP archive", "unpack it first (a .npz or a PyTorch .pt file is one, too)") \
  X(Gzip, "a gzip archive", "unpack it first")                                          \
  X(Hdf5, "an HDF5 file", "a Keras model has to be exported to TFLite or ONNX")         \
  X(Pickle, "a Python pickle", "a model in it has to be exported to TFLite or ONNX")    \
  X(Png, "a PNG image", "vdla run --input takes it")                                    \
  X(Jpeg, "a JPEG image", "vdla run --input takes it")                                  \
  X(Gif, "a GIF image", "")                                                             \
  X(Pdf, "a PDF document", "")                                                          \
  X(Elf, "an ELF object or program", "")                                                \
  X(Wav, "a RIFF file (sound, video, WebP)", "")                                        \
  X(Html, "an HTML page", "a download that was answered with a page looks like this")   \
  X(LfsPointer, "a pointer of Git LFS", "git lfs pull brings the file itself")          \
  X(Utf16, "UTF-16 text", "save it as UTF-8")                                           \
  X(Json, "JSON text", "")                                                              \
  X(Text, "text", "")

enum class FileKind : unsigned char {
#define VDLA_ENUM(name, text, remedy) name,
  VDLA_FILE_KINDS(VDLA_ENUM)
#undef VDLA_ENUM
};

/// Kind by content; an ONNX model (bare protobuf) has no mark and is Unknown.
FileKind file_kind(std::span<const std::byte> bytes);
FileKind file_kind(std::string_view bytes);

/// "a TFLite model"
std::string_view text_of(FileKind kind);

/// "is a NumPy array, needs a TFLite or ONNX model; vdla run --input takes it": the end of a message that
/// starts with the file's name; "is not a TFLite or ONNX model" of an unknown kind.
std::string wrong_kind(FileKind kind, std::string_view needed);

/// Returns the text without the mark that editors of Windows put in front of UTF-8 (EF BB BF).
std::string_view without_byte_order_mark(std::string_view text);

/// Text that is meant for people: no byte that text has not.
bool is_text(FileKind kind);

}  // namespace vdla
