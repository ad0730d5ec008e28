// SPDX-License-Identifier: Apache-2.0
// Times the convolutions of a network, one by one, on this kit's CPU code and on ONNX Runtime: one thread each,
// in turn, the fastest runs. Of this kit the layer's own function; of ONNX Runtime, which tells no layer's time here,
// the difference of processor times between models with the layer and without (bench/compiler/onnx_layers.cpp).
// Float layers are run alone too, beside oneDNN and OpenBLAS where the build found them (bench/compiler/cpu_bench.cpp);
// the ratio is then that to the best of all. With --trials each layer of this kit has the knobs that so many trials of
// vdla tune find. Above 1 this kit is faster. README.md in this folder says how to call it.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';

const { values: { form, network, rounds, trials }, positionals: [modules, bin, ...others] } = parseArgs({
  allowPositionals: true,
  options: { form: { type: 'string', default: 'int8' }, network: { type: 'string', default: 'resnet18' },
             rounds: { type: 'string', default: '5' }, trials: { type: 'string', default: '0' } } });
if (bin === undefined || others.length > 0) {
  process.stderr.write('usage: node layers.mjs NODE_MODULES BUILD/bin [--form int8|float] [--network resnet18|mobilenet_v2] [--rounds N] [--trials N]\n');
  process.exit(1);
}
const ort = createRequire(join(modules, 'x.js'))('onnxruntime-node');
const now = () => Number(process.hrtime.bigint()) / 1e6;

async function session_of(path, shape) {
  const dims = [1, ...shape.split('x').map(Number)];
  const data = Float32Array.from({ length: dims.reduce((a, b) => a * b, 1) }, (_, i) => Math.sin(i));
  const session = await ort.InferenceSession.create(path, {
    graphOptimizationLevel: 'all', intraOpNumThreads: 1, interOpNumThreads: 1, executionMode: 'sequential', logSeverityLevel: 3 });
  return { session, feed: { [session.inputNames[0]]: new ort.Tensor('float32', data, dims) } };
}

/** Milliseconds on a processor of the fastest run. */
async function on_onnxruntime({ session, feed }, budget) {
  let best = Infinity;
  for (const start = now(); now() - start < budget;) {
    const begin = process.cpuUsage();
    await session.run(feed);
    const used = process.cpuUsage(begin);
    best = Math.min(best, (used.user + used.system) / 1e3);
  }
  return best;
}

const folder = mkdtempSync(join(tmpdir(), 'vdla_layers_'));
const listed = execFileSync(join(bin, 'bench_compiler_onnx_layers'), [folder, form, network], { encoding: 'utf8' });
const models = listed.trim().split('\n').map((line) => line.split(','));
/** Fastest runs of this kit's template and of the libraries that the build found, in microseconds, on packed data. */
function libraries(layer) {
  const out = execFileSync(join(bin, 'bench_compiler_cpu'), ['--json', '--only', layer, '--seconds', '1'],
                           { encoding: 'utf8', env: { ...process.env, OMP_NUM_THREADS: '1' } });
  const { ours, ...others } = JSON.parse(out).us;
  return { ours, others };
}

const minimum = (into, from) => { for (const k in from) into[k] = Math.min(into[k] ?? Infinity, from[k]); };
const names = form === 'float' && network === 'resnet18' ? Object.keys(libraries('conv5').others) : [];
console.log(['layer', 'this kit us', 'ONNX Runtime us', ...(names.length > 0 ? ['this kit alone us', ...names.map((n) => `${n} us`)] : []), 'ratio'].join(', '));
let product = 1;
for (let i = 0; i < models.length; i += 2) {
  const pair = [models[i], models[i + 1]];
  const sessions = [], theirs = [Infinity, Infinity];
  const alone = { ours: Infinity }, others = {};
  let ours = Infinity;
  const name = basename(pair[1][0], '.onnx');
  const book = [];
  if (Number(trials) > 0) {
    book.push('--book', join(folder, `${name}.json`));
    execFileSync(join(bin, 'vdla'), ['tune', pair[1][0], '--target', 'cpu', '--trials', trials, ...book], { stdio: 'ignore' });
  }
  for (const [path, shape] of pair) sessions.push(await session_of(path, shape));
  for (let round = 0; round < Number(rounds); ++round) {
    const row = JSON.parse(execFileSync(join(bin, 'bench_compiler_network'),
      ['--json', '--layers', '--seconds', '0.3', '--threads', '1', '--no-fusion-too', ...book, pair[1][0]]));
    ours = Math.min(ours, row.layers.find(({ name }) => name.startsWith('layer ')).us);
    if (names.length > 0) {
      const now = libraries(name);
      minimum(alone, { ours: now.ours });
      minimum(others, now.others);
    }
    for (const m of [0, 1]) theirs[m] = Math.min(theirs[m], await on_onnxruntime(sessions[m], 300));
  }
  for (const { session } of sessions) await session.release();
  const their = 1e3 * (theirs[1] - theirs[0]);
  const ratio = Math.min(their / ours, ...names.map((n) => others[n] / alone.ours));
  product *= ratio;
  const row = [ours, their, ...(names.length > 0 ? [alone.ours, ...names.map((n) => others[n])] : [])];
  console.log([name, ...row.map((us) => us.toFixed(1)), ratio.toFixed(3)].join(', '));
}
console.log(`geometric mean, , , ${(product ** (2 / models.length)).toFixed(3)}`);
rmSync(folder, { recursive: true });
