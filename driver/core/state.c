/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/core/state.h"

#include "driver/core/registers.h"
#include "driver/core/unit_state.h"
#include "isa/generated/vdla_isa.h"

static vdla_driver_status peek_unit(const vdla_device* device, unsigned unit, vdla_unit_state* state) {
  uint32_t insn = 0, bits = 0, since = 0;
  VDLA_TRY(vdla_peek(device, VDLA_REG_LOAD_INSN + unit * VDLA_REG_UNIT_STRIDE, &insn));
  VDLA_TRY(vdla_peek(device, VDLA_REG_LOAD_STATE + unit * VDLA_REG_UNIT_STRIDE, &bits));
  VDLA_TRY(vdla_peek(device, VDLA_REG_LOAD_SINCE + unit * VDLA_REG_UNIT_STRIDE, &since));
  *state = vdla_unit_state_of(insn + device->first_insn, bits, since);
  return VDLA_DRIVER_OK;
}

vdla_driver_status vdla_peek_units(const vdla_device* device, vdla_unit_states* states) {
  for (unsigned unit = 0; unit <= VDLA_UNITS_WITH_QUEUE; ++unit)
    VDLA_TRY(peek_unit(device, unit, &states->unit[unit]));
  return VDLA_DRIVER_OK;
}

vdla_driver_status vdla_read_units(vdla_device* device, vdla_unit_states* states) {
  const vdla_driver_status status = vdla_peek_units(device, states);
  if (status != VDLA_DRIVER_OK) {
    vdla_text text = vdla_message(device, "");
    vdla_add_fault(device, &text, status);
  }
  return status;
}

vdla_driver_status vdla_read_error(vdla_device* device, vdla_device_error* error) {
  VDLA_TRY(vdla_get(device, VDLA_REG_ERROR_CODE, &error->code));
  VDLA_TRY(vdla_get(device, VDLA_REG_ERROR_UNIT, &error->unit));
  VDLA_TRY(vdla_get(device, VDLA_REG_ERROR_INSN, &error->insn));
  error->insn += device->first_insn;
  return vdla_get64(device, VDLA_REG_ERROR_ADDR_LO, &error->address);
}

vdla_driver_status vdla_read_counters(vdla_device* device, vdla_counters* counters) {
  VDLA_TRY(vdla_get64(device, VDLA_REG_CYCLES_LO, &counters->cycles));
  VDLA_TRY(vdla_get64(device, VDLA_REG_READ_BYTES_LO, &counters->read_bytes));
  VDLA_TRY(vdla_get64(device, VDLA_REG_WRITE_BYTES_LO, &counters->write_bytes));
  for (unsigned unit = 0; unit < VDLA_UNITS_WITH_QUEUE; ++unit) {
    const uint32_t step = unit * VDLA_REG_UNIT_STRIDE;
    VDLA_TRY(vdla_get(device, VDLA_REG_LOAD_BUSY + step, &counters->busy[unit]));
    VDLA_TRY(vdla_get(device, VDLA_REG_LOAD_TOKEN_STALL + step, &counters->token_stall[unit]));
  }
  return VDLA_DRIVER_OK;
}
