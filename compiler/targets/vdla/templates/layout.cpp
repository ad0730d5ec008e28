// SPDX-License-Identifier: Apache-2.0
#include "compiler/targets/vdla/templates/layout.h"

#include <cstring>
#include <numeric>

#include "support/error.h"

namespace vdla::pipeline::device {

std::int64_t channel_block(const isa::Geometry& g) { return std::lcm(g.block_in, g.block_out); }

std::int64_t padded_channels(std::int64_t channels, const isa::Geometry& g) {
  const std::int64_t block = channel_block(g);
  return (channels + block - 1) / block * block;
}

std::int64_t activation_bytes(const Image& image, const isa::Geometry& g) {
  return image.h * image.w * padded_channels(image.c, g);
}

std::vector<std::int8_t> to_device(std::span<const std::int8_t> dense, const Image& image,
                                   const isa::Geometry& g, std::int8_t fill) {
  VDLA_CHECK_USER(static_cast<std::int64_t>(dense.size()) == image.h * image.w * image.c)
      << "a dense tensor of " << dense.size() << " elements, needs " << image.h * image.w * image.c;
  const auto channels = static_cast<std::size_t>(image.c);
  const auto padded = static_cast<std::size_t>(padded_channels(image.c, g));
  std::vector<std::int8_t> data(static_cast<std::size_t>(activation_bytes(image, g)), fill);
  for (std::size_t pixel = 0; pixel < data.size() / padded; ++pixel) {
    std::memcpy(&data[pixel * padded], &dense[pixel * channels], channels);
  }
  return data;
}

std::vector<std::int8_t> from_device(std::span<const std::int8_t> data, const Image& image,
                                     const isa::Geometry& g) {
  VDLA_CHECK_USER(static_cast<std::int64_t>(data.size()) == activation_bytes(image, g))
      << "a device tensor of " << data.size() << " bytes, needs " << activation_bytes(image, g);
  const auto channels = static_cast<std::size_t>(image.c);
  const auto padded = static_cast<std::size_t>(padded_channels(image.c, g));
  std::vector<std::int8_t> dense(static_cast<std::size_t>(image.h * image.w * image.c));
  for (std::size_t pixel = 0; pixel < data.size() / padded; ++pixel) {
    std::memcpy(&dense[pixel * channels], &data[pixel * padded], channels);
  }
  return dense;
}

Image image_of(const graph::Shape& shape) {
  Image image;
  const std::size_t rank = shape.size();
  if (rank > 0) image.c = shape[rank - 1];
  if (rank == 2) image.h = shape[0];
  if (rank > 2) image.w = shape[rank - 2];
  for (std::size_t d = 0; rank > 2 && d < rank - 2; ++d) image.h *= shape[d];
  return image;
}

Image image_of(const graph::Tensor& tensor) {
  Image image = image_of(tensor.shape);
  image.c *= static_cast<std::int64_t>(bytes_of(tensor.type));
  return image;
}

bool keeps_device_layout(const graph::Shape& from, const graph::Shape& to, const isa::Geometry& geometry) {
  const Image a = image_of(from), b = image_of(to);
  const std::int64_t block = channel_block(geometry);
  return (a.c == b.c && a.h * a.w == b.h * b.w) || (a.c % block == 0 && b.c % block == 0);
}

}  // namespace vdla::pipeline::device
