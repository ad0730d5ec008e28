// SPDX-License-Identifier: Apache-2.0
// Operators of ONNX Runtime: those of the domain com.microsoft, which have one version each, and those that
// its tools write in the domain ai.onnx.
#include "compiler/import/onnx_schema/schema_row.h"

namespace vdla::import::onnx_schema {
namespace {

constexpr Attribute kAttention[] = {integer("do_rotary", 0),
                                    real("mask_filter_value", -10000.0F),
                                    required(integer("num_heads")),
                                    integer("past_present_share_buffer", 0),
                                    integers("qkv_hidden_sizes"),
                                    integer("rotary_embedding_dim", 0),
                                    real("scale"),
                                    integer("unidirectional", 0)};
constexpr Attribute kEmbedLayerNormalization[] = {real("epsilon", 1e-12F), integer("mask_index_type", 0)};
constexpr Attribute kFusedConv[] = {
    text("activation"),  reals("activation_params"), text("auto_pad", "NOTSET"), integers("dilations"),
    integer("group", 1), integers("kernel_shape"),   integers("pads"),           integers("strides")};
constexpr Attribute kFusedGemm[] = {
    text("activation"),  real("activation_alpha"), real("activation_beta"), real("activation_gamma"),
    real("alpha", 1.0F), real("beta", 1.0F),       integer("transA", 0),    integer("transB", 0)};
constexpr Attribute kFusedMatMul[] = {real("alpha", 1.0F), integer("transA", 0), integer("transB", 0),
                                      integer("transBatchA", 0), integer("transBatchB", 0)};
constexpr Attribute kGroupQueryAttention[] = {integer("do_rotary", 0),
                                              text("k_quant_type", "NONE"),
                                              integer("kv_cache_bit_width"),
                                              required(integer("kv_num_heads")),
                                              integer("local_window_size", -1),
                                              required(integer("num_heads")),
                                              integer("qk_output", 0),
                                              integer("rotary_interleaved", 0),
                                              real("scale"),
                                              integer("smooth_softmax", -1),
                                              real("softcap", 0.0F),
                                              text("v_quant_type", "NONE")};
constexpr Attribute kMatMulNBits[] = {integer("accuracy_level", 0),    integer("bits", 4),
                                      required(integer("block_size")), required(integer("K")),
                                      required(integer("N")),          integer("weight_prepacked", 0)};
constexpr Attribute kMultiHeadAttention[] = {real("mask_filter_value", -10000.0F),
                                             required(integer("num_heads")), real("scale"),
                                             integer("unidirectional", 0)};
constexpr Attribute kQGemm[] = {real("alpha", 1.0F), integer("transA", 0), integer("transB", 0)};
constexpr Attribute kQLinearAveragePool[] = {text("auto_pad", "NOTSET"),
                                             integer("ceil_mode", 0),
                                             integer("channels_last", 0),
                                             integer("count_include_pad", 0),
                                             required(integers("kernel_shape")),
                                             integers("pads"),
                                             integers("strides")};
constexpr Attribute kQLinearConcat[] = {required(integer("axis"))};
constexpr Attribute kChannelsLast[] = {integer("channels_last", 0)};
constexpr Attribute kLeakyRelu[] = {real("alpha", 0.01F)};
constexpr Attribute kQLinearSoftmax[] = {integer("axis", -1), required(integer("opset"))};
constexpr Attribute kQuickGelu[] = {real("alpha", 1.702F)};
constexpr Attribute kMicrosoftRotary[] = {integer("interleaved", 0), integer("is_packed_batching", 0),
                                          integer("num_heads", 0), integer("rotary_embedding_dim", 0),
                                          real("scale", 1.0F)};
constexpr Attribute kSkipNormalization[] = {real("epsilon", 1e-12F)};
constexpr Attribute kSimplifiedLayerNormalization[] = {integer("axis", -1), real("epsilon", 1e-5F),
                                                       integer("stash_type", 1)};

// Operator, first sets of its versions, attributes, inputs, outputs.
constexpr Row kMicrosoftRows[] = {
    {"Attention", {1}, kAttention, {2, 7}, {1, 2}},
    {"BiasGelu", {1}, kNone, 2, 1},
    {"DynamicQuantizeMatMul", {1}, kNone, {3, 5}, 1},
    {"EmbedLayerNormalization", {1}, kEmbedLayerNormalization, {7, 9, 1}, {1, 3}},
    {"FastGelu", {1}, kNone, {1, 2}, 1},
    {"FusedConv", {1}, kFusedConv, {2, 4}, 1},
    {"FusedGemm", {1}, kFusedGemm, {2, 3}, 1},
    {"FusedMatMul", {1}, kFusedMatMul, 2, 1},
    {"Gelu", {1}, kNone, 1, 1},
    {"GroupQueryAttention", {1}, kGroupQueryAttention, {7, 14, 1}, {1, 4}},
    {"MatMulIntegerToFloat", {1}, kNone, {4, 7}, 1},
    {"MatMulNBits", {1}, kMatMulNBits, {3, 6}, 1},
    {"MultiHeadAttention", {1}, kMultiHeadAttention, {1, 10}, {1, 4}},
    {"QGemm", {1}, kQGemm, {6, 9}, 1},
    {"QLinearAdd", {1}, kNone, {7, 8, 2}, 1},
    {"QLinearAveragePool", {1}, kQLinearAveragePool, {4, 5, 2}, 1},
    {"QLinearConcat", {1}, kQLinearConcat, {5, kAny}, 1},
    {"QLinearGlobalAveragePool", {1}, kChannelsLast, 5, 1},
    {"QLinearLeakyRelu", {1}, kLeakyRelu, {4, 5, 2}, 1},
    {"QLinearMul", {1}, kNone, {7, 8, 2}, 1},
    {"QLinearSigmoid", {1}, kNone, {4, 5, 2}, 1},
    {"QLinearSoftmax", {1}, kQLinearSoftmax, {5, 5, 2}, 1},
    {"QuickGelu", {1}, kQuickGelu, 1, 1},
    {"RotaryEmbedding", {1}, kMicrosoftRotary, 4, 1},
    {"SkipLayerNormalization", {1}, kSkipNormalization, {3, 5}, {1, 4}},
    {"SkipSimplifiedLayerNormalization", {1}, kSkipNormalization, {3, 4}, {1, 4}},
};
static_assert(ascends(kMicrosoftRows));

constexpr Row kRuntimeRows[] = {
    {"SimplifiedLayerNormalization", {1}, kSimplifiedLayerNormalization, 2, {1, 2}},
};
static_assert(ascends(kRuntimeRows));

}  // namespace

std::span<const Row> microsoft_rows() { return kMicrosoftRows; }
std::span<const Row> runtime_rows() { return kRuntimeRows; }

}  // namespace vdla::import::onnx_schema
