// SPDX-License-Identifier: Apache-2.0
// Optimised instances of functions that headers define. Where several objects of a program instantiate a
// function, the linker takes the first instance. A program's own objects, which are not optimised, come
// before the libraries, so this object comes before them. The functions here took the most time in `vdla
// compile`: strings, bytes, text of numbers.
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
