// SPDX-License-Identifier: Apache-2.0
#include "sim/host/xclbin.h"

#include <fmt/format.h>
#include <xclbin.h>

#include <cstring>
#include <span>
#include <vector>

#include "support/error.h"

namespace vdla::sim {
namespace {

constexpr std::uint64_t kSectionAlignment = 8, kKibibyte = 1024;

struct Section {
  axlf_section_kind kind;
  std::string bytes;
};

template <class T>
std::string bytes_of(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

/// With its zero.
void copy_name(const std::string& name, std::span<unsigned char> field) {
  VDLA_CHECK_USER(name.size() < field.size())
      << "'" << name << "' has " << name.size() << " characters, an xclbin has room for " << field.size() - 1;
  std::memcpy(field.data(), name.c_str(), name.size() + 1);
}

/// As v++ describes a kernel whose registers belong to its user.
std::string metadata(const XclbinFacts& facts) {
  return fmt::format(
      R"(<?xml version="1.0" encoding="UTF-8"?>
<project name="{0}"><platform vendor="vdla" boardid="vdla" name="vdla"><device name="fpga0"><core name="OCL_REGION_0" target="hw_em" type="clc_region">
<kernel name="{0}" language="ip_c" type="rtl" hwControlProtocol="user_managed">
<port name="s_axi_control" mode="slave" range="{1:#x}" dataWidth="32" portType="addressable" base="0x0"/>
<port name="m_axi_gmem" mode="master" range="0xFFFFFFFFFFFFFFFF" dataWidth="64" portType="addressable" base="0x0"/>
<instance name="{0}_1"><addrRemap base="{2:#x}" port="s_axi_control"/></instance>
</kernel></core></device></platform></project>
)",
      facts.kernel, facts.registers_bytes, facts.registers_base);
}

std::vector<Section> sections(const XclbinFacts& facts) {
  ip_layout kernels{};
  kernels.m_count = 1;
  ip_data& kernel = kernels.m_ip_data[0];
  kernel.m_type = IP_KERNEL;
  kernel.properties = AP_CTRL_NONE << IP_CONTROL_SHIFT;
  kernel.m_base_address = facts.registers_base;
  copy_name(fmt::format("{0}:{0}_1", facts.kernel), kernel.m_name);

  mem_topology banks{};
  banks.m_count = 1;
  mem_data& bank = banks.m_mem_data[0];
  bank.m_type = MEM_DDR4;
  bank.m_used = 1;
  bank.m_size = facts.memory_bytes / kKibibyte;
  bank.m_base_address = facts.memory_base;
  copy_name(facts.bank, bank.m_tag);

  connectivity links{};
  links.m_count = 1;
  return {{BITSTREAM, facts.archive},
          {EMBEDDED_METADATA, metadata(facts)},
          {IP_LAYOUT, bytes_of(kernels)},
          {MEM_TOPOLOGY, bytes_of(banks)},
          {CONNECTIVITY, bytes_of(links)}};
}

void pad(std::string& bytes) {
  bytes.resize((bytes.size() + kSectionAlignment - 1) / kSectionAlignment * kSectionAlignment);
}

}  // namespace

std::string make_xclbin(const XclbinFacts& facts) {
  const std::vector<Section> all = sections(facts);
  axlf top{};
  std::memcpy(top.m_magic, "xclbin2", sizeof top.m_magic);
  top.m_signature_length = -1;
  std::memset(top.m_keyBlock, 0xff, sizeof top.m_keyBlock);
  top.m_header.m_versionMajor = 2;
  top.m_header.m_mode = XCLBIN_HW_EMU;
  copy_name("vdla", top.m_header.m_platformVBNV);
  std::memcpy(top.m_header.uuid, "vdla's emulation", sizeof top.m_header.uuid);
  top.m_header.m_numSections = static_cast<std::uint32_t>(all.size());

  std::string body(offsetof(axlf, m_sections) + all.size() * sizeof(axlf_section_header), '\0');
  pad(body);
  std::string headers;
  for (const Section& section : all) {
    axlf_section_header header{};
    header.m_sectionKind = section.kind;
    header.m_sectionOffset = body.size();
    header.m_sectionSize = section.bytes.size();
    headers += bytes_of(header);
    body += section.bytes;
    pad(body);
  }
  top.m_header.m_length = body.size();
  body.replace(0, offsetof(axlf, m_sections), bytes_of(top), 0, offsetof(axlf, m_sections));
  body.replace(offsetof(axlf, m_sections), headers.size(), headers);
  return body;
}

}  // namespace vdla::sim
