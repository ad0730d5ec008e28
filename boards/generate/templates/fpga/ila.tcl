# SPDX-License-Identifier: Apache-2.0
# Made by `vdla board ila @BOARD_WORD@`.
set depth @DEPTH@
set ports {
@PORTS@
}

