; One token is pushed and two are popped: the second gemm waits for ever, and the watchdog ends the run.
load uop[0] = uop[0] push gemm
load inp[0] = input[0]
load wgt[0] = const[0]
gemm acc[0] = inp[0] * wgt[0] pop load
gemm acc[0] += inp[0] * wgt[0] pop load
finish 1
