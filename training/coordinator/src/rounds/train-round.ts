import { IncompatibleParameters } from "@tollgate/participant/participant-failure.ts";
import { CallFailure } from "../participants/call-failure.ts";
import { formatDuration } from "../plan/duration.ts";
import { ResultCollector } from "./result-collector.ts";
import { RoundFailure } from "./round-failure.ts";
import { describeFailures, type RoundWork, recordFailure } from "./round-work.ts";
import { shareWeights } from "./share-weights.ts";

/** Aborts calls still in flight when training closes. */
class TrainingIsClosed extends Error {}

/** Failure for participants that had not responded; null if all participants had responded. */
type Closing = { readonly code: "LATE" | "TIMEOUT"; readonly reason: string } | null;

/**
 * Calls all selected participants without a durable result, and closes training when all have responded, when the grace
 * period after the quorum ends, or on timeout. Late participants are canceled and recorded. Throws RoundFailure if
 * there is no quorum.
 */
export async function trainRound(work: RoundWork): Promise<void> {
  const { plan, log, open, fleet } = work;
  const { round, quorum } = open.start;
  const collector = openCollector(work);
  try {
    await collector.readStored();
    const closing = await collectUntilClosed(work, collector);
    const late = collector.late();
    if (closing !== null) {
      const failure = new CallFailure(closing.code, closing.reason, 1);
      await Promise.all(late.flatMap((id) => [fleet.cancel(id), recordFailure(work, id, "train", failure)]));
    }
    await collector.refuseMisfits();
    const members = shareWeights(collector.members(), plan.aggregate.maxShare);
    if (members.length < quorum) throw new RoundFailure("train", describeLack(work, members.length));
    await log.record({ type: "training.closed", round, members, late });
    log.emit({ type: "training.closed", round, members, late });
  } finally {
    collector.close();
  }
}

function openCollector(work: RoundWork): ResultCollector {
  try {
    return new ResultCollector(work);
  } catch (error) {
    if (!(error instanceof IncompatibleParameters)) throw error;
    const reason = `the starting parameters don't match the plan: ${error.message}`;
    throw new RoundFailure("train", reason, error);
  }
}

async function collectUntilClosed(work: RoundWork, collector: ResultCollector): Promise<Closing> {
  const { trainTimeoutMs, graceAfterQuorumMs } = work.plan.round;
  const { promise, resolve, reject } = Promise.withResolvers<Closing>();
  const closing = new AbortController();
  const interrupt = () => reject(work.signal.reason);
  work.signal.addEventListener("abort", interrupt, { once: true });
  const timeout = { code: "TIMEOUT", reason: `timeout ${formatDuration(trainTimeoutMs)}` } as const;
  const late = {
    code: "LATE",
    reason: `late: no result within ${formatDuration(graceAfterQuorumMs)} after the quorum`,
  } as const;
  const timers = [setTimeout(resolve, trainTimeoutMs, timeout)];
  const noteAnswer = () => {
    if (collector.waitingFor().length === 0) resolve(null);
    else if (timers.length === 1 && collector.fitting().size >= work.open.start.quorum) {
      timers.push(setTimeout(resolve, graceAfterQuorumMs, late));
    }
  };

  const signal = AbortSignal.any([work.signal, closing.signal]);
  const calls = collector.waitingFor().map((id) =>
    collector.collect(id, signal).then(noteAnswer, (error: unknown) => {
      if (!(error instanceof TrainingIsClosed)) reject(error);
    }),
  );
  noteAnswer();
  try {
    return await promise;
  } finally {
    closing.abort(new TrainingIsClosed());
    work.signal.removeEventListener("abort", interrupt);
    for (const timer of timers) clearTimeout(timer);
    await Promise.all(calls);
  }
}

function describeLack(work: RoundWork, members: number): string {
  return `${members} of ${work.open.start.quorum} required results${describeFailures(work)}`;
}
