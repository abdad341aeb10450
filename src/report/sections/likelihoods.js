// Figures of new rows, and how they spread from row to row.
function spread(width, rows) {
  return Plot.plot({
    ...kb.axes, width, height: 200, marginLeft: 50, marginBottom: 36, x: {label: "log likelihood of a row, nats", labelArrow: "none"}, y: {label: "rows", labelArrow: "none", grid: true},
    marks: [Plot.rectY(rows, Plot.binX({y: "count"}, {x: (v) => v, fill: kb.colour.accent, fillOpacity: 0.7})), Plot.ruleX([d3.median(rows)], {stroke: kb.colour.caution, strokeDasharray: "4 3"}), Plot.ruleY([0])],
  });
}

kullback.section("likelihoods", {
  draw(place, data) {
    place.append(kb.words(`Of rows that 'kullback loglik' was given last.${data.is_dequantised ? " Levels were moved within their intervals at random: the figures are lower bounds on log probabilities." : ""}`));
    place.append(kb.pairs(data.figures.map(({name, value}) => ({name, value: kb.number(value, 6)}))));
    const rows = (data.rows ?? []).filter((value) => value !== null);
    if (rows.length < 2) return;
    kb.figure(place, {name: "row-likelihoods", title: "Row by row", alt: `Log likelihoods of ${kb.count(rows.length, "row")}${rows.length < data.all_rows ? `, the first of ${kb.number(data.all_rows)}` : ""}; half of them lie above ${kb.number(d3.median(rows), 4)} (broken line).`, draw: (width) => spread(width, rows)});
  },
});
