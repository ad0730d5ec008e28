// SPDX-License-Identifier: Apache-2.0
// Times float ONNX models on this kit's CPU code (bench_compiler_network) and on ONNX Runtime, in turn, and prints
// milliseconds and ratios; above 1 this kit is faster. A model may have a knob book, which vdla tune made. README.md in
// this folder says how to call it.
import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';

const [modules, bench, ...models] = process.argv.slice(2);
if (models.length === 0) {
  process.stderr.write('usage: node time.mjs NODE_MODULES BENCH_COMPILER_NETWORK NAME:DxDxD=MODEL.onnx[,BOOK.json]...\n');
  process.exit(1);
}
const ort = createRequire(join(modules, 'x.js'))('onnxruntime-node');
const now = () => Number(process.hrtime.bigint()) / 1e6;

/** Milliseconds of the fastest of the runs in `budget` milliseconds, and of creating the session. */
async function on_onnxruntime(path, input, dims, threads, budget) {
  const count = dims.reduce((a, b) => a * b, 1);
  const feed = { [input]: new ort.Tensor('float32', Float32Array.from({ length: count }, (_, i) => i / count), dims) };
  const begin = now();
  const session = await ort.InferenceSession.create(path, {
    graphOptimizationLevel: 'all', intraOpNumThreads: threads, interOpNumThreads: 1, executionMode: 'sequential' });
  const created = now() - begin;
  let best = Infinity;
  for (const start = now(); now() - start < budget;) {
    const t = now();
    await session.run(feed);
    best = Math.min(best, now() - t);
  }
  await session.release();
  return { best, created };
}

console.log('model, threads, this kit ms, ONNX Runtime ms, ratio, compile s, session creation s, oneDNN layers alone ms');
for (const entry of models) {
  const [described, files] = entry.split('=');
  const [path, book] = files.split(',');
  const [input, shape] = described.split(':');
  const dims = shape.split('x').map(Number);
  const ours = { 1: Infinity, 2: Infinity }, theirs = { 1: Infinity, 2: Infinity };
  let compiled = Infinity, created = Infinity, layers = Infinity;
  for (let round = 0; round < 3; ++round) {
    const row = JSON.parse(execFileSync(bench, ['--json', '--seconds', '1', '--no-fusion-too', ...(book ? ['--book', book] : []), path],
                                        { env: { ...process.env, OMP_NUM_THREADS: '1' } }));
    compiled = Math.min(compiled, row.compile_seconds);
    layers = Math.min(layers, row.onednn_layers ?? Infinity);
    for (const threads of [1, 2]) {
      ours[threads] = Math.min(ours[threads], row[`threads_${threads}`]);
      const t = await on_onnxruntime(path, input, dims, threads, 1000);
      theirs[threads] = Math.min(theirs[threads], t.best);
      created = Math.min(created, t.created / 1e3);
    }
  }
  for (const threads of [1, 2])
    console.log([basename(path), threads, ours[threads].toFixed(3), theirs[threads].toFixed(3),
                 (theirs[threads] / ours[threads]).toFixed(3), compiled.toFixed(2), created.toFixed(2),
                 threads === 1 ? layers.toFixed(3) : ''].join(', '));
}
