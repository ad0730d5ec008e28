// SPDX-License-Identifier: Apache-2.0
// The list of passes over the device's stream, in the order in which a compile runs them. A new row brings
// the declaration of the function (compiler/codegen/vdla/passes.h), a row of the table
// (compiler/codegen/vdla/pass.h), a pass of `vdla opt`, and a name for `vdla compile --print-after`.
#pragma once

/// X(C++ name, name, what its text shows, function, the way of hiding latency that it is for (std::nullopt:
/// all), what may stand in the stream from here on ...).
#define VDLA_STREAM_PASSES(X)                                                                             \
  X(Expand, "expand", "the stream with instructions, over instances in SRAM, for the functions", expand,  \
    std::nullopt, Form::Instance, Form::MicroKernel)                                                      \
  X(PinTiles, "pin-tiles", "the stream with tiles where there is room first, for comparison", pin_tiles,  \
    Latency::HiddenByThreads, Form::Instance, Form::MicroKernel)                                          \
  X(PlaceSram, "place-sram", "the stream with entries of buffers for the instances", place_sram,          \
    std::nullopt, Form::MicroKernel)                                                                      \
  X(PlaceUops, "place-uops", "the stream with loads of micro-kernels", place_uops, std::nullopt)          \
  X(OrderHazards, "order-hazards", "the stream with what instructions wait for because they depend",      \
    order_hazards, std::nullopt, Form::Wait)                                                              \
  X(OrderBanks, "order-banks", "the stream with what gemms wait for so that they stay fast", order_banks, \
    std::nullopt, Form::Wait)                                                                             \
  X(SerialiseUnits, "serialise-units", "the stream in which one unit works at a time, for comparison",    \
    serialise_units, Latency::Exposed, Form::Wait)                                                        \
  X(InsertTokens, "insert-tokens", "the stream with tokens for the waits", insert_tokens, std::nullopt,   \
    Form::Token)
