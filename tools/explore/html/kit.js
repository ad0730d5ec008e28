'use strict';
// What both reports share: elements, axes, charts, tables. No markup is ever made from text: names come from users' files.
const kit = (() => {
  const kNamespace = 'http://www.w3.org/2000/svg';

  function fill(node, attributes, children) {
    for (const [key, value] of Object.entries(attributes || {})) {
      if (value === undefined || value === null) continue;
      if (key.startsWith('on')) node.addEventListener(key.slice(2), value);
      else node.setAttribute(key, value);
    }
    for (const child of children.flat(9)) if (child !== null && child !== undefined) node.append(child);
    return node;
  }
  const el = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
  const svg = (tag, attributes, ...children) => fill(document.createElementNS(kNamespace, tag), attributes, children);

  // Numbers.
  const whole = (x) => Math.round(x).toLocaleString('en-US');
  const percent = (x) => (100 * x).toFixed(1) + ' %';
  function short(x) {
    const a = Math.abs(x);
    for (const [unit, sign] of [[1e9, 'G'], [1e6, 'M'], [1e3, 'k']])
      if (a >= unit) return trim(x / unit) + sign;
    return trim(x);
  }
  const trim = (x) => String(Number(x.toPrecision(3)));
  const bytes = (x) => x >= 1 << 20 ? trim(x / (1 << 20)) + ' MiB' : x >= 1024 ? trim(x / 1024) + ' KiB' : x + ' B';

  // The tooltip.
  const tip = el('div', {id: 'tip'});
  function hover(text) {
    const show = (e) => {
      tip.textContent = typeof text === 'function' ? text() : text;
      tip.style.display = 'block';
      const box = tip.getBoundingClientRect();
      tip.style.left = Math.max(4, Math.min(e.clientX + 14, innerWidth - box.width - 8)) + 'px';
      tip.style.top = Math.max(4, Math.min(e.clientY + 14, innerHeight - box.height - 8)) + 'px';
    };
    const hide = () => { tip.style.display = 'none'; };
    const focus = (e) => {
      const box = e.target.getBoundingClientRect();
      show({clientX: box.right, clientY: box.bottom});
    };
    return {onmousemove: show, onmouseenter: show, onmouseleave: hide, onfocus: focus, onblur: hide};
  }

  // Scales: position of a value, and where ticks are good.
  function linear(low, high, from, to) {
    const span = high - low || 1;
    const raw = span / 6, power = 10 ** Math.floor(Math.log10(raw));
    const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= raw);
    const ticks = [];
    for (let t = Math.ceil(low / step - 1e-9) * step; t <= high + step * 1e-9; t += step) ticks.push(Math.abs(t) < step / 1e6 ? 0 : t);
    return {at: (v) => from + (v - low) / span * (to - from), ticks};
  }
  function logarithmic(low, high, from, to) {
    const a = Math.log10(low), b = Math.log10(high), wide = b - a > 2.2;
    const ticks = [];
    for (let p = Math.floor(a); p <= Math.ceil(b); ++p)
      for (const m of wide ? [1] : [1, 2, 5]) if (m * 10 ** p >= low * 0.999 && m * 10 ** p <= high * 1.001) ticks.push(m * 10 ** p);
    return {at: (v) => from + (Math.log10(Math.max(v, low / 10)) - a) / (b - a || 1) * (to - from), ticks};
  }

  // A text of a chart, cut where it would be wider than `pixels`.
  const ruler = document.createElement('canvas').getContext('2d');
  function fit(text, pixels, size = 12) {
    ruler.font = `${size}px system-ui, "DejaVu Sans", sans-serif`;
    const wide = (t) => ruler.measureText(t).width;
    const begin = (n) => text.slice(0, n).replace(/[\ud800-\udbff]$/, '') + '…';
    if (wide(text) <= pixels) return text;
    let low = 0, high = Math.min(text.length, Math.ceil(pixels));  // no character is narrower than a pixel
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (wide(begin(middle)) <= pixels) low = middle; else high = middle - 1;
    }
    return low ? begin(low) : '';
  }

  // What a chart may take of the page: text in it keeps its size on a narrow one.
  const wide = () => Math.max(560, Math.min(1180, (document.querySelector('main').clientWidth || 1240) - 60));

  const kMargin = {left: 70, right: 18, top: 12, bottom: 46};

  // An empty chart with axes; `x` and `y`: {low, high, log, label, format}.
  function chart(width, height, x, y) {
    const right = width - kMargin.right, bottom = height - kMargin.bottom;
    const make = (a) => a.log ? logarithmic : linear;
    const sx = make(x)(x.low, x.high, kMargin.left, right), sy = make(y)(y.low, y.high, bottom, kMargin.top);
    const root = svg('svg', {viewBox: `0 0 ${width} ${height}`, role: 'img'});
    for (const t of sx.ticks) {
      root.append(svg('line', {class: 'grid', x1: sx.at(t), x2: sx.at(t), y1: kMargin.top, y2: bottom}),
                  svg('text', {class: 'soft', x: sx.at(t), y: bottom + 17, 'text-anchor': 'middle'}, (x.format || short)(t)));
    }
    for (const t of sy.ticks) {
      root.append(svg('line', {class: 'grid', x1: kMargin.left, x2: right, y1: sy.at(t), y2: sy.at(t)}),
                  svg('text', {class: 'soft', x: kMargin.left - 7, y: sy.at(t) + 4, 'text-anchor': 'end'}, (y.format || short)(t)));
    }
    root.append(svg('path', {class: 'axis', fill: 'none', d: `M${kMargin.left},${kMargin.top}V${bottom}H${right}`}),
                svg('text', {class: 'label', x: (kMargin.left + right) / 2, y: height - 8, 'text-anchor': 'middle'}, fit(x.label, right - kMargin.left)),
                svg('text', {class: 'label', transform: `translate(15 ${(kMargin.top + bottom) / 2}) rotate(-90)`, 'text-anchor': 'middle'}, fit(y.label, bottom)));
    return {root, x: sx.at, y: sy.at, left: kMargin.left, right, top: kMargin.top, bottom};
  }

  const range = (values, log) => {
    const low = Math.min(...values), high = Math.max(...values);
    return log ? {low: low / 1.25, high: high * 1.25} : {low: 0, high: high * 1.08 || 1};
  };

  // What units do with their cycles, in this order and colour everywhere.
  const kReasons = [
    ['busy', '#0072b2', 'works'], ['pop load', '#e69f00', 'waits for a token from load'],
    ['pop gemm', '#56b4e9', 'waits for a token from gemm'], ['pop vector', '#cc79a7', 'waits for a token from vector'],
    ['pop store', '#8b5a2b', 'waits for a token from store'], ['memory', '#d55e00', 'waits for DRAM'],
    ['bank', '#7a3e9d', 'waits for an accumulator bank'], ['setup', '#f0e442', 'fixed cost of instructions'],
    ['push', '#b0413e', 'waits for room for a token'], ['queue', '#8fbc5a', 'waits for room in a queue'],
    ['drain', '#607d8b', 'waits for the others to finish'], ['idle', '#dfe4ea', 'has no instruction'],
    ['several', '#4d4d4d', 'waits for tokens from several'],
  ];
  function kindOf(reason) {
    if (kReasons.some(([name]) => name === reason)) return reason;
    const first = reason.split(' ')[0];
    return first === 'pop' ? 'several' : first;
  }
  const reasonRow = (kind) => kReasons.find(([name]) => name === kind) || [kind, '#999', kind];
  const colorOf = (reason) => reasonRow(kindOf(reason))[1];
  // {reason: cycles} in the order above, several reasons of a kind added.
  function ordered(account) {
    const sums = {};
    for (const [reason, cycles] of Object.entries(account)) sums[kindOf(reason)] = (sums[kindOf(reason)] || 0) + cycles;
    return kReasons.map(([name]) => [name, sums[name] || 0]).filter(([, cycles]) => cycles > 0);
  }
  function legend(kinds) {
    return el('div', {class: 'legend'}, kinds.map((kind) => {
      const [name, color, text] = reasonRow(kind);
      return el('span', {}, el('i', {style: `background:${color}`}), `${name}: ${text}`);
    }));
  }
  const colorLegend = (rows) => el('div', {class: 'legend'}, rows.map(([color, text]) =>
    el('span', {}, el('i', {style: `background:${color}`}), text)));

  // Horizontal stacked bars: rows of {name, parts: [[kind, value]...], after, tip}.
  function bars(rows, {unit, width = wide(), name = 190, mark}) {
    const step = 22, top = 6, bottom = 40, height = top + rows.length * step + bottom, after = 130;
    const most = Math.max(1e-12, ...rows.map((r) => Math.max(mark ? mark(r) : 0, r.parts.reduce((sum, p) => sum + p[1], 0))));
    const scale = linear(0, most, name, width - after);
    const root = svg('svg', {viewBox: `0 0 ${width} ${height}`, role: 'img'});
    for (const t of scale.ticks)
      root.append(svg('line', {class: 'grid', x1: scale.at(t), x2: scale.at(t), y1: top, y2: height - bottom}),
                  svg('text', {class: 'soft', x: scale.at(t), y: height - bottom + 16, 'text-anchor': 'middle'}, short(t)));
    root.append(svg('text', {class: 'label', x: (name + width - after) / 2, y: height - 5, 'text-anchor': 'middle'}, unit));
    rows.forEach((row, i) => {
      const y = top + i * step;
      root.append(svg('text', {x: name - 8, y: y + 15, 'text-anchor': 'end'}, fit(row.name, name - 10)));
      let sum = 0;
      for (const [kind, value, text] of row.parts) {
        root.append(svg('rect', {class: 'hit', x: scale.at(sum), y: y + 3, width: Math.max(0, scale.at(sum + value) - scale.at(sum)), height: step - 6,
          fill: colorOf(kind), ...hover(text || `${row.name}\n${kind}: ${whole(value)} ${unit}`)}));
        sum += value;
      }
      if (mark && mark(row) > 0) root.append(svg('line', {x1: scale.at(mark(row)), x2: scale.at(mark(row)), y1: y + 1, y2: y + step - 1, stroke: 'var(--ink)', 'stroke-width': 2}));
      root.append(svg('text', {class: 'soft', x: scale.at(Math.max(sum, mark ? mark(row) : 0)) + 6, y: y + 15}, fit(row.after || '', after - 10)));
    });
    return root;
  }

  // A roofline: roofs {peak (MAC/cycle), slope (byte/cycle)}, dots {x (MAC/byte), y (MAC/cycle), name, size, tip}.
  function roofline(roof, dots, width = 590, height = 380) {
    const seen = dots.filter((d) => d.x > 0 && d.y > 0);
    const ridge = roof.peak / roof.slope;
    const low = Math.min(ridge, ...seen.map((d) => d.x)) / 2, high = Math.max(ridge, ...seen.map((d) => d.x)) * 2;
    const floor = Math.min(roof.peak / 20, ...seen.map((d) => d.y)) / 1.3;
    const c = chart(width, height, {low, high, log: true, label: 'multiply-accumulates per DRAM byte'},
                    {low: floor, high: roof.peak * 3, log: true, label: 'multiply-accumulates per cycle'});
    const left = Math.max(low, floor / roof.slope);
    c.root.append(svg('path', {fill: 'none', stroke: 'var(--soft)', 'stroke-width': 2,
      d: `M${c.x(left)},${c.y(left * roof.slope)}L${c.x(ridge)},${c.y(roof.peak)}L${c.right},${c.y(roof.peak)}`}),
      svg('text', {class: 'soft', x: c.left + 8, y: c.top + 27}, `flat: array, ${whole(roof.peak)} per cycle`),
      svg('text', {class: 'soft', x: c.left + 8, y: c.top + 12}, `rising: DRAM, ${roof.slope} byte per cycle`));
    for (const d of seen)
      c.root.append(svg('circle', {class: 'hit', cx: c.x(d.x), cy: c.y(d.y), r: d.size || 5, fill: d.color || '#0072b2', 'fill-opacity': 0.75, stroke: 'var(--paper)', ...hover(d.tip)}));
    return c.root;
  }

  // A table that sorts by its head; columns: {name, value(row), text(row), number, wrap}.
  function table(columns, rows, {onclick, classOf, tall} = {}) {
    let by = null, down = true;
    const body = el('tbody', {});
    const draw = () => {
      const sorted = by === null ? rows : [...rows].sort((a, b) => {
        const [p, q] = [columns[by].value(a), columns[by].value(b)];
        const order = p === null || p === undefined ? 1 : q === null || q === undefined ? -1 : p < q ? -1 : p > q ? 1 : 0;
        return down ? -order : order;
      });
      body.replaceChildren(...sorted.map((row) => el('tr', {class: `${onclick ? 'row ' : ''}${classOf ? classOf(row) : ''}`, onclick: onclick ? () => onclick(row) : null},
        columns.map((c, i) => {
          const text = c.text ? c.text(row) : String(c.value(row) ?? ''), long = !c.wrap && text.length > 300;
          return el('td', {'data-head': c.name, class: `${c.number ? 'number ' : ''}${c.wrap ? 'wrap ' : ''}${i === 0 ? 'name' : ''}`, style: c.style ? c.style(row) : null, title: long ? text : null}, long ? text.slice(0, 299) + '…' : text);
        }))));
    };
    const head = el('tr', {}, columns.map((c, i) => el('th', {class: `sortable ${c.number ? 'number' : ''}`, title: c.doc, onclick: () => {
      down = by === i ? !down : Boolean(c.number);
      by = i;
      draw();
    }}, c.name)));
    draw();
    return {root: el('div', {class: `${tall ? 'tall' : 'scroll'} stacked fits`}, el('table', {}, el('thead', {}, head), body)), draw};
  }

  const facts = (rows) => el('div', {class: 'facts'}, rows.map(([value, text]) => el('div', {class: 'fact'}, el('b', {}, value), el('span', {}, text))));
  const section = (id, title, text, ...content) => el('section', {id}, el('h2', {}, title), text ? el('p', {}, text) : null, content);

  function start(draw) {
    const data = JSON.parse(document.getElementById('data').textContent);
    const main = document.querySelector('main');
    document.body.append(tip);
    draw(data, main);
    document.body.dataset.drawn = 'yes';  // what a test waits for
  }

  return {el, svg, whole, percent, short, trim, bytes, hover, linear, logarithmic, chart, range, kReasons, kindOf, colorOf, ordered, legend, colorLegend, bars, roofline, table, facts, section, fit, wide, start};
})();
