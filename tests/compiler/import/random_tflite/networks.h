// SPDX-License-Identifier: Apache-2.0
// Public TFLite networks with random inputs, of which TensorFlow Lite's answers are recorded.
#pragma once

#include <filesystem>

#include "tests/compiler/import/random_tflite/draw.h"

namespace vdla::random_tflite {

/// Below the folder of the data.
inline const std::vector<std::string> kNetworks = {
    "imagenet/models/mobilenet_v1_0_25_128.tflite",
    "mlperf_tiny/models/ad01_fp32.tflite",
    "mlperf_tiny/models/pretrainedResnet.tflite",
    "mlperf_tiny/models/vww_96_float.tflite",
    "public_models/coral_deeplab_dm05.tflite",
    "public_models/face_det_front_f16.tflite",
    "public_models/kwt1_float.tflite",
    "public_models/siliabs_fingerprint.tflite",
    "public_models/tflm_hello_float.tflite",
    "public_models/tinyengine_lenet300.tflite",
    "small_models/micro_kws_m/micro_kws_m_fp32.tflite",
    "public_models/coco_ssd_mnv1_uint8.tflite",
    "small_models/mnist_lstm/trained_lstm.tflite",
    "public_models/mww_okay_nabu_v1.tflite",
    "public_models/seanet_conv10_int16.tflite",
    "public_models/coral_keras_lstm_mnist.tflite",
    "small_models/mnist_lstm/trained_lstm_int8.tflite",
    "public_models/mcunet_detection.tflite",
    "public_models/mlc_streaming_ww.tflite",
    "public_models/tinymaix_mbnet128.tflite",
    "public_models/terryky_facemesh.tflite",
    "public_models/terryky_animegan.tflite",
};

/// Inputs are what the kit's importer says, with elements drawn by the network's number.
Drawn network(const std::filesystem::path& data, std::size_t number);

}  // namespace vdla::random_tflite
