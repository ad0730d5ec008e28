# SPDX-License-Identifier: Apache-2.0
# @BANNER@
# shellcheck shell=sh disable=SC2034
board=@BOARD@
released='@RELEASED@'
builder='@BUILDER@'
