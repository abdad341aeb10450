// What a run is doing, above its report: asks /state once a second, and takes up the page anew when the run is over.
const look_every = 1000;
const box = kb.el("section", {id: "live", "data-life": "", "aria-label": "What the run is doing", hidden: ""});
const status = kb.el("p", {role: "status"});
const parts = kb.el("div", {class: "live-parts"});
box.append(status, parts);
document.getElementById("columns").before(box);
document.head.append(kb.el("link", {rel: "icon", href: "data:,"}));  // else the browser asks for one

const style = document.createElement("style");
style.textContent = `
#live { margin: 0 max(1.5rem, calc((100% - 69rem) / 2)) 1.5rem; border: 1px solid var(--rule); border-radius: 6px; padding: 0.75rem 1.25rem; background: var(--panel); font: 0.875rem/1.5 var(--sans); }
#live .live-part { display: grid; grid-template-columns: 7rem 10rem 7rem 1fr; gap: 0.75rem; align-items: center; }
#live progress { width: 100%; }
#live svg { width: 100%; height: 28px; }
@media (max-width: 40rem) { #live .live-part { grid-template-columns: 1fr 1fr; } }
@media print { #live { display: none; } }`;
document.head.append(style);

function duration(seconds) {
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  const whole = Math.ceil(seconds);
  if (whole < 60) return `${whole} s`;
  const two = (n) => String(n).padStart(2, "0");
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${two(whole % 60)} s`;
  return `${Math.floor(whole / 3600)} h ${two(Math.floor(whole / 60) % 60)} min`;
}

function sentence(state) {
  if (state.life === "died") return `No sign of life since ${state.last_sign}: the process is gone. --resume goes on.`;
  if (state.life === "silent") return `No sign of life since ${state.last_sign}.`;
  const tried = state.tried.map((t) => `${t.method}: ${t.verdict}.`).join(" ");
  const left = state.seconds_left === null ? "" : `, ${state.at_most ? "at most" : "about"} ${duration(state.seconds_left)} left`;
  const doing = state.doing && state.doing !== state.method ? `, ${state.doing}` : "";
  const diverged = state.divergences > 0 ? ` ${state.divergences} divergences so far.` : "";
  return `${tried} Running for ${duration(state.seconds)}${doing}${left}.${diverged}`.trim();
}

// Far values are cut to what lies within three quartile ranges of the quartiles, as in `kullback watch`.
function line(values) {
  const known = values.map((v, i) => [i, v]).filter(([, v]) => v !== null);
  if (known.length < 2) return kb.el("span", {}, "");
  const sorted = known.map(([, v]) => v).sort((a, b) => a - b);
  const q1 = d3.quantileSorted(sorted, 0.25), q3 = d3.quantileSorted(sorted, 0.75), far = 3 * (q3 - q1);
  const low = far > 0 ? Math.max(sorted[0], q1 - far) : sorted[0];
  const high = far > 0 ? Math.min(sorted.at(-1), q3 + far) : sorted.at(-1);
  const x = d3.scaleLinear([0, values.length - 1], [1, 399]);
  const y = d3.scaleLinear(low < high ? [low, high] : [low - 1, high + 1], [26, 2]).clamp(true);
  const svg = d3.create("svg").attr("viewBox", "0 0 400 28").attr("preserveAspectRatio", "none").attr("aria-hidden", "true");
  svg.append("path").attr("fill", "none").attr("stroke", "var(--accent)").attr("vector-effect", "non-scaling-stroke")
    .attr("d", d3.line(([i]) => x(i), ([, v]) => y(v))(known));
  return svg.node();
}

function row(part) {
  const progress = part.total > 0
    ? kb.el("progress", {max: String(part.total), value: String(part.done), "aria-label": `${part.name}: done`})
    : kb.el("span", {}, part.done > 0 ? String(part.done) : "");
  const value = part.last === null ? "" : `${part.value_name} ${kb.number(part.last)}`;
  const doing = part.warmup && part.done > 0 ? " (warm-up)" : "";
  return kb.el("div", {class: "live-part"}, kb.el("span", {}, part.name + doing), progress, kb.el("span", {}, value), line(part.values));
}

let was_running = false;
let tag = null;

function show(state) {
  box.dataset.life = state.life;
  box.hidden = state.life === "over";
  if (was_running && state.life === "over") return location.reload();
  was_running ||= state.life !== "over";
  status.textContent = sentence(state);
  parts.replaceChildren(...state.parts.map(row));
}

async function look() {
  try {
    const answer = await fetch("/state", {cache: "no-store", headers: tag === null ? {} : {"If-None-Match": tag}});
    if (answer.status === 200) {
      tag = answer.headers.get("ETag");
      show(await answer.json());
    } else if (answer.status !== 304) {
      status.textContent = `The run cannot be read: ${(await answer.text()).trim()}`;
    }
  } catch {
    box.hidden = false;
    box.dataset.life = "unknown";
    status.textContent = "The server has ended: this page no longer changes.";
  }
  setTimeout(look, look_every);
}
look();
