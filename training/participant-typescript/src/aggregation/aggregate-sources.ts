import { quote } from "../formats/placed-tensors.ts";
import { elementCount, type TensorSink, type TensorSource } from "../formats/tensor-set.ts";
import { BadRequest, IncompatibleParameters } from "../participant-failure.ts";
import { type AggregationMethod, checkMethod } from "./aggregation-method.ts";
import { medianOf, trimmedMeanOf } from "./combine-columns.ts";
import { checkMemberPieces, checkSameTensors, notFinite } from "./compare-tensors.ts";
import { type ElementRange, floatStretches, readFloats, stretchElements, stretchScratch } from "./element-range.ts";
import { areFinite, encodeFloats, type Floats, isFloatType } from "./float-codec.ts";
import { atOnce, type Pieces } from "./in-turns.ts";
import { chooseByKrum } from "./krum.ts";
import { updateNormPieces } from "./measure-updates.ts";
import { type ServerState, type ServerStep, serverStep } from "./server-optimizer.ts";
import { type Combine, type Member, sumWeights, weightedMean, weightedMeanChange } from "./weighted-mean.ts";

const COPIED_ELEMENTS = 65_536;

interface AggregateOptions {
  /** Model that the round started from. Required by methods that work on changes. */
  readonly base?: TensorSource;
  /** State of `fedavgm` and `fedadam` between rounds. */
  readonly state?: ServerState;
}

/** Outcome of an aggregation, for the report. */
interface Aggregation {
  /** Indexes of the members that contributed: all members, or the members that Krum chose. */
  readonly chosen: readonly number[];
}

/**
 * Aggregates many parameter sets into one, piece by piece, so that memory use does not grow with model size. All
 * members must have the same tensors and only finite numbers. Otherwise, throws an IncompatibleParameters error that
 * names the member. Counters and flags come from the member with the largest weight.
 */
export function aggregateSources(
  method: AggregationMethod,
  members: readonly Member[],
  sink: TensorSink,
  options: AggregateOptions = {},
): Aggregation {
  return atOnce(aggregatePieces(method, members, sink, options));
}

/** Like `aggregateSources`, but as pausable work. */
export function* aggregatePieces(
  method: AggregationMethod,
  members: readonly Member[],
  sink: TensorSink,
  options: AggregateOptions = {},
): Pieces<Aggregation> {
  const impossible = checkMethod(method, members.length);
  if (impossible !== undefined) throw new BadRequest(`Cannot aggregate: ${impossible}`);
  sumWeights(members.map(({ weight }) => weight));
  const sources = members.map(({ source }) => source);
  const [{ tensors }] = sources as [TensorSource];
  for (const [index, source] of sources.entries()) checkSameTensors(tensors, source.tensors, index);
  if (options.base !== undefined) checkSameTensors(options.base.tensors, tensors);

  if (method.name === "krum") {
    const chosen = yield* chooseByKrum(sources, method.f, 1);
    for (const name of tensors.keys()) yield* copyTensor(sources[chosen[0] ?? 0] as TensorSource, name, sink);
    return { chosen };
  }
  const chosen = method.name === "multi_krum" ? yield* chooseByKrum(sources, method.f, method.m) : [...sources.keys()];
  const taking = chosen.map((index) => members[index] as Member);
  // Members that Krum chose count equally, so the first one counts as the member with the largest weight.
  const equal = taking.map(({ source }) => ({ source, weight: 1 }));
  const counted = method.name === "multi_krum" ? equal : taking;
  const combine = yield* combineBy(method, counted, options);
  yield* combinePieces(combine, counted, sink, options.base);
  return { chosen };
}

function* combineBy(method: AggregationMethod, members: readonly Member[], options: AggregateOptions): Pieces<Combine> {
  const sources = members.map(({ source }) => source);
  if (method.name === "median") return medianOf(sources);
  if (method.name === "trimmed_mean") return trimmedMeanOf(sources, method.beta);
  if (method.name === "norm_clip") return yield* clippedMean(members, requireBase(method, options), method.norm);
  if (method.name === "fedavgm" || method.name === "fedadam") {
    const { state } = options;
    if (state === undefined) throw new TypeError(`${method.name} requires a place to store its state`);
    return addToBase(members, requireBase(method, options), undefined, serverStep(method, state));
  }
  return weightedMean(members);
}

function requireBase(method: AggregationMethod, { base }: AggregateOptions): TensorSource {
  if (base === undefined) throw new BadRequest(`${method.name} requires the starting parameters of the round`);
  return base;
}

/** Clips each change to `norm`, then averages the changes. */
function* clippedMean(members: readonly Member[], base: TensorSource, norm: number): Pieces<Combine> {
  const scales: number[] = [];
  for (const [index, { source }] of members.entries()) {
    const length = yield* updateNormPieces(base, source);
    if (!Number.isFinite(length)) {
      yield* checkMemberPieces(base.tensors, source, index);
      throw new IncompatibleParameters(`Member ${index} changed too much to measure its norm`, {
        member: index,
      });
    }
    scales.push(length > norm ? norm / length : 1);
  }
  return addToBase(members, base, scales);
}

/** Adds the mean change, or the server optimizer's step from it, to the base. */
export function addToBase(
  members: readonly Member[],
  base: TensorSource,
  scales?: readonly number[],
  step: ServerStep = addBase,
): Combine {
  const change = weightedMeanChange(members, base, scales);
  const scratch = stretchScratch(base.tensors);
  return (range, result) => {
    change(range, result);
    // Check before the server optimizer stores the values in its state.
    if (!areFinite(result)) throw explainNotFinite(range, members, base);
    step(range, result, readFloats(base, range, scratch));
  };
}

function addBase(_: ElementRange, values: Float64Array, base: Floats): void {
  for (let index = 0; index < values.length; index++) {
    values[index] = (base[index] as number) + (values[index] as number);
  }
}

/**
 * Writes every tensor of the result: floats come from `combine`, and other types from the member with the largest
 * weight.
 */
export function writeCombined(
  combine: Combine,
  members: readonly Member[],
  sink: TensorSink,
  base?: TensorSource,
): void {
  atOnce(combinePieces(combine, members, sink, base));
}

function* combinePieces(
  combine: Combine,
  members: readonly Member[],
  sink: TensorSink,
  base?: TensorSource,
): Pieces<void> {
  const [heaviest] = members.toSorted((a, b) => b.weight - a.weight);
  if (heaviest === undefined) return;
  const elements = stretchElements(heaviest.source.tensors, members.length);
  const values = new Float64Array(elements);
  for (const [name, info] of heaviest.source.tensors) {
    if (!isFloatType(info.dtype)) {
      yield* copyTensor(heaviest.source, name, sink);
      continue;
    }
    for (const range of floatStretches(new Map([[name, info]]), elements)) {
      const result = values.subarray(0, range.to - range.from);
      combine(range, result);
      const bytes = encodeFloats(result, range.dtype);
      if (bytes === undefined) throw explainNotFinite(range, members, base);
      sink.write(name, bytes);
      yield;
    }
  }
}

/**
 * Returns the error for a non-finite result and names the member that caused it. Runs only after the result has failed
 * its check, because checking the result is cheaper than checking each member.
 */
function explainNotFinite(
  range: ElementRange,
  members: readonly Member[],
  base?: TensorSource,
): IncompatibleParameters {
  const index = members.findIndex(({ source }) => !areFinite(readFloats(source, range)));
  if (index >= 0) return notFinite(range.name, index);
  if (base !== undefined && !areFinite(readFloats(base, range))) return notFinite(range.name);
  return new IncompatibleParameters(`Tensor ${quote(range.name)}: the result is not finite`, {
    tensor: range.name,
  });
}

function* copyTensor(source: TensorSource, name: string, sink: TensorSink): Pieces<void> {
  const info = source.tensors.get(name);
  if (info === undefined) return;
  const count = elementCount(info.shape);
  for (let from = 0; from < count; from += COPIED_ELEMENTS) {
    sink.write(name, source.read(name, from, Math.min(from + COPIED_ELEMENTS, count)));
    yield;
  }
}
