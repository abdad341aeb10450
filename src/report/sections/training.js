// The loss of each epoch, and below it the held-out figure.
function curve(width, epochs, values, label, best) {
  const points = epochs.map((epoch, i) => ({epoch, value: values[i]})).filter((p) => p.value !== null);
  const late = points.slice(Math.floor(points.length / 10)).map((p) => p.value);
  const [low, high] = d3.extent(late);
  const margin = 0.08 * (high - low || 1);
  return Plot.plot({
    ...kb.axes, width, height: 200, marginLeft: 60, marginBottom: 34, clip: true, x: {label: "epoch", labelArrow: "none"}, y: {label, labelArrow: "none", domain: [low - margin, high + margin], grid: true},
    marks: [best ? Plot.ruleX([best], {stroke: kb.colour.good, strokeDasharray: "3 3"}) : null, Plot.lineY(points, {x: "epoch", y: "value", stroke: kb.colour.accent, clip: true}), points.length === 1 ? Plot.dot(points, {x: "epoch", y: "value"}) : null],
  });
}

// Energies of rows and chains on one scale: chains that follow the model lie on the rows.
function energies(width, chains) {
  const points = chains.epoch.flatMap((epoch, i) => [{epoch, value: chains.energy_data[i], of: "rows"}, {epoch, value: chains.energy_chains[i], of: "chains"}]).filter((p) => p.value !== null);
  return Plot.plot({
    ...kb.axes, width, height: 200, marginLeft: 60, marginBottom: 34, x: {label: "epoch", labelArrow: "none"}, y: {label: "mean energy", labelArrow: "none", grid: true},
    marks: [Plot.lineY(points, {x: "epoch", y: "value", z: "of", stroke: (p) => kb.colour.chain(p.of === "rows" ? 0 : 1)}), chains.epoch.length === 1 ? Plot.dot(points, {x: "epoch", y: "value"}) : null],
  });
}

kullback.section("training", {
  draw(place, data) {
    const last = data.epoch.at(-1);
    kb.figure(place, {name: "loss", title: "Loss", alt: `The loss of each of ${last} epochs ended at ${kb.number(data.loss.at(-1), 4)}.`, draw: (width) => curve(width, data.epoch, data.loss, "loss")});
    if (data.chains) {
      const last = data.chains.epoch.length - 1;
      place.append(kb.legend([{label: "rows", colour: kb.colour.chain(0)}, {label: "chains", colour: kb.colour.chain(1)}]));
      kb.figure(place, {name: "energies", title: "Energies of rows and chains", alt: `Mean energies of each epoch; a gap that stays wide says that the chains do not follow. At the end: rows ${kb.number(data.chains.energy_data[last], 4)}, chains ${kb.number(data.chains.energy_chains[last], 4)}, acceptance ${kb.number(data.chains.acceptance[last], 2)}.`, draw: (width) => energies(width, data.chains)});
    }
    if (!data.held_out) return;
    const best = data.best_epoch ? ` The state of epoch ${data.best_epoch} (broken line) was kept.` : "";
    kb.figure(place, {name: "held-out", title: `The ${data.held_out_name}, per row`, alt: `On rows that were not trained on.${best}`, draw: (width) => curve(width, data.epoch, data.held_out, data.held_out_name, data.best_epoch)});
  },
});
