// What each pass makes of small programs, as text. Of every program in tests/tape/golden/programs that a pass
// changes, golden/<pass>/<program>.txt holds the trace before and after it; golden/tape/<program>.txt holds
// the tape that comes out in the end.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <vector>

#include "tape/dump.hpp"
#include "tape/passes/passes.hpp"
#include "tape/record/operation_name.hpp"
#include "tape/rows/rows.hpp"
#include "tape/tape.hpp"
#include "tests/model/loaded_model.hpp"

namespace kullback::tape {
namespace {

namespace fs = std::filesystem;
using model::program_test::Loaded;

const fs::path kFolder = fs::path(KULLBACK_SOURCE_DIR) / "tests/tape/golden";
constexpr const char* kRewrite =
    "If that is what you meant: KULLBACK_WRITE_GOLDEN=1 build/tests/tape_test --gtest_filter='Golden.*', "
    "then "
    "read the difference in git.";
const std::set<std::string> kProgramsWithRows{"groups", "logistic", "regression"};
constexpr std::size_t kFewestPrograms = 2;  // for each pass

using Texts = std::map<std::string, std::string>;  // by file, from kFolder

std::string read(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

std::vector<std::string> programs() {
  std::vector<std::string> names;
  for (const auto& file : fs::directory_iterator(kFolder / "programs")) {
    if (file.path().extension() == ".stan") names.push_back(file.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

// Numbers to six digits: the last ones depend on the processor's instruction set.
std::string rounded(const std::string& text) {
  static const std::regex number(R"([0-9]+\.[0-9]+(e[-+][0-9]+)?)");
  std::string result;
  auto end = text.cbegin();
  for (std::sregex_iterator i(text.begin(), text.end(), number), none; i != none; ++i) {
    std::ostringstream shortened;
    shortened << std::stod(i->str());
    result.append(end, (*i)[0].first).append(shortened.str());
    end = (*i)[0].second;
  }
  return result.append(end, text.cend());
}

// r: a number of the row's own; c: a column of its constants, x: of its slots outside.
std::string reference_text(const RowReference& reference) {
  const char kind = reference.kind == RowReference::Kind::local      ? 'r'
                    : reference.kind == RowReference::Kind::constant ? 'c'
                                                                     : 'x';
  return kind + std::to_string(reference.at);
}

// Of data with rows: what belongs to no row, and the operations of each form that rows have.
std::string rows_text(Loaded& loaded) {
  std::string text = loaded.model->describe_rows();
  const RowProgram& program = dynamic_cast<model::StanRows&>(*loaded.model->rows()).program();
  text += "\nwithout the rows:\n" + dump(program.global, loaded.sources);
  for (const RowClass& form : program.classes) {
    text += "\na form of " + std::to_string(form.rows.size()) + " rows:\n";
    for (const RowInstruction& i : form.instructions) {
      text += "r" + std::to_string(i.result) + " = " + operation_name(i.raw.kind, i.raw.definition) + "(";
      for (std::size_t j = 0; j < i.references.size(); ++j)
        text += (j > 0 ? ", " : "") + reference_text(i.references[j]);
      text += ")\n";
    }
    for (const RowClass::Term& term : form.terms)
      text += "term " + std::to_string(term.weight) + " * " + reference_text(term.value) + "\n";
  }
  return text;
}

// The golden files of a program as they should be.
void add_texts(const std::string& program, Texts& texts) {
  const fs::path base = kFolder / "programs" / program;
  const std::unique_ptr<Loaded> loaded =
      model::program_test::load(read(base.string() + ".stan"), read(base.string() + ".json"));
  ASSERT_NE(loaded, nullptr) << program;
  Builder builder;
  const std::vector<double> theta = model::program_test::some_point(loaded->model->dim());
  ASSERT_TRUE(loaded->model->trace(theta.data(), builder)) << program << " " << loaded->model->message();

  Trace trace = make_trace(builder);
  std::string before = rounded(dump(trace, loaded->sources));
  for (const Pass& pass : all_passes()) {
    pass.run(trace);
    std::string after = rounded(dump(trace, loaded->sources));
    if (after != before) {
      texts[std::string(pass.name) + "/" + program + ".txt"] = "before:\n" + before + "\nafter:\n" + after;
    }
    before = std::move(after);
  }
  texts["tape/" + program + ".txt"] = rounded(dump(*compile(builder), loaded->sources));
  if (kProgramsWithRows.contains(program)) texts["rows/" + program + ".txt"] = rounded(rows_text(*loaded));
}

Texts make_texts() {
  Texts texts;
  for (const std::string& program : programs()) add_texts(program, texts);
  return texts;
}

Texts read_texts() {
  Texts texts;
  for (const auto& file : fs::recursive_directory_iterator(kFolder)) {
    if (file.path().extension() == ".txt")
      texts[fs::relative(file.path(), kFolder).generic_string()] = read(file.path());
  }
  return texts;
}

void write(const Texts& texts) {
  for (const auto& [name, text] : read_texts()) {
    if (!texts.contains(name)) fs::remove(kFolder / name);
  }
  for (const auto& [name, text] : texts) {
    fs::create_directories((kFolder / name).parent_path());
    std::ofstream(kFolder / name, std::ios::binary) << text;
  }
}

// "line 3 is A, and was B"
std::string first_difference(const std::string& found, const std::string& golden) {
  std::istringstream one(found);
  std::istringstream other(golden);
  for (std::size_t line = 1;; ++line) {
    std::string is = "missing";
    std::string was = "missing";
    const bool more = static_cast<bool>(std::getline(one, is));
    if (!std::getline(other, was) && !more) return "they differ in the end of the last line";
    if (is != was) return "line " + std::to_string(line) + "\n  is  " + is + "\n  was " + was;
  }
}

TEST(Golden, PassesMakeOfProgramsWhatTheyMadeBefore) {
  const Texts texts = make_texts();
  if (std::getenv("KULLBACK_WRITE_GOLDEN") != nullptr) {
    write(texts);
    GTEST_SKIP() << texts.size() << " files are written to " << kFolder;
  }
  const Texts golden = read_texts();
  for (const auto& [name, text] : texts) {
    const auto known = golden.find(name);
    if (known == golden.end()) {
      ADD_FAILURE() << kFolder / name << " does not exist: the pass now changes this program. " << kRewrite;
    } else if (text != known->second) {
      ADD_FAILURE() << kFolder / name << ": " << first_difference(text, known->second) << "\n" << kRewrite;
    }
  }
  for (const auto& [name, text] : golden) {
    EXPECT_TRUE(texts.contains(name)) << kFolder / name << ": the pass leaves this program as it is now, or "
                                      << "one of the two is gone. " << kRewrite;
  }
}

TEST(Golden, EveryPassHasPrograms) {
  std::map<std::string, std::size_t> count;
  std::set<std::string> known{"rows", "tape"};
  for (const auto& [name, text] : read_texts()) ++count[fs::path(name).parent_path().string()];
  for (const Pass& pass : all_passes()) {
    EXPECT_GE(count[std::string(pass.name)], kFewestPrograms)
        << pass.name << " changes too few of the programs: add one that shows what it does to "
        << kFolder / "programs"
        << " (NAME.stan and NAME.json), then run KULLBACK_WRITE_GOLDEN=1 build/tests/tape_test.";
    known.insert(std::string(pass.name));
  }
  for (const auto& [folder, files] : count) EXPECT_TRUE(known.contains(folder)) << folder << " is no pass";
}

TEST(Golden, NumbersAreRounded) {
  EXPECT_EQ(rounded("s12 = add(0.1234567891, 1.0000000001e-20, 3) # model.stan:9:3"),
            "s12 = add(0.123457, 1e-20, 3) # model.stan:9:3");
}

}  // namespace
}  // namespace kullback::tape
