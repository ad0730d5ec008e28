// SPDX-License-Identifier: Apache-2.0
#include "boards/spec/ports.h"

namespace vdla::boards {
namespace {

constexpr std::uint64_t kMiB = 1 << 20;

// UG585 (address map; table of PS interrupts) and UG1085 (address map; GIC interrupts).
constexpr MasterPort kMasterPorts[] = {
    {Family::Zynq7000, "M_AXI_GP0", {0x4000'0000, 1024 * kMiB}},
    {Family::Zynq7000, "M_AXI_GP1", {0x8000'0000, 1024 * kMiB}},
    {Family::ZynqMp, "M_AXI_HPM0_FPD", {0xa000'0000, 256 * kMiB}},
    {Family::ZynqMp, "M_AXI_HPM1_FPD", {0xb000'0000, 256 * kMiB}},
    {Family::ZynqMp, "M_AXI_HPM0_LPD", {0x8000'0000, 512 * kMiB}},
};

constexpr SlavePort kSlavePorts[] = {
    {Family::Zynq7000, "S_AXI_HP0", 64, 32},    {Family::Zynq7000, "S_AXI_HP1", 64, 32},
    {Family::Zynq7000, "S_AXI_HP2", 64, 32},    {Family::Zynq7000, "S_AXI_HP3", 64, 32},
    {Family::ZynqMp, "S_AXI_HP0_FPD", 128, 49}, {Family::ZynqMp, "S_AXI_HP1_FPD", 128, 49},
    {Family::ZynqMp, "S_AXI_HP2_FPD", 128, 49}, {Family::ZynqMp, "S_AXI_HP3_FPD", 128, 49},
};

constexpr InterruptPort kInterruptPorts[] = {
    {Family::Zynq7000, "IRQ_F2P", 0, 8, 61},
    {Family::Zynq7000, "IRQ_F2P", 8, 8, 84},
    {Family::ZynqMp, "pl_ps_irq0", 0, 8, 121},
    {Family::ZynqMp, "pl_ps_irq1", 0, 8, 136},
};

// UG585 (devcfg, register INT_STS) and UG1087 (CSU, register pcap_status): the bits by which Linux's FPGA
// managers of both families, zynq-fpga and zynqmp-fpga, say "operating".
constexpr FabricStatus kFabricStatuses[] = {
    {Family::Zynq7000, 0xf800'700c, 2, "PCFG_DONE of devcfg's INT_STS"},
    {Family::ZynqMp, 0xffca'3010, 3, "PL_DONE of the CSU's pcap_status"},
};

}  // namespace

std::span<const MasterPort> master_ports() { return kMasterPorts; }
std::span<const SlavePort> slave_ports() { return kSlavePorts; }
std::span<const InterruptPort> interrupt_ports() { return kInterruptPorts; }
std::span<const FabricStatus> fabric_statuses() { return kFabricStatuses; }

}  // namespace vdla::boards
