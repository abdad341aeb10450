// Topics as lists of words, each with a bar of its probability.
const first_shown = 24;

function card(topic) {
  const most = d3.max(topic.words, (w) => w.probability) || 1;
  const share = topic.share > 0 ? kb.el("span", {class: "small"}, ` ${kb.number(100 * topic.share)} % of the tokens`) : "";
  const words = topic.words.map(({word, probability}) => kb.el("li", {}, kb.el("span", {class: "word"}, word),
    kb.el("span", {class: "amount", style: `width:${(60 * probability / most).toFixed(1)}%`, title: kb.number(probability)})));
  return kb.el("article", {class: "topic", "data-topic": topic.name, "aria-label": `Topic ${topic.name}`}, kb.el("h4", {}, `Topic ${topic.name}`, share), kb.el("ol", {}, words));
}

const style = kb.el("style", {}, `
.topics { display: grid; grid-template-columns: repeat(auto-fill, minmax(13rem, 1fr)); gap: 1rem 1.5rem; }
.topic h4 { margin: 0.25rem 0; font: 600 0.9375rem/1.3 var(--sans); }
.topic ol { list-style: none; margin: 0; padding: 0; font: 0.875rem/1.5 var(--sans); }
.topic li { display: grid; grid-template-columns: 45% 55%; align-items: center; }
.topic .word { overflow-wrap: anywhere; }
.topic .amount { height: 0.6em; background: var(--accent); border-radius: 2px; min-width: 1px; print-color-adjust: exact; }
.topic[hidden] { display: none; }`);

kullback.section("topics", {
  draw(place, data) {
    document.head.append(style);
    place.append(kb.words(`${kb.count(data.topics_in_all, "topic")}, the largest first; the words of each by their probability in it.`));
    const cards = data.topics.map(card);
    const status = kb.el("span", {role: "status"});
    let all = cards.length <= first_shown;
    const show = () => {
      const text = field.value.trim().toLowerCase();
      let shown = 0;
      cards.forEach((one, t) => {
        const fits = !text || data.topics[t].words.some(({word}) => word.toLowerCase().includes(text));
        one.hidden = !fits || (!all && !text && t >= first_shown);
        shown += one.hidden ? 0 : 1;
      });
      status.textContent = `${shown} of ${data.topics_in_all}`;
    };
    const field = kb.el("input", {type: "search", placeholder: "find a word", "aria-label": "Topics with a word", oninput: show});
    const more = all ? null : kb.el("button", {type: "button", onclick: () => { all = true; more.remove(); show(); }}, "Show all");
    place.append(kb.el("div", {class: "bar controls"}, field, more, status), kb.el("div", {class: "topics"}, cards));
    show();
  },
});
