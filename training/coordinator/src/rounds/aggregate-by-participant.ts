import { openTensors } from "@tollgate/participant/formats/open-tensors.ts";
import { IncompatibleParameters } from "@tollgate/participant/participant-failure.ts";
import type { StoredBytes } from "@tollgate/participant/wire/stored-bytes.ts";
import { CallFailure } from "../participants/call-failure.ts";
import type { Member } from "../run-events.ts";
import { inspectResult } from "./inspect-result.ts";
import { RoundFailure } from "./round-failure.ts";
import { describeFailures, type RoundWork, recordFailure, requireCallFailure } from "./round-work.ts";

/**
 * Calls aggregating participants in plan order until the required number has responded. Their results must be
 * identical. Throws RoundFailure if they differ or too few respond.
 */
export async function aggregateByParticipant(
  work: RoundWork,
  members: readonly Member[],
): Promise<{ by: string; parameters: StoredBytes; format: string | null }> {
  const { plan, blobs, open } = work;
  const aggregators = plan.participants.filter(({ roles }) => roles.includes("aggregate")).map(({ id }) => id);
  const isQuarantined = (id: string) => open.start.quarantined.includes(id);
  // Quarantined participants come last. Their failures may have been in other operations, so they aren't excluded.
  aggregators.sort((a, b) => Number(isQuarantined(a)) - Number(isQuarantined(b)));
  const agreed: { id: string; sha256: string; format: string | null }[] = [];
  for (const id of aggregators) {
    if (agreed.length === plan.aggregate.verify) break;
    const answer = await askOne(work, id, members);
    if (answer !== null) agreed.push({ id, ...answer });
  }
  const [first] = agreed;
  if (first === undefined || agreed.length < plan.aggregate.verify) {
    const why = describeFailures(work);
    throw new RoundFailure("aggregate", `${agreed.length} of ${plan.aggregate.verify} participants aggregated${why}`);
  }
  if (agreed.some(({ sha256 }) => sha256 !== first.sha256)) {
    const names = agreed.map(({ id }) => id).join(" and ");
    throw new RoundFailure("aggregate", `${names} aggregated the same results into different parameters`);
  }
  return {
    by: agreed.map(({ id }) => id).join(", "),
    parameters: await blobs.read(first.sha256),
    format: first.format,
  };
}

async function askOne(
  work: RoundWork,
  id: string,
  members: readonly Member[],
): Promise<{ sha256: string; format: string | null } | null> {
  const { plan, blobs, fleet, log, open, signal } = work;
  const { round } = open.start;
  try {
    const hashes = members.map(({ participant }) => open.results.get(participant)?.sha256 as string);
    const answer = await fleet.call(id, {
      operation: "aggregate",
      round,
      config: plan.config,
      parametersList: await Promise.all(hashes.map((sha256) => blobs.read(sha256))),
      // Without weights, an aggregator takes the plain mean.
      weights: plan.aggregate.weights === "equal" ? undefined : members.map(({ weight }) => weight),
      timeoutMs: plan.aggregate.timeoutMs,
      signal,
      onStart: () => log.emit({ type: "participant.state", round, participant: id, state: "aggregating" }),
    });
    const parameters = answer.blobs.parameters ?? null;
    if (parameters === null) throw new CallFailure("GARBAGE", "aggregate returned no parameters", 1);
    const sha256 = await blobs.add(parameters);
    const format = await findFormat(work, sha256, hashes[0] as string);
    log.emit({ type: "participant.state", round, participant: id, state: "aggregated" });
    return { sha256, format };
  } catch (error) {
    signal.throwIfAborted();
    await recordFailure(work, id, "aggregate", requireCallFailure(error));
    return null;
  }
}

/** Returns the format of parameters, which must match the first member's parameters; null for opaque parameters. */
async function findFormat({ plan, blobs, signal }: RoundWork, sha256: string, member: string): Promise<string | null> {
  const { format } = plan.aggregate;
  if (format === "opaque") return null;
  const template = openTensors(blobs.path(member), format);
  try {
    return (await inspectResult(blobs.path(sha256), format, template, signal)).format;
  } catch (error) {
    if (error instanceof IncompatibleParameters)
      throw new CallFailure("GARBAGE", `invalid parameters: ${error.message}`, 1);
    throw error;
  } finally {
    template.close();
  }
}
