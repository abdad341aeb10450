const {plots} = kb;
const most = {2: 2000, 3: 1200, 4: 700};

function matrix(width, page, rows) {
  const {draws} = page;
  const n = rows.length;
  const gap = 5;
  const side = Math.floor((Math.min(width, 280 * n) - gap * (n - 1)) / n);
  const cells = [];
  rows.forEach((i, r) =>
    rows.forEach((j, c) => {
      if (r === c) {
        const table = page.of("parameters");
        const points = plots.curveOf(page.of("marginals"), i);
        const quantile = (key) => Number(table.columns[key][i]);
        cells.push(
          kb.el(
            "div",
            {},
            kb.el("div", {class: "title", style: "text-align:center"}, draws.names[i]),
            points
              ? plots.density(side, points, {q5: quantile("q5"), q50: quantile("q50"), q95: quantile("q95"), height: side - 26})
              : "",
          ),
        );
      } else if (r > c) {
        cells.push(plots.scatter(side, draws, j, i, {most: most[n], labels: false}));
      } else {
        cells.push(kb.el("div", {class: "number"}, "correlation", kb.el("b", {}, kb.number(plots.correlation(draws, i, j), 2))));
      }
    }),
  );
  return kb.el("div", {class: "matrix", style: `grid-template-columns: repeat(${n}, ${side}px)`}, cells);
}

function words(page, rows, divergent) {
  const {draws} = page;
  const pairs = rows
    .flatMap((i, a) => rows.slice(a + 1).map((j) => ({i, j, r: plots.correlation(draws, i, j)})))
    .filter(({r}) => Number.isFinite(r));
  const strongest = pairs.reduce((a, b) => (Math.abs(b.r) > Math.abs(a.r) ? b : a), pairs[0]);
  const first = strongest
    ? `The strongest correlation is ${kb.number(strongest.r, 2)}, of ${draws.names[strongest.i]} and ${draws.names[strongest.j]}. `
    : "";
  return `Each dot is a draw. ${first}${divergent ? `Red dots are ${kb.number(draws.divergent.size)} of ${kb.count(divergent, "divergent transition")}.` : ""}`;
}

kullback.section("pairs", {
  draw(place, data, page) {
    if (!page.draws) return;
    kb.selectionBar(place, page);
    const body = kb.el("div");
    place.append(body);
    const show = () => {
      const rows = page.selection.names.map((name) => page.draws.find(name)).filter((i) => i >= 0 && page.draws.has(i));
      body.replaceChildren();
      if (rows.length < 2) {
        body.append(kb.words("Choose at least two quantities: tick them in the table, or add them here.", "small"));
        return;
      }
      kb.figure(body, {name: "pairs", alt: words(page, rows, data.divergent), draw: (width) => matrix(width, page, rows)});
    };
    show();
    page.selection.on(show);
  },
});
