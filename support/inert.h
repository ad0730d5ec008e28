// SPDX-License-Identifier: Apache-2.0
// Texts that strangers chose (names in models, boards and variants) made inert: they begin and end nothing in
// the text that they are put into. One function for each kind of text; shell_word.h has the shell's.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace vdla {

/// One line for people and terminals. Control characters (C0, DEL, C1) and characters that turn the direction
/// of writing become "\u001b"; bytes that are no UTF-8 become U+FFFD. Characters of `kept` stay as they are.
std::string visible(std::string_view text, std::string_view kept = {});

/// Bytes of a text but those of a character that is cut off at its end.
std::size_t whole_characters(std::string_view text);

/// Inside of a comment of C, Tcl, a shell, a device tree, an assembler or HTML, whether it ends with its line
/// or with a mark.
std::string comment_text(std::string_view text);

/// Between double quotes of C or of a device tree; what is not printable ASCII becomes "_", and so does "?",
/// of which trigraphs are made. Long texts are cut, since compilers need not take them.
std::string c_text(std::string_view text);

/// A word of Tcl by itself, part of a word, or part of a text between double quotes; not between braces.
std::string tcl_text(std::string_view text);

/// Text of an element of HTML or XML (as SVG), or between double quotes of an attribute.
std::string markup_text(std::string_view text);

/// A field of CSV in quotes, quotes included.
std::string csv_text(std::string_view text);

/// Text for a line or a table's cell of Markdown.
std::string markdown_text(std::string_view text);
/// Text as code of Markdown, marks included: "`net.onnx`".
std::string markdown_code(std::string_view text);

}  // namespace vdla
