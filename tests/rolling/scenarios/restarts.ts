import { judge, type Verdict } from "../judge.ts";
import { Load } from "../load.ts";
import { thisRelease } from "../stage/release.ts";
import { startStage } from "../stage/stage.ts";

export interface RestartsOptions {
  readonly restarts: number;
  readonly isQuick: boolean;
  /** If false, a gateway refuses calls as soon as it is not ready. The suite must detect the resulting failures. */
  readonly hasGrace: boolean;
  readonly tell: (line: string) => void;
}

export interface RestartsVerdict extends Verdict {
  readonly restarts: number;
  readonly longest_drain_ms: number;
}

/** The worker restarts after this many gateways have restarted. */
const WORKER_EVERY = 5;

/** Restarts gateways one by one under constant load. */
export async function restartOneByOne({
  restarts,
  isQuick,
  hasGrace,
  tell,
}: RestartsOptions): Promise<RestartsVerdict> {
  const release = thisRelease();
  const stage = await startStage({
    // The full run uses the product's default settings. CI runs the quick one on a machine that can stall for seconds, in
    // which the load balancer doesn't notice that a gateway leaves.
    graceSeconds: hasGrace ? (isQuick ? 10 : null) : 0,
    drainSeconds: isQuick ? 40 : null,
    times: isQuick ? { probeMs: 100, spreadMs: 200 } : { probeMs: 1_000, spreadMs: 1_000 },
    gateways: [release, release],
    worker: release,
  });
  try {
    const load = new Load({
      url: stage.url,
      apiKey: stage.apiKey,
      clients: 8,
      kinds: ["stream", "stream", "plain", "rerank"],
    });
    let longestDrainMs = 0;
    for (let restart = 0; restart < restarts; restart += 1) {
      const gateway = stage.gateways[restart % stage.gateways.length] as (typeof stage.gateways)[number];
      const drainMs = await gateway.stop();
      longestDrainMs = Math.max(longestDrainMs, drainMs);
      await gateway.start();
      await stage.balancer.awaitReady(gateway.port);
      if (restart % WORKER_EVERY === WORKER_EVERY - 1) {
        await stage.worker.stop();
        await stage.worker.start();
      }
      tell(`restart ${restart + 1} of ${restarts}: left in ${drainMs} ms, ${load.results.length} calls so far`);
    }
    await load.stop();
    return { restarts, ...(await judge(stage, load.results)), longest_drain_ms: longestDrainMs };
  } finally {
    await stage.close();
  }
}
