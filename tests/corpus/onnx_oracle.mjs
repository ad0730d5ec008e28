// SPDX-License-Identifier: Apache-2.0
// Runs one ONNX model on ONNX Runtime, at a level of optimisation, for run.py. Prints the names of its inputs as a line
// of JSON, reads a line with {type, shape, file} for each, writes each output beside, and prints the same of the
// outputs, with their names.
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const [modules, level, model, folder] = process.argv.slice(2);
const ort = createRequire(join(modules, 'x.js'))('onnxruntime-node');
const arrays = {
  float32: Float32Array, float64: Float64Array, int8: Int8Array, uint8: Uint8Array, int16: Int16Array,
  uint16: Uint16Array, int32: Int32Array, uint32: Uint32Array, int64: BigInt64Array, uint64: BigUint64Array,
  bool: Uint8Array, float16: Uint16Array,
};

const session = await ort.InferenceSession.create(model, { graphOptimizationLevel: level, logSeverityLevel: 3 });
console.log(JSON.stringify(session.inputNames));
for await (const line of createInterface({ input: process.stdin })) {
  const feeds = {};
  JSON.parse(line).forEach(({ type, shape, file }, i) => {
    const bytes = new Uint8Array(readFileSync(join(folder, file)));  // a copy: aligned for each type
    const data = new arrays[type](bytes.buffer, 0, shape.reduce((a, b) => a * b, 1));
    feeds[session.inputNames[i]] = new ort.Tensor(type, data, shape);
  });
  const results = await session.run(feeds);
  console.log(JSON.stringify(session.outputNames.map((name, i) => {
    const { type, dims, data } = results[name], file = `output${i}`;
    writeFileSync(join(folder, file), new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
    return { name, type, shape: Array.from(dims, Number), file };
  })));
}
