/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/model/convert.h"

#include <stddef.h>

void* memcpy(void* to, const void* from, size_t bytes);

/* Goes through a tensor in its order. */
typedef struct walk {
  const vdla_model_port* port;
  uint32_t index[VDLA_PORT_DIMENSIONS];
  uint32_t in_tensor, in_model; /* elements in front of this one */
} walk;

static walk begin(const vdla_model_port* port) {
  static const walk kFirst;
  walk w = kFirst;
  w.port = port;
  return w;
}

/* 0 behind the last element; a tensor has one at least. */
static int next(walk* w) {
  const vdla_model_port* port = w->port;
  for (uint32_t d = port->dimensions; d-- > 0;) {
    w->in_model += port->strides[d];
    if (++w->index[d] < port->extents[d]) {
      ++w->in_tensor;
      return 1;
    }
    w->in_model -= port->extents[d] * port->strides[d];
    w->index[d] = 0;
  }
  return 0;
}

/* The sum of a small float and 1.5 * 2^23 has no place for a fraction, and rounds halves to even. What that
   leaves of a half is exact, and says whether it went towards zero. Volatile, so that no compiler computes
   with more digits in between. */
static int32_t rounded(float x, int half_away) {
  const float kNoFraction = 12582912.0F;
  volatile float sum = x + kNoFraction;
  float whole = sum - kNoFraction;
  if (half_away && x - whole == 0.5F && x > 0.0F) whole += 1.0F;
  if (half_away && x - whole == -0.5F && x < 0.0F) whole -= 1.0F;
  return (int32_t)whole;
}

static int8_t quantized(float x, const vdla_model_port* port) {
  float scaled = x / port->scale;
  int32_t q;
  if (scaled != scaled) scaled = 0.0F;
  if (scaled < -1e6F) scaled = -1e6F;
  if (scaled > 1e6F) scaled = 1e6F;
  q = rounded(scaled, port->half_away) + port->zero_point;
  return (int8_t)(q < -128 ? -128 : q > 127 ? 127 : q);
}

void vdla_quantize(const vdla_model_port* port, const float* model, int8_t* tensor) {
  walk w = begin(port);
  do tensor[w.in_tensor] = quantized(model[w.in_model], port);
  while (next(&w));
}

void vdla_dequantize(const vdla_model_port* port, const int8_t* tensor, float* model) {
  walk w = begin(port);
  do model[w.in_model] = port->scale * (float)(tensor[w.in_tensor] - port->zero_point);
  while (next(&w));
}

void vdla_from_unsigned(const vdla_model_port* port, const uint8_t* model, int8_t* tensor) {
  walk w = begin(port);
  do tensor[w.in_tensor] = (int8_t)(model[w.in_model] - 128);
  while (next(&w));
}

void vdla_to_unsigned(const vdla_model_port* port, const int8_t* tensor, uint8_t* model) {
  walk w = begin(port);
  do model[w.in_model] = (uint8_t)(tensor[w.in_tensor] + 128);
  while (next(&w));
}

void vdla_from_model_order(const vdla_model_port* port, const void* model, void* tensor,
                           uint32_t element_bytes) {
  walk w = begin(port);
  do
    memcpy((uint8_t*)tensor + w.in_tensor * element_bytes, (const uint8_t*)model + w.in_model * element_bytes,
           element_bytes);
  while (next(&w));
}

void vdla_to_model_order(const vdla_model_port* port, const void* tensor, void* model,
                         uint32_t element_bytes) {
  walk w = begin(port);
  do
    memcpy((uint8_t*)model + w.in_model * element_bytes, (const uint8_t*)tensor + w.in_tensor * element_bytes,
           element_bytes);
  while (next(&w));
}
