// SPDX-License-Identifier: Apache-2.0
// NAME_answers.{h,c}: inferences whose answers are known. Private to this folder.
#pragma once

#include <string>
#include <vector>

#include "compiler/bundle/plan.h"

namespace vdla::bundle {

std::string answers_h(const Plan& plan, const std::vector<KnownAnswer>& answers);
/// UserError for a port that is not of integers, and for an answer that is not of the module's sizes.
std::string answers_c(const Plan& plan, const std::vector<KnownAnswer>& answers);

}  // namespace vdla::bundle
