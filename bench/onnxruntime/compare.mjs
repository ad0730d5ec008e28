// SPDX-License-Identifier: Apache-2.0
// Runs an ONNX model on ONNX Runtime over a batch of inputs and compares with what `vdla eval --output` wrote:
// how often the largest output is at the same index. README.md in this folder says how to call it.
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

function fail(message) {
  process.stderr.write(`compare.mjs: ${message}\n`);
  process.exit(1);
}

/// A .npy file of little-endian C order as {shape, values}.
function readNpy(path) {
  const file = readFileSync(path);
  if (file.toString('latin1', 1, 6) !== 'NUMPY') fail(`${path} is not a .npy file`);
  const start = file[6] === 1 ? 10 : 12;
  const length = file[6] === 1 ? file.readUInt16LE(8) : file.readUInt32LE(8);
  const header = file.toString('latin1', start, start + length);
  const type = /'descr': *'([^']+)'/.exec(header)[1];
  const shape = /'shape': *\(([^)]*)\)/.exec(header)[1].split(',').map((s) => s.trim()).filter(Boolean).map(Number);
  const bytes = file.subarray(start + length);
  const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  const arrays = { '|i1': Int8Array, '|u1': Uint8Array, '<f4': Float32Array, '<f8': Float64Array };
  if (!(type in arrays)) fail(`${path} has elements of type ${type}, needs ${Object.keys(arrays).join(', ')}`);
  return { shape, values: Float32Array.from(new arrays[type](buffer)) };
}

/// CIFAR-10's binary layout as NHWC pixels 0..255.
function readCifar(path) {
  const file = readFileSync(path);
  const count = file.length / 3073;
  const values = new Float32Array(count * 3072);
  for (let i = 0; i < count; ++i)
    for (let p = 0; p < 1024; ++p)
      for (let c = 0; c < 3; ++c) values[i * 3072 + p * 3 + c] = file[i * 3073 + 1 + c * 1024 + p];
  return { shape: [count, 32, 32, 3], values };
}

const argmax = (values) => values.reduce((best, v, i) => (v > values[best] ? i : best), 0);

const [modules, model, inputPath, oursPath] = process.argv.slice(2);
if (!oursPath) fail('usage: node compare.mjs NODE_MODULES MODEL.onnx INPUTS.(npy|bin) OUTPUTS.npy');
const ort = createRequire(join(modules, 'x.js'))('onnxruntime-node');

const inputs = inputPath.endsWith('.npy') ? readNpy(inputPath) : readCifar(inputPath);
const ours = readNpy(oursPath);
const session = await ort.InferenceSession.create(model, { graphOptimizationLevel: 'basic' });
const count = inputs.shape[0];
const size = inputs.values.length / count;
const classes = ours.values.length / count;
let agree = 0, largest = 0;
const begin = performance.now();
for (let i = 0; i < count; ++i) {
  const data = inputs.values.slice(i * size, (i + 1) * size);
  const tensor = new ort.Tensor('float32', data, [1, ...inputs.shape.slice(1)]);
  const result = await session.run({ [session.inputNames[0]]: tensor });
  const theirs = result[session.outputNames[0]].data;
  const mine = ours.values.subarray(i * classes, (i + 1) * classes);
  if (argmax(Array.from(theirs)) === argmax(Array.from(mine))) ++agree;
  theirs.forEach((v, k) => { largest = Math.max(largest, Math.abs(v - mine[k])); });
}
const seconds = (performance.now() - begin) / 1000;
console.log(JSON.stringify({ count, top1_agrees: agree, share: agree / count, largest_difference: largest, seconds }));
