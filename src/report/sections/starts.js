// The bound after each pass; of several starts the best in colour.
function bounds(width, data, best) {
  const points = data.starts.flatMap((start) => start.passes.map((pass, i) => ({pass, bound: start.bounds[i], start: start.start})));
  const ends = data.starts.map((start) => start.bounds.at(-1));
  const late = data.starts.flatMap((start) => start.bounds.slice(Math.floor(start.bounds.length / 8)));
  const low = Math.min(d3.quantile(late, 0.02), d3.min(ends));
  const high = d3.max(points, (p) => p.bound);
  const margin = 0.05 * (high - low || 1);
  return Plot.plot({
    ...kb.axes, width, height: 240, marginLeft: 70, marginBottom: 34, x: {label: "pass over the data", labelArrow: "none"}, y: {label: "bound", labelArrow: "none", domain: [low - margin, high + margin], grid: true}, clip: true,
    marks: [Plot.lineY(points, {x: "pass", y: "bound", z: "start", clip: true, stroke: (p) => (p.start === best ? kb.colour.accent : "var(--faint)"), strokeOpacity: {value: (p) => (p.start === best ? 1 : 0.5), scale: null}, strokeWidth: (p) => (p.start === best ? 2 : 1)}),
      Plot.dot(points.filter((p) => p.start === best).slice(-1), {x: "pass", y: "bound", fill: kb.colour.accent, r: 3})],
  });
}

kullback.section("starts", {
  draw(place, data) {
    const best = d3.greatest(data.starts, (start) => start.bounds.at(-1));
    const words = `The bound ended at ${kb.number(best.bounds.at(-1), 8)} after ${kb.count(best.passes.at(-1), "pass", "passes")}${data.starts_in_all > 1 ? `, in start ${best.start} of ${data.starts_in_all}` : ""}.`;
    kb.figure(place, {name: "starts", title: "The evidence lower bound", alt: words, draw: (width) => bounds(width, data, best.start)});
  },
});
