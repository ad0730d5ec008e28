// SPDX-License-Identifier: Apache-2.0
// fmt as an archive: format-inl.h defines its functions, and of its templates these are what the kit's code
// leaves to the library.
#include <fmt/format-inl.h>

namespace detail = fmt::detail;

template detail::dragonbox::decimal_fp<float> detail::dragonbox::to_decimal(float) noexcept;
template detail::dragonbox::decimal_fp<double> detail::dragonbox::to_decimal(double) noexcept;
template std::locale detail::locale_ref::get<std::locale>() const;
template detail::thousands_sep_result<char> detail::thousands_sep_impl<char>(detail::locale_ref);
template char detail::decimal_point_impl<char>(detail::locale_ref);
template void detail::buffer<char>::append<char>(const char*, const char*);
template void detail::vformat_to<char>(detail::buffer<char>&, fmt::string_view,
                                       fmt::basic_format_args<fmt::buffer_context<char>>, detail::locale_ref);
