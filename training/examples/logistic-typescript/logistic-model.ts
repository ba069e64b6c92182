import { type Bytes, readTensors, writeTensors } from "@tollgate/sdk/training";

/** The weights of the features, then the intercept. */
type Model = Float64Array;

export interface Example {
  readonly features: readonly number[];
  readonly label: 0 | 1;
}

/** Parses parameters. Null means an untrained model. */
export function load(parameters: Bytes | null, features: number): Model {
  if (parameters === null) return new Float64Array(features + 1);
  const data = readTensors(parameters).get("model")?.data ?? new Uint8Array();
  return Float64Array.from(new Float32Array(Uint8Array.from(data).buffer));
}

export function save(model: Model): Bytes {
  const data = new Uint8Array(Float32Array.from(model).buffer);
  return writeTensors(new Map([["model", { dtype: "F32", shape: [model.length], data }]]), "safetensors");
}

/** Performs gradient descent on all examples together. */
export function fit(start: Model, examples: readonly Example[], steps: number, rate: number): Model {
  let model = start;
  for (let step = 0; step < steps; step++) {
    const slope = new Float64Array(model.length);
    for (const { features, label } of examples) {
      const error = predict(model, features) - label;
      for (const [index, value] of [...features, 1].entries()) slope[index] = (slope[index] ?? 0) + error * value;
    }
    model = model.map((weight, index) => weight - (rate * (slope[index] ?? 0)) / examples.length);
  }
  return model;
}

export function accuracyOf(model: Model, examples: readonly Example[]): number {
  const right = examples.filter(({ features, label }) => predict(model, features) >= 0.5 === (label === 1));
  return right.length / examples.length;
}

export function lossOf(model: Model, examples: readonly Example[]): number {
  const losses = examples.map(({ features, label }) => {
    const chance = predict(model, features);
    return -Math.log(Math.max(1e-12, label === 1 ? chance : 1 - chance));
  });
  return losses.reduce((sum, loss) => sum + loss, 0) / examples.length;
}

function predict(model: Model, features: readonly number[]): number {
  const score = features.reduce((sum, value, index) => sum + value * (model[index] ?? 0), model.at(-1) ?? 0);
  return 1 / (1 + Math.exp(-score));
}
