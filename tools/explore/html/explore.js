'use strict';
kit.start((data, main) => {
  const {el, svg, whole, percent, short, trim, hover, section} = kit;
  const variants = data.variants;
  const built = data.points.filter((p) => p.status === 'ok');
  const state = {network: 0, x: data.part ? 'share' : 'lut', y: 'fps', chosen: null};

  // Nobody measured a clock: each variant says which one it assumes.
  const clocks = [...new Set(variants.filter((v) => v.timing).map((v) => v.timing.clock_mhz))];
  const assumed = clocks.length === 1 ? `at an assumed ${clocks[0]} MHz` : 'at each variant’s assumed clock';

  const kMetrics = {
    fps: {label: `inferences per second (${assumed})`, of: (p) => p.fps, text: trim, good: 'high'},
    ms: {label: `milliseconds per inference (${assumed})`, of: (p) => p.ms, text: trim, good: 'low'},
    cycles: {label: 'cycles', of: (p) => p.cycles, text: whole, good: 'low'},
    utilisation: {label: 'utilisation of the array', of: (p) => p.utilisation, text: percent, good: 'high'},
    energy: {label: 'energy, microjoules per inference (model)', of: (p) => p.energy.total, text: short, good: 'low'},
    bytes: {label: 'DRAM bytes per inference', of: (p) => p.dram.read + p.dram.write, text: short, good: 'low'},
    share: {label: data.part ? `share of the fullest resource of ${data.part.name} (model)` : '', of: (p) => p.share, text: percent, good: 'low', only: Boolean(data.part)},
    lut: {label: 'LUTs (model)', of: (p) => p.area.lut, text: short, good: 'low'},
    ff: {label: 'flip-flops (model)', of: (p) => p.area.ff, text: short, good: 'low'},
    dsp: {label: 'DSP48 (model)', of: (p) => p.area.dsp, text: short, good: 'low'},
    bram: {label: 'block RAMs of 36 kbit (model)', of: (p) => p.area.bram, text: trim, good: 'low'},
    macs: {label: 'multipliers of the array', of: (p) => array(p).macs, text: whole, good: 'low'},
  };
  for (const [key, m] of Object.entries(kMetrics)) if (m.only === false) delete kMetrics[key];

  const variant = (p) => variants[p.variant];
  const array = (p) => {
    const g = variant(p).geometry;
    return {macs: g.batch * g.block_in * g.block_out, text: `${g.batch}x${g.block_in}x${g.block_out}`};
  };
  const whole_on_device = (p) => p.macs_on_device === p.macs;
  const eligible = (p) => p.fits !== false && whole_on_device(p);
  const points = () => built.filter((p) => p.network === state.network);

  // Points that no eligible other one beats in both metrics.
  function front(rows, x, y) {
    const better = (m, a, b) => m.good === 'high' ? m.of(a) - m.of(b) : m.of(b) - m.of(a);
    return rows.filter((p) => eligible(p) && !rows.some((q) => eligible(q) && better(x, q, p) >= 0 && better(y, q, p) >= 0 &&
      (better(x, q, p) > 0 || better(y, q, p) > 0))).sort((a, b) => x.of(a) - x.of(b));
  }

  function describe(p) {
    const v = variant(p);
    const lines = [v.name, `array ${array(p).text}, ${v.timing.dram_bytes_per_cycle} byte/cycle, latency ${v.timing.dram_latency}`,
      `${whole(p.cycles)} cycles, ${trim(p.ms)} ms, ${trim(p.fps)} per second at an assumed ${v.timing.clock_mhz} MHz`, `utilisation ${percent(p.utilisation)}, ${kit.bytes(p.dram.read + p.dram.write)} of DRAM`,
      `model: ${short(p.area.lut)} LUT, ${short(p.area.ff)} FF, ${p.area.dsp} DSP, ${trim(p.area.bram)} BRAM; ${short(p.energy.total)} µJ`];
    if (p.fits === false) lines.push(`does not fit ${data.part.name}: ${p.over}`);
    if (!whole_on_device(p)) lines.push(`${whole(p.macs - p.macs_on_device)} multiply-accumulates on the CPU: ${p.on_cpu.filter((n) => n.macs > 0).map((n) => n.name).join(', ')}`);
    if (p.lost.length) lines.push(`the compiler lost ${p.lost.length} fusions or results on chip to this shape`);
    if (p.default_cycles) lines.push(`tuned: ${percent(1 - p.cycles / p.default_cycles)} fewer cycles than the ${whole(p.default_cycles)} by default`);
    if (p.rtl) lines.push(`RTL: ${whole(p.rtl.cycles)} cycles, ${percent(p.rtl.error)} off in total, ${percent(p.rtl.worst_layer_error)} in the worst layer`);
    return lines.join('\n');
  }

  const kSeries = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', '#8b5a2b', '#7a3e9d', '#607d8b'];
  const shapes = [...new Set(variants.map((v) => v.geometry ? v.geometry.batch * v.geometry.block_in * v.geometry.block_out : 0))].filter((n) => n > 0).sort((a, b) => a - b);
  const color = (p) => kSeries[shapes.indexOf(array(p).macs) % kSeries.length];

  function pareto() {
    const rows = points(), x = kMetrics[state.x], y = kMetrics[state.y];
    if (rows.length === 0) return [el('p', {}, 'No point of this network was built.')];
    const axis = (m) => {
      // The line of a part that is full is seen where all points fit, too.
      const values = [...rows.map(m.of), ...(data.part && m === kMetrics.share ? [1] : [])], log = Math.max(...values) / Math.max(1e-12, Math.min(...values)) > 8;
      return {...kit.range(values, log), log, label: m.label, format: m.text};
    };
    const c = kit.chart(kit.wide(), 440, axis(x), axis(y));
    if (data.part && state.x === 'share')
      c.root.append(svg('line', {x1: c.x(1), x2: c.x(1), y1: c.top, y2: c.bottom, stroke: 'var(--bad)', 'stroke-dasharray': '5 4'}),
                    svg('text', {class: 'soft', x: c.x(1) + 5, y: c.top + 12}, 'full'));
    const best = front(rows, x, y);
    c.root.append(svg('path', {fill: 'none', stroke: 'var(--ink)', 'stroke-width': 1.5, d: best.map((p, i) => `${i ? 'L' : 'M'}${c.x(x.of(p))},${c.y(y.of(p))}`).join('')}));
    // Points that lie upon each other: hovering tells all of them, clicking (or Enter) goes from one to the next.
    const at = (p) => [c.x(x.of(p)), c.y(y.of(p))];
    const near = (p) => rows.filter((q) => Math.hypot(at(q)[0] - at(p)[0], at(q)[1] - at(p)[1]) < 8);
    const next = (p) => {
      const group = near(p), i = group.indexOf(state.chosen);
      return i < 0 ? p : group[(i + 1) % group.length];
    };
    const tell = (p) => {
      const group = near(p), shown = group.includes(state.chosen) && group.length > 1 ? next(p) : p;
      const others = group.filter((q) => q !== shown).map((q) => `• ${variant(q).name}`);
      return describe(shown) + (others.length ? `\n${others.length} more here, click for the next:\n${others.slice(0, 12).join('\n')}${others.length > 12 ? '\n…' : ''}` : '');
    };
    const order = [...rows].sort((p, q) => x.of(p) - x.of(q) || y.of(p) - y.of(q));
    const key = (p) => (e) => {
      const step = {ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1}[e.key];
      if (step) {
        const to = order[(order.indexOf(p) + step + order.length) % order.length];
        c.root.querySelector(`[data-point="${data.points.indexOf(to)}"]`).focus();
      } else if (e.key === 'Enter' || e.key === ' ') {
        const to = next(p);
        choose(to);
        places.pareto.querySelector(`[data-point="${data.points.indexOf(to)}"]`).focus();
      } else {
        return;
      }
      e.preventDefault();
    };
    for (const p of order) {
      const on = best.includes(p), ok = eligible(p), [px, py] = at(p), group = near(p);
      c.root.append(svg('circle', {class: 'hit point', 'data-point': data.points.indexOf(p), tabindex: 0, role: 'button', 'aria-label': `${whole(p.cycles)} cycles, ${trim(p.fps)} per second`, cx: px, cy: py, r: p === state.chosen ? 9 : on ? 7 : 5,
        fill: ok ? color(p) : 'var(--paper)', 'fill-opacity': ok ? 0.85 : 0.4, stroke: p === state.chosen ? 'var(--ink)' : ok ? 'var(--paper)' : color(p), 'stroke-width': p === state.chosen ? 2.5 : 1.2,
        ...hover(() => tell(p)), onclick: () => choose(next(p)), onkeydown: key(p)}));
      if (group.length > 1 && group[0] === p) c.root.append(svg('text', {class: 'soft crowd', x: px + 9, y: py - 7, style: 'pointer-events:none'}, `×${group.length}`));
    }
    const legend = kit.colorLegend([...shapes.map((n, i) => [kSeries[i % kSeries.length], `${n} multipliers`]), ['var(--ink)', 'best points (Pareto front)']]);
    return [c.root, legend];
  }

  function chosen() {
    const p = state.chosen;
    if (!p) return [];
    const v = variant(p);
    const roof = {peak: array(p).macs, slope: v.timing.dram_bytes_per_cycle};
    const layers = p.layers.filter((l) => l.macs > 0);
    const dots = layers.map((l) => ({x: l.macs / (l.read + l.write), y: l.macs / l.cycles, tip: `${l.name} (${l.op})\n${whole(l.cycles)} cycles, ${kit.bytes(l.read + l.write)}\n${trim(l.macs / l.cycles)} per cycle` }));
    dots.push({x: p.macs_on_device / (p.dram.read + p.dram.write), y: p.macs_on_device / p.cycles, size: 8, color: '#d55e00', tip: `the whole network\n${trim(p.macs_on_device / p.cycles)} per cycle` });
    const rows = p.layers.map((l) => ({name: l.name, ideal: l.ideal, after: l.ideal > 0 ? percent(l.ideal / l.cycles) : '-',
      parts: kit.ordered(l.gemm).map(([kind, cycles]) => [kind, cycles, `${l.name} (${l.op})\narray ${kind}: ${whole(cycles)} of ${whole(l.cycles)} cycles\nideal ${whole(l.ideal)}\n${kit.bytes(l.read + l.write)} of DRAM`])}));
    const kinds = kit.kReasons.map(([name]) => name).filter((name) => rows.some((r) => r.parts.some((part) => part[0] === name)));
    const energy = el('table', {id: 'energy'}, el('tbody', {}, [['array', 'array'], ['vector', 'vector lanes'], ['sram', 'buffers'], ['dram', 'DRAM']].map(([key, text]) =>
      el('tr', {}, el('td', {}, text), el('td', {class: 'number'}, `${short(p.energy[key])} µJ`), el('td', {class: 'number'}, percent(p.energy[key] / p.energy.total))))));
    const traffic = el('table', {id: 'traffic'}, el('tbody', {}, Object.entries(p.traffic).map(([name, t]) =>
      el('tr', {}, el('td', {}, `window ${name}`), el('td', {class: 'number'}, `${kit.bytes(t.read)} read`), el('td', {class: 'number'}, `${kit.bytes(t.write)} written`)))));
    const lost = p.lost.length ? [section('lost', 'Lost to the compiler', 'What the compiler does on other variants, but not on this one. A gap between this point and others may be the compiler’s, not the machine’s.',
      kit.table([{name: 'layer', value: (l) => l.node}, {name: 'what, and why', wrap: true, value: (l) => l.what}], p.lost).root)] : [];
    return [
      el('p', {}, `Chosen: ${v.name} on ${data.networks[p.network].name}. Click another point in the plot or a row of the table.`),
      el('div', {class: 'pair'},
        section('roofline', 'Roofline', 'Each dot is a layer; the large one is the whole network. Layers overlap: one that began before its predecessor ended can lie above the roof.', kit.roofline(roof, dots)),
        section('budget', 'Traffic and energy', 'DRAM by window; energy by the table at the end of this page.', traffic, el('p', {}), energy)),
      section('layers', 'Cycles per layer', 'What the array does in the cycles of each layer, and at the right its utilisation. The upright line is the ideal: multiply-accumulates over multipliers. Layers overlap, so one can need less than its ideal.',
        kit.bars(rows, {unit: 'cycles', mark: (r) => r.ideal}), kit.legend(kinds)),
      ...lost,
    ];
  }

  const columns = [
    {name: 'variant', value: (p) => variant(p).name},
    {name: 'array', value: (p) => array(p).macs, text: (p) => array(p).text},
    {name: 'MHz (assumed)', number: true, value: (p) => variant(p).timing.clock_mhz},
    {name: 'B/cycle', number: true, value: (p) => variant(p).timing.dram_bytes_per_cycle},
    {name: 'latency', number: true, value: (p) => variant(p).timing.dram_latency},
    {name: 'cycles', number: true, value: (p) => p.cycles, text: (p) => whole(p.cycles)},
    {name: 'ms', number: true, value: (p) => p.ms, text: (p) => trim(p.ms)},
    {name: '1/s', number: true, value: (p) => p.fps, text: (p) => trim(p.fps)},
    {name: 'util.', number: true, value: (p) => p.utilisation, text: (p) => percent(p.utilisation)},
    {name: 'DRAM', number: true, value: (p) => p.dram.read + p.dram.write, text: (p) => kit.bytes(p.dram.read + p.dram.write)},
    {name: 'µJ', number: true, value: (p) => p.energy.total, text: (p) => short(p.energy.total)},
    {name: 'LUT', number: true, value: (p) => p.area.lut, text: (p) => short(p.area.lut)},
    {name: 'FF', number: true, value: (p) => p.area.ff, text: (p) => short(p.area.ff)},
    {name: 'DSP', number: true, value: (p) => p.area.dsp},
    {name: 'BRAM', number: true, value: (p) => p.area.bram, text: (p) => trim(p.area.bram)},
  ];
  if (built.some((p) => p.default_cycles)) columns.push({name: 'default', doc: 'Cycles with the default knobs; those on the left are with tuned ones', number: true, value: (p) => p.default_cycles || null, text: (p) => p.default_cycles ? whole(p.default_cycles) : ''});
  if (built.some((p) => p.lost.length)) columns.push({name: 'lost', doc: 'Fusions and results on chip that the compiler makes on other variants, but not on this one', number: true, value: (p) => p.lost.length});
  if (data.part) columns.push({name: data.part.name, value: (p) => p.share, text: (p) => p.fits ? `fits, ${percent(p.share)}` : `no: ${p.over}`, style: (p) => p.fits ? null : 'color:var(--bad)'});
  if (built.some((p) => p.rtl)) columns.push({name: 'RTL', number: true, value: (p) => p.rtl ? p.rtl.cycles : null, text: (p) => p.rtl ? `${whole(p.rtl.cycles)} (${percent(p.rtl.error)})` : ''});
  if (built.some((p) => !whole_on_device(p))) columns.push({name: 'on the CPU', wrap: true, value: (p) => p.macs - p.macs_on_device, text: (p) => p.on_cpu.filter((n) => n.macs > 0).map((n) => n.name).join(', ')});

  const places = {pareto: el('div', {id: 'pareto-plot'}), chosen: el('div', {id: 'chosen'}), table: el('div', {id: 'point-table'})};
  function draw() {
    places.pareto.replaceChildren(...pareto());
    places.chosen.replaceChildren(...chosen());
    places.table.replaceChildren(kit.table(columns, points(), {onclick: choose, classOf: (p) => p === state.chosen ? 'chosen' : ''}).root);
  }
  function choose(p) {
    state.chosen = p;
    draw();
  }
  function reset() {
    const rows = points().filter(eligible);
    state.chosen = (rows.length ? rows : points()).reduce((best, p) => !best || p.fps > best.fps ? p : best, null);
    draw();
  }
  function selector(key, options) {
    const node = el('select', {id: `choose-${key}`, onchange: () => {
      state[key] = key === 'network' ? Number(node.value) : node.value;
      if (key === 'network') reset(); else draw();
    }}, options.map(([value, text]) => el('option', {value}, text)));
    node.value = String(state[key]);
    return node;
  }
  const metricOptions = Object.entries(kMetrics).map(([key, m]) => [key, m.label]);

  const absent = data.points.filter((p) => p.status !== 'ok');
  main.append(
    el('h1', {}, data.title), el('p', {}, `${data.kit}; cycles by the ${data.engine} engine. ${data.command}`),
    kit.facts([[data.points.length, 'points'], [built.length, 'built and run'], [absent.filter((p) => p.status === 'unbuildable').length, 'not buildable'],
      [absent.filter((p) => p.status === 'failed').length, 'failed'], [data.networks.length, 'networks'], ...(data.part ? [[built.filter((p) => p.fits).length, `fit ${data.part.name}`]] : [])]),
    section('pareto', 'Which variant?', 'Every dot is a variant: hover for details, click to see it below; ×3 marks three that lie upon each other, which clicks go through. Tab and arrow keys walk along the points, Enter chooses. Hollow dots do not fit the part, or leave multiply-accumulates to the CPU; they are not on the front.',
      el('div', {class: 'controls'}, el('label', {}, 'network ', selector('network', data.networks.map((n, i) => [i, n.name]))), el('label', {}, 'across ', selector('x', metricOptions)), el('label', {}, 'up ', selector('y', metricOptions))), places.pareto),
    places.chosen,
    section('points', 'All points', 'Click a head to sort, a row to choose.', places.table));
  if (absent.length)
    main.append(section('absent', 'Points without a result', 'The reason is the compiler’s or the engine’s own.',
      kit.table([{name: 'variant', value: (p) => variant(p).name}, {name: 'network', value: (p) => data.networks[p.network].name},
        {name: 'status', value: (p) => p.status}, {name: 'reason', wrap: true, value: (p) => p.reason}], absent).root));
  main.append(section('models', 'Models behind the numbers', null,
    el('p', {}, data.area_model.text),
    data.area_model.errors.length === 0 ? el('p', {id: 'area-errors'}, 'How wrong it is is not known: one synthesis predicts no other.') : el('div', {class: 'scroll plain'}, el('table', {id: 'area-errors'}, el('thead', {}, el('tr', {}, ['synthesised point', 'resource', 'measured', 'predicted without it', 'error'].map((h, i) => el('th', {class: i > 1 ? 'number' : ''}, h)))),
      el('tbody', {}, data.area_model.errors.map((e) => el('tr', {}, el('td', {}, e.point), el('td', {}, e.resource), el('td', {class: 'number'}, whole(e.measured)), el('td', {class: 'number'}, whole(e.predicted)), el('td', {class: 'number'}, percent(e.error))))))),
    el('p', {}), el('p', {}, data.energy_model.scope),
    el('table', {id: 'energy-table'}, el('thead', {}, el('tr', {}, el('th', {}, 'operation'), el('th', {class: 'number'}, 'pJ'), el('th', {}, 'source'))),
      el('tbody', {}, data.energy_model.rows.map((r) => el('tr', {}, el('td', {}, r.operation), el('td', {class: 'number'}, String(r.picojoules)), el('td', {class: 'wrap'}, r.source)))))));
  reset();
});
