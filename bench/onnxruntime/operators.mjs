// SPDX-License-Identifier: Apache-2.0
// The quantised operators of an ONNX QDQ network one by one: each gets the inputs that it has in ONNX Runtime's run of
// the network, on ONNX Runtime and on this kit. README.md in this folder says how to call it.
import { createRequire } from 'node:module';
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const usage = 'usage: node operators.mjs NODE_MODULES BENCH_QDQ_OPERATORS MODEL.onnx [nchw:]SHAPE=FOLDER_OR_FILE [COUNT [ZERO SCALE]]\n' +
    '  nchw: samples of SHAPE are NHWC, the model takes NCHW';
const [modules, bench, model, given, count = '5', zero = '0', scale = '1'] = process.argv.slice(2);
if (!/^(nchw:)?[0-9]+(x[0-9]+)*=./.test(given ?? '')) {
  process.stderr.write(`operators.mjs: ${usage}\n`);
  process.exit(1);
}
const ort = createRequire(join(modules, 'x.js'))('onnxruntime-node');
const [, nchw, shapeText, source] = /^(nchw:)?([0-9x]+)=(.*)$/.exec(given);
const shape = shapeText.split('x').map(Number);
const size = shape.reduce((a, b) => a * b, 1);

/// int8 as (v - zero) * scale; without a zero they are uint8.
function floats(bytes) {
  const values = Number(zero) === 0 ? new Uint8Array(bytes) : new Int8Array(bytes);
  return Float32Array.from(values, (v) => (v - Number(zero)) * Number(scale));
}

/// Files of float32 or of bytes, or one of bytes one after the other.
function* samples() {
  const files = statSync(source).isDirectory() ? readdirSync(source).filter((f) => f.endsWith('.bin')).sort().map((f) => join(source, f)) : [source];
  for (const file of files) {
    const bytes = readFileSync(file);
    if (bytes.length === 4 * size) {
      yield new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
      continue;
    }
    for (let at = 0; at + size <= bytes.length; at += size) yield floats(bytes.subarray(at, at + size));
  }
}

/// What the model takes.
function tensorOf(sample) {
  if (!nchw) return new ort.Tensor('float32', sample, shape);
  const [n, h, w, c] = shape, moved = new Float32Array(size);
  for (let p = 0; p < h * w; ++p) for (let k = 0; k < c; ++k) moved[k * h * w + p] = sample[p * c + k];
  return new ort.Tensor('float32', moved, [n, c, h, w]);
}

const folder = mkdtempSync(join(tmpdir(), 'qdq_'));
process.stdout.write(execFileSync(bench, ['split', model, folder]));
const operators = JSON.parse(readFileSync(join(folder, 'operators.json')));
const all = await ort.InferenceSession.create(join(folder, 'all.onnx'));
const sessions = [];
for (const o of operators) sessions.push(await ort.InferenceSession.create(join(folder, o.file)));
const bytesOf = (a) => Buffer.from(a.buffer, a.byteOffset, a.byteLength);
let done = 0;
for (const sample of samples()) {
  if (done++ === Number(count)) break;
  const input = tensorOf(sample);
  const tensors = { [all.inputNames[0]]: input, ...(await all.run({ [all.inputNames[0]]: input })) };
  for (const [i, o] of operators.entries()) {
    const feeds = {};
    o.inputs.forEach((name, n) => {
      feeds[sessions[i].inputNames[n]] = tensors[name];
      appendFileSync(join(folder, `${o.file}.in${n}`), bytesOf(tensors[name].data));
    });
    const result = await sessions[i].run(feeds);
    appendFileSync(join(folder, `${o.file}.out`), bytesOf(result[sessions[i].outputNames[0]].data));
  }
}
try {
  process.stdout.write(execFileSync(bench, ['compare', folder]));
} catch (error) {
  process.stdout.write(error.stdout ?? '');
  process.exitCode = 1;
}
rmSync(folder, { recursive: true });
