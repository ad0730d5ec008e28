// SPDX-License-Identifier: Apache-2.0
// Small JPEG and PNG files in memory, written by the libraries that the kit reads them with.
#pragma once

#include <cstddef>
#include <cstdio>  // jpeglib.h needs FILE
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include <jpeglib.h>
#include <png.h>

#include "support/error.h"

namespace vdla::tools {

using File = std::vector<std::byte>;

struct JpegForm {
  int components = 3;
  J_COLOR_SPACE space = JCS_RGB;
  bool progressive = false;
};

inline File jpeg_file(int height, int width, const std::vector<unsigned char>& pixels,
                      const JpegForm& form = {}) {
  jpeg_compress_struct info{};
  jpeg_error_mgr errors{};
  info.err = jpeg_std_error(&errors);
  jpeg_create_compress(&info);
  unsigned char* data = nullptr;
  unsigned long bytes = 0;
  jpeg_mem_dest(&info, &data, &bytes);
  info.image_height = static_cast<JDIMENSION>(height);
  info.image_width = static_cast<JDIMENSION>(width);
  info.input_components = form.components;
  info.in_color_space = form.space;
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, 100, TRUE);
  if (form.progressive) jpeg_simple_progression(&info);
  jpeg_start_compress(&info, TRUE);
  std::vector<unsigned char> copy = pixels;
  while (info.next_scanline < info.image_height) {
    JSAMPROW row =
        copy.data() + info.next_scanline * info.image_width * static_cast<unsigned>(form.components);
    jpeg_write_scanlines(&info, &row, 1);
  }
  jpeg_finish_compress(&info);
  jpeg_destroy_compress(&info);
  const auto* begin = reinterpret_cast<const std::byte*>(data);
  File file(begin, begin + bytes);
  std::free(data);
  return file;
}

struct PngForm {
  int bits = 8, type = PNG_COLOR_TYPE_RGB;
  bool interlaced = false;
  std::function<void(png_structp, png_infop)> also = nullptr;  ///< palette, transparency
};

/// `rows`: the bytes of all rows as PNG has them.
inline File png_file(int height, int width, std::vector<unsigned char> rows, const PngForm& form = {}) {
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  File file;
  png_set_write_fn(
      png, &file,
      [](png_structp p, png_bytep data, std::size_t bytes) {
        auto& to = *static_cast<File*>(png_get_io_ptr(p));
        const auto* begin = reinterpret_cast<const std::byte*>(data);
        to.insert(to.end(), begin, begin + bytes);
      },
      nullptr);
  png_set_IHDR(png, info, static_cast<png_uint_32>(width), static_cast<png_uint_32>(height), form.bits,
               form.type, form.interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  if (form.also) form.also(png, info);
  png_write_info(png, info);
  std::vector<png_bytep> pointers;
  const std::size_t bytes = rows.size() / static_cast<std::size_t>(height);
  for (int y = 0; y < height; ++y) pointers.push_back(rows.data() + static_cast<std::size_t>(y) * bytes);
  png_write_image(png, pointers.data());
  png_write_end(png, nullptr);
  png_destroy_write_struct(&png, &info);
  return file;
}

}  // namespace vdla::tools
