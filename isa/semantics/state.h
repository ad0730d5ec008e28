// SPDX-License-Identifier: Apache-2.0
// State that instructions act on: the buffers of one geometry, the windows, and memory behind them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "isa/spec/errors.h"
#include "isa/spec/geometry.h"

namespace vdla::isa {

/// The buffers, all zero at first. Entries are stored one after the other, rows of the batch inside an entry.
struct Sram {
  explicit Sram(const Geometry& g)
      : geometry(g),
        inp(std::size_t{g.inp_depth} * g.entry_bytes(Buffer::Inp)),
        wgt(std::size_t{g.wgt_depth} * g.entry_bytes(Buffer::Wgt)),
        acc(std::size_t{g.acc_depth} * g.batch * g.block_out),
        out(std::size_t{g.out_depth} * g.entry_bytes(Buffer::Out)),
        par(std::size_t{g.par_depth} * g.block_out),
        uop(g.uop_depth) {}

  Geometry geometry;
  std::vector<std::int8_t> inp;   ///< [entry][b][k]
  std::vector<std::int8_t> wgt;   ///< [entry][n][k]
  std::vector<std::int32_t> acc;  ///< [entry][b][n]
  std::vector<std::int8_t> out;   ///< [entry][b][n]
  std::vector<std::int32_t> par;  ///< [entry][n]
  std::vector<std::uint64_t> uop;

  bool operator==(const Sram&) const = default;
};

struct WindowRange {
  std::uint64_t base = 0;
  std::uint64_t size = 0;
};
using Windows = std::array<WindowRange, kWindowCount>;

/// Whether [offset, offset + bytes) lies inside the window.
constexpr bool inside(const WindowRange& window, std::uint64_t offset, std::uint64_t bytes) {
  return offset <= window.size && bytes <= window.size - offset;
}

/// DRAM by byte address. False: the bus answers with an error, nothing was transferred.
class Memory {
 public:
  virtual ~Memory() = default;
  virtual bool read(std::uint64_t address, std::span<std::byte> bytes) = 0;
  virtual bool write(std::uint64_t address, std::span<const std::byte> bytes) = 0;
};

/// Why an instruction did not complete; `address` is what register ERROR_ADDR shows.
struct Fault {
  ErrorCode code = ErrorCode::None;
  std::uint64_t address = 0;
  bool operator==(const Fault&) const = default;
};

}  // namespace vdla::isa
