// SPDX-License-Identifier: Apache-2.0
// Inputs and outputs of a command line, looked at before the command begins.
#pragma once

namespace CLI {
class App;
}

namespace vdla::tools {

struct Outputs {
  bool standard_output = false;  ///< one of them is (-, /dev/stdout, /dev/fd/1): no place for a report
};

/// UserError when a file that the command would write is one that it reads (by whatever name: links are the
/// same file), or two of its outputs are one file or standard output, or an output cannot be written where it
/// is to stand. Nothing has been written then. Every existing file that the command line names and that is no
/// output counts as read, and so do the files of a folder that it names.
Outputs check_outputs(const CLI::App& command);

}  // namespace vdla::tools
