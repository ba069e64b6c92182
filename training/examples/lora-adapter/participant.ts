// A participant that trains an adapter as large as LoRA of rank 16 on two projections of a 7B model. The language model
// itself is left out. Instead, training moves the adapter toward values that only this participant has.
import {
  type Bytes,
  fedAvgAggregate,
  Participant,
  readTensors,
  type Tensor,
  writeTensors,
} from "@tollgate/sdk/training";

const [LAYERS, RANK, WIDTH] = [32, 16, 4096];
const ownIndex = Number(process.env.PARTICIPANT_INDEX ?? 0);

// As JSON, this adapter has 22 MB, so with this limit it can be sent only in frames.
const participant = new Participant({ limits: { maxJsonBytes: 1024 * 1024 } });

participant.registerTrain((parameters) => {
  const adapter = new Map<string, Tensor>();
  for (const [name, { dtype, shape, data }] of parameters === null ? emptyAdapter() : readTensors(parameters)) {
    const values = new Float16Array(Uint8Array.from(data).buffer);
    for (let index = 0; index < values.length; index++) {
      values[index] = ((values[index] ?? 0) + ownValue(index)) / 2;
    }
    adapter.set(name, { dtype, shape, data: new Uint8Array(values.buffer) });
  }
  return { parameters: writeTensors(adapter, "safetensors"), numExamples: 100, metrics: { peak_mb: peakMegabytes() } };
});
participant.registerEvaluate((parameters) => {
  const loss = lossOf(parameters ?? new Uint8Array());
  return { accuracy: -loss, numExamples: 100, metrics: { loss, peak_mb: peakMegabytes() } };
});
participant.registerAggregate(fedAvgAggregate());

await participant.run();

/** Returns the values that training moves toward: numbers between -1 and 1, different for each participant. */
function ownValue(index: number): number {
  return (((index * 31 + ownIndex * 500) % 1000) - 500) / 500;
}

/** Returns the mean squared distance to the participant's own values. */
function lossOf(parameters: Bytes): number {
  let [sum, count] = [0, 0];
  for (const { data } of readTensors(parameters).values()) {
    const values = new Float16Array(Uint8Array.from(data).buffer);
    for (let index = 0; index < values.length; index++) sum += ((values[index] ?? 0) - ownValue(index)) ** 2;
    count += values.length;
  }
  return sum / count;
}

/** Returns 8.4 million 16-bit zeros, 17 MB in total. */
function* emptyAdapter(): Generator<[string, Tensor]> {
  for (let layer = 0; layer < LAYERS; layer++) {
    for (const projection of ["q_proj", "v_proj"]) {
      for (const [part, shape] of [["lora_A", [RANK, WIDTH]] as const, ["lora_B", [WIDTH, RANK]] as const]) {
        const data = new Uint8Array(RANK * WIDTH * 2);
        yield [`layers.${layer}.self_attn.${projection}.${part}.weight`, { dtype: "F16", shape, data }];
      }
    }
  }
}

function peakMegabytes(): number {
  return Math.round(process.resourceUsage().maxRSS / 1024);
}
