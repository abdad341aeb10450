#include "shell/command.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <utility>

#include "base/option_values.hpp"

namespace kullback::shell {

bool is_truth(const std::string& word) {
  return word == "true" || word == "false" || word == "1" || word == "0";
}

AddedOption AddedOption::required() const { return AddedOption(option_->required()); }
AddedOption AddedOption::type_name(const std::string& name) const {
  return AddedOption(option_->type_name(name));
}
AddedOption AddedOption::group(const std::string& name) const { return AddedOption(option_->group(name)); }
AddedOption AddedOption::default_text(const std::string& text) const {
  return AddedOption(option_->default_str(text));
}
AddedOption AddedOption::default_of_target() const { return AddedOption(option_->capture_default_str()); }
AddedOption AddedOption::one_value_each() const { return AddedOption(option_->allow_extra_args(false)); }
AddedOption AddedOption::last_one_counts() const { return AddedOption(option_->take_last()); }
AddedOption AddedOption::separated_by(char separator) const {
  return AddedOption(option_->delimiter(separator));
}
AddedOption AddedOption::excludes(const AddedOption& other) const {
  return AddedOption(option_->excludes(other.option_));
}

AddedOption AddedOption::range(int low, int high) const {
  return AddedOption(option_->check(CLI::Range(low, high)));
}
AddedOption AddedOption::range(double low, double high) const {
  return AddedOption(option_->check(CLI::Range(low, high)));
}
AddedOption AddedOption::not_negative() const { return AddedOption(option_->check(CLI::NonNegativeNumber)); }
AddedOption AddedOption::positive() const { return AddedOption(option_->check(CLI::PositiveNumber)); }
AddedOption AddedOption::one_of(const std::vector<std::string>& choices) const {
  return AddedOption(option_->check(CLI::IsMember(choices)));
}

AddedOption AddedOption::whole_number(std::uint64_t low, std::uint64_t high) const {
  return AddedOption(option_->check(CLI::Validator(
      [low, high](const std::string& text) -> std::string {
        const std::optional<std::uint64_t> number = read_count(text);
        if (number && *number >= low && *number <= high) return {};
        return no_count_text(text, low, high);
      },
      fmt::format("{} to {}", low, high))));
}

AddedOption AddedOption::memory_size() const {
  return AddedOption(option_->transform(CLI::Validator(
      [](std::string& text) -> std::string {
        const std::optional<std::uint64_t> bytes = read_memory_size(text);
        if (!bytes) return no_memory_size_text(text);
        text = std::to_string(*bytes);
        return {};
      },
      "")));
}

AddedOption Command::add_option(const std::string& names, std::string& target,
                                const std::string& help) const {
  return AddedOption(app_->add_option(names, target, help));
}
AddedOption Command::add_option(const std::string& names, std::vector<std::string>& target,
                                const std::string& help) const {
  return AddedOption(app_->add_option(names, target, help));
}
AddedOption Command::add_option(const std::string& names, double& target, const std::string& help) const {
  return AddedOption(app_->add_option(names, target, help));
}
AddedOption Command::add_option(const std::string& names, int& target, const std::string& help) const {
  return AddedOption(app_->add_option(names, target, help));
}
AddedOption Command::add_option(const std::string& names, std::uint16_t& target,
                                const std::string& help) const {
  return AddedOption(app_->add_option(names, target, help));
}
AddedOption Command::add_option(const std::string& names, std::size_t& target,
                                const std::string& help) const {
  return AddedOption(app_->add_option(names, target, help));
}
AddedOption Command::add_option(const std::string& names, std::optional<std::size_t>& target,
                                const std::string& help) const {
  return AddedOption(app_->add_option(names, target, help));
}
AddedOption Command::add_flag(const std::string& names, bool& target, const std::string& help) const {
  return AddedOption(app_->add_flag(names, target, help));
}

AddedOption Command::add_text(const std::string& names, std::function<void(const std::string&)> take,
                              const std::string& help) const {
  return AddedOption(app_->add_option_function<std::string>(names, std::move(take), help));
}
AddedOption Command::add_list(const std::string& names,
                              std::function<void(const std::vector<std::string>&)> take,
                              const std::string& help) const {
  return AddedOption(app_->add_option_function<std::vector<std::string>>(names, std::move(take), help));
}
AddedOption Command::add_truth(const std::string& names, std::function<void(const std::string&)> take,
                               const std::string& help) const {
  CLI::callback_t take_last = [take = std::move(take)](const CLI::results_t& given) {
    take(given.back());
    return true;
  };
  const auto problem = [](const std::string& text) {
    return is_truth(text) ? std::string() : fmt::format("'{}' was given, but true or false is needed", text);
  };
  return AddedOption(app_->add_option(names, std::move(take_last), help)
                         ->expected(0)
                         ->type_size(0)
                         ->check(CLI::Validator(problem, "")));
}

void Command::describe(const std::string& sentence) const { app_->description(sentence); }
void Command::add_footer(const std::string& text) const { app_->footer(text); }

}  // namespace kullback::shell
