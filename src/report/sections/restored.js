// Restored images and how they were found.
kullback.section("restored", {
  draw(place, data) {
    const shown = ({name, value}) => ({name, value: typeof value === "number" ? kb.number(value, 5) : value});
    if (data.facts.length) place.append(kb.pairs(data.facts.map(shown)));
    kb.pictures(place, data.pictures);
  },
});
