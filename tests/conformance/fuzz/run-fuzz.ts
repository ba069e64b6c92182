import fc from "fast-check";
import type { Report } from "../report.ts";
import { type Stage, UPSTREAM_KEY } from "../stage/start-stage.ts";
import { compareTwins } from "./compare-twins.ts";
import { type FuzzRequest, fuzzRequests } from "./fuzz-request.ts";
import { judgeAnswer } from "./judge-answer.ts";
import { readPublishedInterface } from "./published-operations.ts";
import { type Answer, pathsOf, Sender } from "./send-request.ts";

const LANES = 8;
/** Far apart, so that neighbouring seeds share no lane. */
const LANE_STEP = 10_000_019;
const ROUND_STEP = 1_000_003;
const TIME_LIMIT_MS = 55_000;
const MAX_FAILURES_PER_LANE = 5;

export interface FuzzSummary {
  readonly seed: number;
  /** Generated requests; a request that compares twins is sent once for each path. */
  readonly cases: number;
  readonly sent: number;
  readonly failures: number;
  readonly durationMs: number;
  readonly statuses: Readonly<Record<string, number>>;
}

/** Sends generated requests of every kind to every published operation, and judges each answer. */
export async function runFuzz(stage: Stage, report: Report, caseCount: number, seed: number): Promise<FuzzSummary> {
  const { tollgate } = stage;
  const startedMs = performance.now();
  const published = await readPublishedInterface(tollgate.baseUrl);
  const sender = new Sender(tollgate);
  const secrets = [UPSTREAM_KEY, tollgate.apiKey, tollgate.masterKey];
  const statuses = new Map<string, number>();
  const succeeded = new Set<string>();
  let sent = 0;

  async function tryOut(fuzz: FuzzRequest): Promise<void> {
    const paths = pathsOf(fuzz);
    const answers: Answer[] = [];
    for (const path of paths) {
      const answer = await sender.send(fuzz, path);
      sent += 1;
      statuses.set(String(answer.status), (statuses.get(String(answer.status)) ?? 0) + 1);
      if (answer.status < 400) succeeded.add(fuzz.operation.id);
      const problem = judgeAnswer(fuzz, path, answer, published.resolve, secrets);
      if (problem !== null) throw new Error(`${problem}\n${answer.status} ${answer.body.slice(0, 300)}`);
      answers.push(answer);
    }
    const difference = compareTwins(fuzz, answers);
    if (difference !== null) throw new Error(difference);
  }

  const property = fc.asyncProperty(fuzzRequests(published), tryOut);
  const lanes = Array.from({ length: LANES }, (_, lane) =>
    runLane(property, Math.ceil(caseCount / LANES), seed + lane * LANE_STEP, startedMs + TIME_LIMIT_MS),
  );
  const outcomes = await Promise.all(lanes);
  sender.close();

  const cases = outcomes.reduce((sum, outcome) => sum + outcome.cases, 0);
  // One of each sort is enough to see what is wrong.
  const failures = new Map(outcomes.flatMap((outcome) => outcome.failures.map((text) => [text.split("\n")[0], text])));
  for (const failure of failures.values()) report.record("fuzz", "a generated request", failure);
  // Lanes with failures stop early, so the count means something only when there are none.
  const isShort = failures.size === 0 && cases < caseCount;
  const claim = `generated requests: ${cases}, sent: ${sent}, seed: ${seed}`;
  report.record("fuzz", claim, isShort ? `only ${cases} of ${caseCount} in ${TIME_LIMIT_MS / 1_000} s` : null);
  await report.check("fuzz", "every operation was answered with success at least once", async () => {
    const missing = published.operations.filter(({ id }) => !succeeded.has(id)).map(({ id }) => id);
    if (missing.length > 0) throw new Error(missing.join(", "));
  });
  await report.check("fuzz", "the instance still serves, and nothing unexpected was logged", async () => {
    const { status } = await fetch(`${tollgate.baseUrl}/health/readiness`);
    if (status !== 200 || !tollgate.isRunning()) throw new Error(`readiness answers ${status}`);
    if (tollgate.complaints() !== "") throw new Error(tollgate.complaints().slice(0, 2_000));
  });
  return {
    seed,
    cases,
    sent,
    failures: failures.size,
    durationMs: Math.round(performance.now() - startedMs),
    statuses: Object.fromEntries([...statuses].sort()),
  };
}

interface LaneOutcome {
  readonly cases: number;
  readonly failures: readonly string[];
}

/** Goes on after a failure with other requests, so that one fault does not hide the next. */
async function runLane(
  property: fc.IAsyncProperty<[FuzzRequest]>,
  caseCount: number,
  seed: number,
  deadlineMs: number,
): Promise<LaneOutcome> {
  const failures: string[] = [];
  let cases = 0;
  for (let round = 0; cases < caseCount && failures.length < MAX_FAILURES_PER_LANE; round += 1) {
    const leftMs = deadlineMs - performance.now();
    if (leftMs <= 0) break;
    const run = await fc.check(property, {
      seed: seed + round * ROUND_STEP,
      numRuns: caseCount - cases,
      interruptAfterTimeLimit: leftMs,
    });
    cases += run.numRuns;
    if (run.counterexample !== null) failures.push(describeFailure(run));
    if (run.interrupted) break;
  }
  return { cases, failures };
}

function describeFailure({ counterexample, errorInstance }: fc.RunDetails<[FuzzRequest]>): string {
  const reason = errorInstance instanceof Error ? errorInstance.message : String(errorInstance);
  if (counterexample === null) return reason;
  const [fuzz] = counterexample;
  const { kind, operation, method, key, keyHeader, headers, body } = fuzz;
  const shown = body === null ? "no body" : body.toString("utf8").slice(0, 600);
  const sent = `${method} ${pathsOf(fuzz)[0]} ${key} in ${keyHeader} ${JSON.stringify(headers)}`;
  return `${reason}\n${kind} ${operation.id}: ${sent}\n${shown}`;
}
