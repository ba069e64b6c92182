import type { AggregatedFact, EvaluationResult } from "../journal/journal-entry.ts";
import type { ParticipantPlan, Plan } from "../plan/plan.ts";
import { answerLimit, readAccuracy, readMetrics, readNumExamples, weightOf } from "./read-answer.ts";
import { RoundFailure } from "./round-failure.ts";
import { describeFailures, type RoundWork, recordFailure, requireCallFailure } from "./round-work.ts";

/**
 * Failure codes for participants that did not respond in training. Such participants are skipped in evaluation, unless
 * there is no other evaluator.
 */
const OUT_OF_REACH = ["UNREACHABLE", "LATE", "TIMEOUT"];

/** Reports whether the plan evaluates this round. The last round is evaluated unless evaluation is off. */
export function isEvaluated({ evaluate, run }: Plan, round: number): boolean {
  return evaluate.every > 0 && (round % evaluate.every === 0 || round === run.rounds);
}

/** Returns the participants that evaluate new parameters. */
export function findEvaluators({ evaluate, participants }: Plan): ParticipantPlan[] {
  return participants.filter(
    ({ id, roles }) => roles.includes("evaluate") && (evaluate.on === "all" || evaluate.on.includes(id)),
  );
}

/** Evaluates the new parameters on all evaluators concurrently. Throws RoundFailure if none of them responds. */
export async function evaluateRound(work: RoundWork, aggregated: AggregatedFact): Promise<void> {
  const { plan, log, open } = work;
  const { round, quarantined } = open.start;
  const all = findEvaluators(plan);
  const trusted = all.filter(({ id }) => !quarantined.includes(id));
  const evaluators = trusted.length > 0 ? trusted : all;
  const reachable = evaluators.filter(({ id }) => !OUT_OF_REACH.includes(open.failures.get(id)?.code ?? ""));
  const asked = reachable.length > 0 ? reachable : evaluators;
  const answers = await Promise.all(asked.map((participant) => askOne(work, participant, aggregated.sha256)));
  const results = answers.filter((answer) => answer !== null);
  if (results.length === 0) {
    throw new RoundFailure("evaluate", `no participant measured the new parameters${describeFailures(work)}`);
  }
  const accuracies = results.map(({ accuracy }) => accuracy);
  const metrics = combineMetrics(plan, results);
  const accuracy = combine(plan, results, (result) => result.accuracy);
  if (accuracy === undefined) throw new RoundFailure("evaluate", "the mean accuracy is not finite");
  const numbers = { accuracy, min: Math.min(...accuracies), max: Math.max(...accuracies), metrics };
  const score = plan.stop.metric === "accuracy" ? accuracy : (metrics[plan.stop.metric] ?? null);
  await log.record({ type: "evaluated", round, asked: evaluators.length, results, score, ...numbers });
  log.emit({ type: "evaluated", round, asked: evaluators.length, evaluators: results.length, ...numbers });
}

async function askOne(work: RoundWork, participant: ParticipantPlan, sha256: string): Promise<EvaluationResult | null> {
  const { plan, blobs, fleet, log, open, signal } = work;
  const { round } = open.start;
  const { id } = participant;
  try {
    const { fields, durationMs } = await fleet.call(id, {
      operation: "evaluate",
      round,
      config: plan.config,
      parameters: await blobs.read(sha256),
      timeoutMs: plan.evaluate.timeoutMs,
      maxAnswerBytes: answerLimit(new Map()),
      signal,
      onStart: () => log.emit({ type: "participant.state", round, participant: id, state: "evaluating" }),
    });
    const numExamples = readNumExamples(fields);
    const measured = { accuracy: readAccuracy(fields), numExamples, metrics: readMetrics(fields), durationMs };
    log.emit({ type: "evaluation.received", round, participant: id, ...measured });
    log.emit({ type: "participant.state", round, participant: id, state: "evaluated" });
    return { participant: id, weight: weightOf(numExamples, participant), ...measured };
  } catch (error) {
    signal.throwIfAborted();
    await recordFailure(work, id, "evaluate", requireCallFailure(error));
    return null;
  }
}

function combineMetrics(plan: Plan, results: readonly EvaluationResult[]): Record<string, number> {
  const names = new Set(results.flatMap(({ metrics }) => Object.keys(metrics)));
  const means = [...names].map(
    (name) =>
      [
        name,
        combine(plan, results, ({ metrics }) => (Object.hasOwn(metrics, name) ? metrics[name] : undefined)),
      ] as const,
  );
  return Object.fromEntries(means.filter((mean): mean is [string, number] => mean[1] !== undefined));
}

/**
 * Returns the mean of a metric over the participants that reported it, weighted by their number of examples unless the
 * plan says otherwise.
 */
function combine(
  { evaluate }: Plan,
  results: readonly EvaluationResult[],
  pick: (result: EvaluationResult) => number | undefined,
): number | undefined {
  const reported = results.filter((result) => pick(result) !== undefined);
  const total = reported.reduce((sum, { weight }) => sum + weight, 0);
  const isWeighted = evaluate.aggregate === "weighted_mean" && total > 0;
  const all = isWeighted ? total : reported.length;
  const sumOf = (divisor: number) =>
    reported.reduce((sum, result) => sum + ((isWeighted ? result.weight : 1) / divisor) * (pick(result) as number), 0);
  const sum = sumOf(1);
  // Dividing last is more precise. If the sum overflows because of a huge value, divide first.
  const mean = Number.isFinite(sum) ? sum / all : sumOf(all);
  return Number.isFinite(mean) ? mean : undefined;
}
