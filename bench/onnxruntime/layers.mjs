// SPDX-License-Identifier: Apache-2.0
// Times the int8 convolutions of ResNet-18, one by one, on this kit's CPU code and on ONNX Runtime: one thread each,
// in turn, the fastest runs. Of this kit the layer's own function; of ONNX Runtime, which tells no layer's time here,
// the difference of processor times between models with the layer and without (bench/compiler/int8_layers.cpp).
// Above 1 this kit is faster. README.md in this folder says how to call it.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

const [modules, bin, rounds = '5'] = process.argv.slice(2);
if (bin === undefined) {
  process.stderr.write('usage: node layers.mjs NODE_MODULES BUILD/bin [ROUNDS]\n');
  process.exit(1);
}
const ort = createRequire(join(modules, 'x.js'))('onnxruntime-node');
const now = () => Number(process.hrtime.bigint()) / 1e6;

async function session_of(path, shape) {
  const dims = [1, ...shape.split('x').map(Number)];
  const data = Float32Array.from({ length: dims.reduce((a, b) => a * b, 1) }, (_, i) => Math.sin(i));
  const session = await ort.InferenceSession.create(path, {
    graphOptimizationLevel: 'all', intraOpNumThreads: 1, interOpNumThreads: 1, executionMode: 'sequential' });
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
const listed = execFileSync(join(bin, 'bench_compiler_int8_layers'), [folder], { encoding: 'utf8' });
const models = listed.trim().split('\n').map((line) => line.split(','));
console.log('layer, this kit us, ONNX Runtime us, ratio');
let product = 1;
for (let i = 0; i < models.length; i += 2) {
  const pair = [models[i], models[i + 1]];
  const sessions = [], theirs = [Infinity, Infinity];
  let ours = Infinity;
  for (const [path, shape] of pair) sessions.push(await session_of(path, shape));
  for (let round = 0; round < Number(rounds); ++round) {
    const row = JSON.parse(execFileSync(join(bin, 'bench_compiler_network'),
      ['--json', '--layers', '--seconds', '0.3', '--threads', '1', '--no-fusion-too', pair[1][0]]));
    ours = Math.min(ours, row.layers.find(({ name }) => name.startsWith('layer ')).us);
    for (const m of [0, 1]) theirs[m] = Math.min(theirs[m], await on_onnxruntime(sessions[m], 300));
  }
  for (const { session } of sessions) await session.release();
  const their = 1e3 * (theirs[1] - theirs[0]);
  const ratio = their / ours;
  product *= ratio;
  const name = basename(pair[1][0], '.onnx');
  console.log([name, ours.toFixed(1), their.toFixed(1), ratio.toFixed(3)].join(', '));
}
console.log(`geometric mean, , , ${(product ** (2 / models.length)).toFixed(3)}`);
rmSync(folder, { recursive: true });
