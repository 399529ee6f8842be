"use strict";
/* In this order: the data as matrices, what is shown, the three views (each draws one SVG, so that a view
   can be saved as it stands), the numbers beside the picture, the controls, the page's address. */

const data = JSON.parse(document.getElementById("data").textContent);
const kinds = {
  encoder: ["Encoder", "source pieces that read", "source pieces that are read"],
  decoder: ["Decoder", "the piece being written", "what is written so far"],
  cross: ["Cross", "the piece being written", "source pieces that are read"]};
const views = {lines: "Lines", heat: "Heat map", overview: "All heads"};
const headColours = ["#3b6fc4", "#e07b39", "#3f9b57", "#c8453b", "#8a63b8", "#8c6a52", "#d26aa8", "#6b7480",
    "#a59a2a", "#2aa0b0"];
const byId = id => document.getElementById(id);
const isTouch = () => matchMedia("(pointer: coarse)").matches;

/* ---- Data -------------------------------------------------------------------------------------- */

/* A weight is four digits to base 64: n of 24 bits stands for (n - 2^23) / (2^23 - 1) of the range. */
const digitValue = [];
[..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"].forEach(
  (c, i) => { digitValue[c.charCodeAt(0)] = i; });
function unpacked(text, range = 1) {
  const values = new Float64Array(text.length / 4);
  for (let i = 0; i < values.length; ++i) {
    let n = 0;
    for (let k = 4 * i; k < 4 * i + 4; ++k) n = 64 * n + digitValue[text.charCodeAt(k)];
    values[i] = (n - 0x800000) / 0x7fffff * range;
  }
  return values;
}

/* All weights of one attention: `values` is [layers][heads][queries][keys] in a row, `saliency`
   [queries][keys] or null. */
const ofPieces = map => map.pieces ??= {queries: map.queries, keys: map.keys, layers: map.layers.length,
  heads: map.heads.length, values: unpacked(map.weights, map.range),
  saliency: map.saliency ? unpacked(map.saliency) : null};
const ofWords = map => map.words ??= joined(ofPieces(map));
const block = map => state.words ? ofWords(map) : ofPieces(map);

/* Which pieces make up each word. A piece that begins with "▁" begins a word; <s> and </s> stand alone. */
function wordsOf(pieces) {
  const alone = piece => /^<(?!unk>|0x)[^<>]*>$/.test(piece), words = [];
  pieces.forEach((piece, i) => {
    if (i === 0 || piece.startsWith("\u2581") || alone(piece) || alone(pieces[i - 1])) words.push([]);
    words.at(-1).push(i);
  });
  return words;
}
const wordText = (pieces, word) => word.map(i => pieces[i]).join("").replaceAll("\u2581", "");

/* What a word reads is the mean of what its pieces read; what is read of a word is the sum over its
   pieces: a query's weights still sum to 1. */
function joined(b) {
  const rows = wordsOf(b.queries), columns = wordsOf(b.keys), width = b.keys.length;
  const join = (values, start) => rows.flatMap(row => columns.map(column =>
    row.reduce((sum, q) => column.reduce((s, k) => s + values[start + q * width + k], sum), 0) / row.length));
  const values = [];
  for (let map = 0; map < b.layers * b.heads; ++map) values.push(join(b.values, map * b.queries.length * width));
  return {...b, queries: rows.map(row => wordText(b.queries, row)),
      keys: columns.map(column => wordText(b.keys, column)),
    values: values.flat(), saliency: b.saliency && join(b.saliency, 0)};
}

/* Whether a head has not been pruned from a layer, or from all: all weights of a pruned one are 0. */
function remains(b, layer, head) {
  const size = b.queries.length * b.keys.length;
  b.present ??= Array.from({length: b.layers * b.heads}, (_, i) =>
    b.values.slice(i * size, (i + 1) * size).some(w => w !== 0));
  return layer < b.layers ? b.present[layer * b.heads + head]
    : layersOf(b).some(l => b.present[l * b.heads + head]);
}
const layersOf = b => [...Array(b.layers).keys()];
const headsOf = (b, layer) => [...Array(b.heads).keys()].filter(head => remains(b, layer, head));
const average = values => values.reduce((sum, x) => sum + x, 0) / (values.length || 1);

/* One weight; the layer after the last one is the mean of all that have the head. */
function weightAt(b, layer, head, q, k) {
  const at = l => b.values[((l * b.heads + head) * b.queries.length + q) * b.keys.length + k];
  return layer < b.layers ? at(layer) : average(layersOf(b).filter(l => remains(b, l, head)).map(at));
}

/* ---- What is shown ------------------------------------------------------------------------------ */

/* layer: from 0; the number of layers stands for their mean. beside: names of further panels. */
const state = {sentence: 0, kind: "", view: "lines", words: false, layer: 0, heads: [], mean: false,
  beside: new Set(), turn: false, stretch: false};
let pinned = null;  // {side: "row" or "column", index} of a token that is held

const picture = () => data.pictures[state.sentence];
const mapOf = maps => maps?.find(m => m.kind === state.kind);
const map = () => mapOf(picture().maps);
const other = () => mapOf(picture().compared);
const layerCount = () => map().layers.length;
const headCount = () => map().heads.length;
const sameTokens = (a, b) => a.queries.join("\n") === b.queries.join("\n") && a.keys.join("\n") === b.keys.join("\n");
/* The first heads have colours of their own; hue, saturation and lightness of the others. */
const hueOf = head => (head * 47) % 360, saturation = .55, lightness = .5;
const colourOf = head => head < headColours.length ? headColours[head]
  : `hsl(${hueOf(head)} ${100 * saturation}% ${100 * lightness}%)`;
/* Red, green and blue of it, 0 to 1. */
function partsOf(head) {
  if (head < headColours.length)
    return [1, 3, 5].map(i => parseInt(headColours[head].slice(i, i + 2), 16) / 255);
  const swing = saturation * Math.min(lightness, 1 - lightness), at = n => (n + hueOf(head) / 30) % 12;
  return [0, 8, 4].map(n => lightness - swing * Math.max(-1, Math.min(at(n) - 3, 9 - at(n), 1)));
}
/* Black or white, whichever is easier to read on it. */
function inkOn(head) {
  const [red, green, blue] = partsOf(head).map(part => part ** 2.2);
  return .2126 * red + .7152 * green + .0722 * blue > .18 ? "#000" : "#fff";
}
const themed = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const digits = weight => weight.toFixed(Math.abs(weight) < 0.001 && weight !== 0 ? 6 : 3);

/* Rows and columns as they are looked at, and the panels that stand side by side. A panel has strands
   (one colour each, drawn by the lines view) and their mean (drawn by the heat map). */
function scene() {
  const b = block(map()), flip = f => state.turn ? (i, j) => f(j, i) : f;
  const attention = (id, name, of, layer) => {
    const chosen = state.heads.filter(head => head < of.heads && remains(of, layer, head));
    const weight = head => flip((q, k) => weightAt(of, layer, head, q, k));
    const middle = flip((q, k) => average(chosen.map(head => weightAt(of, layer, head, q, k))));
    const strands = state.mean ? [{head: "mean", colour: themed("--accent"), weight: middle}]
      : chosen.map(head => ({head, colour: colourOf(head), weight: weight(head)}));
    return {id, name, strands, mean: middle};
  };
  const single = (id, name, mean) => ({id, name, mean,
      strands: [{head: id, colour: themed("--heat"), weight: mean}]});
  const panels = [attention("attention", data.compared ? data.title : "attention", b, state.layer)];
  if (other() && comparison() === "") {
    const o = block(other()), layer = state.layer === layerCount() ? o.layers : state.layer;
    const second = attention("compared", data.compared, o, layer);
    if (state.beside.has("compared")) panels.push(second);
    if (state.beside.has("difference"))
      panels.push(single("difference", "first minus second run", (i, j) => panels[0].mean(i, j) - second.mean(i, j)));
  }
  if (state.beside.has("saliency") && b.saliency)
    panels.push(single("saliency", "saliency", flip((q, k) => b.saliency[q * b.keys.length + k])));
  return {rows: state.turn ? b.keys : b.queries, columns: state.turn ? b.queries : b.keys, panels};
}
/* Why the two runs cannot be shown side by side, or "". */
function comparison() {
  if (!other()) return `${data.compared} has no such attention.`;
  if (!sameTokens(ofWords(map()), ofWords(other())))
    return "The two runs cut this sentence into different words; they cannot be compared token by token.";
  if (state.layer < layerCount() && state.layer >= other().layers.length)
    return `${data.compared} has no layer ${state.layer + 1}.`;
  if (!state.heads.some(head => head < other().heads.length)) return `${data.compared} has none of these heads.`;
  return "";
}
function largest(s, panel) {
  let most = 0;
  for (let i = 0; i < s.rows.length; ++i)
    for (let j = 0; j < s.columns.length; ++j) most = Math.max(most, Math.abs(panel.mean(i, j)));
  return most || 1;
}

/* ---- Drawing ------------------------------------------------------------------------------------ */

function made(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}
const element = (tag, attributes = {}, ...children) => made(document.createElement(tag), attributes, children);
const drawn = (tag, attributes = {}, ...children) =>
  made(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
const moved = (x, y, ...children) => drawn("g", {transform: `translate(${x} ${y})`}, ...children);

/* A mark without a letter of its own stands on a dotted circle. */
const shown = token => /^\p{M}/u.test(token) ? "\u25cc" + token : token === "" ? "\u2205" : token;
const tokenFont = '13.5px ui-monospace, "DejaVu Sans Mono", "Noto Sans Mono", monospace';
const ruler = document.createElement("canvas").getContext("2d");
function widthOf(text) {
  ruler.font = tokenFont;
  return ruler.measureText(text).width;
}
const widest = tokens => Math.ceil(Math.max(...tokens.map(token => widthOf(shown(token)))));
/* The text cut to a width in pixels. */
function fitted(text, width) {
  if (widthOf(text) <= width) return text;
  const letters = [...text];
  while (letters.length > 1 && widthOf(letters.join("") + "\u2026") > width) letters.pop();
  return letters.join("") + "\u2026";
}
function tokenText(token, attributes, width = Infinity) {
  const text = shown(token), cut = fitted(text, width);
  const drawing = drawn("text", {style: `font: ${tokenFont}`, fill: themed("--ink"), "dominant-baseline": "central",
      ...attributes}, cut);
  if (cut !== text) drawing.append(drawn("title", {}, text));
  return drawing;
}

function showTip(event, text) {
  const tip = byId("tip");
  tip.textContent = text;
  tip.hidden = false;
  tip.style.left = Math.max(4, Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8)) + "px";
  tip.style.top = (event.pointerType === "touch" ? event.clientY - tip.offsetHeight - 24
      : Math.min(event.clientY + 16, innerHeight - tip.offsetHeight - 8)) + "px";
}
const hideTip = () => { byId("tip").hidden = true; };
/* What a mouse over, a finger or a key on a drawing does: `over` with true and false, and `press`. */
function onTouch(drawing, over, press) {
  drawing.addEventListener("pointerenter", event => { if (event.pointerType === "mouse") over(true, event); });
  drawing.addEventListener("pointerleave", event => { if (event.pointerType === "mouse") over(false, event); });
  drawing.addEventListener("click", press);
  drawing.addEventListener("keydown", event => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    press(event);
  });
  return drawing;
}
function pin(side, index) {
  pinned = pinned && pinned.side === side && pinned.index === index ? null : {side, index};
  remember();
}

/* Panels from left to right, as many in a row as there is room for. */
const spare = 2;  // for the outline of the last cell
function tiled(panels, width, gap = 28) {
  const all = drawn("g");
  let x = 0, y = 0, below = 0, right = 0;
  for (const panel of panels) {
    if (x > 0 && x + panel.width > width) [x, y] = [0, below];
    all.append(moved(x, y, panel.drawing));
    panel.left = x;
    right = Math.max(right, x + panel.width);
    below = Math.max(below, y + panel.height + 14);
    x += panel.width + gap;
  }
  return {all, width: right, height: below};
}
function picturePut(stage, {all, width, height}) {
  width += spare;
  const svg = drawn("svg", {xmlns: "http://www.w3.org/2000/svg", width: Math.ceil(width), height: Math.ceil(height),
    viewBox: `0 0 ${Math.ceil(width)} ${Math.ceil(height)}`, role: "group", "aria-label": byId("caption").textContent,
    "font-family": "system-ui, sans-serif", "font-size": 13, fill: themed("--dim")}, all);
  stage.replaceChildren(svg);
}
/* The name over a panel where there is more than one. */
const heading = (s, panel, width) => s.panels.length > 1
    ? [drawn("text", {y: 14, "font-weight": 600, fill: themed("--ink")}, cutName(panel.name, width))] : [];
const cutName = (name, width) => name.length * 7.4 > width ? "\u2026" + name.slice(-Math.floor(width / 7.4)) : name;

/* Draws all panels of a view, and keeps them on the token that is looked at. */
function drawPanels(stage, make) {
  const s = scene(), room = (stage.clientWidth || 900) - spare;
  const focus = (side, index) => {
    for (const panel of panels) panel.focus(side, index);
    explain(s, side, index);
  };
  const hover = (side, index) => { if (!pinned) focus(side, index); };
  const press = (side, index) => { pin(side, index); focus(pinned?.side ?? null, pinned?.index ?? -1); };
  const panels = make(s, room, hover, press);
  const tiles = tiled(panels, room);
  picturePut(stage, tiles);
  stage.onscroll = () => panels.forEach(panel => panel.scrolled?.(stage.scrollLeft - panel.left));
  focus(pinned?.side ?? null, pinned?.index ?? -1);
}

function drawLines(stage) {
  drawPanels(stage, (s, room, hover, press) => {
    const narrow = room < 520, step = 26, most = narrow ? Math.floor((room - 90) / 2) : 200;
    const left = Math.min(most, widest(s.rows) + 14), right = Math.min(most, widest(s.columns) + 14);
    const least = left + right + (narrow ? 80 : s.panels.length > 2 ? 95 : 150);
    const inRow = Math.max(1, Math.min(s.panels.length, Math.floor((room + 28) / (least + 28))));
    const width = Math.min(left + right + 560, Math.floor((room - 28 * (inRow - 1)) / inRow));
    return s.panels.map(panel => linesPanel(panel, s, {left, right, step, width}, hover, press));
  });
}
function linesPanel(panel, s, {left, right, step, width}, hover, press) {
  const top = s.panels.length > 1 ? 26 : 0, count = panel.strands.length;
  const apart = Math.min(3.2, (step - 8) / count), thick = Math.max(1.2, Math.min(2.4, apart));
  const scale = state.stretch ? 1 / largest(s, panel) : 1;
  /* The lines of all tokens, or of one. Strands run side by side and do not cover each other. */
  const lines = (side, index) => {
    const group = drawn("g", {"stroke-linecap": "round", "stroke-width": thick});
    panel.strands.forEach((strand, place) => s.rows.forEach((_, i) => s.columns.forEach((__, j) => {
      if (side === "row" && i !== index || side === "column" && j !== index) return;
      const weight = strand.weight(i, j), shift = (place - (count - 1) / 2) * apart;
      if (Math.abs(weight) < 0.005) return;
      group.append(drawn("line", {x1: left + 4, y1: (i + .5) * step + shift, x2: width - right - 4,
          y2: (j + .5) * step + shift,
        stroke: panel.id === "difference" && weight < 0 ? themed("--below") : strand.colour,
        "stroke-opacity": Math.min(1, Math.abs(weight) * scale).toFixed(3),
            ...(weight < 0 ? {"stroke-dasharray": "5 5"} : {}),
        "data-head": strand.head, "data-row": i, "data-column": j, "data-weight": +weight.toFixed(7)}));
    })));
    return group;
  };
  const labels = (tokens, side, x, labelWidth) => tokens.map((token, index) => {
    const stripes = drawn("g"), box = drawn("rect", {class: "box", width: labelWidth, height: step - 4, y: 2, rx: 5,
        fill: "transparent"});
    const text = tokenText(token, side === "row" ? {x: labelWidth - 7, y: step / 2, "text-anchor": "end"}
        : {x: 7, y: step / 2}, labelWidth - 12);
    const drawing = drawn("g", {transform: `translate(${x} ${index * step})`, class: "token", tabindex: 0,
        role: "button", "aria-label": shown(token)}, box, stripes, text);
    onTouch(drawing, on => hover(on ? side : null, on ? index : -1), () => press(side, index));
    return {drawing, box, stripes, width: labelWidth};
  });
  const rows = labels(s.rows, "row", 0, left), columns = labels(s.columns, "column", width - right, right);
  const everything = lines(null, -1), visible = drawn("g");
  /* Behind each partner of the token in focus, a stripe for each head, as dark as its weight. */
  const mark = (sideLabels, chosen, weightOf) => sideLabels.forEach((label, index) => {
    label.box.setAttribute("fill", index === chosen ? themed("--hover") : "transparent");
    label.box.setAttribute("stroke", index === chosen && pinned ? themed("--accent") : "none");
    const stripe = (label.width - 4) / count;
    label.stripes.replaceChildren(...(weightOf ? panel.strands : []).map((strand, k) =>
      drawn("rect", {x: 2 + k * stripe, y: 3, width: stripe, height: step - 6, fill: strand.colour,
        "fill-opacity": Math.min(.85, Math.abs(weightOf(strand, index))).toFixed(3)})));
  });
  const focus = (side, index) => {
    visible.replaceChildren(side ? lines(side, index) : everything);
    mark(rows, side === "row" ? index : -1, side === "column" && ((strand, i) => strand.weight(i, index)));
    mark(columns, side === "column" ? index : -1, side === "row" && ((strand, j) => strand.weight(index, j)));
  };
  const drawing = drawn("g", {"data-panel": panel.id}, ...heading(s, panel, width),
    moved(0, top, visible, ...rows.map(label => label.drawing), ...columns.map(label => label.drawing)));
  return {drawing, focus, width, height: top + step * Math.max(s.rows.length, s.columns.length)};
}

function drawHeat(stage) {
  drawPanels(stage, (s, room, hover, press) => {
    const narrow = room < 520, label = Math.min(narrow ? 84 : 220, widest(s.rows) + 12),
        top = Math.min(130, widest(s.columns) + 12);
    const least = isTouch() ? 18 : 16, wanted = 30;
    const fits = inRow => Math.floor(((room - 28 * (inRow - 1)) / inRow - label - 2) / s.columns.length);
    const inRow = s.panels.length > 1 && fits(s.panels.length) >= Math.min(wanted, 24) ? s.panels.length
        : s.panels.length > 1 && fits(2) >= least ? 2 : 1;
    const cell = Math.max(least, Math.min(wanted + 8, fits(inRow)));
    return s.panels.map(panel => heatPanel(panel, s, {label, top, cell}, hover, press));
  });
}
function heatPanel(panel, s, {label, top, cell}, hover, press) {
  const head = s.panels.length > 1 ? 24 : 0, width = label + cell * s.columns.length;
  const scale = state.stretch ? 1 / largest(s, panel) : 1;
  const cells = drawn("g", {stroke: themed("--line"), "stroke-opacity": .55});
  s.rows.forEach((row, i) => s.columns.forEach((column, j) => {
    const weight = panel.mean(i, j);
    const square = drawn("rect", {class: weight < 0 ? "below" : "above", x: label + j * cell, y: top + i * cell,
        width: cell - 1.5, height: cell - 1.5, rx: 2.5,
      fill: themed(weight < 0 ? "--below" : "--heat"), "data-row": i, "data-column": j,
          "data-weight": +weight.toFixed(7),
      "fill-opacity": +Math.min(1, Math.abs(weight) * scale).toFixed(7)});
    const tip = `${shown(row)} ${state.turn ? "\u2190" : "\u2192"} ${shown(column)}   ${digits(weight)}`;
    onTouch(square,
      (on, event) => { if (on) showTip(event, tip); else hideTip(); hover(on ? "row" : null, on ? i : -1); },
      event => { press("row", i); if (pinned) showTip(event, tip); else hideTip(); });
    cells.append(square);
  }));
  const button = (token, side, index, transform, attributes, length) => onTouch(
    drawn("g", {class: "token", tabindex: 0, role: "button", "aria-label": shown(token), transform},
      drawn("rect", {class: "box", x: side === "row" ? -length : 0, y: -cell / 2 + 1, width: length,
          height: cell - 2, rx: 4, fill: "transparent"}),
      tokenText(token, attributes, length - 8)),
    on => hover(on ? side : null, on ? index : -1), () => press(side, index));
  const rows = s.rows.map((token, i) => button(token, "row", i, `translate(${label - 2} ${top + (i + .5) * cell})`,
      {x: -5, "text-anchor": "end"}, label - 2));
  const columns = s.columns.map((token, j) => button(token, "column", j,
      `translate(${label + (j + .5) * cell} ${top - 3}) rotate(-90)`, {x: 4}, top - 4));
  const outline = drawn("rect", {fill: "none", "stroke-width": 2, rx: 4, "pointer-events": "none"});
  const focus = (side, index) => {
    outline.setAttribute("stroke", side ? themed("--accent") : "none");
    const place = side === "column" ? [label + index * cell, top, cell - 1, cell * s.rows.length]
        : [label, top + index * cell, width - label, cell - 1];
    ["x", "y", "width", "height"].forEach((name, k) => outline.setAttribute(name, place[k] + [-1.2, -1.2, 1, 1][k]));
    [["row", rows], ["column", columns]].forEach(([which, buttons]) => buttons.forEach((button, i) =>
      button.lastElementChild.setAttribute("font-weight", side === which && i === index ? 700 : 400)));
  };
  /* Names of rows stay in sight when the cells are scrolled beneath them. */
  const names = drawn("g", {}, drawn("rect", {x: -18, y: top, width: label + 17, height: cell * s.rows.length,
      fill: themed("--card")}), ...rows);
  const scrolled = by => names.setAttribute("transform", `translate(${Math.max(0, Math.min(by, width - label))} 0)`);
  const drawing = drawn("g", {"data-panel": panel.id}, ...heading(s, panel, width),
      moved(0, head, cells, outline, ...columns, names));
  return {drawing, focus, scrolled, width, height: head + top + cell * s.rows.length};
}

/* A small picture of every head of every layer, and of their means. */
function drawOverview(stage) {
  const b = block(map()), means = b.layers > 1, room = (stage.clientWidth || 900) - spare;
  const columns = b.heads + (b.heads > 1 ? 1 : 0), rows = b.layers + (means ? 1 : 0);
  const first = 58, gap = room < 520 ? 5 : 12;
  const width = Math.max(26, Math.min(170, Math.floor((room - first) / columns) - gap));
  const height = Math.round(Math.max(16, width * b.queries.length / b.keys.length));
  const all = drawn("g"), meanHead = b.heads;
  const name = (head, layer) => (layer < b.layers ? "layer " + (layer + 1) : "mean of all layers") + ", "
    + (head === meanHead ? "mean of all heads" : "head " + (head + 1) + (remains(b, layer, head) ? "" : ", pruned"));
  const at = (head, layer, q, k) => head < meanHead ? weightAt(b, layer, head, q, k)
    : average(headsOf(b, layer).map(h => weightAt(b, layer, h, q, k)));
  for (let head = 0; head < columns; ++head)
    all.append(drawn("text", {x: first + head * (width + gap) + width / 2, y: 14, "text-anchor": "middle"},
        head < meanHead ? (width > 60 ? "head " : "") + (head + 1) : "mean"));
  for (let layer = 0; layer < rows; ++layer) {
    const y = 26 + layer * (height + gap);
    all.append(drawn("text", {x: 0, y: y + height / 2, "dominant-baseline": "central"}, layer < b.layers
        ? "layer " + (layer + 1) : "mean"));
    for (let head = 0; head < columns; ++head) {
      const weights = b.queries.map((_, q) => b.keys.map((__, k) => at(head, layer, q, k)));
      const button = drawn("g", {transform: `translate(${first + head * (width + gap)} ${y})`, tabindex: 0,
          role: "button",
        "data-layer": layer, "data-head": head, "aria-label": name(head, layer)},
        drawn("image", {width, height, href: thumbnail(weights), preserveAspectRatio: "none",
            style: "image-rendering: pixelated"}),
        drawn("rect", {class: "box", x: -1, y: -1, width: width + 2, height: height + 2, rx: 4, fill: "transparent",
            stroke: themed("--line")}));
      onTouch(button, (on, event) => on ? showTip(event, `${name(head, layer)}\n${summary(weights)}`) : hideTip(),
          () => {
        state.mean = head === meanHead;
        Object.assign(state, {layer, view: "lines", heads: state.mean ? [...Array(b.heads).keys()] : [head]});
        pinned = null;
        draw();
      });
      all.append(button);
    }
  }
  picturePut(stage, {all, width: first + columns * (width + gap), height: 26 + rows * (height + gap)});
}
function thumbnail(weights) {
  const canvas = element("canvas", {width: weights[0].length, height: weights.length}),
      context = canvas.getContext("2d");
  weights.forEach((row, i) => row.forEach((weight, j) => {
    context.fillStyle = themed(weight < 0 ? "--below" : "--heat");
    context.globalAlpha = Math.min(1, Math.abs(weight));
    context.fillRect(j, i, 1, 1);
  }));
  return canvas.toDataURL();
}
function summary(rows) {
  const all = rows.flat();
  if (!rows.every(isShared)) return `weights from ${digits(Math.min(...all))} to ${digits(Math.max(...all))}`;
  const entropy = -all.reduce((sum, w) => sum + (w > 0 ? w * Math.log(w) : 0), 0) / rows.length;
  const most = rows.reduce((sum, row) => sum + Math.max(...row), 0) / rows.length;
  return `entropy ${entropy.toFixed(2)} nats\nlargest weight ${most.toFixed(2)} on average`;
}
/* Whether what a query reads is shared out among the keys: not so in low-rank attention, whose weights may
   be negative. */
const isShared = row => row.every(w => w === 0) || row.every(w => w >= 0)
    && Math.abs(row.reduce((sum, w) => sum + w, 0) - 1) < 1e-3;

/* ---- The numbers beside the picture --------------------------------------------------------------- */

/* The strongest partners of a token, or the strongest pairs of all; a column of numbers for each panel. */
function explain(s, side, index) {
  const mouse = !isTouch(), arrow = state.turn ? " \u2190 " : " \u2192 ";
  const token = text => element("span", {class: "token", dir: "auto"}, shown(text));
  const entries = [];
  s.rows.forEach((_, i) => s.columns.forEach((_, j) => {
    if (side === "row" && i !== index || side === "column" && j !== index) return;
    entries.push({i, j, weight: Math.abs(s.panels[0].mean(i, j))});
  }));
  entries.sort((a, b) => b.weight - a.weight);
  const nameOf = (i, j) => side === "row" ? [token(s.columns[j])] : side === "column" ? [token(s.rows[i])]
      : [token(s.rows[i]), arrow, token(s.columns[j])];
  const reads = (side === "row") !== state.turn;
  const title = side ? element("h2", {}, token((side === "row" ? s.rows : s.columns)[index]), reads ? " reads"
      : " is read by") : element("h2", {}, "Strongest");
  const hint = pinned ? (mouse ? "Held; click it again or press Esc to release it." : "Tap it again to release it.")
    : mouse ? "Point at a token to see its weights alone; click to hold it."
        : "Tap a token to see its weights alone.";
  const names = {attention: data.compared ? "first run" : "attention", compared: "second run",
      difference: "difference", saliency: "saliency"};
  const table = element("table", {}, ...(s.panels.length > 1
      ? [element("tr", {}, element("th"), ...s.panels.map(panel => element("th", {}, names[panel.id])))] : []));
  for (const {i, j} of entries.slice(0, 10))
    table.append(element("tr", {}, element("td", {}, ...nameOf(i, j)), ...s.panels.map(panel => panel.mean(i, j))
      .map(value => element("td", {class: "value", style: `--share: ${Math.round(100 * Math.min(1, Math.abs(value)))}%`},
          digits(value)))));
  byId("detail").classList.toggle("focused", side !== null);
  byId("detail").classList.toggle("one", s.panels.length === 1);
  byId("detail").replaceChildren(title, table, element("p", {class: "hint"}, hint));
}

/* ---- Controls ------------------------------------------------------------------------------------ */

function buttons(box, entries, isChosen, choose) {
  box.replaceChildren(...entries.map(([value, label, title]) => {
    const button = element("button", {type: "button", "aria-pressed": isChosen(value), "data-value": value,
        ...(title ? {title} : {})}, label);
    button.onclick = () => { choose(value); draw(); };
    return button;
  }));
}
function toggle(set, value) {
  if (!set.delete(value)) set.add(value);
}
/* What can stand beside the attention of this picture. */
const besides = () => [
  ...(data.compared ? [["compared", "second run", data.compared + " (c)"],
      ["difference", "difference", "The first run minus the second (d)"]] : []),
  ...(map().saliency ? [["saliency", "saliency", "Gradient times input (s)"]] : [])];
function drawControls() {
  const layers = map().layers.map((layer, l) => [l, layer]), overview = state.view === "overview";
  buttons(byId("kind"), picture().maps.map(m => [m.kind, kinds[m.kind][0]]), value => value === state.kind,
      value => {
        if (state.heads.length === headCount()) state.heads = [];  // all, however many there are
        state.kind = value;
        pinned = null;
      });
  buttons(byId("view"), Object.entries(views), value => value === state.view, value => { state.view = value; });
  buttons(byId("tokens"), [[false, "pieces"], [true, "words"]], value => value === state.words,
      value => { state.words = value; pinned = null; });
  buttons(byId("layer"), layers.length > 1 ? [...layers, [layers.length, "mean"]] : layers,
      value => value === state.layer, value => { state.layer = value; });
  buttons(byId("beside"), besides(), value => state.beside.has(value), value => toggle(state.beside, value));
  byId("heads").replaceChildren(...map().heads.map((number, h) => {
    const button = element("button", {type: "button", "aria-pressed": state.heads.includes(h),
        "aria-label": "head " + number, "data-value": h,
      title: `head ${number}; with the shift key: this one alone`}, number);
    button.style.setProperty("--colour", colourOf(h));
    button.style.setProperty("--on-colour", inkOn(h));
    button.onclick = event => {
      const others = event.shiftKey ? [] : state.heads.filter(x => x !== h);
      const on = event.shiftKey || !state.heads.includes(h) || !others.length;
      state.heads = on ? [...others, h].sort((a, b) => a - b) : others;
      draw();
    };
    return button;
  }));
  for (const field of document.querySelectorAll(".choice")) field.hidden = overview;
  byId("besides").hidden = overview || !besides().length;
  byId("detail").hidden = overview;
  document.querySelector(".card").classList.toggle("alone", overview);
  byId("mean").hidden = state.view !== "lines" || headCount() === 1;
  byId("mean").setAttribute("aria-pressed", state.mean);
  byId("all").hidden = headCount() === 1;
  byId("stretch").checked = state.stretch;
  byId("sentence").value = state.sentence;
}
function caption() {
  const [, reading, read] = kinds[state.kind];
  const [rows, columns] = state.turn ? [read, reading] : [reading, read];
  if (state.view === "overview")
    return `Each picture is one head: rows are ${reading}, columns ${read}. Choose one to open it.`;
  const places = state.view === "heat" ? ["Rows", "columns"] : ["Left", "right"];
  const heads = state.heads.length === headCount() && headCount() > 1 ? "all heads"
      : (state.heads.length > 1 ? "heads " : "head ") + state.heads.map(h => map().heads[h]).join(", ");
  const how = state.heads.length > 1 && (state.view === "heat" || state.mean) ? ", the mean of their weights" : "";
  const layer = state.layer < layerCount() ? `Layer ${map().layers[state.layer]}` : "Mean of all layers";
  const pruned = state.heads.filter(h => !remains(block(map()), state.layer, h)).map(h => map().heads[h]);
  return `${layer}, ${heads}${how}. ${places[0]}: ${rows}; ${places[1]}: ${columns}.`
    + (pruned.length ? ` Pruned here: ${pruned.join(", ")}.` : "");
}
/* What the reader should know about this choice. */
function notes() {
  const wanted = data.compared && (state.beside.has("compared") || state.beside.has("difference"))
      && state.view !== "overview";
  if (!wanted) return "";
  const why = comparison();
  if (why) return why;
  if (state.words || sameTokens(ofPieces(map()), ofPieces(other()))) return "";
  state.words = true;
  return "The two runs cut this sentence into different pieces; whole words are compared.";
}

function settle() {  // a state that this picture has
  state.sentence = Math.min(Math.max(0, state.sentence || 0), data.pictures.length - 1);
  if (!map()) state.kind = picture().maps.at(-1).kind;
  const layers = layerCount();
  if (state.layer === "mean") state.layer = layers > 1 ? layers : 0;
  state.layer = state.layer >= 0 ? Math.min(state.layer, layers > 1 ? layers : 0) : 0;
  state.heads = state.heads.filter(h => h >= 0 && h < headCount());
  if (!state.heads.length) state.heads = [...Array(headCount()).keys()];
  if (!(state.view in views)) state.view = "lines";
  byId("note").textContent = notes();
  byId("note").hidden = !byId("note").textContent;
  const s = scene();
  if (pinned && pinned.index >= (pinned.side === "row" ? s.rows : s.columns).length) pinned = null;
}
/* Drawing anew replaces buttons: the one that had the focus gets it back. */
function keepFocus(redraw) {
  const {parentElement: box, dataset} = document.activeElement ?? {}, value = dataset?.value;
  redraw();
  if (value !== undefined) [...box.children].find(button => button.dataset.value === value)?.focus();
}
function draw() {
  settle();
  hideTip();
  keepFocus(drawControls);
  byId("caption").textContent = caption();
  const b = ofPieces(map()), width = b.keys.length, shared = [];
  for (let start = 0; start < b.values.length; start += width)
    shared.push(isShared(b.values.slice(start, start + width)));
  byId("sums").textContent = shared.every(x => x) ? "Each row of weights sums to 1."
    : "Rows of this attention need not sum to 1, and weights may be negative: these are red, or broken lines.";
  byId("saliency").hidden = !map().saliency;
  ({lines: drawLines, heat: drawHeat, overview: drawOverview})[state.view](byId("stage"));
  remember();
}

/* The current view as a picture that needs nothing else, its caption above it. */
function savedSvg() {
  const svg = byId("stage").firstElementChild.cloneNode(true), above = 46;
  const width = Math.max(+svg.getAttribute("width"), 8 * byId("caption").textContent.length * .85) + 32,
      height = +svg.getAttribute("height") + above + 16;
  for (const [name, value] of Object.entries({x: 16, y: above})) svg.setAttribute(name, value);
  for (const part of svg.querySelectorAll("[tabindex]")) part.removeAttribute("tabindex");
  const line = (y, text, attributes) => drawn("text",
      {x: 16, y, "font-family": "system-ui, sans-serif", ...attributes}, text);
  return {width, height, text: new XMLSerializer().serializeToString(drawn("svg",
      {xmlns: "http://www.w3.org/2000/svg", width, height, viewBox: `0 0 ${width} ${height}`},
    drawn("rect", {width, height, fill: themed("--card")}),
    line(18, data.title, {"font-size": 13, "font-weight": 600, fill: themed("--ink")}),
    line(36, byId("caption").textContent, {"font-size": 12, fill: themed("--dim")}), svg))};
}
function download(address, ending) {
  const layer = state.layer < layerCount() ? state.layer + 1 : "mean";
  const name = `attention-${state.sentence + 1}-${state.kind}-${state.view === "overview" ? "all" : "layer-" + layer}`;
  element("a", {href: address, download: `${name}.${ending}`}).click();
}
const svgAddress = text => "data:image/svg+xml;charset=utf-8," + encodeURIComponent(text);
function savePng() {
  const {width, height, text} = savedSvg(), scale = 2, image = new Image();
  image.onload = () => {
    const canvas = element("canvas", {width: scale * width, height: scale * height});
    canvas.getContext("2d").drawImage(image, 0, 0, scale * width, scale * height);
    download(canvas.toDataURL("image/png"), "png");
  };
  image.src = svgAddress(text);
}

/* ---- The page's address says what is shown: #kind=cross&view=heat&layer=2&heads=1.3 ------------------ */

function remember() {
  const all = state.heads.length === headCount();
  const parts = {sentence: state.sentence, kind: state.kind, view: state.view, tokens: state.words ? "words" : "",
    layer: state.layer < layerCount() ? state.layer + 1 : "mean",
    heads: all ? "all" : state.heads.map(h => h + 1).join("."),
    draw: state.mean ? "mean" : "", beside: [...state.beside].join("."), rows: state.turn ? "exchanged" : "",
    contrast: state.stretch ? "stretched" : "", pin: pinned ? `${pinned.side}.${pinned.index + 1}` : ""};
  history.replaceState(null, "", "#" +
    Object.entries(parts).filter(([, value]) => value !== "").map(p => p.join("=")).join("&"));
}
function readAddress() {
  const given = new URLSearchParams(location.hash.slice(1) || data.start);
  const sentence = Math.trunc(given.get("sentence")) || 0;
  state.sentence = Math.max(0, Math.min(sentence, data.pictures.length - 1));
  state.kind = given.get("kind") || state.kind;
  state.view = given.get("view") || state.view;
  state.words = given.get("tokens") === "words";
  settleLayer(given.get("layer"));
  state.heads = (given.get("heads") || "").split(".").map(h => h - 1).filter(Number.isInteger);
  state.mean = given.get("draw") === "mean";
  state.beside = new Set((given.get("beside") || "").split(".").filter(name => name));
  state.turn = given.get("rows") === "exchanged";
  state.stretch = given.get("contrast") === "stretched";
  const held = /^(row|column)\.(\d+)$/.exec(given.get("pin") || "");
  pinned = held ? {side: held[1], index: held[2] - 1} : null;
  if (given.has("theme")) document.documentElement.dataset.theme = given.get("theme");
}
function settleLayer(layer) {
  const last = (map() || picture()?.maps.at(-1) || data.pictures[0].maps.at(-1)).layers.length - 1;
  state.layer = layer === "mean" ? "mean" : layer ? Math.min(layer - 1, last) : last;
}

const exchange = () => { state.turn = !state.turn; pinned = null; };
const allHeads = () => { state.heads = state.heads.length === headCount() ? [0] : [...Array(headCount()).keys()]; };
function turnTheme() {
  const root = document.documentElement;
  root.dataset.theme = root.dataset.theme === "dark" ? "light" : "dark";
}
const besideIf = name => { if (besides().some(([known]) => known === name)) toggle(state.beside, name); };
const saveSvg = () => download(svgAddress(savedSvg().text), "svg");
function onKey(event) {
  if (event.target.tagName === "SELECT" || event.ctrlKey || event.metaKey || event.altKey) return;
  const heads = headCount(), one = state.heads.length === 1 ? state.heads[0] : -1;
  const actions = {
    ArrowUp: () => { state.layer = Math.max(0, state.layer - 1); },
    ArrowDown: () => { ++state.layer; },
    ArrowLeft: () => { state.heads = [(Math.max(one, 0) + heads - 1) % heads]; },
    ArrowRight: () => { state.heads = [(one + 1) % heads]; },
    1: () => { state.view = "lines"; },
    2: () => { state.view = "heat"; },
    3: () => { state.view = "overview"; },
    w: () => { state.words = !state.words; pinned = null; },
    m: () => { state.mean = !state.mean; },
    s: () => besideIf("saliency"),
    c: () => besideIf("compared"),
    d: () => besideIf("difference"),
    Escape: () => { pinned = null; },
    x: exchange, a: allHeads, t: turnTheme, e: saveSvg};
  const action = actions[event.key];
  if (!action) return;
  event.preventDefault();
  action();
  draw();
}

document.documentElement.dataset.theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
byId("model").textContent = data.title + (data.compared ? " \u2194 " + data.compared : "");
document.title = data.title ? "Attention: " + data.title : "Attention";
data.pictures.forEach((p, i) => {
  const text = `${i + 1}. ${p.source}` + (p.target ? `  \u2192  ${p.target}` : "");
  byId("sentence").append(element("option", {value: i}, text.length > 130
      ? [...text].slice(0, 130).join("") + "\u2026" : text));
});
byId("sentence").onchange = event => { state.sentence = +event.target.value; pinned = null; draw(); };
const turnMean = () => { state.mean = !state.mean; };
for (const [id, action] of Object.entries({turn: exchange, all: allHeads, mean: turnMean, theme: turnTheme}))
  byId(id).onclick = () => { action(); draw(); };
byId("more").onclick = () => byId("more").setAttribute("aria-expanded", document.body.classList.toggle("more"));
byId("svg").onclick = saveSvg;
byId("png").onclick = savePng;
byId("stretch").onchange = event => { state.stretch = event.target.checked; draw(); };
addEventListener("keydown", onKey);
addEventListener("hashchange", () => { readAddress(); draw(); });
let lastWidth = innerWidth;
addEventListener("resize", () => { if (innerWidth !== lastWidth) { lastWidth = innerWidth; draw(); } });
readAddress();
if (data.compared && !location.hash) state.beside.add("compared").add("difference");
draw();
