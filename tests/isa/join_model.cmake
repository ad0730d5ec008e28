# SPDX-License-Identifier: Apache-2.0
# Writes all.cpp, which includes each file that Verilator wrote into this folder: their names are not known before.
file(GLOB files RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} V*.cpp)
list(SORT files)
list(TRANSFORM files REPLACE "(.+)" "#include \"\\1\"\n")
list(JOIN files "" text)
file(WRITE all.cpp "${text}")
