// SPDX-License-Identifier: Apache-2.0
// Operators that ONNX had as experiments: its documentation up to version 1.4 lists them, sets from 10 on do
// not have them.
#include "compiler/import/onnx_schema/schema_row.h"

namespace vdla::import::onnx_schema {
namespace {

constexpr Attribute kAffine[] = {real("alpha", 1.0F), real("beta", 0.0F)};
constexpr Attribute kAlphaBeta[] = {real("alpha"), real("beta")};
constexpr Attribute kCrop[] = {integers("border"), integers("scale")};
constexpr Attribute kImageScaler[] = {reals("bias"), real("scale", 1.0F)};
constexpr Attribute kScale[] = {real("scale", 1.0F)};

// Operator, first sets of its versions, attributes, inputs, outputs.
constexpr Row kExperimentRows[] = {
    {"Affine", {1}, kAffine, 1, 1},
    removed("Affine", 10),
    {"Crop", {1}, kCrop, 1, 1},
    removed("Crop", 10),
    {"ImageScaler", {1}, kImageScaler, 1, 1},
    removed("ImageScaler", 10),
    {"ParametricSoftplus", {1}, kAlphaBeta, 1, 1},
    removed("ParametricSoftplus", 10),
    {"Scale", {1}, kScale, 1, 1},
    removed("Scale", 10),
    {"ScaledTanh", {1}, kAlphaBeta, 1, 1},
    removed("ScaledTanh", 10),
};
static_assert(ascends(kExperimentRows));

}  // namespace

std::span<const Row> experiment_rows() { return kExperimentRows; }

}  // namespace vdla::import::onnx_schema
