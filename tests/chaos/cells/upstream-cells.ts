import { setTimeout as pause } from "node:timers/promises";
import type { Cell, CellContext, CellResult } from "../cell.ts";
import type { CallLog, CallPlan } from "../load/call-log.ts";
import { Load } from "../load/load.ts";
import { planCall } from "../load/plan-calls.ts";
import { WILD_SILENCE_SECONDS, WILD_TIMEOUT_SECONDS } from "../models.ts";
import type { Stage } from "../stage/stage.ts";
import { feedThePoor } from "../stage/tenants.ts";
import { GATEWAY_PROCESSES } from "../stage/tollgate.ts";
import type { Mood } from "../upstream/mood.ts";
import { judge } from "./under-load.ts";

const WARM_UP_MS = 1_500;
/** Time until an outage has no further effect: calls in flight have ended, and so has the deployment's cooldown. */
const RECOVERY_MS = 12_000;
const COOLDOWN_MS = 5_000;
/** A deployment enters its cooldown after five failures. Calls in flight at that moment can also fail. */
const FAILURES_TO_EJECT = 5;
const FAILURES_BESIDE = 5;
const RETRIES = { num_retries: 2 };

/** Cells with an upstream that fails in every way. Calls to other upstreams must not be affected. */
export const upstreamCells: readonly Cell[] = [
  {
    id: "F31",
    title: "an upstream refuses connections, then resets them; another serves the same model",
    run: (stage, context) =>
      amongOthers(stage, context, { plan: paired, mostFailed: 0 }, async (seconds) => {
        await inMood(stage, context, "refuses", seconds / 2);
        const recoveredAfterRefusalMs = await awaitTraffic(stage);
        await pause(WARM_UP_MS);
        const before = (await stage.upstream.readWildCounts()).connections;
        await inMood(stage, context, "resets", seconds / 2);
        const resets = (await stage.upstream.readWildCounts()).connections - before;
        const recoveredMs = Math.max(recoveredAfterRefusalMs, await awaitTraffic(stage));
        const probes = Math.ceil((seconds * 1_000) / COOLDOWN_MS);
        const mostResets = GATEWAY_PROCESSES * (FAILURES_TO_EJECT + FAILURES_BESIDE + probes);
        const problems = [
          ...(resets > mostResets ? [`${resets} connections were reset, at most ${mostResets} may`] : []),
          ...(recoveredMs > COOLDOWN_MS + 2_000 ? [`traffic came back after ${recoveredMs} ms`] : []),
        ];
        return { figures: { resets, recoveredMs }, problems };
      }),
  },
  {
    id: "F32",
    title: "an upstream responds to three of four calls with 503, then with 429",
    run: async (stage, context) => {
      const result = await amongOthers(
        stage,
        context,
        { plan: paired, explain: () => true, mostFailed: 0.02 },
        async (seconds) => {
          await inMood(stage, context, "fails", seconds / 2);
          await inMood(stage, context, "limits", seconds / 2);
          return { figures: {}, problems: [] };
        },
      );
      const upstreamCalls = [...stage.upstream.readRecords(context.prefix).values()].flat().length;
      const admitted = result.reckoning.calls - result.reckoning.refused;
      const problem = `${upstreamCalls} upstream calls for ${admitted} that were admitted`;
      const problems = upstreamCalls > admitted * 1.1 ? [...result.problems, problem] : result.problems;
      return { ...result, problems, figures: { upstreamCalls, admitted } };
    },
  },
  {
    id: "F33",
    title:
      "an upstream hangs before its first byte; a fallback responds, or the call gets a 408 or, in a cooldown, a 429",
    run: (stage, context) => {
      const plan = (call: CallPlan, index: number) =>
        wild(index % 4 === 1 ? { ...call, fields: { fallbacks: ["silent"] } } : call);
      const explain = (log: CallLog) => log.plan.fields === undefined && (log.status === 408 || isCooledDown(log));
      return amongOthers(stage, context, { plan, explain, mostFailed: 0.3 }, async (seconds) => {
        await inMood(stage, context, "hangs", seconds);
        return { figures: {}, problems: [] };
      });
    },
  },
  {
    id: "F34",
    title:
      "an upstream resets streams halfway, then stalls them; clients get an error frame and pay for the output sent",
    isQuick: true,
    run: (stage, context) =>
      amongOthers(stage, context, { plan: wildStream, explain: wasReported, mostFailed: 0.6 }, async (seconds) => {
        await inMood(stage, context, "breaks", seconds / 2);
        await inMood(stage, context, "stalls", seconds / 2);
        return { figures: {}, problems: [] };
      }),
  },
  {
    id: "F35",
    title: "an upstream sends malformed responses and impossible usage",
    run: (stage, context) =>
      amongOthers(stage, context, { plan: wild, explain: wasReported, mostFailed: 0.35 }, async (seconds) => {
        await inMood(stage, context, "garbles", seconds);
        return { figures: {}, problems: [] };
      }),
  },
  {
    id: "F36",
    title: "an upstream sends far more output than requested; the stream is cut, and the charge is at most the hold",
    run: (stage, context) =>
      amongOthers(stage, context, { plan: wild, mostFailed: 0 }, async (seconds) => {
        await inMood(stage, context, "rambles", seconds);
        return { figures: {}, problems: [] };
      }),
  },
  {
    id: "F37",
    title: "an upstream sends one byte at a time; the idle timeout does not apply, but the total timeout does",
    run: (stage, context) =>
      amongOthers(stage, context, { plan: wildStream, explain: ranOutOfTime, mostFailed: 0.6 }, async (seconds) => {
        await inMood(stage, context, "drips", seconds);
        return { figures: {}, problems: [] };
      }),
  },
];

interface WildLoad {
  /** Changes a call of the standard load into a call to the misbehaving upstream. */
  readonly plan: (call: CallPlan, index: number) => CallPlan;
  /** Reports whether a failed call to the misbehaving upstream is acceptable. By default, no failure is. */
  readonly explain?: (log: CallLog) => boolean;
  /** Maximum share of calls that can fail. */
  readonly mostFailed: number;
}

interface Findings {
  readonly figures: Readonly<Record<string, number>>;
  readonly problems: readonly string[];
}

/**
 * Makes calls to the misbehaving upstream and the same number to other upstreams, which must not be affected. Then
 * compares all calls with the ledger.
 */
async function amongOthers(
  stage: Stage,
  context: CellContext,
  { plan, explain = () => false, mostFailed }: WildLoad,
  faults: (seconds: number) => Promise<Findings>,
): Promise<CellResult> {
  await feedThePoor(stage.platform, stage.tenants);
  const [rich] = stage.tenants;
  const load = new Load({
    url: () => stage.tollgate.url,
    rate: context.rate,
    plan: (index) => {
      const mix = { tenants: stage.tenants, longShare: 0 };
      const call = planCall(context.random, mix, `${context.prefix}${String(index).padStart(6, "0")}`);
      if (index % 2 === 0) return call;
      // Calls from organizations without credit can fail for other reasons.
      return plan(call.tenant.isPoor && rich !== undefined ? { ...call, tenant: rich } : call, index);
    },
  });
  const problems: string[] = [];
  let figures = {};
  try {
    await pause(WARM_UP_MS);
    const findings = await faults(context.seconds);
    figures = findings.figures;
    problems.push(...findings.problems);
    // Without calls, a cooldown would last into the next cell, whose first calls would be refused until a probe succeeds.
    await pause(RECOVERY_MS);
  } catch (error) {
    problems.push(`the fault could not be carried out: ${error instanceof Error ? error.message : String(error)}`);
  } finally {
    await stage.upstream.setMood("well");
  }
  await load.stop();
  const strange = load.logs.filter((log) => hasFailed(log) && !(isWild(log.plan) && explain(log)));
  const [first] = strange;
  if (first !== undefined) {
    const seen = `${first.plan.model}: ${first.status} ${first.code ?? first.trouble} after ${first.endedAtMs - first.sentAtMs} ms`;
    problems.push(`${strange.length} calls failed in a way they must not, such as ${seen}`);
  }
  const expectation = { mostFailed, recoveryMs: RECOVERY_MS, isCooledDown };
  const result = await judge(stage, context, expectation, load.logs, problems);
  const wildCalls = load.logs.filter((log) => isWild(log.plan));
  return { ...result, figures: { wildCalls: wildCalls.length, ...figures } };
}

const paired = (call: CallPlan): CallPlan => ({ ...call, model: "paired", fields: RETRIES });
const wild = (call: CallPlan): CallPlan => ({ ...call, model: "wild" });
const wildStream = (call: CallPlan): CallPlan => ({ ...call, model: "wild", isStream: true });
const isWild = ({ model }: CallPlan): boolean => model === "wild" || model === "paired";
/** Reports whether a call failed. Ignores organizations without credit, because their calls can be refused. */
const hasFailed = ({ isComplete, isUnsent, plan }: CallLog): boolean => !isComplete && !isUnsent && !plan.tenant.isPoor;

/** Reports whether the only deployment was in a cooldown, which it is after a thousand calls that all failed. */
function isCooledDown({ plan: { model }, status, code }: CallLog): boolean {
  return model === "wild" && status === 429 && code === "no_deployments_available";
}

/** Reports whether the client received an error and not only a truncated response. */
function wasReported({ status, code }: CallLog): boolean {
  return code !== null && (status === 200 || status === 408 || status === 502 || status === 503);
}

/** Reports whether the error was caused by the total timeout and not by the idle timeout. */
function ranOutOfTime(log: CallLog): boolean {
  const tookMs = log.endedAtMs - log.sentAtMs;
  const leastMs = (WILD_TIMEOUT_SECONDS + WILD_SILENCE_SECONDS) * 500;
  return wasReported(log) && tookMs > leastMs && tookMs < (WILD_TIMEOUT_SECONDS + 2) * 1_000;
}

/** Makes the upstream misbehave in the given way for a while under load. */
async function inMood(stage: Stage, context: CellContext, mood: Mood, seconds: number): Promise<void> {
  await context.schedule.during(`the upstream ${mood}`, async () => {
    await stage.upstream.setMood(mood);
    await pause(seconds * 1_000);
    await stage.upstream.setMood("well");
  });
}

/** Returns the time until the misbehaving upstream is called again. */
async function awaitTraffic(stage: Stage): Promise<number> {
  const before = (await stage.upstream.readWildCounts()).requests;
  const startedAtMs = performance.now();
  for (;;) {
    const elapsedMs = Math.round(performance.now() - startedAtMs);
    if ((await stage.upstream.readWildCounts()).requests > before || elapsedMs > 60_000) return elapsedMs;
    await pause(50);
  }
}
