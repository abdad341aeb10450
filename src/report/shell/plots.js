// Pictures that several sections draw. Each returns an element.
const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

// The curve of row i as points, heights between 0 and 1; null where there is none.
function curveOf(curves, i) {
  const text = curves?.heights[i];
  if (!text) return null;
  const [low, high] = [curves.low[i], curves.high[i]];
  return Array.from(text, (digit, k) => ({x: low + ((high - low) * k) / (text.length - 1), y: digits.indexOf(digit) / 63}));
}

// Short enough for an axis of a small plot.
const short = (x) =>
  x !== 0 && (Math.abs(x) >= 1e5 || Math.abs(x) < 1e-3)
    ? x.toExponential(0).replace("e+", "e")
    : d3.format("~g")(Number(x.toPrecision(6)));

function density(width, points, {q5, q50, q95, height = 130}) {
  const inside = points.filter(({x}) => x >= q5 && x <= q95);
  return Plot.plot({
    ...kb.axes,
    width,
    height,
    marginLeft: 8,
    marginRight: 8,
    marginTop: 8,
    marginBottom: 24,
    x: {label: null, ticks: Math.max(3, Math.floor(width / 75)), tickFormat: short, nice: false},
    y: {axis: null, domain: [0, 1.04]},
    marks: [
      Plot.areaY(points, {x: "x", y1: 0, y2: "y", fill: kb.colour.accent, fillOpacity: 0.12, curve: "natural"}),
      Plot.areaY(inside, {x: "x", y1: 0, y2: "y", fill: kb.colour.accent, fillOpacity: 0.2}),
      Plot.lineY(points, {x: "x", y: "y", stroke: kb.colour.accent, strokeWidth: 1.5, curve: "natural"}),
      Plot.ruleX([q50], {stroke: kb.colour.accent, strokeDasharray: "3 3"}),
      Plot.ruleY([0], {stroke: kb.colour.rule}),
    ],
  });
}

function trace(width, draws, i, {height = 170, divergent = true} = {}) {
  const series = [];
  for (let c = 0; c < draws.chains; ++c)
    Array.from(draws.chain(i, c), (value, k) => series.push({draw: k * draws.every + 1, value, chain: c}));
  const marked = divergent ? series.filter((_, k) => draws.divergent.has(k)) : [];
  return Plot.plot({
    ...kb.axes,
    width,
    height,
    marginLeft: 44,
    marginRight: 20,
    marginTop: 8,
    marginBottom: 36,
    x: {label: "draw", labelArrow: "none", labelAnchor: "center", ticks: Math.floor(width / 90)},
    y: {label: null, ticks: 4, tickFormat: short},
    color: {domain: d3.range(draws.chains), range: d3.range(draws.chains).map(kb.colour.chain)},
    marks: [
      Plot.lineY(series, {x: "draw", y: "value", z: "chain", stroke: "chain", strokeWidth: 0.6, strokeOpacity: 0.85}),
      Plot.dot(marked, {x: "draw", y: "value", r: 1.8, fill: kb.colour.bad}),
    ],
  });
}

// How often the values of each chain are in each twentieth of all values in order.
function rankCounts(draws, i, bins) {
  const values = draws.column(i);
  const order = d3.range(values.length).sort((a, b) => values[a] - values[b] || a - b);
  const counts = d3.range(draws.chains).map(() => new Array(bins).fill(0));
  order.forEach((k, rank) => ++counts[Math.floor(k / draws.kept)][Math.min(bins - 1, Math.floor((rank * bins) / order.length))]);
  return counts;
}

function ranks(width, draws, i, {height = 170} = {}) {
  const bins = Math.max(5, Math.min(20, Math.floor(draws.kept / 10)));
  const expected = draws.kept / bins;
  const steps = rankCounts(draws, i, bins).flatMap((counts, chain) =>
    [...counts, counts[bins - 1]].map((count, bin) => ({chain, share: bin / bins, ratio: count / expected})),
  );
  return Plot.plot({
    ...kb.axes,
    width,
    height,
    marginLeft: 34,
    marginRight: 24,
    marginTop: 8,
    marginBottom: 36,
    x: {
      label: "rank among all draws",
      labelArrow: "none",
      labelAnchor: "center",
      ticks: 3,
      tickFormat: (x) => `${Math.round(100 * x)} %`,
    },
    y: {
      label: null,
      ticks: 4,
      domain: [
        0,
        Math.max(
          2,
          d3.max(steps, (step) => step.ratio),
        ),
      ],
    },
    color: {domain: d3.range(draws.chains), range: d3.range(draws.chains).map(kb.colour.chain)},
    marks: [
      Plot.ruleY([1], {stroke: kb.colour.soft, strokeDasharray: "3 3"}),
      Plot.lineY(steps, {x: "share", y: "ratio", z: "chain", stroke: "chain", curve: "step-after", strokeWidth: 1.2}),
    ],
  });
}

// Dots; those of divergent transitions on top. `most` keeps the page quick.
function scatter(width, draws, i, j, {height = width, most = 1200, labels = true} = {}) {
  const [x, y] = [draws.all(i), draws.all(j)];
  const plain = draws.some(most).filter((k) => !draws.divergent.has(k));
  const marked = Array.from(draws.divergent);
  return Plot.plot({
    ...kb.axes,
    width,
    height,
    marginLeft: 44,
    marginRight: 8,
    marginTop: 8,
    marginBottom: labels ? 36 : 22,
    x: {
      label: labels ? draws.names[i] : null,
      labelArrow: "none",
      labelAnchor: "center",
      ticks: Math.max(2, Math.floor(width / 80)),
      tickFormat: short,
    },
    y: {label: labels ? draws.names[j] : null, labelArrow: "none", ticks: 4, tickFormat: short},
    marks: [
      Plot.dot(plain, {x: (k) => x[k], y: (k) => y[k], r: 1.4, fill: kb.colour.accent, fillOpacity: 0.45}),
      Plot.dot(marked, {x: (k) => x[k], y: (k) => y[k], r: 2, fill: kb.colour.bad, fillOpacity: 0.9}),
    ],
  });
}

function correlation(draws, i, j) {
  const chosen = draws.some(4000);
  const [x, y] = [draws.column(i), draws.column(j)];
  const [mx, my] = [d3.mean(chosen, (k) => x[k]), d3.mean(chosen, (k) => y[k])];
  let [xy, xx, yy] = [0, 0, 0];
  for (const k of chosen) {
    xy += (x[k] - mx) * (y[k] - my);
    xx += (x[k] - mx) ** 2;
    yy += (y[k] - my) ** 2;
  }
  return xy / Math.sqrt(xx * yy);
}

// Numbers of all quantities in a row, with the line that separates well from not; `good` is the side: "below" or "above".
function strip(width, values, limit, good, {label, log = false, from = limit}) {
  const points = values.filter(({value}) => Number.isFinite(value));
  const isBad = ({value}) => (good === "below" ? value > limit : value < limit);
  return Plot.plot({
    ...kb.axes,
    width,
    height: 112,
    marginLeft: 22,
    marginRight: 22,
    marginTop: 12,
    marginBottom: 38,
    x: {
      label,
      labelArrow: "none",
      labelAnchor: "center",
      type: log ? "log" : "linear",
      nice: true,
      ticks: log ? 5 : Math.floor(width / 110),
      tickFormat: log ? d3.format("~s") : undefined,
      domain: d3.extent([...points.map(({value}) => value), limit, from]),
    },
    marks: [
      Plot.ruleX([limit], {stroke: kb.colour.soft, strokeDasharray: "3 3"}),
      points.length > 400
        ? Plot.rectY(points, Plot.binX({y: "count"}, {x: "value", fill: kb.colour.accent, thresholds: 60}))
        : Plot.dot(
            points,
            Plot.dodgeY({
              x: "value",
              r: 3,
              fill: (d) => (isBad(d) ? kb.colour.bad : kb.colour.accent),
              title: (d) => `${d.name}: ${kb.number(d.value, 4)}`,
            }),
          ),
      points.length > 400
        ? null
        : Plot.tip(
            points,
            Plot.pointerX({
              x: "value",
              title: (d) => `${d.name}: ${kb.number(d.value, 4)}`,
              fill: "var(--paper)",
              stroke: "var(--rule)",
            }),
          ),
    ],
  });
}

// The energies of the draws and their changes, as shares of all in each bin.
function energy(width, data) {
  const bins = data.levels.length;
  const step = (data.high - data.low) / bins;
  const points = (shares) =>
    shares.flatMap((share, k) => [
      {x: data.low + k * step, y: share},
      {x: data.low + (k + 1) * step, y: share},
    ]);
  const [levels, changes] = [points(data.levels), points(data.changes)];
  return Plot.plot({
    ...kb.axes,
    width,
    height: 170,
    marginLeft: 8,
    marginRight: 8,
    marginTop: 8,
    marginBottom: 36,
    x: {label: "energy, less its mean", labelArrow: "none", labelAnchor: "center", ticks: Math.floor(width / 90)},
    y: {axis: null},
    marks: [
      Plot.areaY(levels, {x: "x", y1: 0, y2: "y", fill: kb.colour.chain(0), fillOpacity: 0.25}),
      Plot.lineY(levels, {x: "x", y: "y", stroke: kb.colour.chain(0)}),
      Plot.lineY(changes, {x: "x", y: "y", stroke: kb.colour.chain(1), strokeWidth: 1.6}),
      Plot.ruleY([0], {stroke: kb.colour.rule}),
    ],
  });
}

function depths(width, counts) {
  const bars = counts.map((count, depth) => ({depth, count}));
  return Plot.plot({
    ...kb.axes,
    width,
    height: 150,
    marginLeft: 44,
    marginRight: 8,
    marginTop: 8,
    marginBottom: 36,
    x: {label: "doublings of a trajectory", labelArrow: "none", labelAnchor: "center", type: "band"},
    y: {label: null, ticks: 4, grid: true},
    marks: [
      Plot.barY(bars, {x: "depth", y: "count", fill: kb.colour.accent, fillOpacity: 0.75}),
      Plot.ruleY([0], {stroke: kb.colour.soft}),
    ],
  });
}

function weights(width, data) {
  const points = data.ranks.map((rank, k) => ({rank, share: data.shares[k]}));
  return Plot.plot({
    ...kb.axes,
    width,
    height: 190,
    marginLeft: 60,
    marginRight: 12,
    marginTop: 10,
    marginBottom: 36,
    x: {
      type: "log",
      label: "draws, the heaviest first",
      labelArrow: "none",
      labelAnchor: "center",
      ticks: 4,
      tickFormat: d3.format("~s"),
    },
    y: {
      type: "log",
      label: null,
      domain: [Math.max(0.001 / data.draws, d3.min(data.shares)), Math.max(data.largest, 2 / data.draws)],
      ticks: 4,
      tickFormat: (y) => `${d3.format("~g")(100 * y)} %`,
      grid: true,
    },
    marks: [
      Plot.ruleY([1 / data.draws], {stroke: kb.colour.soft, strokeDasharray: "3 3"}),
      Plot.lineY(points, {x: "rank", y: "share", stroke: kb.colour.accent, strokeWidth: 1.8, clip: true}),
      Plot.dot(points.slice(0, 5), {x: "rank", y: "share", r: 2.5, fill: kb.colour.accent}),
    ],
  });
}

// The bound with twice its standard error where that is known. The picture begins where the bound has come near its end.
function bound(width, data) {
  const points = data.steps
    .map((step, k) => ({step, bound: data.bound[k], error: data.error?.[k] ?? null}))
    .filter((p) => p.bound !== null);
  const late = points.slice(Math.floor(points.length / 4)).map((p) => p.bound);
  const band =
    2 *
    (d3.median(
      points.filter((p) => p.error !== null),
      (p) => p.error,
    ) ?? 0);
  const [low, high] = [d3.min(late) - band, d3.max(points, (p) => p.bound) + band];
  const margin = 0.08 * (high - low || 1);
  return Plot.plot({
    ...kb.axes,
    width,
    height: 220,
    marginLeft: 56,
    marginRight: 10,
    marginTop: 10,
    marginBottom: 36,
    clip: true,
    x: {label: data.step, labelArrow: "none", labelAnchor: "center", ticks: Math.floor(width / 100)},
    y: {label: null, domain: [low - margin, high + margin], ticks: 5, grid: true},
    marks: [
      Plot.areaY(
        points.filter((p) => p.error !== null),
        {
          x: "step",
          y1: (p) => p.bound - 2 * p.error,
          y2: (p) => p.bound + 2 * p.error,
          fill: kb.colour.accent,
          fillOpacity: 0.18,
          clip: true,
        },
      ),
      Plot.lineY(points, {x: "step", y: "bound", stroke: kb.colour.accent, strokeWidth: 1.5, clip: true}),
    ],
  });
}

kb.chainLegend = (draws) =>
  kb.legend([
    ...d3
      .range(draws.chains)
      .slice(0, 8)
      .map((c) => ({label: draws.chains > 8 && c === 7 ? "further chains" : `chain ${c + 1}`, colour: kb.colour.chain(c)})),
    ...(draws.divergent.size ? [{label: "divergent", colour: kb.colour.bad}] : []),
  ]);

kb.plots = {curveOf, density, trace, ranks, scatter, correlation, strip, energy, depths, weights, bound, short};
