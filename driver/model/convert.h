/* SPDX-License-Identifier: Apache-2.0 */
/* Between what a model's file speaks of and the integers that its network computes with: what the runtime's
   ports do (runtime/session/port.h), bit for bit, in C99. The one part of driver/model with floating point: a
   firmware that does not call it does not link it. */
#ifndef VDLA_DRIVER_MODEL_CONVERT_H
#define VDLA_DRIVER_MODEL_CONVERT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { VDLA_PORT_DIMENSIONS = 8 };

/* An input or output of a model. Dimension i of the tensor has `extents[i]` elements, which lie `strides[i]`
   elements apart in the model's own order. */
typedef struct vdla_model_port {
  uint32_t dimensions;
  uint32_t extents[VDLA_PORT_DIMENSIONS];
  uint32_t strides[VDLA_PORT_DIMENSIONS];
  float scale;
  int32_t zero_point;
  int half_away; /* halves go away from zero; otherwise to even */
} vdla_model_port;

/* round(x / scale) + zero point, saturated; NaN becomes the zero point. */
void vdla_quantize(const vdla_model_port* port, const float* model, int8_t* tensor);
/* scale * (q - zero point) */
void vdla_dequantize(const vdla_model_port* port, const int8_t* tensor, float* model);
/* x - 128 and x + 128, of models of uint8. */
void vdla_from_unsigned(const vdla_model_port* port, const uint8_t* model, int8_t* tensor);
void vdla_to_unsigned(const vdla_model_port* port, const int8_t* tensor, uint8_t* model);
/* Bytes in another order. */
void vdla_from_model_order(const vdla_model_port* port, const void* model, void* tensor,
                           uint32_t element_bytes);
void vdla_to_model_order(const vdla_model_port* port, const void* tensor, void* model,
                         uint32_t element_bytes);

#ifdef __cplusplus
}
#endif

#endif
