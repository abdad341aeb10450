#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "posterior/finding_parts.hpp"

namespace kullback::posterior {

std::string counted(std::size_t count, const std::string& noun) {
  if (count == 1) return "1 " + noun;
  if (noun.ends_with("y")) return fmt::format("{} {}ies", count, noun.substr(0, noun.size() - 1));
  return fmt::format("{} {}s", count, noun);
}

std::string percent(double share) {
  const double value = 100 * share;
  if (value > 0 && value < 0.1) return "below 0.1 %";
  if (value < 10) return fmt::format("{:.1f} %", value);
  return fmt::format("{:.0f} %", value);
}

std::string listed(const std::vector<std::string>& items) {
  std::string text;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0) text += i + 1 == items.size() ? " and " : ", ";
    text += items[i];
  }
  return text;
}

std::string chains_text(const std::vector<std::size_t>& chains) {
  std::vector<std::string> numbers;
  for (const std::size_t chain : chains) numbers.push_back(std::to_string(chain + 1));
  return (chains.size() == 1 ? "chain " : "chains ") + listed(numbers);
}

std::string short_number(double number) { return fmt::format("{:.3g}", number); }

std::string worst_of(const std::vector<Named>& sorted, int digits) {
  constexpr std::size_t kShown = 3;
  std::vector<std::string> items;
  for (std::size_t i = 0; i < std::min(kShown, sorted.size()); ++i)
    items.push_back(fmt::format("{} ({:.{}g})", sorted[i].name, sorted[i].number, digits));
  if (sorted.size() > kShown) items.push_back(fmt::format("{} more", sorted.size() - kShown));
  return listed(items);
}

}  // namespace kullback::posterior
