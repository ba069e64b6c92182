import type { Report } from "@tollgate/testkit/report.ts";
import fc from "fast-check";
import { UPSTREAM_KEY } from "../stage/served-groups.ts";
import type { Stage } from "../stage/start-stage.ts";
import { compareVersionedPaths } from "./compare-versioned-paths.ts";
import { type FuzzRequest, fuzzRequests } from "./fuzz-request.ts";
import { judgeAnswer } from "./judge-answer.ts";
import { type PublishedInterface, type PublishedOperation, readPublishedInterface } from "./published-operations.ts";
import { type Answer, pathsOf, Sender } from "./send-request.ts";
import { unexpectedLines } from "./unexpected-lines.ts";

// cspell:ignore twins Twin -- The JSON report uses these field names.

const LANES = 8;
/** Distance between seeds, large enough that adjacent seeds share no lane. */
const LANE_STEP = 10_000_019;
const ROUND_STEP = 1_000_003;
const OPERATION_STEP = 7_919;
const MAX_FAILURES_PER_LANE = 3;

/** Operations on records that don't require an existing record. */
const needNoRecord = new Set([
  "createAssistant",
  "listAssistants",
  "createThread",
  "getKeyInfo",
  "listKeys",
  "listTeams",
]);

/** Number of requests to generate. */
export interface FuzzPlan {
  /** Number of requests per operation with several paths. Each request is sent to all paths. */
  readonly casesPerTwin: number;
  readonly casesPerSingle: number;
  /** Ends an operation that hangs. Its requests must be complete by then. */
  readonly timeLimitMs: number;
}

export interface FuzzSummary {
  readonly seed: number;
  /** Number of generated requests. Each is sent once to every path of its operation. */
  readonly cases: number;
  readonly sent: number;
  readonly failures: number;
  readonly durationMs: number;
  readonly statuses: Readonly<Record<string, number>>;
  /**
   * Number of operations with several paths, and the lowest number of requests per operation that got the same response
   * on all paths.
   */
  readonly twins: number;
  readonly casesPerTwin: number;
}

/**
 * Sends generated requests of every kind to every path of every published operation, and checks and compares the
 * responses.
 */
export async function runFuzz(stage: Stage, report: Report, plan: FuzzPlan, seed: number): Promise<FuzzSummary> {
  const { tollgate } = stage;
  const startedMs = performance.now();
  const published = await readPublishedInterface(tollgate.baseUrl);
  const sender = new Sender(tollgate);
  const tally: Tally = { sent: 0, statuses: new Map(), succeeded: new Set() };
  const outcomes: { readonly operation: PublishedOperation; readonly outcome: LaneOutcome }[] = [];
  for (const [index, operation] of published.operations.entries()) {
    const property = fc.asyncProperty(fuzzRequests(operation, published), (fuzz) =>
      tryOut(fuzz, published, sender, [UPSTREAM_KEY, tollgate.apiKey, tollgate.masterKey], tally),
    );
    const hasVersionedPaths = operation.paths.length > 1;
    const caseCount = hasVersionedPaths ? plan.casesPerTwin : plan.casesPerSingle;
    const outcome = await runLanes(property, caseCount, seed + index * OPERATION_STEP, plan.timeLimitMs);
    // One failure of each kind is enough.
    const failures = new Map(outcome.failures.map((failure) => [failure.split("\n")[0], failure]));
    const isShort = failures.size === 0 && outcome.cases < caseCount;
    const problems = isShort ? [`only ${outcome.cases} of ${caseCount} in time`] : [...failures.values()];
    const paths = hasVersionedPaths ? `${operation.paths.length} paths alike` : "1 path";
    const claim = `${operation.id}: ${outcome.cases} generated requests, ${paths}`;
    report.record("fuzz", claim, problems.length === 0 ? null : problems.join("\n\n"));
    outcomes.push({ operation, outcome: { ...outcome, failures: [...failures.values()] } });
  }
  sender.close();
  await report.check("fuzz", "every operation was answered with success at least once", async () => {
    const missing = published.operations
      .filter(({ id, isAboutRecords }) => (!isAboutRecords || needNoRecord.has(id)) && !tally.succeeded.has(id))
      .map(({ id }) => id);
    if (missing.length > 0) throw new Error(missing.join(", "));
  });
  await report.check(
    "fuzz",
    `the instance still serves, and nothing unexpected was logged (seed ${seed})`,
    async () => {
      const { status } = await fetch(`${tollgate.baseUrl}/health/readiness`);
      if (status !== 200 || !tollgate.program.isRunning) throw new Error(`readiness answers ${status}`);
      const unexpected = unexpectedLines(tollgate.readLog());
      if (unexpected.length > 0) throw new Error(unexpected.join("\n").slice(0, 2_000));
    },
  );
  const casesOfVersionedPaths = outcomes
    .filter(({ operation }) => operation.paths.length > 1)
    .map(({ outcome }) => outcome.cases);
  return {
    seed,
    cases: outcomes.reduce((sum, { outcome }) => sum + outcome.cases, 0),
    sent: tally.sent,
    failures: outcomes.reduce((sum, { outcome }) => sum + outcome.failures.length, 0),
    durationMs: Math.round(performance.now() - startedMs),
    statuses: Object.fromEntries([...tally.statuses].sort()),
    twins: casesOfVersionedPaths.length,
    casesPerTwin: Math.min(...casesOfVersionedPaths),
  };
}

interface Tally {
  sent: number;
  readonly statuses: Map<string, number>;
  readonly succeeded: Set<string>;
}

/** Sends one request to every path of its operation. Throws if a response is wrong or differs from the others. */
async function tryOut(
  fuzz: FuzzRequest,
  published: PublishedInterface,
  sender: Sender,
  secrets: readonly string[],
  tally: Tally,
): Promise<void> {
  const answers: Answer[] = [];
  for (const path of pathsOf(fuzz)) {
    const answer = await sender.send(fuzz, path);
    tally.sent += 1;
    tally.statuses.set(String(answer.status), (tally.statuses.get(String(answer.status)) ?? 0) + 1);
    if (answer.status < 400) tally.succeeded.add(fuzz.operation.id);
    const problem = judgeAnswer(fuzz, path, answer, published.resolve, secrets);
    if (problem !== null) throw new Error(`${problem}\n${answer.status} ${answer.body.slice(0, 300)}`);
    answers.push(answer);
  }
  const difference = compareVersionedPaths(fuzz, answers);
  if (difference !== null) throw new Error(difference);
}

interface LaneOutcome {
  readonly cases: number;
  readonly failures: readonly string[];
}

async function runLanes(
  property: fc.IAsyncProperty<[FuzzRequest]>,
  caseCount: number,
  seed: number,
  timeLimitMs: number,
): Promise<LaneOutcome> {
  const deadlineMs = performance.now() + timeLimitMs;
  const lanes = Array.from({ length: LANES }, (_, lane) =>
    runLane(property, Math.ceil(caseCount / LANES), seed + lane * LANE_STEP, deadlineMs),
  );
  const outcomes = await Promise.all(lanes);
  return {
    cases: outcomes.reduce((sum, { cases }) => sum + cases, 0),
    failures: outcomes.flatMap(({ failures }) => failures),
  };
}

/** Sends one lane of requests. After a failure, continues with other requests, so that one bug does not hide the next. */
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
