import { setTimeout as pause } from "node:timers/promises";
import type { Cell, CellContext } from "../cell.ts";
import type { CallLog, CallPlan } from "../load/call-log.ts";
import { Load } from "../load/load.ts";
import type { Stage } from "../stage/stage.ts";
import { GATEWAY_PROCESSES } from "../stage/tollgate.ts";
import { judge } from "./under-load.ts";

/**
 * Concurrency limit. It is low enough that this machine can generate ten times the load that the gateways can serve.
 */
const LIMIT = 6;
const ANSWER_MS = 200;
const CAPACITY = (LIMIT * GATEWAY_PROCESSES) / (ANSWER_MS / 1_000);
const STORM = 10;
const BEARABLE = 0.5;
const RECOVERY_MS = 5_000;
const SETTLING_MS = 1_000;
const LEAST_GOODPUT = 0.95;
const MAX_REFUSAL_MS = 5;
const HEALTH_EVERY_MS = 100;

/**
 * Refused clients retry immediately and cause ten times the load that can be served. The gateways must still use their
 * full capacity.
 */
export const retryStorm: Cell = {
  id: "F41",
  title: "client: a retry storm with ten times the load that can be served",
  run: async (stage, context) => {
    await stage.tollgate.restart({ maxInFlight: LIMIT });
    const phaseMs = context.isQuick ? 6_000 : 12_000;
    const figures: Record<string, number> = {};
    const found: string[] = [];
    let offered = 0;
    const offer = async (what: string, factor: number): Promise<readonly CallLog[]> => {
      const load = new Load({
        url: () => stage.tollgate.url,
        rate: CAPACITY * factor,
        plan: () => planStormCall(stage, context, `${context.prefix}${what}-${offered++}`),
      });
      await pause(phaseMs);
      await load.stop();
      return load.logs;
    };
    const logs: CallLog[] = [];
    await context.schedule.during("offer ten times what can be served", async () => {
      const peak = await offer("peak", 1);
      const health = watchHealth(stage);
      const storm = await offer("storm", STORM);
      figures.healthP50Ms = median(await health.stop());
      logs.push(...peak, ...storm);
      figures.peakPerSecond = goodPerSecond(peak, phaseMs);
      figures.stormPerSecond = goodPerSecond(storm, phaseMs);
      figures.goodput = Number((figures.stormPerSecond / figures.peakPerSecond).toFixed(3));
      const refusals = storm
        .filter(({ status }) => status === 503)
        .map(({ sentAtMs, endedAtMs }) => endedAtMs - sentAtMs);
      figures.refused = refusals.length;
      figures.refusalP50Ms = median(refusals);
    });
    if ((figures.goodput ?? 0) < LEAST_GOODPUT) found.push(`only ${figures.goodput} of the good calls under the storm`);
    // On a saturated machine, the measurement and even health checks are slow, so compare refusals with health checks.
    const unavoidableMs = figures.healthP50Ms ?? 0;
    if ((figures.refusalP50Ms ?? 0) > unavoidableMs * 2 + MAX_REFUSAL_MS) {
      found.push(`refusals take ${figures.refusalP50Ms} ms, health checks ${unavoidableMs} ms`);
    }
    logs.push(...(await offer("after", BEARABLE)));
    const result = await judge(stage, context, { mostFailed: 1, recoveryMs: RECOVERY_MS }, logs, found);
    await stage.tollgate.restart({ maxInFlight: null });
    return { ...result, figures };
  },
};

function planStormCall(stage: Stage, { random }: CellContext, nonce: string): CallPlan {
  const tenant = random.pick(stage.tenants.filter(({ isPoor }) => !isPoor));
  const shape = { chunks: 1, gapMs: 0, tokensPerChunk: 20, delayMs: ANSWER_MS, maxTokens: 40 };
  return { nonce, tenant, model: "reporting", isStream: false, hangUp: null, ...shape };
}

/** Polls the gateways' liveness continuously and records the latencies. */
function watchHealth(stage: Stage): { stop(): Promise<number[]> } {
  const times: number[] = [];
  let isOver = false;
  const asking = (async () => {
    while (!isOver) {
      const sentAtMs = performance.now();
      const asked = fetch(`${stage.tollgate.url}/health/liveliness`, { headers: { connection: "close" } });
      // The duration of a failed check counts, too.
      await asked.then((answer) => answer.text()).catch(() => {});
      times.push(Math.round(performance.now() - sentAtMs));
      await pause(HEALTH_EVERY_MS);
    }
  })();
  return {
    stop: async () => {
      isOver = true;
      await asking;
      return times;
    },
  };
}

function median(values: number[]): number {
  return values.sort((one, other) => one - other)[values.length >> 1] ?? 0;
}

/** Returns the number of complete responses per second, by arrival time, after the load has stabilized. */
function goodPerSecond(logs: readonly CallLog[], phaseMs: number): number {
  const startMs = logs.reduce((first, { sentAtMs }) => Math.min(first, sentAtMs), Number.POSITIVE_INFINITY);
  const good = logs.filter(
    ({ isComplete, endedAtMs }) =>
      isComplete && endedAtMs >= startMs + SETTLING_MS && endedAtMs < startMs + phaseMs - SETTLING_MS,
  );
  return Number(((good.length * 1_000) / (phaseMs - 2 * SETTLING_MS)).toFixed(1));
}
