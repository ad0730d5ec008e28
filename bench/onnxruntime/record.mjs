// SPDX-License-Identifier: Apache-2.0
// Runs float ONNX models on ONNX Runtime, fed element i of n with i / n, and prints the first output on a line:
//   folder/name,count,elements at places that are spread evenly: all up to 128, else at most 127
// tests/tools/onnx_suite/float_networks_test.cpp compares with what this recorded. README.md in this folder says how to call it.
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';

const [modules, ...models] = process.argv.slice(2);
if (models.length === 0) {
  process.stderr.write('usage: node record.mjs NODE_MODULES NAME:DxDxD[,NAME:DxD,NAME:@INT64]=MODEL.onnx...\n');
  process.exit(1);
}
const ort = createRequire(join(modules, 'x.js'))('onnxruntime-node');

for (const entry of models) {
  const [described, path] = entry.split('=');
  const feeds = {};
  for (const input of described.split(',')) {
    const colon = input.lastIndexOf(':');  // names of TensorFlow's tensors have one, too
    const name = input.slice(0, colon), shape = input.slice(colon + 1);
    if (shape.startsWith('@')) {
      feeds[name] = new ort.Tensor('int64', [BigInt(shape.slice(1))], []);
      continue;
    }
    const dims = shape.split('x').map(Number);
    const count = dims.reduce((a, b) => a * b, 1);
    feeds[name] = new ort.Tensor('float32', Float32Array.from({ length: count }, (_, i) => i / count), dims);
  }
  const session = await ort.InferenceSession.create(path, { graphOptimizationLevel: 'disabled' });
  const result = await session.run(feeds);
  const values = Array.from(result[session.outputNames[0]].data);
  const step = Math.max(1, Math.ceil(values.length / 128));
  const some = values.filter((_, i) => i % step === 0).map((v) => v.toPrecision(9));
  console.log([basename(dirname(path)) + '/' + basename(path), values.length, ...some].join(','));
}
