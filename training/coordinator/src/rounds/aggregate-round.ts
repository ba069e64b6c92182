import { aggregatePieces } from "@tollgate/participant/aggregation/aggregate-sources.ts";
import {
  type AggregationMethod,
  needsBase,
  trimmedPerSide,
} from "@tollgate/participant/aggregation/aggregation-method.ts";
import { inTurns } from "@tollgate/participant/aggregation/in-turns.ts";
import { measureUpdates } from "@tollgate/participant/aggregation/measure-updates.ts";
import { stateTensors } from "@tollgate/participant/aggregation/server-optimizer.ts";
import { type OpenTensors, openTensors } from "@tollgate/participant/formats/open-tensors.ts";
import type { TensorSource } from "@tollgate/participant/formats/tensor-set.ts";
import { type TensorWriter, writeTensorFile } from "@tollgate/participant/formats/write-tensors.ts";
import { ParticipantFailure } from "@tollgate/participant/participant-failure.ts";
import type { StoredBytes } from "@tollgate/participant/wire/stored-bytes.ts";
import type { TrainingClosedFact } from "../journal/journal-entry.ts";
import { formatMethod } from "../plan/read-aggregate-plan.ts";
import type { Member } from "../run-events.ts";
import { aggregateByParticipant } from "./aggregate-by-participant.ts";
import { haveSameTensors } from "./inspect-result.ts";
import { RoundFailure } from "./round-failure.ts";
import type { RoundWork } from "./round-work.ts";

const STATE_FORMAT = "safetensors";
/** If updates are farther apart than this multiple of their length, their directions hardly agree. */
const SKEW = 1.2;
const ROBUST = ["median", "trimmed_mean", "krum", "multi_krum"];

interface Aggregate {
  readonly parameters: StoredBytes;
  readonly format: string | null;
  readonly state: string | null;
  readonly by: string;
  readonly warnings: readonly string[];
}

/**
 * Aggregates the round's results. The parameters are durable before they are recorded. Throws RoundFailure on failure.
 */
export async function aggregateRound(work: RoundWork, closed: TrainingClosedFact): Promise<void> {
  const { plan, log, open } = work;
  const { round } = open.start;
  const startedAt = performance.now();
  const { parameters, format, state, by, warnings } =
    plan.aggregate.by === "coordinator"
      ? await aggregateHere(work, closed.members)
      : await aggregateThere(work, closed.members);
  const { sha256, byteLength } = parameters;
  const durationMs = Math.round(performance.now() - startedAt);
  const fact = { round, sha256, byteLength, by, durationMs, warnings };
  await log.record({ type: "aggregated", format, state, ...fact });
  log.emit({ type: "aggregated", method: formatMethod(plan.aggregate.method), ...fact });
}

async function aggregateThere(work: RoundWork, members: readonly Member[]): Promise<Aggregate> {
  const { by, parameters, format } = await aggregateByParticipant(work, members);
  return { by, parameters, format, state: null, warnings: warnAboutCap(members) };
}

async function aggregateHere({ plan, blobs, open, signal }: RoundWork, members: readonly Member[]): Promise<Aggregate> {
  const { base: baseHash, state: stateHash } = open.start;
  const { format } = plan.aggregate;
  const opened: OpenTensors[] = [];
  const read = (sha256: string, as = format) => {
    const source = openTensors(blobs.path(sha256), as === "opaque" ? "auto" : as);
    opened.push(source);
    return source;
  };
  const written: TensorWriter[] = [];
  try {
    const base = baseHash === null ? undefined : read(baseHash);
    const sources = members.map(({ participant }) => read(open.results.get(participant)?.sha256 as string));
    const [first] = sources as [OpenTensors];
    // A delta method has no base in the first round, so that round uses the plain mean.
    const isFirst = base === undefined && needsBase(plan.aggregate.method);
    const method: AggregationMethod = isFirst ? { name: "fedavg" } : plan.aggregate.method;
    const write = (path: string, ...rest: [OpenTensors["tensors"], OpenTensors["format"]]) => {
      const writer = writeTensorFile(path, ...rest);
      written.push(writer);
      return writer;
    };
    const path = blobs.temporaryPath();
    const writer = write(path, first.tensors, (base ?? first).format);
    const remembered = stateTensors(method, first.tensors);
    const statePath = blobs.temporaryPath();
    const stateWriter = remembered && write(statePath, remembered, STATE_FORMAT);
    const before = stateHash === null || remembered === undefined ? undefined : read(stateHash, STATE_FORMAT);
    // A state that another method wrote can't be used by this method.
    const previous = before && remembered && haveSameTensors(before.tensors, remembered) ? before : undefined;
    const taken = members.map(({ weight }, index) => ({ source: sources[index] as TensorSource, weight }));
    const memory = stateWriter && { previous, sink: stateWriter };
    await inTurns(aggregatePieces(method, taken, writer, { base, state: memory }), signal);
    for (; written.length > 0; written.shift()) written[0]?.finish();
    const state = stateWriter === undefined ? null : (await blobs.addFile(statePath)).sha256;
    return {
      parameters: await blobs.addFile(path),
      format: (base ?? first).format,
      state,
      by: "coordinator",
      warnings: [...warnAboutCap(members), ...(await warnAboutMethod(method, base, sources, signal))],
    };
  } catch (error) {
    for (const writer of written) writer.abort();
    if (error instanceof ParticipantFailure) throw new RoundFailure("aggregate", error.message, error);
    throw error;
  } finally {
    for (const source of opened) source.close();
  }
}

function warnAboutCap(members: readonly Member[]): string[] {
  const capped = members.filter((member) => member.capped);
  const names = capped.map(({ participant }) => participant).join(", ");
  return capped.slice(0, 1).map(({ share }) => `Share capped at ${Number((share * 100).toFixed(1))} %: ${names}.`);
}

/** Warns if a round suggests that participants have dissimilar data, because robust methods assume similar data. */
async function warnAboutMethod(
  method: AggregationMethod,
  base: TensorSource | undefined,
  sources: readonly TensorSource[],
  signal: AbortSignal,
): Promise<string[]> {
  const warnings: string[] = [];
  if (method.name === "trimmed_mean" && trimmedPerSide(method.beta, sources.length) === 0) {
    warnings.push(`${formatMethod(method)} drops none of the ${sources.length} results and acts as a plain mean.`);
  }
  if (ROBUST.includes(method.name) && base !== undefined && sources.length > 2) {
    const { norms, distances } = await inTurns(measureUpdates(base, sources), signal);
    const apart = medianOf(distances.flatMap((row, index) => row.slice(index + 1)));
    if (apart > SKEW * medianOf(norms)) {
      warnings.push("Updates point in very different directions. The data may differ too much for a robust method.");
    }
  }
  return warnings;
}

function medianOf(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? 0;
}
