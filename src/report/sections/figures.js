// Figures of a fit without draws.
const named = (items) => items.map(({name, value}) => ({name: name.replaceAll("_", " "), value: kb.number(value, 5)}));

kullback.section("figures", {
  draw(place, data) {
    if (data.facts?.length) place.append(kb.pairs(data.facts));
    if (data.figures?.length) place.append(kb.pairs(named(data.figures)));
    else if (data.summary?.length) place.append(kb.pairs(named(data.summary)));
    if (data.terms?.length) place.append(kb.words("Terms of the bound, in nats:"), kb.pairs(named(data.terms)));
  },
});
