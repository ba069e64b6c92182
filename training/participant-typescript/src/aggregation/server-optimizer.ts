import type { TensorInfo, TensorSink, TensorSource } from "../formats/tensor-set.ts";
import { IncompatibleParameters } from "../participant-failure.ts";
import type { AggregationMethod } from "./aggregation-method.ts";
import { type ElementRange, readFloats } from "./element-range.ts";
import { encodeFloats, type Floats, type FloatType, isFloatType } from "./float-codec.ts";

const STEP = "step";
const FIRST = "first/";
const SECOND = "second/";

/** Server optimizer state between rounds. `previous` is undefined before the first round. */
export interface ServerState {
  readonly previous?: TensorSource;
  readonly sink: TensorSink;
}

/** Turns a range of the mean change into a range of the new model and writes the new state. */
export type ServerStep = (range: ElementRange, values: Float64Array, base: Floats) => void;

/** Returns the tensors of a method's state, used to create the state file; undefined for stateless methods. */
export function stateTensors(
  method: AggregationMethod,
  tensors: ReadonlyMap<string, TensorInfo>,
): Map<string, TensorInfo> | undefined {
  if (method.name !== "fedavgm" && method.name !== "fedadam") return undefined;
  const state = new Map<string, TensorInfo>([[STEP, { dtype: "I64", shape: [1] }]]);
  for (const prefix of method.name === "fedavgm" ? [FIRST] : [FIRST, SECOND]) {
    for (const [name, { dtype, shape }] of tensors) {
      if (isFloatType(dtype)) state.set(prefix + name, { dtype: stateType(dtype), shape });
    }
  }
  return state;
}

/** Creates the step for server momentum (`v ← μ·v + Δ`, `x ← x + η·v`) or bias-corrected Adam on the mean change. */
export function serverStep(
  method: Extract<AggregationMethod, { name: "fedavgm" | "fedadam" }>,
  state: ServerState,
): ServerStep {
  const step = readStep(state.previous) + 1n;
  state.sink.write(STEP, new Uint8Array(BigInt64Array.of(step).buffer));
  const first = memory(state, FIRST);
  if (method.name === "fedavgm") {
    return (range, values, base) => {
      const velocity = first.read(range);
      for (let index = 0; index < values.length; index++) {
        const speed = method.momentum * (velocity[index] as number) + (values[index] as number);
        velocity[index] = speed;
        values[index] = (base[index] as number) + method.learningRate * speed;
      }
      first.write(range, velocity);
    };
  }
  const second = memory(state, SECOND);
  const firstCorrection = 1 - power(method.beta1, step);
  const secondCorrection = 1 - power(method.beta2, step);
  return (range, values, base) => {
    const means = first.read(range);
    const squares = second.read(range);
    for (let index = 0; index < values.length; index++) {
      const change = values[index] as number;
      const mean = method.beta1 * (means[index] as number) + (1 - method.beta1) * change;
      const square = method.beta2 * (squares[index] as number) + (1 - method.beta2) * (change * change);
      means[index] = mean;
      squares[index] = square;
      const rate = method.learningRate * (mean / firstCorrection);
      values[index] = (base[index] as number) + rate / (Math.sqrt(square / secondCorrection) + method.epsilon);
    }
    first.write(range, means);
    second.write(range, squares);
  };
}

interface Memory {
  read(range: ElementRange): Float64Array;
  write(range: ElementRange, values: Float64Array): void;
}

function memory({ previous, sink }: ServerState, prefix: string): Memory {
  let held = new Float64Array(0);
  return {
    read({ name, dtype, from, to }) {
      if (held.length < to - from) held = new Float64Array(to - from);
      const values = held.subarray(0, to - from);
      if (previous === undefined) values.fill(0);
      else values.set(readFloats(previous, { name: prefix + name, dtype: stateType(dtype), from, to }));
      return values;
    },
    write({ name, dtype }, values) {
      const bytes = encodeFloats(values, stateType(dtype));
      if (bytes === undefined) throw new IncompatibleParameters("The server's state is no longer finite");
      sink.write(prefix + name, bytes);
    },
  };
}

function stateType(dtype: FloatType): "F64" | "F32" {
  return dtype === "F64" ? "F64" : "F32";
}

function readStep(previous: TensorSource | undefined): bigint {
  if (previous === undefined) return 0n;
  const bytes = previous.read(STEP, 0, 1);
  return new DataView(bytes.buffer, bytes.byteOffset, 8).getBigInt64(0, true);
}

/** Uses repeated multiplication, which rounds the same way in every language. */
function power(base: number, exponent: bigint): number {
  let result = 1;
  for (let count = 0n; count < exponent && result > 0; count++) result *= base;
  return result;
}
