; A 3x3 convolution of a 14-wide strip: load, multiply, requantise, store, with the tokens that order them.
load uop[0] = uop[0] run 8
load par[0] = const[4096] run 3
load wgt[0] = const[0] run 9
load inp[0 + 16*y] = act[512 + 16*x + 224*y] for x<14 y<6 pad x 1 1 pad y 1 0 pad value -128 push gemm
gemm acc[14*i1 + i2] = inp[16*i1 + i2 + 16*i3 + i4] * wgt[3*i3 + i4] for i1<5 i2<14 i3<3 i4<3 reduce i3 i4 pop load push vector
gemm acc[64] += inp[3] * wgt[0] uops[4, 8] reduce u
vector out[i4] = scale(acc[i4], par[0]) for i4<70 zero -4 clamp -128 100 pop gemm push store, load
store output[1024 + 16*x + 224*y] = out[14*y] for x<14 y<5 pop vector push vector
finish 7
.uop 0, 0, 0
.uop 1, 0x20, 65535
