'use strict';
kit.start((data, main) => {
  const {el, svg, whole, percent, short, trim, hover, section} = kit;
  const g = data.variant.geometry, timing = data.variant.timing;
  const multipliers = g.batch * g.block_in * g.block_out;
  const ms = data.cycles / (1000 * timing.clock_mhz);
  const units = ['load', 'gemm', 'vector', 'store', 'fetch'];
  const dram = data.dram.read + data.dram.write;
  const bytesOf = (l) => l.dram.read + l.dram.write;

  // What was tried: changes of the variant, compiled and run anew. Without it there is no advice, only accounts.
  const advice = data.advice || null;
  const signed = (x) => `${x > 0 ? '+' : ''}${(100 * x).toFixed(1)} %`;
  const helpsOf = (name) => advice ? (advice.layers.find((l) => l.name === name) || {helps: []}).helps : [];
  const helpsText = (name) => helpsOf(name).slice(0, 2).map((h) => `${h.change} ${signed(h.gain)}`).join(', ');
  const boundOf = (l) => l && l.bound ? l.bound.by : '';
  const works = (l, resource) => l.bound && l.cycles ? l.bound.works[resource] / l.cycles : 0;

  // Every cycle above the ideal, told apart by layer and reason: waits of the array in the layer's cycles, and steps of
  // the layer's own work that no multiply-accumulate of the model asks for. They add up to cycles - ideal.
  function losses() {
    const items = [];
    for (const l of data.layers) {
      const padded = l.own_busy.gemm - (l.ideal_gemm_cycles || 0);
      if (padded >= 0.5) items.push({layer: l.name, op: l.op, reason: 'padding', cycles: padded, of: l});
      for (const [kind, cycles] of kit.ordered(l.units.gemm))
        if (kind !== 'busy') items.push({layer: l.name, op: l.op, reason: kind, cycles, of: l});
    }
    const rest = data.cycles - data.layers.reduce((sum, l) => sum + l.cycles, 0);
    if (rest > 0) items.push({layer: '(after the last layer)', op: '', reason: 'end', cycles: rest, of: null});
    return items.sort((a, b) => b.cycles - a.cycles);
  }
  function next() {
    const items = losses(), shown = [];
    let sum = 0;
    for (const item of items) {
      if (shown.length >= 5 && sum >= 0.1 * data.cycles || shown.length >= 12) break;
      sum += item.cycles;
      shown.push({...item, sum});
    }
    const loads = (item) => item.of ? kit.ordered(item.of.units.load).filter(([, c]) => c >= 0.02 * item.of.cycles).map(([kind, c]) => `${kind} ${percent(c / item.of.cycles)}`).join(', ') : '';
    const all = items.reduce((total, item) => total + item.cycles, 0);
    return [el('p', {}, `${whole(all)} of ${whole(data.cycles)} cycles (${percent(all / data.cycles)}) are above the ideal of one multiply-accumulate per multiplier and cycle. The largest parts:`),
      kit.table([
        {name: 'layer', value: (i) => i.layer}, {name: 'operator', value: (i) => i.op}, {name: 'the array', value: (i) => i.reason},
        {name: 'cycles', number: true, value: (i) => i.cycles, text: (i) => whole(i.cycles)},
        {name: 'of all', number: true, value: (i) => i.cycles, text: (i) => percent(i.cycles / data.cycles)},
        {name: 'with those above', number: true, value: (i) => i.sum, text: (i) => percent(i.sum / data.cycles)},
        {name: 'meanwhile load', value: loads, wrap: true}, {name: 'bound by', value: (i) => boundOf(i.of)},
        ...(advice ? [{name: 'confirmed to help this layer', value: (i) => i.of ? helpsText(i.layer) : '', wrap: true}] : [])], shown, {tall: true}).root];
  }

  function tried() {
    if (!advice)
      return [el('p', {id: 'no-advice'}, 'No change of the variant was tried for this record. “vdla report RECORD --model FILE” compiles and runs each change anew, and proposes what saved cycles.')];
    const good = advice.tried.filter((t) => t.proposed), gain = (t) => t.status === 'ok' ? t.gain : null;
    const resource = (key, text) => ({name: text, number: true, value: (t) => t.area ? t.area[key] : null, text: (t) => t.area ? (t.area[key] > 0 ? '+' : '') + short(t.area[key]) : ''});
    return [
      el('p', {}, `Each change was compiled and run anew by the SystemC engine. ${good.length ? `Proposed: what saves at least ${percent(advice.worthwhile)} of all cycles.` : `Nothing is proposed: no single change saves ${percent(advice.worthwhile)} of all cycles.`}`),
      kit.table([{name: 'change', value: (t) => t.change}, {name: 'cycles', number: true, value: (t) => t.cycles ?? null, text: (t) => t.status === 'ok' ? whole(t.cycles) : ''},
        {name: 'gain', number: true, value: gain, text: (t) => t.status !== 'ok' ? '' : Math.abs(t.gain) < 0.0005 ? 'no gain' : signed(t.gain)},
        {name: 'proposed', value: (t) => t.proposed ? 'yes' : ''}, resource('lut', 'LUT (model)'), resource('dsp', 'DSP'), resource('bram', 'BRAM'),
        {name: 'why not tried', wrap: true, value: (t) => t.reason || ''}], advice.tried, {tall: true, classOf: (t) => t.proposed ? 'chosen' : ''}).root];
  }

  function boundTable() {
    const rows = data.layers.filter((l) => l.bound);
    if (!rows.length) return [el('p', {}, 'This record was written by an older kit, which did not say what bounds a layer.')];
    const share = (resource) => ({name: `${resource} works`, number: true, value: (l) => works(l, resource), text: (l) => percent(works(l, resource))});
    const lost = (kind) => ({name: kind, number: true, value: (l) => l.bound.lost[kind] / l.cycles, text: (l) => l.cycles ? percent(l.bound.lost[kind] / l.cycles) : ''});
    return [kit.table([{name: 'layer', value: (l) => l.name}, {name: 'bound by', value: boundOf}, {name: 'cycles', number: true, value: (l) => l.cycles, text: (l) => whole(l.cycles)},
      share('array'), share('vector unit'), share('bus'), {name: 'the busiest loses to:', value: (l) => l.bound.busiest}, lost('start-up'), lost('latency'), lost('dependences'),
      ...(advice ? [{name: 'confirmed to help', wrap: true, value: (l) => helpsText(l.name)}] : [])], rows).root];
  }

  function roof() {
    const dots = data.layers.filter((l) => l.macs > 0).map((l) => ({x: l.macs / bytesOf(l), y: l.macs / l.cycles,
      tip: `${l.name} (${l.op})\n${whole(l.macs)} multiply-accumulates, ${kit.bytes(bytesOf(l))}\n${trim(l.macs / l.cycles)} per cycle\n${l.schedule}`}));
    dots.push({x: data.macs_on_device / dram, y: data.macs_on_device / data.cycles, size: 8, color: '#d55e00', tip: `the whole network\n${trim(data.macs_on_device / data.cycles)} per cycle`});
    return kit.roofline({peak: multipliers, slope: timing.dram_bytes_per_cycle}, dots);
  }

  function layerBars() {
    const rows = data.layers.map((l) => ({name: l.name, ideal: l.ideal_gemm_cycles || 0, after: l.ideal_gemm_cycles ? percent(l.ideal_gemm_cycles / l.cycles) : '-',
      parts: kit.ordered(l.units.gemm).map(([kind, cycles]) => [kind, cycles, `${l.name} (${l.op})\narray ${kind}: ${whole(cycles)} of ${whole(l.cycles)} cycles\nideal ${whole(l.ideal_gemm_cycles || 0)}\n${kit.bytes(bytesOf(l))} of DRAM\n${l.schedule}`])}));
    return [kit.bars(rows, {unit: 'cycles', mark: (r) => r.ideal}), kit.legend(present(data.layers.map((l) => l.units.gemm)))];
  }
  const present = (accounts) => kit.kReasons.map(([name]) => name).filter((name) => accounts.some((a) => kit.ordered(a).some(([kind]) => kind === name)));

  function accounts() {
    const rows = units.map((u) => {
      const sum = Object.values(data.units[u]).reduce((a, b) => a + b, 0);
      return {name: u, sum, after: `${whole(sum)} cycles`, parts: kit.ordered(data.units[u]).map(([kind, c]) => [kind, c, `${u}\n${kind}: ${whole(c)} cycles, ${percent(c / data.cycles)}`])};
    });
    const whole_run = rows.every((r) => r.sum === data.cycles);
    return [kit.bars(rows, {unit: 'cycles', name: 80}), kit.legend(present(units.map((u) => data.units[u]))),
      el('p', {id: 'adds-up', class: whole_run ? '' : 'bad'}, whole_run ? `Each unit’s account adds up to the ${whole(data.cycles)} cycles of the run.` : 'An account does not add up to the run: this record is damaged.')];
  }

  // Who waits for whom: a wait for several counts for each of them.
  function matrix() {
    const causes = ['load', 'gemm', 'vector', 'store'], others = ['memory', 'bank', 'queue', 'drain', 'setup', 'idle'];
    const waits = (u, cause) => Object.entries(data.units[u]).filter(([r]) => (r.startsWith('pop ') || r.startsWith('push ')) && r.slice(r.indexOf(' ') + 1).split(',').includes(cause)).reduce((sum, [, c]) => sum + c, 0);
    const kind = (u, name) => Object.entries(data.units[u]).filter(([r]) => r === name || r.startsWith(name + ' ')).reduce((sum, [, c]) => sum + c, 0);
    const cell = (cycles) => el('td', {class: 'heat', style: `background:rgba(213,94,0,${Math.min(0.75, cycles / data.cycles)})`}, cycles ? percent(cycles / data.cycles) : '');
    return el('table', {id: 'matrix'}, el('thead', {}, el('tr', {}, el('th', {}, 'unit'), el('th', {class: 'number'}, 'works'), causes.map((c) => el('th', {class: 'number'}, `waits for ${c}`)), others.map((c) => el('th', {class: 'number'}, c)))),
      el('tbody', {}, units.map((u) => el('tr', {}, el('td', {}, u), el('td', {class: 'number'}, percent((data.units[u].busy || 0) / data.cycles)), causes.map((c) => cell(waits(u, c))), others.map((c) => cell(kind(u, c)))))));
  }

  function timeline(run) {
    const width = kit.wide(), left = 80, right = width - 16, row = 24, top = 26, tracks = [...units, 'DRAM'];
    const height = top + tracks.length * row + 44, bins = run.read_bytes.length;
    const scale = kit.linear(0, run.cycles, left, right);
    const root = svg('svg', {viewBox: `0 0 ${width} ${height}`, role: 'img', class: 'timeline'});
    const origin = data.timeline.slice(0, data.timeline.indexOf(run)).reduce((sum, r) => sum + r.cycles, 0);
    data.layers.filter((l) => l.step === run.step).forEach((l, i) => {
      const a = scale.at(l.begin - origin), b = scale.at(l.begin - origin + l.cycles);
      root.append(svg('rect', {class: 'hit', x: a, y: 2, width: Math.max(0.5, b - a), height: 18, fill: i % 2 ? 'var(--even)' : 'var(--odd)', ...hover(`${l.name} (${l.op})\n${whole(l.cycles)} cycles from ${whole(l.begin)}\n${l.schedule}`)}));
      if (b - a > 46) root.append(svg('text', {x: (a + b) / 2, y: 15, 'text-anchor': 'middle', style: 'pointer-events:none;font-size:10px'}, kit.fit(l.name, b - a - 4, 10)));
    });
    tracks.forEach((track, t) => {
      const y = top + t * row;
      root.append(svg('text', {x: left - 8, y: y + 15, 'text-anchor': 'end'}, track), svg('rect', {x: left, y, width: right - left, height: row - 4, fill: 'var(--track)'}));
      for (let i = 0; i < bins; ++i) {
        const from = i * run.bin_cycles, until = Math.min(run.cycles, from + run.bin_cycles);
        const load = track === 'DRAM' ? (run.read_bytes[i] + run.write_bytes[i]) / timing.dram_bytes_per_cycle / (until - from) : run.busy[track][i] / (until - from);
        if (load <= 0) continue;
        root.append(svg('rect', {x: scale.at(from), y, width: Math.max(0.3, scale.at(until) - scale.at(from)), height: row - 4, fill: track === 'DRAM' ? '#d55e00' : '#0072b2', 'fill-opacity': Math.min(1, load),
          ...hover(() => `${track}, cycles ${whole(from)} to ${whole(until)}\n${track === 'DRAM' ? `${kit.bytes(run.read_bytes[i])} read, ${kit.bytes(run.write_bytes[i])} written: ${percent(load)} of the bus` : `works ${percent(load)}`}`)}));
      }
    });
    for (const t of scale.ticks) root.append(svg('text', {class: 'soft', x: scale.at(t), y: height - 24, 'text-anchor': 'middle'}, short(t)));
    root.append(svg('text', {class: 'label', x: (left + right) / 2, y: height - 5, 'text-anchor': 'middle'}, 'cycles'));
    return root;
  }

  function memory(step) {
    const touched = step.layers.filter((l) => l.read.act || l.write.act);
    const parts = [el('table', {class: 'windows'}, el('tbody', {}, Object.entries(step.windows).map(([name, size]) => {
      const t = data.traffic[name] || {read: 0, write: 0};
      return el('tr', {}, el('td', {}, `window ${name}`), el('td', {class: 'number'}, kit.bytes(size)), el('td', {class: 'number'}, `${kit.bytes(t.read)} read`), el('td', {class: 'number'}, `${kit.bytes(t.write)} written`));
    })))];
    if (touched.length) {
      const width = 590, height = 340, size = step.windows.act;
      const c = kit.chart(width, height, {low: 0, high: step.layers.length, label: 'layers, in order', format: trim}, {low: 0, high: size / 1024, label: 'KiB in window act', format: whole});
      step.layers.forEach((l, i) => {
        for (const [kind, color] of [['read', '#56b4e9'], ['write', '#e69f00']]) {
          const r = l[kind].act;
          if (!r) continue;
          const half = (c.x(i + 1) - c.x(i)) / 2;
          c.root.append(svg('rect', {class: 'hit', x: c.x(i) + (kind === 'write' ? half : 0), y: c.y(r[1] / 1024), width: half * 0.92, height: Math.max(1, c.y(r[0] / 1024) - c.y(r[1] / 1024)), fill: color, ...hover(`${l.name}\n${kind === 'read' ? 'reads' : 'writes'} ${kit.bytes(r[1] - r[0])}\nbytes ${whole(r[0])} to ${whole(r[1])}`)}));
        }
      });
      parts.push(c.root, kit.colorLegend([['#56b4e9', 'reads'], ['#e69f00', 'writes']]));
    }
    return parts;
  }

  function buffers() {
    const layers = data.memory.flatMap((s) => s.layers);
    const most = (name) => layers.reduce((best, l) => l.entries[name] > best[0] ? [l.entries[name], l.name] : best, [0, '']);
    return el('table', {id: 'buffers'}, el('thead', {}, el('tr', {}, ['buffer', 'size', 'entries', 'highest used', 'by', 'read', 'written'].map((h, i) => el('th', {class: i && i !== 4 ? 'number' : ''}, h)))),
      el('tbody', {}, Object.entries(data.buffers).map(([name, b]) => {
        const [used, by] = most(name), access = data.operations.sram[name];
        return el('tr', {}, el('td', {}, name), el('td', {class: 'number'}, kit.bytes(b.entries * b.entry_bytes)), el('td', {class: 'number'}, whole(b.entries)),
          el('td', {class: 'number'}, used ? `${whole(used)} (${percent(used / b.entries)})` : '-'), el('td', {}, by), el('td', {class: 'number'}, kit.bytes(access.read)), el('td', {class: 'number'}, kit.bytes(access.write)));
      })));
  }

  const layerTable = kit.table([
    {name: 'layer', value: (l) => l.name}, {name: 'operator', value: (l) => l.op},
    {name: 'cycles', number: true, value: (l) => l.cycles, text: (l) => whole(l.cycles)},
    {name: 'ideal', number: true, value: (l) => l.ideal_gemm_cycles || 0, text: (l) => whole(l.ideal_gemm_cycles || 0)},
    {name: 'util.', number: true, value: (l) => (l.ideal_gemm_cycles || 0) / l.cycles, text: (l) => l.ideal_gemm_cycles ? percent(l.ideal_gemm_cycles / l.cycles) : '-'},
    {name: 'MACs', number: true, value: (l) => l.macs || 0, text: (l) => short(l.macs || 0)},
    {name: 'DRAM read', number: true, value: (l) => l.dram.read, text: (l) => kit.bytes(l.dram.read)},
    {name: 'written', number: true, value: (l) => l.dram.write, text: (l) => kit.bytes(l.dram.write)},
    ...['load', 'gemm', 'vector', 'store'].map((u) => ({name: `${u} works`, number: true, value: (l) => l.own_busy[u], text: (l) => whole(l.own_busy[u])})),
    {name: 'schedule', wrap: true, value: (l) => l.schedule}], data.layers);

  // Why a layer is as it is: fusions and results on chip, and those that this shape of the machine did not let the compiler make.
  const reasons = data.layers.filter((l) => l.reason);
  const made = reasons.length ? [section('made', 'What the compiler made of each layer', 'Where its result goes, and which fusions or results on chip were lost to this variant, with the reason.',
    kit.table([{name: 'layer', value: (l) => l.name}, {name: 'what, and why', wrap: true, value: (l) => l.reason}], reasons).root)] : [];

  // What the device and a GPU compute beside each other, in cycles of the device at the clock that its variant assumes.
  function gpuRows() {
    const width = kit.wide(), left = 80, right = width - 16, beside = data.gpu.beside;
    const scale = kit.linear(0, beside.cycles, left, right);
    const root = svg('svg', {viewBox: `0 0 ${width} 104`, role: 'img', class: 'timeline', id: 'gpuRows'});
    const row = (name, y, parts, colors, text) => {
      root.append(svg('text', {x: left - 8, y: y + 15, 'text-anchor': 'end'}, name), svg('rect', {x: left, y, width: right - left, height: 24, fill: 'var(--track)'}));
      parts.forEach((p, i) => root.append(svg('rect', {class: 'hit', x: scale.at(p.begin), y, width: Math.max(0.3, scale.at(p.begin + p.cycles) - scale.at(p.begin) - 0.5), height: 24, fill: colors[i % 2],
        ...hover(`${text(p)}\n${whole(p.cycles)} cycles from ${whole(p.begin)}`)})));
    };
    row('device', 6, beside.device, ['#d55e00', '#e69f00'], (p) => `step ${p.step} of the device`);
    row('GPU', 36, data.gpu.layers, ['#0072b2', '#56b4e9'], (p) => `${p.name} (${p.op})\n${trim(p.seconds * 1e6)} µs by template ${p.template}`);
    for (const t of scale.ticks) root.append(svg('text', {class: 'soft', x: scale.at(t), y: 78, 'text-anchor': 'middle'}, short(t)));
    root.append(svg('text', {class: 'label', x: (left + right) / 2, y: 98, 'text-anchor': 'middle'}, kit.fit(`cycles of device and GPU together; the device waits ${whole(beside.device_waits)} of them for the GPU`, right - left)));
    return root;
  }
  const onGpu = data.gpu ? [section('gpu', 'On the GPU', `${data.gpu.device}: ${kit.bytes(data.gpu.bytes_to_gpu)} copied to it and ${kit.bytes(data.gpu.bytes_from_gpu)} back. Times by ${data.gpu.clock}, beside the cycles of the device.`, data.gpu.beside ? gpuRows() : null,
    kit.table([{name: 'layer', value: (l) => l.name}, {name: 'operator', value: (l) => l.op}, {name: 'template', value: (l) => l.template},
      {name: 'launches', number: true, value: (l) => l.launches, text: (l) => whole(l.launches)}, {name: 'MACs', number: true, value: (l) => l.macs, text: (l) => short(l.macs)},
      {name: 'µs', number: true, value: (l) => l.seconds || 0, text: (l) => l.seconds === undefined ? '-' : trim(l.seconds * 1e6)}, {name: 'knobs', wrap: true, value: (l) => l.knobs}], data.gpu.layers).root)] : [];

  const host = data.on_cpu.map((n) => `${n.name} (${n.op})`).join(', ');
  main.append(
    el('h1', {}, `${data.model} on ${data.variant.name}`),
    el('p', {}, `${data.producer}, ${data.engine} engine; array ${g.batch}x${g.block_in}x${g.block_out}, ${timing.dram_bytes_per_cycle} byte/cycle, latency ${timing.dram_latency}, an assumed ${timing.clock_mhz} MHz.`,
      host ? ` On the CPU, beside these cycles: ${host}.` : ''),
    kit.facts([[whole(data.cycles), 'cycles'], [`${trim(ms)} ms`, `at an assumed ${timing.clock_mhz} MHz`], [trim(1000 / ms), `per second, at an assumed ${timing.clock_mhz} MHz`], [percent(data.utilisation), 'utilisation of the array'],
      [kit.bytes(dram), 'DRAM traffic'], [percent(dram / timing.dram_bytes_per_cycle / data.cycles), 'of the DRAM bus'], [`${short(data.energy.total)} µJ`, 'energy (model)']]),
    section('next', 'Where the next 10 % are', null, next()),
    section('advice', 'What a change of the variant would bring', null, tried()),
    section('bounds', 'What bounds each layer', 'The resource that works in four of five cycles of the layer; where none does, what the busiest one loses most of the others to: fixed costs and start-up (nothing works), latency of DRAM, or dependences (another unit works, and this one has to wait for it).', boundTable()),
    el('div', {class: 'pair'}, section('roofline', 'Roofline', 'Each dot is a layer; the large one is the whole network. Layers overlap: one that began before its predecessor ended can lie above the roof.', roof()),
      section('memory', 'Memory map', 'DRAM windows, and what each layer reads and writes of the intermediate results.', data.memory.map(memory))),
    section('layers', 'Cycles per layer', 'What the array does in the cycles of each layer, and its utilisation. The upright line is the ideal. Cycles run from the previous layer’s last instruction to the layer’s own; layers overlap, so one can need less than its ideal.', layerBars()),
    section('timeline', 'Timeline', 'How busy each unit and the DRAM bus are: the darker, the busier. At the top the layers, by their last instruction.', data.timeline.map(timeline)),
    section('stalls', 'What each unit does', null, accounts()),
    section('waits', 'What stalls what', 'Share of the run in which a unit (row) waits. A wait for several units counts in each column.', el('div', {class: 'scroll plain'}, matrix())),
    section('sram', 'Buffers', 'The highest entry that load, store or vector touch, in the layer that reaches highest; bytes that the run moves.', el('div', {class: 'scroll plain'}, buffers())),
    section('table', 'All layers', 'Busy cycles are those of the layer’s own instructions. Click a head to sort.', layerTable.root),
    ...onGpu,
    ...made,
    section('models', 'Energy model', data.energy_model.scope,
      el('table', {id: 'energy'}, el('tbody', {}, [['array', 'array'], ['vector', 'vector lanes'], ['sram', 'buffers'], ['dram', 'DRAM']].map(([key, text]) =>
        el('tr', {}, el('td', {}, text), el('td', {class: 'number'}, `${short(data.energy[key])} µJ`), el('td', {class: 'number'}, percent(data.energy[key] / data.energy.total))))))));
});
