// SPDX-License-Identifier: Apache-2.0
// Convolutions, pooling, normalisations, recurrent layers, reductions, quantisation, regions of interest.
#include "compiler/import/onnx_schema/schema_row.h"

namespace vdla::import::onnx_schema {
namespace {

constexpr std::int64_t kMeanVarianceAxes[] = {0, 2, 3};
constexpr std::string_view kRnnActivations[] = {"Tanh", "Tanh"};
constexpr Attribute kLocate[] = {integer("axis", 0), integer("keepdims", 1), integer("select_last_index", 0)};
constexpr Attribute kAttention23[] = {integer("is_causal", 0),
                                      integer("kv_num_heads"),
                                      integer("q_num_heads"),
                                      integer("qk_matmul_output_mode", 0),
                                      real("scale"),
                                      real("softcap", 0.0F),
                                      integer("softmax_precision")};
constexpr Attribute kAttention25[] = {integer("is_causal", 0),
                                      integer("kv_num_heads"),
                                      integer("left_window_size", -1),
                                      integer("q_num_heads"),
                                      integer("qk_matmul_output_mode", 0),
                                      integer("right_window_size", -1),
                                      real("scale"),
                                      real("softcap", 0.0F),
                                      integer("softmax_precision")};
constexpr Attribute kPool[] = {text("auto_pad", "NOTSET"), required(integers("kernel_shape")),
                               integers("pads"), integers("strides")};
constexpr Attribute kAveragePool7[] = {text("auto_pad", "NOTSET"), integer("count_include_pad", 0),
                                       required(integers("kernel_shape")), integers("pads"),
                                       integers("strides")};
constexpr Attribute kAveragePool10[] = {
    text("auto_pad", "NOTSET"),         integer("ceil_mode", 0), integer("count_include_pad", 0),
    required(integers("kernel_shape")), integers("pads"),        integers("strides")};
constexpr Attribute kAveragePool19[] = {text("auto_pad", "NOTSET"),
                                        integer("ceil_mode", 0),
                                        integer("count_include_pad", 0),
                                        integers("dilations"),
                                        required(integers("kernel_shape")),
                                        integers("pads"),
                                        integers("strides")};
constexpr Attribute kBatchNormalization1[] = {required(integers("consumed_inputs")), real("epsilon", 1e-5F),
                                              integer("is_test", 0), real("momentum", 0.9F),
                                              integer("spatial", 1)};
constexpr Attribute kBatchNormalization6[] = {real("epsilon", 1e-5F), integer("is_test", 0),
                                              real("momentum", 0.9F), integer("spatial", 1)};
constexpr Attribute kBatchNormalization7[] = {real("epsilon", 1e-5F), real("momentum", 0.9F),
                                              integer("spatial", 1)};
constexpr Attribute kBatchNormalization9[] = {real("epsilon", 1e-5F), real("momentum", 0.9F)};
constexpr Attribute kBatchNormalization14[] = {real("epsilon", 1e-5F), real("momentum", 0.9F),
                                               integer("training_mode", 0)};
constexpr Attribute kCausalConvWithState[] = {text("activation", "none")};
constexpr Attribute kCol2Im[] = {integers("dilations"), integers("pads"), integers("strides")};
constexpr Attribute kConvolution[] = {text("auto_pad", "NOTSET"), integers("dilations"), integer("group", 1),
                                      integers("kernel_shape"),   integers("pads"),      integers("strides")};
constexpr Attribute kConvTranspose[] = {
    text("auto_pad", "NOTSET"), integers("dilations"),    integer("group", 1), integers("kernel_shape"),
    integers("output_padding"), integers("output_shape"), integers("pads"),    integers("strides")};
constexpr Attribute kDeformConv[] = {integers("dilations"),    integer("group", 1),
                                     integers("kernel_shape"), integer("offset_group", 1),
                                     integers("pads"),         integers("strides")};
constexpr Attribute kDequantizeLinear21[] = {integer("axis", 1), integer("block_size", 0)};
constexpr Attribute kDequantizeLinear23[] = {integer("axis", 1), integer("block_size", 0),
                                             integer("output_dtype", 0)};
constexpr Attribute kDropout1[] = {integers("consumed_inputs"), integer("is_test", 0), real("ratio", 0.5F)};
constexpr Attribute kDropout6[] = {integer("is_test", 0), real("ratio", 0.5F)};
constexpr Attribute kDropout7[] = {real("ratio", 0.5F)};
constexpr Attribute kDropout12[] = {integer("seed")};
// ONNX's own definition of this version misspells the default of `direction`.
constexpr Attribute kGRU1[] = {
    reals("activation_alpha"),    reals("activation_beta"), texts("activations"),         real("clip"),
    text("direction", "forward"), integer("hidden_size"),   integer("output_sequence", 0)};
constexpr Attribute kGRU3[] = {reals("activation_alpha"),
                               reals("activation_beta"),
                               texts("activations"),
                               real("clip"),
                               text("direction", "forward"),
                               integer("hidden_size"),
                               integer("linear_before_reset", 0),
                               integer("output_sequence", 0)};
constexpr Attribute kGRU7[] = {reals("activation_alpha"),
                               reals("activation_beta"),
                               texts("activations"),
                               real("clip"),
                               text("direction", "forward"),
                               integer("hidden_size"),
                               integer("linear_before_reset", 0)};
constexpr Attribute kGRU14[] = {reals("activation_alpha"),    reals("activation_beta"),
                                texts("activations"),         real("clip"),
                                text("direction", "forward"), integer("hidden_size"),
                                integer("layout", 0),         integer("linear_before_reset", 0)};
constexpr Attribute kGlobalLpPool1[] = {real("p", 2.0F)};
constexpr Attribute kGlobalLpPool2[] = {integer("p", 2)};
// Scale and bias of version 18 have an element for each group, those of 21 one for each channel.
constexpr Attribute kGroupNormalization18[] = {real("epsilon", 1e-5F), required(integer("num_groups"))};
constexpr Attribute kGroupNormalization21[] = {real("epsilon", 1e-5F), required(integer("num_groups")),
                                               integer("stash_type", 1)};
constexpr Attribute kInstanceNormalization1[] = {integers("consumed_inputs"), real("epsilon", 1e-5F)};
constexpr Attribute kInstanceNormalization6[] = {real("epsilon", 1e-5F)};
constexpr Attribute kLRN[] = {real("alpha", 0.0001F), real("beta", 0.75F), real("bias", 1.0F),
                              required(integer("size"))};
constexpr Attribute kLSTM1[] = {reals("activation_alpha"),    reals("activation_beta"),
                                texts("activations"),         real("clip"),
                                text("direction", "forward"), integer("hidden_size"),
                                integer("input_forget", 0),   integer("output_sequence", 0)};
constexpr Attribute kLSTM7[] = {
    reals("activation_alpha"),    reals("activation_beta"), texts("activations"),      real("clip"),
    text("direction", "forward"), integer("hidden_size"),   integer("input_forget", 0)};
constexpr Attribute kLSTM14[] = {
    reals("activation_alpha"),    reals("activation_beta"), texts("activations"),       real("clip"),
    text("direction", "forward"), integer("hidden_size"),   integer("input_forget", 0), integer("layout", 0)};
constexpr Attribute kLastAxisNormalization[] = {integer("axis", -1), real("epsilon", 1e-5F),
                                                integer("stash_type", 1)};
constexpr Attribute kLinearAttention[] = {integer("chunk_size", 64), required(integer("kv_num_heads")),
                                          required(integer("q_num_heads")), real("scale", 0.0F),
                                          text("update_rule", "gated_delta")};
constexpr Attribute kLpNormalization[] = {integer("axis", -1), integer("p", 2)};
constexpr Attribute kLpPool1[] = {text("auto_pad", "NOTSET"), integers("kernel_shape"), real("p", 2.0F),
                                  integers("pads"), integers("strides")};
constexpr Attribute kLpPool2[] = {text("auto_pad", "NOTSET"), required(integers("kernel_shape")),
                                  integer("p", 2), integers("pads"), integers("strides")};
constexpr Attribute kLpPool18[] = {text("auto_pad", "NOTSET"),
                                   integer("ceil_mode", 0),
                                   integers("dilations"),
                                   required(integers("kernel_shape")),
                                   integer("p", 2),
                                   integers("pads"),
                                   integers("strides")};
constexpr Attribute kMaxPool8[] = {text("auto_pad", "NOTSET"), required(integers("kernel_shape")),
                                   integers("pads"), integer("storage_order", 0), integers("strides")};
constexpr Attribute kMaxPool10[] = {text("auto_pad", "NOTSET"), integer("ceil_mode", 0),
                                    integers("dilations"),      required(integers("kernel_shape")),
                                    integers("pads"),           integer("storage_order", 0),
                                    integers("strides")};
constexpr Attribute kMaxRoiPool[] = {required(integers("pooled_shape")), real("spatial_scale", 1.0F)};
constexpr Attribute kMaxUnpool[] = {required(integers("kernel_shape")), integers("pads"),
                                    integers("strides")};
constexpr Attribute kMeanVarianceNormalization[] = {integers("axes", kMeanVarianceAxes)};
constexpr Attribute kNonMaxSuppression[] = {integer("center_point_box", 0)};
constexpr Attribute kQuantizeLinear19[] = {integer("axis", 1), integer("saturate", 1)};
constexpr Attribute kQuantizeLinear21[] = {integer("axis", 1), integer("block_size", 0),
                                           integer("output_dtype", 0), integer("saturate", 1)};
constexpr Attribute kQuantizeLinear23[] = {integer("axis", 1), integer("block_size", 0),
                                           integer("output_dtype", 0), integer("precision", 0),
                                           integer("saturate", 1)};
constexpr Attribute kRNN1[] = {reals("activation_alpha"),
                               reals("activation_beta"),
                               texts("activations", kRnnActivations),
                               real("clip"),
                               text("direction", "forward"),
                               integer("hidden_size"),
                               integer("output_sequence", 0)};
constexpr Attribute kRNN7[] = {reals("activation_alpha"),
                               reals("activation_beta"),
                               texts("activations", kRnnActivations),
                               real("clip"),
                               text("direction", "forward"),
                               integer("hidden_size")};
constexpr Attribute kRNN14[] = {reals("activation_alpha"),
                                reals("activation_beta"),
                                texts("activations", kRnnActivations),
                                real("clip"),
                                text("direction", "forward"),
                                integer("hidden_size"),
                                integer("layout", 0)};
constexpr Attribute kReductionAxes[] = {integers("axes"), integer("keepdims", 1)};
constexpr Attribute kReduction[] = {integer("keepdims", 1), integer("noop_with_empty_axes", 0)};
constexpr Attribute kRoiAlign10[] = {text("mode", "avg"), integer("output_height", 1),
                                     integer("output_width", 1), integer("sampling_ratio", 0),
                                     real("spatial_scale", 1.0F)};
constexpr Attribute kRoiAlign16[] = {text("coordinate_transformation_mode", "half_pixel"),
                                     text("mode", "avg"),
                                     integer("output_height", 1),
                                     integer("output_width", 1),
                                     integer("sampling_ratio", 0),
                                     real("spatial_scale", 1.0F)};
constexpr Attribute kRotaryEmbedding[] = {integer("interleaved", 0), integer("num_heads"),
                                          integer("rotary_embedding_dim", 0)};
constexpr Attribute kShrink[] = {real("bias", 0.0F), real("lambd", 0.5F)};
constexpr Attribute kTfIdfVectorizer[] = {required(integer("max_gram_length")),
                                          required(integer("max_skip_count")),
                                          required(integer("min_gram_length")),
                                          required(text("mode")),
                                          required(integers("ngram_counts")),
                                          required(integers("ngram_indexes")),
                                          integers("pool_int64s"),
                                          texts("pool_strings"),
                                          reals("weights")};

// Operator, first sets of its versions, attributes, inputs, outputs.
constexpr Row kLayerRows[] = {
    {"ArgMax", {1, 11}, kAxisKept, 1, 1},
    {"ArgMax", {12, 13}, kLocate, 1, 1},
    {"ArgMin", {1, 11}, kAxisKept, 1, 1},
    {"ArgMin", {12, 13}, kLocate, 1, 1},
    {"Attention", {23}, kAttention23, {3, 6}, {1, 4}},
    {"Attention", {24}, kAttention23, {3, 7}, {1, 4}},
    {"Attention", {25}, kAttention25, {3, 7}, {1, 4}},
    {"AveragePool", {1}, kPool, 1, 1},
    {"AveragePool", {7}, kAveragePool7, 1, 1},
    {"AveragePool", {10, 11}, kAveragePool10, 1, 1},
    {"AveragePool", {19, 22}, kAveragePool19, 1, 1},
    {"BatchNormalization", {1}, kBatchNormalization1, 5, {1, 5}},
    {"BatchNormalization", {6}, kBatchNormalization6, 5, {1, 5}},
    {"BatchNormalization", {7}, kBatchNormalization7, 5, {1, 5}},
    {"BatchNormalization", {9}, kBatchNormalization9, 5, {1, 5}},
    {"BatchNormalization", {14, 15}, kBatchNormalization14, 5, {1, 3}},
    {"CausalConvWithState", {27}, kCausalConvWithState, {2, 4}, 2},
    {"Col2Im", {18}, kCol2Im, 3, 1},
    {"Conv", {1, 11, 22}, kConvolution, {2, 3}, 1},
    {"ConvInteger", {10}, kConvolution, {2, 4}, 1},
    {"ConvTranspose", {1, 11, 22}, kConvTranspose, {2, 3}, 1},
    {"DeformConv", {19, 22}, kDeformConv, {3, 5}, 1},
    {"DequantizeLinear", {10}, kNone, {2, 3}, 1},
    {"DequantizeLinear", {13, 19}, kAxis1, {2, 3}, 1},
    {"DequantizeLinear", {21}, kDequantizeLinear21, {2, 3}, 1},
    {"DequantizeLinear", {23, 24, 25}, kDequantizeLinear23, {2, 3}, 1},
    {"Dropout", {1}, kDropout1, 1, {1, 2}},
    {"Dropout", {6}, kDropout6, 1, {1, 2}},
    {"Dropout", {7, 10}, kDropout7, 1, {1, 2}},
    {"Dropout", {12, 13, 22}, kDropout12, {1, 3}, {1, 2}},
    {"DynamicQuantizeLinear", {11}, kNone, 1, 3},
    {"Flatten", {1, 9, 11, 13, 21, 23, 24, 25}, kAxis1, 1, 1},
    {"GRU", {1}, kGRU1, {3, 6}, 2},
    {"GRU", {3}, kGRU3, {3, 6}, {0, 2}},
    {"GRU", {7}, kGRU7, {3, 6}, {0, 2}},
    {"GRU", {14, 22}, kGRU14, {3, 6}, {0, 2}},
    {"GlobalAveragePool", {1, 22}, kNone, 1, 1},
    {"GlobalLpPool", {1}, kGlobalLpPool1, 1, 1},
    {"GlobalLpPool", {2, 22}, kGlobalLpPool2, 1, 1},
    {"GlobalMaxPool", {1, 22}, kNone, 1, 1},
    {"GroupNormalization", {18}, kGroupNormalization18, 3, 1},
    {"GroupNormalization", {21}, kGroupNormalization21, 3, 1},
    {"InstanceNormalization", {1}, kInstanceNormalization1, 3, 1},
    {"InstanceNormalization", {6, 22}, kInstanceNormalization6, 3, 1},
    {"LRN", {1, 13}, kLRN, 1, 1},
    {"LSTM", {1}, kLSTM1, {3, 8}, {0, 3}},
    {"LSTM", {7}, kLSTM7, {3, 8}, {0, 3}},
    {"LSTM", {14, 22}, kLSTM14, {3, 8}, {0, 3}},
    {"LayerNormalization", {17}, kLastAxisNormalization, {2, 3}, {1, 3}},
    {"LinearAttention", {27}, kLinearAttention, {3, 6}, 2},
    {"LpNormalization", {1, 22}, kLpNormalization, 1, 1},
    {"LpPool", {1}, kLpPool1, 1, 1},
    {"LpPool", {2, 11}, kLpPool2, 1, 1},
    {"LpPool", {18, 22}, kLpPool18, 1, 1},
    {"MaxPool", {1}, kPool, 1, 1},
    {"MaxPool", {8}, kMaxPool8, 1, {1, 2}},
    {"MaxPool", {10, 11, 12, 22}, kMaxPool10, 1, {1, 2}},
    {"MaxRoiPool", {1, 22}, kMaxRoiPool, 2, 1},
    {"MaxUnpool", {9, 11, 22}, kMaxUnpool, {2, 3}, 1},
    {"MeanVarianceNormalization", {9, 13}, kMeanVarianceNormalization, 1, 1},
    {"NonMaxSuppression", {10, 11}, kNonMaxSuppression, {2, 5}, 1},
    {"QLinearConv", {10}, kConvolution, {8, 9}, 1},
    {"QuantizeLinear", {10}, kNone, {2, 3}, 1},
    {"QuantizeLinear", {13}, kAxis1, {2, 3}, 1},
    {"QuantizeLinear", {19}, kQuantizeLinear19, {2, 3}, 1},
    {"QuantizeLinear", {21}, kQuantizeLinear21, {2, 3}, 1},
    {"QuantizeLinear", {23, 24, 25}, kQuantizeLinear23, {2, 3}, 1},
    {"RMSNormalization", {23}, kLastAxisNormalization, 2, 1},
    {"RNN", {1}, kRNN1, {3, 6}, {0, 2}},
    {"RNN", {7}, kRNN7, {3, 6}, {0, 2}},
    {"RNN", {14, 22}, kRNN14, {3, 6}, {0, 2}},
    {"ReduceL1", {1, 11, 13}, kReductionAxes, 1, 1},
    {"ReduceL1", {18}, kReduction, {1, 2}, 1},
    {"ReduceL2", {1, 11, 13}, kReductionAxes, 1, 1},
    {"ReduceL2", {18}, kReduction, {1, 2}, 1},
    {"ReduceLogSum", {1, 11, 13}, kReductionAxes, 1, 1},
    {"ReduceLogSum", {18}, kReduction, {1, 2}, 1},
    {"ReduceLogSumExp", {1, 11, 13}, kReductionAxes, 1, 1},
    {"ReduceLogSumExp", {18}, kReduction, {1, 2}, 1},
    {"ReduceMax", {1, 11, 12, 13}, kReductionAxes, 1, 1},
    {"ReduceMax", {18, 20}, kReduction, {1, 2}, 1},
    {"ReduceMean", {1, 11, 13}, kReductionAxes, 1, 1},
    {"ReduceMean", {18}, kReduction, {1, 2}, 1},
    {"ReduceMin", {1, 11, 12, 13}, kReductionAxes, 1, 1},
    {"ReduceMin", {18, 20}, kReduction, {1, 2}, 1},
    {"ReduceProd", {1, 11, 13}, kReductionAxes, 1, 1},
    {"ReduceProd", {18}, kReduction, {1, 2}, 1},
    {"ReduceSum", {1, 11}, kReductionAxes, 1, 1},
    {"ReduceSum", {13}, kReduction, {1, 2}, 1},
    {"ReduceSumSquare", {1, 11, 13}, kReductionAxes, 1, 1},
    {"ReduceSumSquare", {18}, kReduction, {1, 2}, 1},
    {"RoiAlign", {10}, kRoiAlign10, 3, 1},
    {"RoiAlign", {16, 22}, kRoiAlign16, 3, 1},
    {"RotaryEmbedding", {23}, kRotaryEmbedding, {3, 4}, 1},
    {"Shrink", {9}, kShrink, 1, 1},
    {"TfIdfVectorizer", {9}, kTfIdfVectorizer, 1, 1},
};
static_assert(ascends(kLayerRows));

}  // namespace

std::span<const Row> layer_rows() { return kLayerRows; }

}  // namespace vdla::import::onnx_schema
