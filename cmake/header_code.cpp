// SPDX-License-Identifier: Apache-2.0
// Functions of headers as optimised code has them. Of what several objects of a program instantiate, the
// linker takes the first, and a program's own objects, which are not optimised, stand in front of the
// libraries; this one stands in front of them. What is here took the most time in `vdla compile`: strings,
// bytes and text that is made of numbers.
#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <vector>

template class std::basic_string<char>;
template class std::vector<std::byte>;
template class std::vector<char>;
template class std::vector<std::string>;
template void fmt::detail::buffer<char>::append<char>(const char*, const char*);
template void fmt::detail::vformat_to<char>(fmt::detail::buffer<char>&, fmt::string_view,
                                            fmt::basic_format_args<fmt::buffer_context<char>>,
                                            fmt::detail::locale_ref);
