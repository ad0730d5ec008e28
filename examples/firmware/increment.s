; out[i] = in[i] + 1 for four numbers of 8 bits, clamped: through buffer out to the vector unit and back.
load out[0] = input[0] push vector
vector out[1] = add(out[0], #1) clamp -128 127 pop load push store
store output[0] = out[1] pop vector
finish 1
