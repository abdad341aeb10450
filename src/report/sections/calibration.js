// Reliability of classes; of numbers the levels of quantiles and errors against the sd that was said.
function reliability(width, bins) {
  const filled = bins.filter((bin) => bin.rows > 0);
  const error = (bin) => 2 * Math.sqrt(Math.max(bin.accuracy * (1 - bin.accuracy), 0.25 / bin.rows) / bin.rows);
  return Plot.plot({
    ...kb.axes, width: Math.min(width, 460), height: Math.min(width, 400), marginLeft: 46, marginBottom: 36, x: {label: "confidence: the probability of the likeliest class", labelArrow: "none", domain: [0, 1]}, y: {label: "share that was right", labelArrow: "none", domain: [0, 1]},
    marks: [Plot.line([[0, 0], [1, 1]], {stroke: "var(--soft)", strokeDasharray: "4 3"}),
      Plot.link(filled, {x1: "confidence", x2: "confidence", y1: (b) => Math.max(0, b.accuracy - error(b)), y2: (b) => Math.min(1, b.accuracy + error(b)), stroke: kb.colour.accent}),
      Plot.dot(filled, {x: "confidence", y: "accuracy", r: (b) => 2 + 8 * Math.sqrt(b.rows / d3.max(filled, (c) => c.rows)), fill: kb.colour.accent, fillOpacity: 0.7, title: (b) => kb.count(b.rows, "row")})],
  });
}

function levels(width, data) {
  const error = (l) => 2 * Math.sqrt(l.level * (1 - l.level) / l.rows);
  return Plot.plot({
    ...kb.axes, width: Math.min(width, 460), height: Math.min(width, 400), marginLeft: 46, marginBottom: 36, x: {label: "level of a quantile", labelArrow: "none", domain: [0, 1]}, y: {label: "share of targets below it", labelArrow: "none", domain: [0, 1]},
    marks: [Plot.areaY(data.levels, {x: "level", y1: (l) => l.level - error(l), y2: (l) => l.level + error(l), fill: "var(--rule)", fillOpacity: 0.7}),
      Plot.line([[0, 0], [1, 1]], {stroke: "var(--soft)", strokeDasharray: "4 3"}),
      Plot.line(data.levels, {x: "level", y: "share", stroke: kb.colour.accent}), Plot.dot(data.levels, {x: "level", y: "share", r: 4, fill: kb.colour.accent})],
  });
}

function bands(width, rows) {
  const order = d3.sort(d3.range(rows.target.length).filter((r) => rows.target[r] !== null), (r) => rows.mean[r]);
  const points = order.map((r, rank) => ({rank, mean: rows.mean[r], low: rows.q5[r], high: rows.q95[r], target: rows.target[r]}));
  return Plot.plot({
    ...kb.axes, width, height: 260, marginLeft: 56, marginBottom: 34, x: {label: "held-out rows, by what was predicted", labelArrow: "none", ticks: []}, y: {label: "target", labelArrow: "none"},
    marks: [Plot.areaY(points, {x: "rank", y1: "low", y2: "high", fill: kb.colour.accent, fillOpacity: 0.2}), Plot.lineY(points, {x: "rank", y: "mean", stroke: kb.colour.accent}), Plot.dot(points, {x: "rank", y: "target", r: 1.8, fill: (p) => (p.target < p.low || p.target > p.high ? kb.colour.bad : "currentColor"), fillOpacity: 0.7})],
  });
}

// In tenths of the rows by the sd that was said: the root mean square of the errors, which should be it.
function errors(width, rows) {
  const order = d3.sort(d3.range(rows.target.length).filter((r) => rows.target[r] !== null), (r) => rows.sd[r]);
  const groups = d3.range(Math.min(10, Math.max(1, Math.floor(order.length / 8)))).map((g, _, all) => order.slice(Math.floor(g * order.length / all.length), Math.floor((g + 1) * order.length / all.length)));
  const rms = (values) => Math.sqrt(d3.mean(values, (v) => v * v));
  const points = groups.map((group) => ({sd: rms(group.map((r) => rows.sd[r])), error: rms(group.map((r) => rows.target[r] - rows.mean[r])), rows: group.length}));
  const most = 1.1 * d3.max(points, (p) => Math.max(p.sd, p.error));
  return Plot.plot({
    ...kb.axes, width: Math.min(width, 460), height: Math.min(width, 400), marginLeft: 56, marginBottom: 36, x: {label: "standard deviation that was said", labelArrow: "none", domain: [0, most]}, y: {label: "error that was made (rms)", labelArrow: "none", domain: [0, most]},
    marks: [Plot.line([[0, 0], [most, most]], {stroke: "var(--soft)", strokeDasharray: "4 3"}),
      Plot.link(points, {x1: "sd", x2: "sd", y1: (p) => p.error * (1 - 2 / Math.sqrt(2 * p.rows)), y2: (p) => p.error * (1 + 2 / Math.sqrt(2 * p.rows)), stroke: kb.colour.accent}),
      Plot.dot(points, {x: "sd", y: "error", r: 4, fill: kb.colour.accent})],
  });
}

function entropies(width, classes) {
  const rows = classes.entropy.map((entropy, r) => ({entropy, right: classes.right[r] ? "right" : "wrong"})).filter((r) => r.entropy !== null);
  return Plot.plot({
    ...kb.axes, width, height: 220, marginLeft: 44, marginBottom: 34, x: {label: "entropy of the prediction, in nats", labelArrow: "none"}, y: {label: "rows", labelArrow: "none"}, color: {domain: ["right", "wrong"], range: [kb.colour.good, kb.colour.bad], legend: false},
    marks: [Plot.rectY(rows, Plot.binX({y: "count"}, {x: "entropy", fill: "right", thresholds: 24})), Plot.ruleY([0])],
  });
}

kullback.section("calibration", {
  draw(place, data) {
    if (data.held_out) place.append(kb.words(`${kb.count(data.held_out, "row")} that the network has not seen.`));
    if (data.reliability?.some((bin) => bin.rows > 0))
      kb.figure(place, {name: "reliability", title: "Reliability", alt: "Dots on the line: the network is right as often as it says. Bars are two standard errors.", draw: (width) => reliability(width, data.reliability)});
    if (data.classes) {
      place.append(kb.legend([{label: "right", colour: kb.colour.good}, {label: "wrong", colour: kb.colour.bad}]));
      kb.figure(place, {name: "entropies", title: "How sure, where right and where wrong", alt: "Wrong predictions should have the larger entropies.", draw: (width) => entropies(width, data.classes)});
    }
    if (!data.rows) return;
    if (data.rows.q5) {
      const outside = d3.range(data.rows.target.length).filter((r) => data.rows.target[r] < data.rows.q5[r] || data.rows.target[r] > data.rows.q95[r]).length;
      kb.figure(place, {name: "bands", title: "Targets and their 90 % bands", alt: `${kb.number(100 * outside / data.rows.target.length)} % of the targets lie outside (red); 10 % should.`, draw: (width) => bands(width, data.rows)});
    }
    if (data.levels?.length) kb.figure(place, {name: "levels", title: "Levels of the quantiles", alt: "On the line: as many targets lie below each quantile as should. Grey: two standard errors.", draw: (width) => levels(width, data)});
    if (data.rows.sd) kb.figure(place, {name: "errors", title: "Errors and what was said of them", alt: "On the line: errors are as large as the network says, for the rows that it is sure of and for the others.", draw: (width) => errors(width, data.rows)});
  },
});
