// Some numbers of x are seen, the others are not: A(x) = m x with a mask m of ones and zeros, and where m is
// 0 the observed number says nothing. What is missing (NaN) in an observed row is not seen either, with every
// operator; so without a mask this one stands for x itself, noisy and with holes.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/error.hpp"
#include "deep/data/number_files.hpp"
#include "deep/diffusion/conditioning/operator.hpp"

namespace kullback::deep::diffusion {

namespace {

constexpr auto kMask =
    TextOption("mask", "CSV, .npy or IDX file with a number for each of a row: 0 where it is not seen");
constexpr auto kBox = TextOption("box", "TOP,LEFT,HEIGHT,WIDTH: pixels that are not seen");

class Inpaint final : public Operator {
 public:
  Inpaint(RowShape takes, torch::Tensor seen) : Operator(takes), seen_(std::move(seen)) {}

  torch::Tensor forward(const torch::Tensor& x) const override {
    return seen_.defined() ? x * seen_.to(x.device()).to(x.scalar_type()) : x;
  }
  torch::Tensor seen() const override { return seen_; }

 private:
  torch::Tensor seen_;  // undefined: everything
};

// As large as a row, or as an image without its colours.
torch::Tensor mask_of(const std::string& file, const RowShape& shape) {
  const torch::Tensor numbers = read_numbers(file);
  const std::int64_t count = numbers.numel();
  if (shape.is_image() && count == shape.image.height * shape.image.width)
    return (numbers.flatten() != 0).repeat({shape.image.channels});
  if (count != shape.size)
    throw Error(
        ErrorKind::bad_input,
        fmt::format("{}: the mask has {} numbers; the model is of {}.", file, count, shape_text(shape)),
        "Give a number for each of theirs: 0 where x is not seen.");
  return numbers.flatten() != 0;
}

[[noreturn]] void refuse_box(const std::string& text) {
  throw Error(ErrorKind::usage,
              fmt::format("--box is '{}'; it must be TOP,LEFT,HEIGHT,WIDTH in pixels.", text),
              "Write --box 10,0,8,28.");
}

torch::Tensor box_of(const std::string& text, const RowShape& shape) {
  if (!shape.is_image())
    throw Error(ErrorKind::usage,
                fmt::format("--box is for images, and the model is of {}.", shape_text(shape)),
                "Give a --mask, or leave cells of OBSERVED empty.");
  std::vector<std::int64_t> numbers;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    std::int64_t number = 0;
    const auto [stop, status] = std::from_chars(text.data() + begin, text.data() + end, number);
    if (status != std::errc() || stop != text.data() + end || number < 0) refuse_box(text);
    numbers.push_back(number);
    begin = end + 1;
  }
  if (numbers.size() != 4 || numbers[2] == 0 || numbers[3] == 0) refuse_box(text);
  if (numbers[0] + numbers[2] > shape.image.height || numbers[1] + numbers[3] > shape.image.width)
    throw Error(ErrorKind::usage, fmt::format("--box {} does not lie inside {}.", text, shape_text(shape)),
                "Its top and left are counted from 0.");
  torch::Tensor seen =
      torch::ones({shape.image.channels, shape.image.height, shape.image.width}, torch::kBool);
  seen.narrow(1, numbers[0], numbers[2]).narrow(2, numbers[1], numbers[3]).fill_(false);
  return seen.flatten();
}

std::unique_ptr<Operator> make(const OptionValues& values, const RowShape& takes) {
  torch::Tensor seen;
  if (const auto file = values.given(kMask)) seen = mask_of(std::string(*file), takes);
  if (const auto box = values.given(kBox)) {
    const torch::Tensor outside = box_of(std::string(*box), takes);
    seen = seen.defined() ? seen.logical_and(outside) : outside;
  }
  if (seen.defined() && !seen.any().item<bool>())
    throw Error(ErrorKind::bad_input, "nothing is seen: the mask leaves no number.",
                "'kullback sample' draws without an observation.");
  return std::make_unique<Inpaint>(takes, seen);
}

constexpr const OptionRecord* kOptions[] = {&kMask, &kBox};

}  // namespace

extern const OperatorRecord k_inpaint;
const OperatorRecord k_inpaint = {.name = "inpaint",
                                  .summary = "Some numbers are seen, the others missing",
                                  .options = kOptions,
                                  .make = make};

}  // namespace kullback::deep::diffusion
