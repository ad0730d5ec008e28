; Each vector operation and each kind of operand.
vector acc[i4] = scale(inp[i4] - 12, par[3]) for i4<9
vector acc[i4] += scale(out[i4] + 100, par[6]) for i4<9
vector acc[4*i1 + i2] = mac(inp[6*i1 + i2 + 6*i3 + i4] + 2, par[3*i3 + i4]) for i1<4 i2<4 i3<3 i4<3 reduce i3 i4
vector acc[0] += mac(acc[1], #-3)
vector out[0] = add(acc[0]) zero 5 clamp 0 127
vector acc[0] = max(inp[i3 - i4], #-128) for i3<2 i4<2 reduce i3 i4 pop load, store
vector acc[5] = min(acc[5], par[7])
vector out[0] = avg(acc[0]) shift 37 half 24 imm -1332920885 push load
vector acc[i0] = hsum(inp[i0], #9) for i0<3
