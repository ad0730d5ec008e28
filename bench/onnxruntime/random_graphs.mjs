// SPDX-License-Identifier: Apache-2.0
// The answers of ONNX Runtime without its optimisations, for tests/compiler/import/random_graphs: reads models with
// inputs from standard input and writes their outputs to standard output. All numbers are little-endian, 32 bits wide:
//   question: bytes that follow, bytes of the model, model, count of inputs, inputs
//   answer:   bytes that follow, 1 and count of outputs, outputs; or 0 and a sentence
//   tensor:   bytes of the name, name, ONNX's code of the type, rank, extents, bytes of the elements, elements
// README.md in this folder says how to call it.
import { createRequire } from 'node:module';
import { readSync, writeSync } from 'node:fs';
import { join } from 'node:path';

const [modules] = process.argv.slice(2);
if (!modules) {
  process.stderr.write('usage: node random_graphs.mjs NODE_MODULES\n');
  process.exit(1);
}
const ort = createRequire(join(modules, 'x.js'))('onnxruntime-node');

const types = {
  1: ['float32', Float32Array], 2: ['uint8', Uint8Array], 3: ['int8', Int8Array], 4: ['uint16', Uint16Array],
  5: ['int16', Int16Array], 6: ['int32', Int32Array], 7: ['int64', BigInt64Array], 9: ['bool', Uint8Array],
  11: ['float64', Float64Array], 12: ['uint32', Uint32Array], 13: ['uint64', BigUint64Array],
};
const codes = Object.fromEntries(Object.entries(types).map(([code, [name]]) => [name, Number(code)]));

/** Exactly `count` bytes; null at the end. */
function read(count) {
  const bytes = Buffer.alloc(count);
  for (let at = 0; at < count;) {
    let n = 0;
    try {
      n = readSync(0, bytes, at, count - at);
    } catch (error) {
      if (error.code === 'EAGAIN') continue;
      throw error;
    }
    if (n === 0) return null;
    at += n;
  }
  return bytes;
}

function write(bytes) {
  for (let at = 0; at < bytes.length;) {
    try {
      at += writeSync(1, bytes, at, bytes.length - at);
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
    }
  }
}

function question(bytes) {
  let at = 0;
  const number = () => bytes.readUInt32LE((at += 4) - 4);
  const part = () => { const n = number(); return bytes.subarray((at += n) - n, at); };
  const model = part(), feeds = {};
  for (let left = number(); left > 0; --left) {
    const name = part().toString(), [type, array] = types[number()], dims = [];
    for (let rank = number(); rank > 0; --rank) dims.push(number());
    const data = part(), copy = new Uint8Array(data).buffer;
    feeds[name] = new ort.Tensor(type, new array(copy), dims);
  }
  return { model, feeds };
}

const word = (value) => { const b = Buffer.alloc(4); b.writeUInt32LE(value); return b; };
const part = (bytes) => [word(bytes.length), bytes];

async function answer({ model, feeds }) {
  const session = await ort.InferenceSession.create(model, {
    graphOptimizationLevel: 'disabled', intraOpNumThreads: 1, interOpNumThreads: 1, executionMode: 'sequential', logSeverityLevel: 4 });
  try {
    const results = await session.run(feeds);
    const pieces = [word(1), word(session.outputNames.length)];
    for (const name of session.outputNames) {
      const { type, dims, data } = results[name];
      pieces.push(...part(Buffer.from(name)), word(codes[type]), word(dims.length), ...dims.map((d) => word(Number(d))),
                  ...part(Buffer.from(data.buffer, data.byteOffset, data.byteLength)));
    }
    return Buffer.concat(pieces);
  } finally {
    await session.release();
  }
}

for (let length = read(4); length !== null; length = read(4)) {
  const bytes = read(length.readUInt32LE());
  if (bytes === null) break;
  let said;
  try {
    said = await answer(question(bytes));
  } catch (error) {
    said = Buffer.concat([word(0), Buffer.from(String(error.message ?? error))]);
  }
  write(Buffer.concat(part(said)));
}
