const colours = {met: kb.colour.good, "not met": kb.colour.bad, "cannot tell": kb.colour.caution};

kullback.section("ladder", {
  draw(place, data) {
    const rungs = data.rungs.map((rung, k) => ({...rung, label: `${k + 1}. ${rung.method}`}));
    const total = d3.sum(rungs, (rung) => rung.gradients);
    const last = rungs[rungs.length - 1];
    kb.figure(place, {
      name: "ladder",
      title: "Gradients of each method and its certificate",
      alt: `Methods were tried from the cheapest on: ${rungs.map((rung) => `${rung.method} (${rung.verdict}, ${kb.number(rung.gradients)})`).join(", ")}. The last took ${kb.number((100 * last.gradients) / total, 2)} % of ${kb.number(total)} gradients.`,
      draw: (width) =>
        Plot.plot({
          ...kb.axes,
          width,
          height: 30 + 30 * rungs.length,
          marginLeft: Math.min(240, 20 + 7 * d3.max(rungs, (rung) => rung.label.length)),
          marginRight: 90,
          marginTop: 4,
          marginBottom: 24,
          x: {label: null, ticks: 5, tickFormat: "~s", grid: true},
          y: {label: null, domain: rungs.map(({label}) => label), tickSize: 0},
          marks: [
            Plot.barX(rungs, {
              x: "gradients",
              y: "label",
              fill: (rung) => colours[rung.verdict] ?? kb.colour.soft,
              fillOpacity: 0.75,
              insetTop: 4,
              insetBottom: 4,
            }),
            Plot.text(rungs, {
              x: "gradients",
              y: "label",
              text: (rung) => rung.verdict,
              textAnchor: "start",
              dx: 6,
              fill: "currentColor",
            }),
          ],
        }),
    });
    const reasons = rungs.filter((rung) => rung.reason);
    if (reasons.length) place.append(kb.pairs(reasons.map((rung) => ({name: rung.label, value: rung.reason}))));
  },
});
