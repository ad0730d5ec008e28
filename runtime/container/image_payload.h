// SPDX-License-Identifier: Apache-2.0
// Module::preprocessing and Module::class_names <-> their sections, as lines of text. Internal to the module
// file.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "runtime/module/module.h"

namespace vdla::runtime {

/// "normalise=scale=1,mean=127.5,std=127.5" and the like: the fields of support/preprocessing.h.
std::optional<Bytes> encode_preprocessing(const Module& module);
void decode_preprocessing(std::span<const std::byte> bytes, const std::string& name, Module& module);

/// A name each.
std::optional<Bytes> encode_class_names(const Module& module);
void decode_class_names(std::span<const std::byte> bytes, const std::string& name, Module& module);

}  // namespace vdla::runtime
