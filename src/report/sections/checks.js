const {plots} = kb;

function columnOf(page, key) {
  const table = page.of("parameters");
  return table.names.map((name, i) => ({name, value: table.columns[key]?.[i] == null ? NaN : Number(table.columns[key][i])}));
}

const extreme = (values, pick) =>
  values
    .filter(({value}) => Number.isFinite(value))
    .reduce((a, b) => (pick(a.value, b.value) === a.value ? a : b), {name: "", value: pick === Math.max ? -Infinity : Infinity});

// The first of the names that has draws on the page.
function shownRow(check, page) {
  for (const name of check.names) {
    const i = page.draws?.find(name) ?? -1;
    if (i >= 0 && page.draws.has(i)) return i;
  }
  return -1;
}

function rhats(place, check, page) {
  const values = columnOf(page, "rhat");
  const worst = extreme(values, Math.max);
  kb.figure(place, {
    name: `${check.code}-rhats`,
    title: "R-hat of every quantity",
    alt: `Each dot is a quantity; right of the line, at 1.01, chains disagree. The largest is ${kb.number(worst.value, 4)} (${worst.name}).`,
    draw: (width) => plots.strip(width, values, 1.01, "below", {label: "R-hat", from: 1}),
  });
}

function ess(body, check, page) {
  const place = kb.el("div", {class: "halves"});
  body.append(place);
  for (const [key, words] of [
    ["ess_bulk", "bulk"],
    ["ess_tail", "tails"],
  ]) {
    const values = columnOf(page, key);
    const worst = extreme(values, Math.min);
    kb.figure(place, {
      name: `${check.code}-${key}`,
      title: `Effective sample size in the ${words}`,
      alt: `Each dot is a quantity; left of the line, at 400, numbers are imprecise. The smallest is ${kb.number(worst.value)} (${worst.name}).`,
      draw: (width) =>
        plots.strip(width, values, 400, "above", {label: "independent draws that the chains are worth", log: true}),
    });
  }
}

function trace(place, check, page) {
  const i = shownRow(check, page);
  if (i < 0) return;
  place.append(kb.chainLegend(page.draws));
  kb.figure(place, {
    name: `${check.code}-trace`,
    title: `${page.draws.names[i]} along the chains`,
    alt: `Draws of ${page.draws.names[i]} in order, a line for each of ${page.draws.chains} chains. Chains that agree cannot be told apart.`,
    draw: (width) => plots.trace(width, page.draws, i),
  });
}

function ranks(place, check, page) {
  const i = shownRow(check, page);
  if (i < 0) return;
  kb.figure(place, {
    name: `${check.code}-ranks`,
    title: `Ranks of ${page.draws.names[i]}`,
    alt: `How often the draws of each chain fall into each part of all draws in order, relative to chains that agree (1). Lines that leave 1 together at one side show a chain that is elsewhere.`,
    draw: (width) => plots.ranks(width, page.draws, i),
  });
}

function pair(place, check, page) {
  const rows = check.names.map((name) => page.draws?.find(name) ?? -1).filter((i) => i >= 0 && page.draws.has(i));
  if (rows.length < 2) return;
  const [i, j] = rows;
  const count = page.draws.divergent.size;
  kb.figure(place, {
    name: `${check.code}-pair`,
    title: `${page.draws.names[i]} and ${page.draws.names[j]}`,
    alt: count
      ? `Draws of the two, ${kb.count(count, "divergent one")} in red. Where red dots gather, the sampler cannot follow the posterior.`
      : "Draws of the two. None is divergent: a red dot would mark one.",
    draw: (width) => plots.scatter(Math.min(width, 460), page.draws, i, j, {height: 280}),
  });
}

function energy(place, check, page) {
  const data = page.of("energy");
  if (!data) return;
  place.append(
    kb.legend([
      {label: "energy of the draws", colour: kb.colour.chain(0)},
      {label: "its change from draw to draw", colour: kb.colour.chain(1)},
    ]),
  );
  kb.figure(place, {
    name: `${check.code}-energy`,
    title: "Energy",
    alt: `Where the change is much narrower than the energies, chains walk slowly to the tails. E-BFMI by chain: ${data.e_bfmi.map((value) => kb.number(value, 2)).join(", ")}.`,
    draw: (width) => plots.energy(width, data),
  });
}

function depths(place, check, page) {
  const counts = page.of("energy")?.depths ?? [];
  if (counts.length)
    kb.figure(place, {
      name: `${check.code}-depths`,
      title: "Lengths of trajectories",
      alt: `How many trajectories took how many doublings; the longest took ${counts.length - 1}.`,
      draw: (width) => plots.depths(width, counts),
    });
}

function weights(place, check, page) {
  const data = page.of("weights");
  if (!data) return;
  kb.figure(place, {
    name: `${check.code}-weights`,
    title: "Importance weights",
    alt: `Shares of the draws in all weight, the heaviest first; even weights would lie on the dashed line. The heaviest draw has ${kb.number(100 * data.largest, 2)} %.`,
    draw: (width) => plots.weights(width, data),
  });
}

function density(place, check, page) {
  const table = page.of("parameters");
  const i = table?.names.indexOf(check.names[0]) ?? -1;
  const points = i < 0 ? null : plots.curveOf(page.of("marginals"), i);
  if (!points) return;
  const quantile = (key) => Number(table.columns[key][i]);
  kb.figure(place, {
    name: `${check.code}-density`,
    title: table.names[i],
    alt: `Density of ${table.names[i]}, with its 90 % interval, ${table.columns.q5[i]} to ${table.columns.q95[i]}.`,
    draw: (width) =>
      plots.density(Math.min(width, 520), points, {q5: quantile("q5"), q50: quantile("q50"), q95: quantile("q95")}),
  });
}

function bound(place, check, page) {
  const data = page.of("bound");
  if (data)
    kb.figure(place, {
      name: `${check.code}-bound`,
      title: "The bound along the way",
      alt: "The bound at each step that was recorded.",
      draw: (width) => plots.bound(width, data),
    });
}

const pictures = {rhats, ess, trace, ranks, pair, energy, depths, weights, density, bound};

// A check that passed is one line, with its picture behind it; a problem shows all it has.
function passed(check, fill, place) {
  kb.onPrint(fill);
  return kb.el(
    "details",
    {ontoggle: fill},
    kb.el(
      "summary",
      {},
      kb.verdict(check.level, kb.levelName(check.level)),
      kb.el("p", {}, kb.el("b", {}, `${check.title}. `), check.message),
      check.pictures ? kb.el("span", {class: "more"}, "picture") : null,
    ),
    place,
  );
}

function card(check, page) {
  const place = kb.el("div", {});
  const fill = () => {
    if (!place.hasChildNodes()) for (const name of check.pictures.split(" ").filter(Boolean)) pictures[name](place, check, page);
  };
  const isGood = check.level === "good";
  const made = kb.el(
    "div",
    {class: `card is-${check.level}`, "data-check": check.code, "data-level": check.level},
    isGood
      ? passed(check, fill, place)
      : [
          kb.el("h4", {}, kb.verdict(check.level, kb.levelName(check.level)), check.title),
          kb.words(check.message),
          check.evidence ? kb.words(check.evidence, "small") : null,
          check.advice ? kb.words(check.advice, "todo") : null,
          place,
        ],
  );
  return {made, fill: isGood ? () => {} : fill};
}

kullback.section("checks", {
  draw(place, data, page) {
    if (data.checks.length === 0) {
      place.append(kb.words("No checks apply to this kind of result."));
      return;
    }
    for (const check of data.checks) {
      const {made, fill} = card(check, page);
      place.append(made);
      fill();
    }
  },
});
