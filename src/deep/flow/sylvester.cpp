// Sylvester flow, Householder variety (van den Berg, Hasenclever, Tomczak and Welling 2018):
//   y = z + Q R1 tanh(R2 Q'z + b),  Q = H_1 ... H_k,  H = I - 2 v v' / |v|^2,
// with upper triangular R1 and R2 whose diagonals are tanh of free numbers. As R1 diag(h') R2 is triangular,
//   log det = sum_i log(1 + h'_i r1_ii r2_ii),  and |r1_ii r2_ii| < 1 makes the map invertible.
// One free matrix gives both: its upper triangle R1's, its lower one, transposed, R2's.
#include "deep/flow/flow.hpp"

namespace kullback::deep {

namespace {

constexpr double kTiny = 1e-12;

// A row's matrix for all its draws, [nets, 1, rows, dim, dim], is not copied for each: draws become columns.
torch::Tensor times(const torch::Tensor& matrix, const torch::Tensor& vector) {
  if (matrix.dim() != 5 || matrix.size(1) != 1) return at::matmul(matrix, vector.unsqueeze(-1)).squeeze(-1);
  return at::matmul(matrix.squeeze(1), vector.permute({0, 2, 3, 1})).permute({0, 3, 1, 2});
}

class Sylvester final : public FlowLayer {
 public:
  Sylvester(std::int64_t dim, std::int64_t reflections) : dim_(dim), reflections_(reflections) {}

  std::int64_t context() const override { return dim_ * (dim_ + 3 + reflections_); }

  Flowed forward(const Parameters&, const torch::Tensor& z, const torch::Tensor& context) const override {
    const std::vector<torch::Tensor> parts =
        context.split_with_sizes({dim_ * dim_, dim_, dim_, dim_, dim_ * reflections_}, -1);
    const torch::Tensor free = parts[0].unflatten(-1, {dim_, dim_});
    const torch::Tensor diagonal1 = at::tanh(parts[1]), diagonal2 = at::tanh(parts[2]);
    const torch::Tensor strict1 = at::triu(free, 1), strict2 = at::triu(free.transpose(-1, -2), 1);
    const torch::Tensor normals = parts[4].unflatten(-1, {reflections_, dim_});

    const torch::Tensor turned = reflect(normals, z, true);
    const torch::Tensor bend = at::tanh(times(strict2, turned) + diagonal2 * turned + parts[3]);
    const torch::Tensor moved = reflect(normals, times(strict1, bend) + diagonal1 * bend, false);
    const torch::Tensor log_det = at::log1p((1 - bend.square()) * diagonal1 * diagonal2).sum(-1);
    return {z + moved, log_det};
  }

 private:
  // Q x, or Q'x: the same reflections in the other order.
  torch::Tensor reflect(const torch::Tensor& normals, torch::Tensor x, bool is_transposed) const {
    for (std::int64_t i = 0; i < reflections_; ++i) {
      const torch::Tensor v = normals.select(-2, is_transposed ? i : reflections_ - 1 - i);
      const torch::Tensor weight = 2 * (v * x).sum(-1, true) / (v.square().sum(-1, true) + kTiny);
      x = x - weight * v;
    }
    return x;
  }

  std::int64_t dim_, reflections_;
};

}  // namespace

Flow sylvester_flow(std::int64_t dim, std::int64_t layers, std::int64_t reflections) {
  std::vector<std::unique_ptr<FlowLayer>> all;
  for (std::int64_t i = 0; i < layers; ++i) all.push_back(std::make_unique<Sylvester>(dim, reflections));
  return Flow(std::move(all), Flow::ContextUse::own);
}

}  // namespace kullback::deep
