// SPDX-License-Identifier: Apache-2.0
// LSTM, GRU and RNN with what they can be told.
#include <algorithm>

#include "tests/compiler/import/random_graphs/sketch.h"

namespace vdla::random_graphs {
namespace {

bool recurrent(Sketch& s, const char* name) {
  const std::string_view op = name;
  Random& r = s.random();
  const std::int64_t gates = op == "LSTM"  ? 4
                             : op == "GRU" ? 3
                                           : 1,
                     functions = op == "LSTM"  ? 3
                                 : op == "GRU" ? 2
                                               : 1;
  const Piece x = s.take({kFloat, 3, 3, -10, 10});
  const std::int64_t steps = x.shape[0], batch = x.shape[1], width = x.shape[2],
                     hidden = r.between(std::int64_t{1}, std::int64_t{3});
  const std::string direction = r.one_of({"", "forward", "reverse", "bidirectional"});
  const std::int64_t both = direction == "bidirectional" ? 2 : 1;
  const auto number = [&](const Shape& shape) { return s.constant(DataType::Float32, shape, -1, 1); };
  const Piece w = number({both, gates * hidden, width}), u = number({both, gates * hidden, hidden});
  const bool biased = r.chance(0.6), lengths = r.chance(0.25), starts = r.chance(0.4),
             peeps = op == "LSTM" && r.chance(0.25);
  const Piece b = biased ? number({both, 2 * gates * hidden}) : Piece{};
  const Piece l = lengths ? s.fresh(DataType::Int32, {batch}, 1, double(steps)) : Piece{};
  const Piece h = starts ? s.fresh(DataType::Float32, {both, batch, hidden}, -1, 1) : Piece{};
  const Piece c = op == "LSTM" && starts ? s.fresh(DataType::Float32, {both, batch, hidden}, -1, 1) : Piece{};
  const Piece p = peeps ? number({both, 3 * hidden}) : Piece{};
  Written n = s.node(name);
  n.in(x).in(w).in(u);
  const auto optional = [&](bool has, const Piece& piece) { has ? n.in(piece) : n.absent(); };
  const int last = peeps ? 7 : starts ? (op == "LSTM" ? 6 : 5) : lengths ? 4 : biased ? 3 : 2;
  if (last >= 3) optional(biased, b);
  if (last >= 4) optional(lengths, l);
  if (last >= 5) optional(starts, h);
  if (last >= 6) optional(starts, c);
  if (last >= 7) n.in(p);
  n.integer("hidden_size", hidden);
  if (!direction.empty()) n.text("direction", direction);
  if (r.chance(0.3)) {
    std::vector<std::string> names;
    // ONNX Runtime's RNN reads alpha by place, whatever functions take one.
    const std::vector<std::string> plain = {"Sigmoid", "Tanh", "Relu", "Softsign"};
    for (std::int64_t i = 0; i < functions * both; ++i)
      names.push_back(op != "RNN" && r.chance(0.25) ? "HardSigmoid" : r.one_of(plain));
    n.texts("activations", names);
    const bool states = r.chance(0.5);
    std::vector<double> alphas, betas;
    for (const std::string& function : names) {
      if (function != "HardSigmoid" || !states) continue;
      alphas.push_back(r.between(0.1, 0.5));
      betas.push_back(r.between(0.3, 0.7));
    }
    if (!alphas.empty()) n.reals("activation_alpha", alphas).reals("activation_beta", betas);
  }
  if (r.chance(0.15)) n.real("clip", 0.8);
  if (op == "GRU") n.some("linear_before_reset", 0, r.below(2));
  if (op == "LSTM" && r.chance(0.15)) n.integer("input_forget", 1);
  n.out(DataType::Float32, {steps, both, batch, hidden}, -100, 100, false, 1);
  if (r.chance(0.5))
    n.out(DataType::Float32, {both, batch, hidden}, -100, 100, false, 1);
  else if (op == "LSTM")
    n.no_out();
  if (op == "LSTM" && r.chance(0.5)) n.out(DataType::Float32, {both, batch, hidden}, -100, 100, false, 1);
  return true;
}

}  // namespace

std::vector<Operator> recurrent_operators() {
  return {{"GRU", 7, kEver, recurrent}, {"LSTM", 7, kEver, recurrent}, {"RNN", 7, kEver, recurrent}};
}

}  // namespace vdla::random_graphs
