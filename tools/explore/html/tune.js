'use strict';
kit.start((data, main) => {
  const {el, svg, whole, percent, short, trim, section} = kit;
  const fewer = (before, after) => before > 0 ? 1 - after / before : 0;

  // The best so far, and every trial that is not far above.
  const costs = data.trials.filter((t) => t.cycles !== null).map((t) => t.cycles);
  const low = Math.min(data.cycles, ...costs), top = data.default_cycles + (data.default_cycles - low || 1);
  const c = kit.chart(kit.wide(), 320, {low: 0, high: Math.max(1, data.trials.length), label: 'trials'}, {low: low - (top - low) * 0.05, high: top, label: 'thousand cycles of the network', format: (v) => trim(v / 1000)});
  for (const t of data.trials)
    if (t.cycles !== null && t.cycles <= top)
      c.root.append(svg('circle', {class: 'hit trial', cx: c.x(t.trial), cy: c.y(t.cycles), r: 3, fill: '#0072b2', 'fill-opacity': 0.6,
        ...kit.hover(`trial ${t.trial}: ${whole(t.cycles)} cycles\n${data.tasks[t.task].task}`)}));
  let line = `M${c.x(0)},${c.y(data.default_cycles)}`;
  for (const t of data.trials) line += `H${c.x(t.trial)}V${c.y(t.best)}`;
  c.root.append(svg('path', {fill: 'none', stroke: 'var(--ink)', 'stroke-width': 1.5, d: line}));
  const above = costs.filter((x) => x > top).length, without = data.trials.length - costs.length;

  const rows = data.layers.filter((l) => l.before !== null && l.after !== null);
  const layers = kit.table([
    {name: 'layer', value: (l) => l.name}, {name: 'operator', value: (l) => l.op},
    {name: 'by default', number: true, value: (l) => l.before, text: (l) => whole(l.before)},
    {name: 'tuned', number: true, value: (l) => l.after, text: (l) => whole(l.after)},
    {name: 'fewer', number: true, value: (l) => fewer(l.before, l.after), text: (l) => percent(fewer(l.before, l.after))},
    {name: 'schedule', wrap: true, value: (l) => l.schedule}], rows);
  const tasks = kit.table([
    {name: 'task', wrap: true, value: (t) => t.task}, {name: 'context', wrap: true, value: (t) => t.context},
    {name: 'layers', number: true, value: (t) => t.layers}, {name: 'points', number: true, doc: 'Combinations of values, legal or not', value: (t) => t.points, text: (t) => short(t.points)},
    {name: 'trials', number: true, value: (t) => t.trials}, {name: 'gained', number: true, doc: 'Cycles of the network', value: (t) => t.gain, text: (t) => whole(t.gain)},
    {name: 'what mattered', wrap: true, doc: 'Share of the variance of the costs that the value of a knob explains', value: (t) => t.mattered.length ? t.mattered[0].share : 0,
      text: (t) => t.mattered.slice(0, 3).map((m) => `${m.knob} ${percent(m.share)}`).join(', ')},
    {name: 'knobs', wrap: true, value: (t) => t.knobs || 'by default'}], data.tasks);

  main.append(
    el('h1', {}, 'A search for knobs'),
    el('p', {}, `${data.model} for ${data.target}; search ${data.search}${data.cost_model ? `, cost model ${data.cost_model}` : ''}, seed ${data.seed}; cycles of engine ${data.engine}`),
    kit.facts([[whole(data.default_cycles), 'cycles by default'], [whole(data.cycles), 'cycles tuned'], [percent(fewer(data.default_cycles, data.cycles)), 'fewer'], [whole(data.trials.length), 'trials'], [`${trim(data.seconds)} s`, 'of the clock']]),
    section('curve', 'Trials', `The line is the best network so far, each dot a trial: the network with one task’s knobs changed.${above ? ` ${above} trials lie above the picture.` : ''}${without ? ` ${without} have no cost; the log says why.` : ''}`, c.root),
    section('layers', 'Layers before and after', 'A layer’s cycles run from the previous layer’s last retire to its own: what one gains another can show. Click a head to sort.', layers.root),
    section('tasks', 'Tasks', 'Layers that compute the same in the same context share knobs.', tasks.root));
});
