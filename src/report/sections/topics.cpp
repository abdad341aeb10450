// Topics as lists of their most probable words, the largest topic first.
#include <algorithm>
#include <map>

#include "report/json_object.hpp"
#include "report/section.hpp"
#include "report/word_table.hpp"

namespace kullback::report {

namespace {

constexpr std::size_t kMostTopics = 200;
constexpr std::size_t kMostWords = 30;

struct Topic {
  std::string name;
  double share = 0;
  double tokens = 0;
  std::vector<std::string> words;  // JSON
};

// "topic_3" is 3.
std::string number_of(const std::string& name) {
  constexpr std::string_view kPrefix = "topic_";
  return name.starts_with(kPrefix) ? name.substr(kPrefix.size()) : name;
}

}  // namespace

std::string topics_section(const Result& result) {
  if (result.kind() != run::Kind::topics) return {};
  const std::optional<WordTable> words = read_words(result, "topics.csv");
  if (!words) return {};
  const auto word = words->find("word"), topic = words->find("topic"),
             probability = words->find("probability");
  if (!word || !topic || !probability) return {};
  std::map<std::string, Topic> by_name;
  for (std::size_t r = 0; r < words->rows.size(); ++r) {
    Topic& one = by_name[number_of(words->rows[r][*topic])];
    if (one.words.size() >= kMostWords) continue;
    one.words.push_back(JsonObject()
                            .text("word", words->rows[r][*word])
                            .number("probability", words->number(r, *probability), 4)
                            .str());
  }
  if (const auto weights = read_words(result, "topic_weights.csv")) {
    for (std::size_t r = 0; r < weights->rows.size(); ++r) {
      Topic& one = by_name[number_of(weights->rows[r][0])];
      one.share = weights->number(r, "share");
      one.tokens = weights->number(r, "tokens");
    }
  }
  std::vector<Topic> topics;
  for (auto& [name, one] : by_name) {
    one.name = name;
    topics.push_back(std::move(one));
  }
  std::stable_sort(topics.begin(), topics.end(),
                   [](const Topic& a, const Topic& b) { return a.share > b.share; });
  std::vector<std::string> made;
  for (std::size_t i = 0; i < std::min(topics.size(), kMostTopics); ++i)
    made.push_back(JsonObject()
                       .text("name", topics[i].name)
                       .number("share", topics[i].share)
                       .number("tokens", topics[i].tokens)
                       .raw("words", json_array(topics[i].words))
                       .str());
  return JsonObject().count("topics_in_all", topics.size()).raw("topics", json_array(made)).str();
}

}  // namespace kullback::report
