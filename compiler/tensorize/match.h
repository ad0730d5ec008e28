// SPDX-License-Identifier: Apache-2.0
// The matcher: a loop nest against one declaration. Structural, after both sides are brought to one normal
// form (sums and products flattened and ordered, constants folded, comparisons normalised).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "compiler/intrinsics/intrinsic.h"
#include "compiler/loop/stmt.h"
#include "compiler/tensorize/matched.h"

namespace vdla::tensorize {

/// `nest` is the For of the tensorized axis. Loops of extent 1 inside it are looked through. The store is
/// `dst[..] = value`, or the update `dst[..] = combine(select(reset, identity, dst[..]), value)`; the loops
/// of the nest drop out of `reset`.
Match match(const loop::StmtPtr& nest, const intrinsics::Intrinsic& intrinsic);

/// The declarations of that name that fit the scopes are tried in table order; copies by match_copy(). When
/// none matches: UserError that gives the reason of the nearest one.
loop::StmtPtr match_any(const loop::StmtPtr& nest, const std::string& name,
                        std::span<const intrinsics::Intrinsic> table);

}  // namespace vdla::tensorize
