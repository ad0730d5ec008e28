'use strict';
kit.start((data, main) => {
  const {el, whole, percent, short, trim, section} = kit;
  const sides = [['A', data.a], ['B', data.b]];
  const signed = (x, text) => (x > 0 ? '+' : '') + text(x);
  const array = (v) => `${v.geometry.batch}x${v.geometry.block_in}x${v.geometry.block_out}`;
  const dram = (s) => s.dram.read + s.dram.write;
  const cycles = (l) => l ? l.cycles : null;

  // What both sides are, with their totals.
  const totals = [
    ['model', (s) => s.model], ['variant', (s) => s.variant.name], ['array', (s) => array(s.variant)], ['engine', (s) => s.engine],
    ['cycles', (s) => s.cycles, whole], ['ms', (s) => s.ms, trim], ['per second', (s) => s.fps, trim], ['assumed MHz', (s) => s.variant.timing.clock_mhz, trim],
    ['utilisation of the array', (s) => s.utilisation, percent], ['DRAM bytes', dram, kit.bytes], ['energy (model), µJ', (s) => s.energy.total, short],
    ['bound by', (s) => s.bound ? s.bound.by : ''], ['multiply-accumulates on the CPU', (s) => s.macs - s.macs_on_device, whole],
  ];
  const difference = (of) => {
    const [a, b] = [of(data.a), of(data.b)];
    return a > 0 ? signed(b / a - 1, percent) : '';
  };
  const totalTable = el('table', {id: 'totals'}, el('thead', {}, el('tr', {}, el('th', {}, ''), sides.map(([name]) => el('th', {class: 'number'}, name)), el('th', {class: 'number'}, 'B against A'))),
    el('tbody', {}, totals.map(([name, of, text]) => el('tr', {}, el('td', {}, name), sides.map(([, s]) => el('td', {class: 'number'}, text ? text(of(s)) : String(of(s)))), el('td', {class: 'number'}, text ? difference(of) : '')))));

  const rows = data.layers.flatMap((l) => sides.map(([name, s]) => [name, s, name === 'A' ? l.a : l.b]).filter(([, , layer]) => layer).map(([name, , layer]) => ({
    name: `${kit.fit(l.name, 180)} ${name}`, after: whole(layer.cycles),
    parts: kit.ordered(layer.gemm).map(([kind, c]) => [kind, c, `${l.name} (${layer.op}), ${name}\narray ${kind}: ${whole(c)} of ${whole(layer.cycles)} cycles\n${layer.schedule}`])})));
  const kinds = kit.kReasons.map(([name]) => name).filter((name) => rows.some((r) => r.parts.some((part) => part[0] === name)));

  const text = (of, format) => (l) => of(l) === null || of(l) === undefined ? '-' : format(of(l));
  const pair = (name, of, format) => sides.map(([side]) => {
    const value = (l) => { const layer = side === 'A' ? l.a : l.b; return layer ? of(layer) : null; };
    return {name: `${name} ${side}`, number: true, value, text: text(value, format)};
  });
  const table = kit.table([
    {name: 'layer', value: (l) => l.name}, {name: 'operator', value: (l) => (l.a || l.b).op},
    ...pair('cycles', (l) => l.cycles, whole), {name: 'B - A', number: true, value: (l) => l.difference, text: (l) => signed(l.difference, whole)},
    {name: 'of A', number: true, value: (l) => l.a && l.a.cycles ? l.difference / l.a.cycles : null, text: (l) => l.a && l.a.cycles ? signed(l.difference / l.a.cycles, percent) : l.a ? '' : 'only in B'},
    ...pair('util.', (l) => l.utilisation, percent), ...pair('DRAM', (l) => l.dram, kit.bytes),
    {name: 'bound A', value: (l) => l.a ? l.a.bound : ''}, {name: 'bound B', value: (l) => l.b ? l.b.bound : 'only in A'},
    {name: 'schedule A', wrap: true, value: (l) => l.a ? l.a.schedule : ''}, {name: 'schedule B', wrap: true, value: (l) => l.b ? l.b.schedule : ''}], data.layers);

  main.append(
    el('h1', {}, 'Two runs side by side'),
    ...sides.map(([name, s]) => el('p', {}, `${name}: ${s.title}`)),
    kit.facts([[whole(data.total.a), 'cycles of A'], [whole(data.total.b), 'cycles of B'], [signed(data.total.difference, whole), 'B - A'], [signed(data.total.gain, percent), 'of A']]),
    section('total', 'Totals', null, el('div', {class: 'scroll plain'}, totalTable)),
    section('layers', 'Cycles per layer', 'What the array does in the cycles of each layer; the layers that differ most come first.', kit.bars(rows, {unit: 'cycles', name: 210}), kit.legend(kinds)),
    section('table', 'All layers', 'Differences add up to that of all cycles. A layer that only one side has is computed together with another one there. Click a head to sort.', table.root));
});
