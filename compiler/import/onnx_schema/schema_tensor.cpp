// SPDX-License-Identifier: Apache-2.0
// Operators that move or make elements; control flow, sequences, optional values, strings, images.
#include "compiler/import/onnx_schema/schema_row.h"

namespace vdla::import::onnx_schema {
namespace {

constexpr Attribute kAffineGrid[] = {integer("align_corners", 0)};
constexpr Attribute kBernoulli[] = {integer("dtype"), real("seed")};
constexpr Attribute kTo[] = {required(integer("to"))};
constexpr Attribute kCast1[] = {required(text("to"))};
constexpr Attribute kCast19[] = {integer("saturate", 1), required(integer("to"))};
constexpr Attribute kCast24[] = {text("round_mode", "up"), integer("saturate", 1), required(integer("to"))};
constexpr Attribute kCastLike19[] = {integer("saturate", 1)};
constexpr Attribute kCastLike24[] = {text("round_mode", "up"), integer("saturate", 1)};
constexpr Attribute kAxes[] = {integers("axes")};
constexpr Attribute kAxis[] = {integer("axis")};
constexpr Attribute kConcat[] = {required(integer("axis"))};
constexpr Attribute kConcatFromSequence[] = {required(integer("axis")), integer("new_axis", 0)};
constexpr Attribute kConstant1[] = {required(tensor("value"))};
constexpr Attribute kConstant11[] = {sparse_tensor("sparse_value"), tensor("value")};
constexpr Attribute kConstant12[] = {
    sparse_tensor("sparse_value"), tensor("value"),        real("value_float"),  reals("value_floats"),
    integer("value_int"),          integers("value_ints"), text("value_string"), texts("value_strings")};
constexpr Attribute kConstantOfShape[] = {tensor("value")};
constexpr Attribute kBlock[] = {required(integer("blocksize"))};
constexpr Attribute kDepthToSpace[] = {required(integer("blocksize")), text("mode", "DCR")};
constexpr Attribute kEyeLike[] = {integer("dtype"), integer("k", 0)};
constexpr Attribute kAxis0[] = {integer("axis", 0)};
constexpr Attribute kGatherND[] = {integer("batch_dims", 0)};
constexpr Attribute kGridSample16[] = {integer("align_corners", 0), text("mode", "bilinear"),
                                       text("padding_mode", "zeros")};
constexpr Attribute kGridSample20[] = {integer("align_corners", 0), text("mode", "linear"),
                                       text("padding_mode", "zeros")};
constexpr Attribute kIf[] = {required(graph("else_branch")), required(graph("then_branch"))};
constexpr Attribute kImageDecoder[] = {text("pixel_format", "RGB")};
constexpr Attribute kIsInf[] = {integer("detect_negative", 1), integer("detect_positive", 1)};
constexpr Attribute kBody[] = {required(graph("body"))};
constexpr Attribute kMultinomial[] = {integer("dtype", 6), integer("sample_size", 1), real("seed")};
constexpr Attribute kOptional[] = {type("type")};
constexpr Attribute kPad1[] = {text("mode", "constant"), required(integers("paddings")), real("value", 0.0F)};
constexpr Attribute kPad2[] = {text("mode", "constant"), required(integers("pads")), real("value", 0.0F)};
constexpr Attribute kPad11[] = {text("mode", "constant")};
constexpr Attribute kRandomNormal[] = {integer("dtype", 1), real("mean", 0.0F), real("scale", 1.0F),
                                       real("seed"), required(integers("shape"))};
constexpr Attribute kRandomNormalLike[] = {integer("dtype"), real("mean", 0.0F), real("scale", 1.0F),
                                           real("seed")};
constexpr Attribute kRandomUniform[] = {integer("dtype", 1), real("high", 1.0F), real("low", 0.0F),
                                        real("seed"), required(integers("shape"))};
constexpr Attribute kRandomUniformLike[] = {integer("dtype"), real("high", 1.0F), real("low", 0.0F),
                                            real("seed")};
constexpr Attribute kRange[] = {integer("stash_type", 1)};
constexpr Attribute kRegexFullMatch[] = {text("pattern")};
constexpr Attribute kReshape1[] = {integers("consumed_inputs"), integers("shape")};
constexpr Attribute kReshape14[] = {integer("allowzero", 0)};
constexpr Attribute kNearest[] = {text("mode", "nearest")};
constexpr Attribute kResize11[] = {text("coordinate_transformation_mode", "half_pixel"),
                                   real("cubic_coeff_a", -0.75F),
                                   integer("exclude_outside", 0),
                                   real("extrapolation_value", 0.0F),
                                   text("mode", "nearest"),
                                   text("nearest_mode", "round_prefer_floor")};
constexpr Attribute kResize18[] = {integer("antialias", 0),
                                   integers("axes"),
                                   text("coordinate_transformation_mode", "half_pixel"),
                                   real("cubic_coeff_a", -0.75F),
                                   integer("exclude_outside", 0),
                                   real("extrapolation_value", 0.0F),
                                   text("keep_aspect_ratio_policy", "stretch"),
                                   text("mode", "nearest"),
                                   text("nearest_mode", "round_prefer_floor")};
constexpr Attribute kReverseSequence[] = {integer("batch_axis", 1), integer("time_axis", 0)};
constexpr Attribute kScan8[] = {required(graph("body")), integers("directions"),
                                required(integer("num_scan_inputs"))};
constexpr Attribute kScan9[] = {required(graph("body")),      required(integer("num_scan_inputs")),
                                integers("scan_input_axes"),  integers("scan_input_directions"),
                                integers("scan_output_axes"), integers("scan_output_directions")};
constexpr Attribute kScatterElements[] = {integer("axis", 0), text("reduction", "none")};
constexpr Attribute kScatterND[] = {text("reduction", "none")};
constexpr Attribute kSequenceEmpty[] = {integer("dtype")};
constexpr Attribute kShape[] = {integer("end"), integer("start", 0)};
constexpr Attribute kSlice[] = {integers("axes"), required(integers("ends")), required(integers("starts"))};
constexpr Attribute kSplit1[] = {integer("axis"), integers("split")};
constexpr Attribute kSplit2[] = {integer("axis", 0), integers("split")};
constexpr Attribute kSplit18[] = {integer("axis", 0), integer("num_outputs")};
constexpr Attribute kStringNormalizer[] = {
    text("case_change_action", "NONE"), integer("is_case_sensitive", 0), text("locale"), texts("stopwords")};
constexpr Attribute kStringSplit[] = {text("delimiter"), integer("maxsplit")};
constexpr Attribute kTensorScatter[] = {integer("axis", -2), text("mode", "linear")};
constexpr Attribute kTranspose[] = {integers("perm")};
constexpr Attribute kTrilu[] = {integer("upper", 1)};
constexpr Attribute kUnique[] = {integer("axis"), integer("sorted", 1)};
constexpr Attribute kUnsqueeze[] = {required(integers("axes"))};
constexpr Attribute kUpsample1[] = {required(real("height_scale")), text("mode", "nearest"),
                                    required(real("width_scale"))};
constexpr Attribute kUpsample7[] = {text("mode", "nearest"), required(reals("scales"))};

// Operator, first sets of its versions, attributes, inputs, outputs.
constexpr Row kTensorRows[] = {
    {"AffineGrid", {20}, kAffineGrid, 2, 1},
    {"Bernoulli", {15, 22}, kBernoulli, 1, 1},
    {"BitCast", {26}, kTo, 1, 1},
    {"Cast", {1}, kCast1, 1, 1},
    {"Cast", {6, 9, 13}, kTo, 1, 1},
    {"Cast", {19, 21, 23}, kCast19, 1, 1},
    {"Cast", {24, 25}, kCast24, 1, 1},
    {"CastLike", {15}, kNone, 2, 1},
    {"CastLike", {19, 21, 23}, kCastLike19, 2, 1},
    {"CastLike", {24, 25}, kCastLike24, 2, 1},
    {"CenterCropPad", {18}, kAxes, 2, 1},
    {"Compress", {9, 11}, kAxis, 2, 1},
    {"Concat", {1}, kAxis, {1, kAny}, 1},
    {"Concat", {4, 11, 13}, kConcat, {1, kAny}, 1},
    {"ConcatFromSequence", {11}, kConcatFromSequence, 1, 1},
    {"Constant", {1, 9}, kConstant1, 0, 1},
    {"Constant", {11}, kConstant11, 0, 1},
    {"Constant", {12, 13, 19, 21, 23, 24, 25}, kConstant12, 0, 1},
    {"ConstantOfShape", {9, 20, 21, 23, 24, 25}, kConstantOfShape, 1, 1},
    {"DepthToSpace", {1}, kBlock, 1, 1},
    {"DepthToSpace", {11, 13}, kDepthToSpace, 1, 1},
    {"EyeLike", {9, 22}, kEyeLike, 1, 1},
    {"Gather", {1, 11, 13}, kAxis0, 2, 1},
    {"GatherElements", {11, 13}, kAxis0, 2, 1},
    {"GatherND", {11}, kNone, 2, 1},
    {"GatherND", {12, 13}, kGatherND, 2, 1},
    {"GridSample", {16}, kGridSample16, 2, 1},
    {"GridSample", {20, 22}, kGridSample20, 2, 1},
    {"Identity", {1, 13, 14, 16, 19, 21, 23, 24, 25}, kNone, 1, 1},
    {"If", {1, 11, 13, 16, 19, 21, 23, 24, 25}, kIf, 1, {1, kAny}},
    {"ImageDecoder", {20}, kImageDecoder, 1, 1},
    {"IsInf", {10, 20}, kIsInf, 1, 1},
    {"IsNaN", {9, 13, 20}, kNone, 1, 1},
    {"Loop", {1}, kBody, {3, kAny, 0}, {1, kAny}},
    {"Loop", {11, 13, 16, 19, 21, 23, 24, 25}, kBody, {2, kAny, 0}, {1, kAny}},
    {"Multinomial", {7, 22}, kMultinomial, 1, 1},
    {"NonZero", {9, 13}, kNone, 1, 1},
    {"OneHot", {9, 11}, kLastAxis, 3, 1},
    {"Optional", {15}, kOptional, {0, 1}, 1},
    {"OptionalGetElement", {15, 18}, kNone, 1, 1},
    {"OptionalHasElement", {15}, kNone, 1, 1},
    {"OptionalHasElement", {18}, kNone, {0, 1}, 1},
    {"Pad", {1}, kPad1, 1, 1},
    {"Pad", {2}, kPad2, 1, 1},
    {"Pad", {11, 13}, kPad11, {2, 3}, 1},
    {"Pad", {18, 19, 21, 23, 24, 25}, kPad11, {2, 4}, 1},
    {"RandomNormal", {1, 22}, kRandomNormal, 0, 1},
    {"RandomNormalLike", {1, 22}, kRandomNormalLike, 1, 1},
    {"RandomUniform", {1, 22}, kRandomUniform, 0, 1},
    {"RandomUniformLike", {1, 22}, kRandomUniformLike, 1, 1},
    {"Range", {11}, kNone, 3, 1},
    {"Range", {27}, kRange, 3, 1},
    {"RegexFullMatch", {20}, kRegexFullMatch, 1, 1},
    {"Reshape", {1}, kReshape1, 1, 1},
    {"Reshape", {5, 13}, kNone, 2, 1},
    {"Reshape", {14, 19, 21, 23, 24, 25}, kReshape14, 2, 1},
    {"Resize", {10}, kNearest, 2, 1},
    {"Resize", {11}, kResize11, {3, 4}, 1},
    {"Resize", {13}, kResize11, {1, 4}, 1},
    {"Resize", {18, 19}, kResize18, {1, 4}, 1},
    {"ReverseSequence", {10}, kReverseSequence, 2, 1},
    {"Scan", {8}, kScan8, {2, kAny, 0}, {1, kAny}},
    {"Scan", {9, 11, 16, 19, 21, 23, 24, 25}, kScan9, {1, kAny}, {1, kAny}},
    {"Scatter", {9}, kAxis0, 3, 1},
    removed("Scatter", 11),
    {"ScatterElements", {11, 13}, kAxis0, 3, 1},
    {"ScatterElements", {16, 18}, kScatterElements, 3, 1},
    {"ScatterND", {11, 13}, kNone, 3, 1},
    {"ScatterND", {16, 18}, kScatterND, 3, 1},
    {"SequenceAt", {11}, kNone, 2, 1},
    {"SequenceConstruct", {11}, kNone, {1, kAny}, 1},
    {"SequenceEmpty", {11}, kSequenceEmpty, 0, 1},
    {"SequenceErase", {11}, kNone, {1, 2}, 1},
    {"SequenceInsert", {11}, kNone, {2, 3}, 1},
    {"SequenceLength", {11}, kNone, 1, 1},
    {"SequenceMap", {17}, kBody, {1, kAny}, {1, kAny}},
    {"Shape", {1, 13}, kNone, 1, 1},
    {"Shape", {15, 19, 21, 23, 24, 25}, kShape, 1, 1},
    {"Size", {1, 13, 19, 21, 23, 24, 25}, kNone, 1, 1},
    {"Slice", {1}, kSlice, 1, 1},
    {"Slice", {10, 11, 13}, kNone, {3, 5}, 1},
    {"SpaceToDepth", {1, 13}, kBlock, 1, 1},
    {"Split", {1}, kSplit1, {1, 2}, {1, kAny}},
    {"Split", {2, 11}, kSplit2, 1, {1, kAny}},
    {"Split", {13}, kAxis0, {1, 2}, {1, kAny}},
    {"Split", {18}, kSplit18, {1, 2}, {1, kAny}},
    {"SplitToSequence", {11, 24}, kAxisKept, {1, 2}, 1},
    {"Squeeze", {1, 11}, kAxes, 1, 1},
    {"Squeeze", {13, 21, 23, 24, 25}, kNone, {1, 2}, 1},
    {"StringConcat", {20}, kNone, 2, 1},
    {"StringNormalizer", {10}, kStringNormalizer, 1, 1},
    {"StringSplit", {20}, kStringSplit, 1, 2},
    {"TensorScatter", {24}, kTensorScatter, {2, 3}, 1},
    {"Tile", {1}, kNone, 3, 1},
    {"Tile", {6, 13}, kNone, 2, 1},
    {"Transpose", {1, 13, 21, 23, 24, 25}, kTranspose, 1, 1},
    {"Trilu", {14}, kTrilu, {1, 2}, 1},
    {"Unique", {11}, kUnique, 1, {1, 4}},
    {"Unsqueeze", {1, 11}, kUnsqueeze, 1, 1},
    {"Unsqueeze", {13, 21, 23, 24, 25}, kNone, 2, 1},
    {"Upsample", {1}, kUpsample1, 1, 1},
    {"Upsample", {7}, kUpsample7, 1, 1},
    {"Upsample", {9}, kNearest, 2, 1},
    removed("Upsample", 10),
    {"Where", {9, 16}, kNone, 3, 1},
};
static_assert(ascends(kTensorRows));

}  // namespace

std::span<const Row> tensor_rows() { return kTensorRows; }

}  // namespace vdla::import::onnx_schema
