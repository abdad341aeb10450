kullback.section("question", {
  draw(place, data) {
    place.append(
      kb.words(data.asked, "lead"),
      kb.el(
        "dl",
        {class: "facts"},
        data.facts.map(({name, value}) => kb.el("div", {}, kb.el("dt", {}, name), kb.el("dd", {}, value))),
      ),
    );
  },
});
