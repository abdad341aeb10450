// Pictures of the training, and the latent variables by how much they vary.
function activity(width, variances, limit) {
  const bars = d3.sort(variances.map((variance, i) => ({name: String(i + 1), variance: Math.max(variance, 1e-6)})), (b) => -b.variance);
  return Plot.plot({
    ...kb.axes, width, height: 220, marginLeft: 56, marginBottom: 36, x: {label: "latent variable", labelArrow: "none", domain: bars.map((b) => b.name), ticks: bars.length > 40 ? [] : undefined}, y: {type: "log", label: "variance of its posterior mean", labelArrow: "none", grid: true},
    marks: [Plot.ruleX(bars, {x: "name", y1: 1e-6, y2: "variance", stroke: (b) => (b.variance > limit ? kb.colour.accent : "var(--faint)"), strokeWidth: Math.max(1, Math.min(14, width / bars.length / 1.5))}), Plot.ruleY([limit], {stroke: kb.colour.caution, strokeDasharray: "4 3"})],
  });
}

function map(width, points) {
  const side = Math.min(width, 520);
  return Plot.plot({
    ...kb.axes, width: side, height: side, marginLeft: 40, marginBottom: 34, aspectRatio: 1, x: {label: null}, y: {label: null},
    marks: [Plot.dot(points.x, {x: (_, i) => points.x[i], y: (_, i) => points.y[i], r: 2, fill: (_, i) => kb.colour.chain(points.label?.[i] ?? 0), fillOpacity: 0.7})],
  });
}

kullback.section("autoencoder", {
  draw(place, data) {
    kb.pictures(place, data.pictures);
    if (data.map) {
      const labels = data.map.label ? [...new Set(data.map.label)].sort((a, b) => a - b) : [];
      if (labels.length > 1 && labels.length <= 12) place.append(kb.legend(labels.map((label) => ({label: `label ${label}`, colour: kb.colour.chain(label)}))));
      kb.figure(place, {name: "latents", title: "Latent map", alt: `Posterior means of ${kb.count(data.map.x.length, "row")} in the plane; of more than two latent variables the two directions of largest variance.${labels.length > 1 ? " Colours are labels." : ""}`, draw: (width) => map(width, data.map)});
    }
    if (!data.variances.length) return;
    const active = data.variances.filter((v) => v > data.active_above).length;
    kb.figure(place, {name: "activity", title: "Active latent variables", alt: `${active} of ${data.variances.length} latent variables are active: their posterior mean varies over rows by more than ${data.active_above}.`, draw: (width) => activity(width, data.variances, data.active_above)});
  },
});
