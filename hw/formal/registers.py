# SPDX-License-Identifier: Apache-2.0
"""Writes the module that proves vdla_regs against the register map of isa.json: one register, any, is followed through
every history of writes."""

MAGIC = int.from_bytes(b"VDLA", "little")


def fixed(isa):
    """Values here of the registers that never change, and the parameters that make them so. Each parameter has a value
    of its own."""
    values, parameters = {"MAGIC": MAGIC, "ISA_VERSION": isa["isa_version"]}, []
    for row in isa["registers"]:
        name = row["name"]
        if row["access"] == "fixed" and name not in values:
            values[name] = 0x01234567 + 0x11111111 * len(values) & 0xFFFFFFFF
            base = name.removesuffix("_LO")
            camel = "".join(word.capitalize() for word in base.split("_"))
            if name.endswith("_HI"):
                parameters[-1] = parameters[-1].replace("(64'h", f"(64'h{values[name]:08x}")
            else:
                parameters.append(f".{camel}({64 if base != name else 32}'h{values[name]:08x})")
    return values, parameters


def mask(isa, group, *names):
    return sum(((1 << row["width"]) - 1) << row["lsb"] for row in isa["register_bits"] if row["group"] == group and row["name"] in names)


def rows(isa):
    """(name, offset, access, port, low bit in the port, bits of the port) of every register; windows are spread out."""
    names = {row["name"] for row in isa["registers"]}
    windows = len(isa["codes"]["window"])
    for row in isa["registers"]:
        name = row["name"]
        high = name.endswith("_HI")
        base = name[:-3] if name.endswith(("_LO", "_HI")) else name
        wide = base + "_LO" in names
        if base.startswith("WINDOW0_"):
            for w in range(windows):
                yield (name.replace("0", str(w), 1), row["offset"] + w * isa["window_stride"], row["access"], base.lower().replace("0", ""),
                       64 * w + 32 * high, 64 * windows)
        else:
            yield name, row["offset"], row["access"], base.lower(), 32 * high, 64 if wide else 32


def harness(isa):
    constants, parameters = fixed(isa)
    pulses = mask(isa, "control", "start", "soft_reset")  # they last one cycle and read as 0
    busy = mask(isa, "status", "busy")
    ports, inputs, wires, kinds, locks, sources, stored = {}, [], [], [], [], [], []
    for name, offset, access, port, low, bits in rows(isa):
        here = f"9'h{offset:03x}"
        if access == "rw_idle":
            locks.append(here)
        kinds.append(f"      {here}: f_kind = {dict(fixed=1, ro=1, rw=2, rw_idle=2, w1c=3)[access]};  // {name}")
        if name in constants:
            sources.append(f"      {here}: f_source = 32'h{constants[name]:08x};")
            continue
        suffix = "i" if access == "ro" else "o"
        if port not in ports:
            ports[port] = f"{port}_{suffix}"
            (inputs if access == "ro" else wires).append(f"logic [{bits - 1}:0] {port}_{suffix}")
        if access == "ro":
            sources.append(f"      {here}: f_source = {port}_i[{low} +: 32];")
        else:
            stored.append(f"      {here}: f_stored = {port}_o[{low} +: 32];")
    space = isa["register_space"]
    newline = "\n"
    return f"""
module vdla_regs_proof (
  input logic clk_i, input logic rst_i, input logic wr_en_i, input logic [8:0] wr_addr_i, input logic [31:0] wr_data_i, input logic [3:0] wr_strb_i,
  input logic [8:0] rd_addr_i, input logic [31:0] irq_status_set_i,
  {("," + newline + "  ").join("input " + text for text in inputs)}
);
  {(";" + newline + "  ").join(wires)};
  logic [31:0] rd_data_o;
  vdla_regs #({", ".join(parameters)}) dut (.clk_i(clk_i), .rst_i(rst_i), .wr_en_i(wr_en_i), .wr_addr_i(wr_addr_i), .wr_data_i(wr_data_i),
    .wr_strb_i(wr_strb_i), .rd_addr_i(rd_addr_i), .rd_data_o(rd_data_o), .irq_status_set_i(irq_status_set_i),
    {", ".join(f".{p}({p})" for p in ports.values())});

  (* anyconst *) logic [8:0] f_addr;   // the register that is followed
  logic [1:0]  f_kind;                 // none, read-only, read-write, write-1-to-clear
  logic [31:0] f_source, f_stored, f_value, f_bytes;
  logic        f_seen = 1'b0, f_written, f_started, f_locks;   // f_locks: keeps its value while the machine is busy
  logic [31:0] f_pulse;
  always_comb begin
    f_kind = 0;
    case (f_addr)
{newline.join(kinds)}
      default: ;
    endcase
    f_source = 32'd0;
    case (f_addr)
{newline.join(sources)}
      default: ;
    endcase
    f_stored = f_value;
    case (f_addr)
{newline.join(stored)}
      default: ;
    endcase
  end
  assign f_bytes   = {{{{8{{wr_strb_i[3]}}}}, {{8{{wr_strb_i[2]}}}}, {{8{{wr_strb_i[1]}}}}, {{8{{wr_strb_i[0]}}}}}};
  always_comb begin
    f_locks = 1'b0;
    case (f_addr)
      {", ".join(locks)}: f_locks = 1'b1;
      default: ;
    endcase
  end
  assign f_written = wr_en_i && wr_addr_i == f_addr && !(f_locks && (status_i & 32'd{busy}) != 32'd0);
  always_ff @(posedge clk_i) begin
    f_seen <= 1'b1;
    if (!f_seen) assume (rst_i);
    assume (f_addr[1:0] == 2'd0 && 32'(f_addr) < 32'd{space} && wr_addr_i[1:0] == 2'd0);  // vdla_axil (proof axil)
    f_pulse <= !rst_i && wr_en_i && wr_addr_i == 9'h010 ? wr_data_i & f_bytes & 32'd{pulses} : 32'd0;
    if (rst_i) f_value <= 32'd0;
    else if (f_kind == 2'd3) f_value <= (f_value & ~(f_written ? wr_data_i & f_bytes : 32'd0)) | irq_status_set_i;
    else if (f_written) f_value <= (f_value & ~f_bytes) | (wr_data_i & f_bytes & (f_addr == 9'h010 ? ~32'd{pulses} : ~32'd0));
    if (f_seen && !rst_i) begin
      if (rd_addr_i == f_addr) begin
        UnmappedReadsZero:   assert (f_kind != 2'd0 || rd_data_o == 32'd0);
        ReadOnlyIsItsSource: assert (f_kind != 2'd1 || rd_data_o == f_source);
        ReadWriteIsKept:     assert (f_kind != 2'd2 || rd_data_o == f_value);
        OnesClear:           assert (f_kind != 2'd3 || rd_data_o == f_value);
      end
      MachineSeesTheSame:    assert (f_kind < 2'd2 || (f_addr == 9'h010 ? f_stored & ~32'd{pulses} : f_stored) == f_value);
      PulsesLastOneCycle:    assert ((control_o & 32'd{pulses}) == f_pulse);
      SetAndCleared:         cover (f_kind == 2'd3 && f_value == 32'd2 && rd_addr_i == f_addr);
      LastWindowWritten:     cover (f_addr == 9'h17c && f_value == 32'h12345678 && rd_addr_i == f_addr);
    end
  end
endmodule
"""
