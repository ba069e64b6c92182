import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { removeAtExit } from "../../../packages/testkit/src/processes/clean-up.ts";
import { judge, type Verdict } from "../judge.ts";
import { nextRelease } from "../stage/next-release.ts";
import { thisRelease } from "../stage/release.ts";
import { startStage } from "../stage/stage.ts";
import { migrateUnder, startLoad } from "./mixed.ts";

export interface NextVerdict extends Verdict {
  readonly restarts: number;
  readonly migrate_ms: number;
}

const TIMES = { probeMs: 200, spreadMs: 300 };
const BESIDE_MS = 5_000;

/**
 * Simulates an upgrade to the next release. First, the schema is upgraded, and this release keeps running and restarts
 * on the new schema. Then both releases run side by side, and finally only the next release runs.
 */
export async function upgradeToNext(tell: (line: string) => void): Promise<NextVerdict> {
  const release = thisRelease();
  const folder = mkdtempSync(join(tmpdir(), "tollgate-next-"));
  removeAtExit(folder);
  const next = nextRelease(folder);
  const stage = await startStage({
    graceSeconds: 1,
    drainSeconds: 20,
    times: TIMES,
    gateways: [release, release],
    worker: release,
  });
  let restarts = 0;
  const restart = async (instance: (typeof stage)["worker"], wanted: typeof release) => {
    await instance.stop();
    instance.release = wanted;
    await instance.start();
    if (instance !== stage.worker) await stage.balancer.awaitReady(instance.port);
    restarts += 1;
    tell(`${instance.name} is of ${wanted.version} now`);
  };
  try {
    const [first, second] = stage.gateways as [typeof stage.worker, typeof stage.worker];
    const load = await startLoad(stage, ["stream", "plain", "rerank"]);
    const migrateMs = await migrateUnder(stage, next, tell);
    await restart(first, release);
    await restart(stage.worker, release);
    await restart(second, next);
    await pause(BESIDE_MS);
    await restart(stage.worker, next);
    await pause(BESIDE_MS);
    await restart(first, next);
    await load.stop();
    return { restarts, migrate_ms: migrateMs, ...(await judge(stage, load.results)) };
  } finally {
    await stage.close();
  }
}
