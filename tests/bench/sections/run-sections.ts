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
import { measureBodies } from "./measure-bodies.ts";
import { type HeldRow, measureHeld } from "./measure-held.ts";
import { measureHolds } from "./measure-holds.ts";
import { startIdle } from "./measure-idle.ts";
import { measureLatency } from "./measure-latency.ts";
import { measureLight } from "./measure-light.ts";
import { runSlices, type SliceRow } from "./run-slices.ts";
import { bringOn, bringOnIfPossible, type Stage } from "./stage.ts";
import { warmUp } from "./warm-up.ts";

type Sections = Pick<BenchRun, "json" | "latency" | "sse" | "bodies" | "light" | "idle" | "held" | "holds">;
type JsonSections = Pick<BenchRun, "json" | "latency" | "bodies" | "light">;

/** Runs these sections and returns their rows. Sections that use the same programs follow each other. */
export async function runSections(stage: Stage, sections: readonly SectionName[]): Promise<Sections> {
  const has = (section: SectionName) => sections.includes(section);
  const hasTollgate = !stage.absent.has("tollgate");
  const json = await measureJson(stage, has);
  const sse = has("sse") ? await measureSse(stage) : [];
  // While the idle program waits for its measurement, other sections can run. While it is measured, none does.
  const idle = has("idle") && hasTollgate ? await startIdle(stage, startTollgate) : null;
  return {
    ...json,
    sse,
    held: has("held") ? await measureBothHeld(stage) : [],
    holds: has("holds") && hasTollgate ? await measureHolds(stage) : null,
    idle: idle === null ? [] : await idle.measure(),
  };
}

/** Runs the sections that make JSON calls, with the same processes. */
async function measureJson(stage: Stage, has: (section: SectionName) => boolean): Promise<JsonSections> {
  const rows: JsonSections = { json: [], latency: [], bodies: [], light: null };
  if (!has("json") && !has("light") && !has("bodies")) return rows;
  const bare = await bringOn(stage, startBareJson);
  const sockets = has("json") || has("bodies") ? await bringOnSockets(stage) : null;
  const tollgate = await bringOnTollgate(stage);
  const nginx = has("json") ? await bringOnIfPossible(stage, "nginx", startNginx) : null;
  const portkey = has("json") ? await bringOnIfPossible(stage, "portkey", startPortkey) : null;
  const both = present(bare, tollgate);
  const json = has("json")
    ? await runSlices(stage, "json", bare, present(sockets, tollgate, ...free(stage, tollgate), nginx, portkey))
    : [];
  const latency = has("json") ? await measureLatency(stage, both) : [];
  if (has("light") && !has("json")) for (const contestant of both) await warmUp(stage, contestant, "json");
  const light = has("light") ? await measureLight(stage, both) : null;
  const bodies = has("bodies") ? await measureBodies(stage, bare, present(sockets, tollgate)) : [];
  await stopAll(present(bare, sockets, tollgate, nginx, portkey));
  return { json, latency, bodies, light };
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
