// Members divided among processes: each part trains as it does in the whole, and states are cut and joined by
// their first dimension. What several processes do together is tested in tests/cli/deep_test.sh.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "deep/train/members_over_ranks.hpp"
#include "tests/deep/linear_model.hpp"
#include "tests/deep/train_posterior.hpp"

namespace kullback::deep {
namespace {

constexpr std::int64_t kRows = 20, kMembers = 5;

TEST(Noise, APartOfTheNetsHasItsNumbersOfTheWhole) {
  torch::manual_seed(3);
  const torch::Tensor all = Noise(0, 6, 6).normal({10, 6}, torch::kFloat64, 1);  // two draws of five nets
  torch::manual_seed(3);
  const Noise part = Noise(2, 3, 6).of_nets({.first = 1, .count = 2, .all = 5});
  EXPECT_TRUE(part.normal({4, 3}, torch::kFloat64, 1).equal(all.slice(0, 2, 6).slice(1, 2, 5)));
}

TEST(MembersOverRanks, OneProcessHasAll) {
  const Ranks ranks;
  const MembersOverRanks members(ranks, 5);
  EXPECT_FALSE(members.is_spread());
  EXPECT_EQ(members.part().count, 5);
  EXPECT_TRUE(members.part().is_all());
}

// As one process of several, without the others.
class PartTrainee final : public Trainee {
 public:
  PartTrainee(PosteriorTrainee& whole, NetPart part) : whole_(whole), part_(part) {}
  std::int64_t rows() const override { return whole_.rows(); }
  torch::Device device() const override { return whole_.device(); }
  torch::Tensor step(const StepContext& context) override {
    StepContext of_part = context;
    of_part.noise = context.noise.of_nets(part_);
    return whole_.step(of_part);
  }
  void end_epoch(std::int64_t epoch) override { whole_.end_epoch(epoch); }
  void visit(const VisitTensor& visit) override { whole_.visit(visit); }

 private:
  PosteriorTrainee& whole_;
  NetPart part_;
};

class Members : public testing::TestWithParam<std::string> {
 protected:
  Members() : net_(toy_net({.inputs = 2, .hidden = {4}, .activation = Activation::tanh}, 0)) {
    torch::manual_seed(3);
    x_ = torch::randn({1, kRows, 2}, torch::kFloat64);
    y_ = at::sin(x_.sum(2));
  }

  std::unique_ptr<Posterior> train_part(NetPart part) const {
    const PosteriorRecord* record = find_posterior(GetParam());
    std::map<std::string, std::string> settings;
    if (GetParam() == "hmc") settings = {{"max_leapfrogs", "10"}};
    auto posterior = record->make(net_, read_options(record->options, settings, "a part"),
                                  {.nets = part.count,
                                   .all_rows = kRows,
                                   .seed = 1,
                                   .options = x_.options(),
                                   .first_net = part.first,
                                   .all_nets = part.all});
    PosteriorTrainee whole(net_, *posterior, {.train = {x_, y_}, .members = part.count, .epochs = 6});
    PartTrainee trainee(whole, part);
    train(trainee, {.epochs = 6, .batch = record->needs_all_rows ? kRows : 8, .seed = 2}, Ranks());
    return posterior;
  }

  static std::vector<torch::Tensor> state(Posterior& posterior) {
    std::vector<torch::Tensor> all;
    posterior.visit([&](const std::string&, torch::Tensor& tensor) { all.push_back(tensor.clone()); });
    return all;
  }

  BayesNet net_;
  torch::Tensor x_, y_;
};

TEST_P(Members, OfAPartAreThoseOfTheWhole) {
  const auto whole = train_part({.first = 0, .count = kMembers, .all = kMembers});
  const NetPart part{.first = 2, .count = 2, .all = kMembers};
  const auto some = train_part(part);
  const std::vector<torch::Tensor> all = state(*whole), few = state(*some);
  ASSERT_EQ(all.size(), few.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!all[i].is_floating_point()) {
      EXPECT_TRUE(all[i].equal(few[i])) << i;
      continue;
    }
    ASSERT_EQ(all[i].size(0), kMembers) << i;
    ASSERT_EQ(few[i].size(0), part.count) << i;
    if (all[i].numel() == 0) continue;
    const torch::Tensor own = all[i].narrow(0, part.first, part.count);
    EXPECT_LT(((own - few[i]).abs() / (1 + own.abs())).max().item<double>(), 1e-9) << i;
  }
  torch::manual_seed(8);
  const torch::Tensor of_all = whole->predict(x_.expand({kMembers, kRows, 2}), 3).mean;
  torch::manual_seed(8);
  const torch::Tensor of_few = some->predict(x_.expand({part.count, kRows, 2}), 3).mean;
  EXPECT_LT((of_all.narrow(0, part.first, part.count) - of_few).abs().max().item<double>(), 1e-9);
}

std::vector<std::string> all_posteriors() {
  std::vector<std::string> names;
  for (const PosteriorRecord* record : posteriors()) names.emplace_back(record->name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Posteriors, Members, testing::ValuesIn(all_posteriors()));

}  // namespace
}  // namespace kullback::deep
