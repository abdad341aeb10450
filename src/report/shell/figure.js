// A figure: title, picture, and one caption that says what is seen; it is the picture's text for those who do not see it.
let serial = 0;
const waiting = new WeakMap();

const observer = new ResizeObserver((entries) => {
  for (const {target} of entries) waiting.get(target)?.();
});

// Before the page is made anew.
kb.forgetFigures = () => observer.disconnect();

// {name, title, alt, draw(width)}: `draw` returns an element; it is called again when the width has changed, and not while
// the figure is hidden.
kb.figure = (place, {name, title, alt, draw, className}) => {
  const caption = kb.el("figcaption", {id: `caption-${++serial}`}, alt);
  const canvas = kb.el("div", {class: "canvas", role: "img", "aria-labelledby": caption.id});
  const figure = kb.el(
    "figure",
    {"data-figure": name, class: className},
    title ? kb.el("div", {class: "title"}, title) : null,
    canvas,
    caption,
  );
  let drawn = 0;
  const redraw = (force) => {
    const width = Math.floor(canvas.clientWidth);
    if (width === 0 || (width === drawn && !force)) return;
    drawn = width;
    canvas.replaceChildren(draw(width));
    figure.dataset.drawn = "true";
  };
  waiting.set(canvas, redraw);
  place.append(figure);
  redraw();
  observer.observe(canvas);
  figure.redraw = () => redraw(true);
  return figure;
};

// Pictures of the result folder (report/pictures.hpp). One that is too large for the page is named.
kb.pictures = (place, pictures) => {
  for (const {name, title, alt, file, png, bytes} of pictures) {
    if (png === undefined) place.append(kb.words(`${title}: ${file} is too large for this page (${kb.number(bytes / 1e6, 2)} MB); it is in the folder.`));
    else kb.figure(place, {name, title, alt, draw: (width) => kb.el("img", {src: `data:image/png;base64,${png}`, alt: "", style: `width:${Math.min(width, 640)}px;image-rendering:pixelated;background:#fff`})});
  }
};
