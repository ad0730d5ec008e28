// SPDX-License-Identifier: Apache-2.0
// JPEG by libjpeg-turbo. Its errors come back by longjmp, over frames of C alone: each function that calls
// setjmp has no object with a destructor.
#include <jerror.h>

#include <csetjmp>
#include <cstdio>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <jpeglib.h>

#include "support/error.h"
#include "tools/data/image_decode.h"
#include "tools/data/orientation.h"

namespace vdla::tools {
namespace {

/// A progressive file may repeat scans over the same pixels without end; real ones have about ten.
constexpr int kMaxScans = 500;

constexpr int kExifMarker = JPEG_APP0 + 1;

struct Decoder {
  jpeg_decompress_struct info;
  jpeg_error_mgr errors;
  jpeg_progress_mgr progress;
  std::jmp_buf back;
  char message[JMSG_LENGTH_MAX];

  Decoder() : info{}, errors{}, progress{}, back{}, message{} {}
  ~Decoder() { jpeg_destroy_decompress(&info); }
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;
};

Decoder& decoder_of(j_common_ptr info) { return *static_cast<Decoder*>(info->client_data); }

[[noreturn]] void give_up(j_common_ptr info) {
  Decoder& d = decoder_of(info);
  info->err->format_message(info, d.message);
  std::longjmp(d.back, 1);
}

/// Errors where the library warns and decodes nevertheless: missing or wrong data would be made up.
void on_message(j_common_ptr info, int level) {
  const int code = info->err->msg_code;
  const bool harmless = code == JWRN_EXTRANEOUS_DATA || code == JWRN_JFIF_MAJOR || code == JWRN_ADOBE_XFORM;
  if (level < 0 && !harmless) give_up(info);
}

void on_progress(j_common_ptr info) {
  if (reinterpret_cast<j_decompress_ptr>(info)->input_scan_number <= kMaxScans) return;
  Decoder& d = decoder_of(info);
  std::snprintf(d.message, sizeof(d.message), "more than %d scans", kMaxScans);
  std::longjmp(d.back, 1);
}

/// False: `message` says why not.
bool read_header(Decoder& d, const unsigned char* file, unsigned long bytes) {
  d.info.err = jpeg_std_error(&d.errors);
  d.info.client_data = &d;
  d.errors.error_exit = give_up;
  d.errors.emit_message = on_message;
  d.progress.progress_monitor = on_progress;
  if (setjmp(d.back) != 0) return false;
  jpeg_create_decompress(&d.info);
  d.info.progress = &d.progress;
  jpeg_mem_src(&d.info, file, bytes);
  jpeg_save_markers(&d.info, kExifMarker, 0xffff);
  jpeg_read_header(&d.info, TRUE);
  if (d.info.num_components == 1)
    d.info.out_color_space = JCS_GRAYSCALE;
  else
    d.info.out_color_space = d.info.num_components == 4 ? JCS_CMYK : JCS_RGB;
  return true;
}

bool read_rows(Decoder& d, unsigned char* to, std::size_t row_bytes) {
  if (setjmp(d.back) != 0) return false;
  jpeg_start_decompress(&d.info);
  while (d.info.output_scanline < d.info.output_height) {
    JSAMPROW row = to + d.info.output_scanline * row_bytes;
    jpeg_read_scanlines(&d.info, &row, 1);
  }
  jpeg_finish_decompress(&d.info);
  return true;
}

/// Returns the orientation in the first segment of EXIF data.
Orientation orientation_of(const Decoder& d) {
  constexpr std::string_view kName("Exif\0\0", 6);
  for (const auto* marker = d.info.marker_list; marker != nullptr; marker = marker->next) {
    const std::string_view data(reinterpret_cast<const char*>(marker->data), marker->data_length);
    if (marker->marker == kExifMarker && data.starts_with(kName))
      return exif_orientation(std::as_bytes(std::span(data.substr(kName.size()))));
  }
  return kUpright;
}

/// Inks to light. Programs of Adobe store the complement.
std::vector<float> rgb_of_cmyk(const std::vector<unsigned char>& inks, bool inverted) {
  std::vector<float> pixels;
  pixels.reserve(inks.size() / 4 * 3);
  const auto light = [&](unsigned char ink) { return inverted ? ink : 255 - ink; };
  for (std::size_t i = 0; i + 4 <= inks.size(); i += 4)
    for (std::size_t c = 0; c < 3; ++c)
      pixels.push_back(static_cast<float>((light(inks[i + c]) * light(inks[i + 3]) + 127) / 255));
  return pixels;
}

}  // namespace

bool have_jpeg() { return true; }

Image decode_jpeg(std::span<const std::byte> file, const std::string& path, std::uint64_t max_pixels) {
  Decoder d;
  const auto refuse = [&] { throw UserError(path + ": not a JPEG image that can be read: " + d.message); };
  if (!read_header(d, reinterpret_cast<const unsigned char*>(file.data()), file.size())) refuse();
  check_pixels(d.info.image_height, d.info.image_width, path, max_pixels);
  Image image;
  const Orientation orientation = orientation_of(d);
  image.height = static_cast<int>(d.info.image_height);
  image.width = static_cast<int>(d.info.image_width);
  const std::size_t channels = d.info.num_components == 1 ? 1 : d.info.num_components == 4 ? 4 : 3;
  const std::size_t row = channels * d.info.image_width;
  std::vector<unsigned char> bytes(row * d.info.image_height);
  if (!read_rows(d, bytes.data(), row)) refuse();
  image.channels = channels == 1 ? 1 : 3;
  if (channels == 4)
    image.pixels = rgb_of_cmyk(bytes, d.info.saw_Adobe_marker != FALSE);
  else
    image.pixels.assign(bytes.begin(), bytes.end());
  return turned(std::move(image), orientation);
}

}  // namespace vdla::tools
