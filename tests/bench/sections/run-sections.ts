import { startBareJson } from "../contestants/bare-json.ts";
import { startBareSockets } from "../contestants/bare-sockets.ts";
import { startBareSse } from "../contestants/bare-sse.ts";
import type { Contestant } from "../contestants/contestant.ts";
import { startNginx } from "../contestants/nginx.ts";
import { startPortkey } from "../contestants/portkey.ts";
import { startTollgate } from "../contestants/tollgate.ts";
import { unpinned } from "../contestants/unpinned.ts";
import type { SectionName } from "../options.ts";
import type { BenchRun } from "../report/bench-run.ts";
import { type HeldRow, measureHeld } from "./measure-held.ts";
import { measureHolds } from "./measure-holds.ts";
import { measureLatency } from "./measure-latency.ts";
import { runSlices, type SliceRow } from "./run-slices.ts";
import { bringOn, bringOnIfPossible, type Stage } from "./stage.ts";

type Sections = Pick<BenchRun, "json" | "latency" | "sse" | "held" | "holds">;

/** Runs these sections and returns their rows. */
export async function runSections(stage: Stage, sections: readonly SectionName[]): Promise<Sections> {
  const has = (section: SectionName) => sections.includes(section);
  return {
    ...(has("json") ? await measureJson(stage) : { json: [], latency: [] }),
    sse: has("sse") ? await measureSse(stage) : [],
    held: has("held") ? await measureBothHeld(stage) : [],
    holds: has("holds") && !stage.absent.has("tollgate") ? await measureHolds(stage) : null,
  };
}

async function measureJson(stage: Stage): Promise<Pick<BenchRun, "json" | "latency">> {
  const bare = await bringOn(stage, startBareJson);
  const sockets = await bringOnSockets(stage);
  const tollgate = await bringOnTollgate(stage);
  const nginx = await bringOnIfPossible(stage, "nginx", startNginx);
  const portkey = await bringOnIfPossible(stage, "portkey", startPortkey);
  const others = present(sockets, tollgate, ...free(stage, tollgate), nginx, portkey);
  const json = await runSlices(stage, "json", bare, others);
  const latency = await measureLatency(stage, present(bare, tollgate));
  await stopAll(present(bare, sockets, tollgate, nginx, portkey));
  return { json, latency };
}

async function measureSse(stage: Stage): Promise<SliceRow[]> {
  const bare = await bringOn(stage, startBareSse);
  const sockets = await bringOnSockets(stage);
  const tollgate = await bringOnTollgate(stage);
  const portkey = await bringOnIfPossible(stage, "portkey", startPortkey);
  const others = present(sockets, tollgate, ...free(stage, tollgate), portkey);
  const slices = await runSlices(stage, "sse", bare, others);
  await stopAll(present(bare, sockets, tollgate, portkey));
  return slices;
}

async function measureBothHeld(stage: Stage): Promise<HeldRow[]> {
  const bare = await measureHeld(stage, startBareSse);
  return stage.absent.has("tollgate") ? [bare] : [bare, await measureHeld(stage, startTollgate)];
}

/** Starts Tollgate unless an option excludes it. A failed start fails the run. */
async function bringOnTollgate(stage: Stage): Promise<Contestant | null> {
  return stage.absent.has("tollgate") ? null : bringOn(stage, startTollgate);
}

/** Like `bringOnTollgate`, for the second baseline. */
async function bringOnSockets(stage: Stage): Promise<Contestant | null> {
  return stage.absent.has("bare-sockets") ? null : bringOn(stage, startBareSockets);
}

/** Returns the contestant without its limit to one core, unless an option excludes it. */
function free(stage: Stage, contestant: Contestant | null): Contestant[] {
  return contestant === null || stage.absent.has("tollgate-unpinned") ? [] : [unpinned(contestant)];
}

function present(...contestants: (Contestant | null)[]): Contestant[] {
  return contestants.filter((contestant) => contestant !== null);
}

async function stopAll(contestants: readonly Contestant[]): Promise<void> {
  await Promise.all(contestants.map((contestant) => contestant.stop()));
}
