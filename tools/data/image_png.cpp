// SPDX-License-Identifier: Apache-2.0
// PNG by libpng. Its errors come back by longjmp, over frames of C alone: each function that calls setjmp has
// no object with a destructor.
#include <png.h>

#include <cstdio>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "support/error.h"
#include "tools/data/image_decode.h"
#include "tools/data/orientation.h"

namespace vdla::tools {
namespace {

struct Decoder {
  png_structp png = nullptr;
  png_infop info = nullptr;
  std::span<const std::byte> left;  ///< rest of the file
  char message[256] = "out of memory";

  Decoder() = default;
  ~Decoder() { png_destroy_read_struct(&png, &info, nullptr); }
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;
};

[[noreturn]] void on_error(png_structp png, png_const_charp message) {
  auto& d = *static_cast<Decoder*>(png_get_error_ptr(png));
  std::snprintf(d.message, sizeof(d.message), "%s", message);
  png_longjmp(png, 1);
}

/// Warnings are about what pixels do not depend on: colour profiles, dates, texts.
void on_warning(png_structp, png_const_charp) {}

void on_read(png_structp png, png_bytep to, std::size_t bytes) {
  auto& d = *static_cast<Decoder*>(png_get_io_ptr(png));
  if (bytes > d.left.size()) png_error(png, "the file ends in the middle");
  std::memcpy(to, d.left.data(), bytes);
  d.left = d.left.subspan(bytes);
}

/// False: `message` says why not.
bool read_header(Decoder& d) {
  d.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &d, on_error, on_warning);
  if (d.png == nullptr) return false;
  if (setjmp(png_jmpbuf(d.png)) != 0) return false;
  d.info = png_create_info_struct(d.png);
  if (d.info == nullptr) return false;
  png_set_read_fn(d.png, &d, on_read);
  png_set_user_limits(d.png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);  // check_pixels() has the limit
  png_read_info(d.png, d.info);
  return true;
}

/// Sets the form of the rows: 8 bits each, a palette as its colours, transparency as alpha.
bool set_form(Decoder& d) {
  if (setjmp(png_jmpbuf(d.png)) != 0) return false;
  png_set_expand(d.png);
  png_set_strip_16(d.png);
  png_set_interlace_handling(d.png);
  png_read_update_info(d.png, d.info);
  return true;
}

bool read_rows(Decoder& d, png_bytepp rows) {
  if (setjmp(png_jmpbuf(d.png)) != 0) return false;
  png_read_image(d.png, rows);
  png_read_end(d.png, nullptr);
  return true;
}

/// Returns the orientation in the chunk of EXIF data.
Orientation orientation_of(Decoder& d) {
  png_uint_32 bytes = 0;
  png_bytep exif = nullptr;
  if (png_get_eXIf_1(d.png, d.info, &bytes, &exif) == 0) return kUpright;
  return exif_orientation(std::as_bytes(std::span(exif, bytes)));
}

}  // namespace

bool have_png() { return true; }

Image decode_png(std::span<const std::byte> file, const std::string& path, std::uint64_t max_pixels) {
  Decoder d;
  d.left = file;
  const auto refuse = [&] { throw UserError(path + ": not a PNG image that can be read: " + d.message); };
  if (!read_header(d)) refuse();
  const std::size_t height = png_get_image_height(d.png, d.info), width = png_get_image_width(d.png, d.info);
  check_pixels(height, width, path, max_pixels);
  if (!set_form(d)) refuse();
  const std::size_t channels = png_get_channels(d.png, d.info);
  VDLA_CHECK(png_get_rowbytes(d.png, d.info) == channels * width)
      << path << ": rows of " << png_get_rowbytes(d.png, d.info) << " bytes";
  std::vector<unsigned char> bytes(height * width * channels);
  std::vector<png_bytep> rows;
  for (std::size_t y = 0; y < height; ++y) rows.push_back(bytes.data() + y * width * channels);
  if (!read_rows(d, rows.data())) refuse();
  Image image{static_cast<int>(height), static_cast<int>(width), static_cast<int>(channels), {}};
  image.pixels.assign(bytes.begin(), bytes.end());
  return turned(std::move(image), orientation_of(d));
}

}  // namespace vdla::tools
