// SPDX-License-Identifier: Apache-2.0
// Operators that ONNX had as experiments in its sets 1 to 9.
#include "compiler/import/tensor/node.h"
#include "compiler/import/tensor/scalar.h"

namespace vdla::import::tensor {
namespace {

using expr::Function;

/// An operator of one float input whose attributes are its parameters.
template <class F>
void of_floats(const Node& c, const F& f) {
  c.set(c.map(c.op(), {c.float_in(0)}, [&](const auto& v) { return Scalar(f(v[0])); }));
}

void affine(const Node& c) {
  const double alpha = c.real("alpha"), beta = c.real("beta");
  of_floats(c, [&](const Scalar& x) { return real(alpha, x) * x + real(beta, x); });
}

void scale(const Node& c) {
  const double factor = c.real("scale");
  of_floats(c, [&](const Scalar& x) { return real(factor, x) * x; });
}

/// Both parameters of an operator without defaults are 1.
void scaled_tanh(const Node& c) {
  const double alpha = c.real("alpha", 1), beta = c.real("beta", 1);
  of_floats(c, [&](const Scalar& x) { return real(alpha, x) * call(Function::Tanh, real(beta, x) * x); });
}

/// ln(exp(y) + 1) as max(y, 0) + ln(1 + exp(-|y|)), which no large y makes infinite.
void parametric_softplus(const Node& c) {
  const double alpha = c.real("alpha", 1), beta = c.real("beta", 1);
  of_floats(c, [&](const Scalar& x) {
    const Scalar y = real(beta, x) * x;
    const Scalar rest =
        call(Function::Log, real(1, x) + call(Function::Exp, real(0, x) - call(Function::Abs, y)));
    return real(alpha, x) * (maximum(y, real(0, x)) + rest);
  });
}

const Value& picture(const Node& c) {
  const Value& x = c.in(0);
  c.require(x.rank() == 4, "has data of " + graph::to_string(x.shape) + ", needs N C H W");
  return x;
}

void image_scaler(const Node& c) {
  const Value& x = picture(c);
  const double factor = c.real("scale");
  std::vector<double> bias(static_cast<std::size_t>(x.shape[1]), 0);
  if (const auto* a = c.find("bias")) bias.assign(a->floats().begin(), a->floats().end());
  c.require(static_cast<std::int64_t>(bias.size()) == x.shape[1],
            "has a bias of " + std::to_string(bias.size()) + " numbers for " + std::to_string(x.shape[1]) +
                " channels, needs one for each");
  c.set(c.map("ImageScaler", {c.float_in(0), make_constant(x.type, {x.shape[1], 1, 1}, bias)},
              [&](const auto& v) { return v[0] * real(factor, v[0]) + v[1]; }));
}

/// Attribute "border" is left, top, right, bottom; "scale" the height and width of the result.
void crop(const Node& c) {
  const Value& x = picture(c);
  const Integers border = c.of_window("border", c.integers("border", Integers(4, 0)), 4);
  Integers size = {x.shape[2] - border[1] - border[3], x.shape[3] - border[0] - border[2]};
  if (c.find("scale")) size = c.integers("scale", {});
  size = c.positive_of_window("height and width", size, 2);
  c.set(c.part(c.part(x, 2, border[1], border[1] + size[0]), 3, border[0], border[0] + size[1]));
}

constexpr Operator kExperiments[] = {
    {"Affine", affine},
    {"Crop", crop},
    {"ImageScaler", image_scaler},
    {"ParametricSoftplus", parametric_softplus},
    {"Scale", scale},
    {"ScaledTanh", scaled_tanh},
};

}  // namespace

std::span<const Operator> experimental_operators() { return kExperiments; }

}  // namespace vdla::import::tensor
