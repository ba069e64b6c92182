// A participant in a federated run. It trains on its own rows. Only parameters leave this process.
import { BadRequest, type Bytes, Participant, type Row } from "@tollgate/sdk/training";

const FEATURES = Object.entries({ price: 200, discount: 0.6, delivery_days: 9, visits: 12 }); // divisors that scale values to 0…1
const LABEL = "returned";
const EPOCHS = 5;
const RATE = 0.4;

const app = new Participant({ dataset: process.env.DATASET_PATH ?? "data.csv" });

/** This participant's share of the rows. Local participants read the same file. Elsewhere, use all rows. */
function myRows(dataset: Row[]): Row[] {
  const index = Number(process.env.PARTICIPANT_INDEX ?? 0);
  const count = Number(process.env.PARTICIPANT_COUNT ?? 1);
  const rows = dataset.filter((_, position) => position % count === index);
  if (rows.length < 2) throw new BadRequest(`${rows.length} rows are too few: one to learn from and one to judge by`);
  return rows;
}

/** Splits the rows into training and evaluation sets. Every fifth row is used for evaluation. */
const rowsToLearn = (dataset: Row[]) => myRows(dataset).filter((_, position) => position % 5 !== 0);
const rowsToJudge = (dataset: Row[]) => myRows(dataset).filter((_, position) => position % 5 === 0);

/** Parameters are 32-bit floats: the intercept, then one weight per feature. Null means an untrained model. */
function load(parameters: Bytes | null): number[] {
  if (parameters === null) return [0, ...FEATURES.map(() => 0)];
  const view = new DataView(parameters.buffer, parameters.byteOffset, parameters.byteLength);
  return Array.from({ length: 1 + FEATURES.length }, (_, index) => view.getFloat32(4 * index, true));
}

const store = (weights: number[]): Bytes => new Uint8Array(Float32Array.from(weights).buffer);
const inputs = (row: Row) => [1, ...FEATURES.map(([name, scale]) => Number(row[name]) / scale)];
const isReturned = (row: Row) => Number(row[LABEL]) === 1;

function predict(weights: number[], values: number[]): number {
  const score = values.reduce((sum, value, index) => sum + value * (weights[index] ?? 0), 0);
  return 1 / (1 + Math.exp(-score));
}

app.registerTrain((parameters, dataset, context) => {
  const examples = rowsToLearn(dataset).map((row) => ({ values: inputs(row), label: isReturned(row) ? 1 : 0 }));
  let weights = load(parameters);
  for (let epoch = 1; epoch <= EPOCHS; epoch += 1) {
    const errors = examples.map(({ values, label }) => predict(weights, values) - label);
    const slope = (index: number) =>
      examples.reduce((sum, { values }, row) => sum + (errors[row] ?? 0) * (values[index] ?? 0), 0) / examples.length;
    weights = weights.map((weight, index) => weight - RATE * slope(index));
    context.progress({ step: epoch, total: EPOCHS });
  }
  return { parameters: store(weights), numExamples: examples.length };
});

app.registerEvaluate((parameters, dataset) => {
  const weights = load(parameters);
  const rows = rowsToJudge(dataset);
  const chances = rows.map((row) => predict(weights, inputs(row)));
  // The probability that the model assigned to the actual label.
  const believed = rows.map((row, index) => (isReturned(row) ? (chances[index] ?? 0) : 1 - (chances[index] ?? 0)));
  const right = believed.filter((chance) => chance >= 0.5).length;
  const loss = believed.reduce((sum, chance) => sum - Math.log(Math.max(1e-12, chance)), 0);
  return { accuracy: right / rows.length, numExamples: rows.length, metrics: { loss: loss / rows.length } };
});

app.registerAggregate((parametersList) => {
  const models = parametersList.map(load);
  const mean = (index: number) => models.reduce((sum, model) => sum + (model[index] ?? 0), 0) / models.length;
  return store(load(null).map((_, index) => mean(index)));
});

await app.run();
