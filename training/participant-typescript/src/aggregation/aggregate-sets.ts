import { collectSet, sourceOfSet } from "../formats/set-source.ts";
import type { TensorSet } from "../formats/tensor-set.ts";
import { BadRequest } from "../participant-failure.ts";
import { addToBase, aggregateSources, writeCombined } from "./aggregate-sources.ts";
import type { AggregationMethod } from "./aggregation-method.ts";
import { checkSameTensors } from "./compare-tensors.ts";
import type { Member } from "./weighted-mean.ts";

/** Returns the weighted mean of models, `Σ w·x / Σ w`. Without weights, all models count equally. */
export function fedAvg(list: readonly TensorSet[], weights?: readonly number[]): TensorSet {
  return aggregateSets({ name: "fedavg" }, list, weights);
}

/** Returns the base plus the weighted mean of each model's change. */
export function fedAvgDelta(base: TensorSet, list: readonly TensorSet[], weights?: readonly number[]): TensorSet {
  const members = membersOf(list, weights);
  for (const [index, { source }] of members.entries()) checkSameTensors(base, source.tensors, index);
  const { set, sink } = collectSet(base);
  const start = sourceOfSet(base);
  writeCombined(addToBase(members, start), members, sink, start);
  return set;
}

/** Returns the element-wise median. Tolerates wrong values from fewer than half of the members. */
export function median(list: readonly TensorSet[]): TensorSet {
  return aggregateSets({ name: "median" }, list);
}

/** Returns the element-wise mean without the `floor(beta · n)` lowest and highest values. */
export function trimmedMean(list: readonly TensorSet[], beta: number): TensorSet {
  return aggregateSets({ name: "trimmed_mean", beta }, list);
}

/** Returns the model nearest to its neighbors. Tolerates `f` malicious models among at least `2f + 3` models. */
export function krum(list: readonly TensorSet[], f: number): TensorSet {
  return aggregateSets({ name: "krum", f }, list);
}

/** Returns the mean of the `m` models nearest to their neighbors. */
export function multiKrum(list: readonly TensorSet[], f: number, m: number): TensorSet {
  return aggregateSets({ name: "multi_krum", f, m }, list);
}

function aggregateSets(method: AggregationMethod, list: readonly TensorSet[], weights?: readonly number[]): TensorSet {
  const members = membersOf(list, weights);
  const { set, sink } = collectSet(list[0] ?? new Map());
  aggregateSources(method, members, sink);
  return set;
}

function membersOf(list: readonly TensorSet[], weights?: readonly number[]): Member[] {
  if (list.length === 0) throw new BadRequest("No parameters to aggregate");
  if (weights !== undefined && weights.length !== list.length) {
    throw new BadRequest(
      `${list.length} parameter sets require ${list.length} weights, but there are ${weights.length}`,
    );
  }
  return list.map((set, index) => ({ source: sourceOfSet(set), weight: weights?.[index] ?? 1 }));
}
