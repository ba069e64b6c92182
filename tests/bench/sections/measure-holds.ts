import type { Contestant } from "../contestants/contestant.ts";
import { startTollgate, startWithoutHolds } from "../contestants/tollgate.ts";
import { quantile } from "../measure/statistics.ts";
import { groupModel, writeChatRequest } from "../wire/chat-request.ts";
import { runSlices, type SliceRow } from "./run-slices.ts";
import { bringOn, type Stage } from "./stage.ts";

const quietCalls = { full: 300, quick: 60 };

/**
 * Cost of holds: the CPU time per call for one busy organization, and the latency for an organization that the gateway
 * has not seen yet.
 */
export interface HoldsRow {
  readonly slices: SliceRow;
  readonly quietP50Ms: number;
  readonly busyP50Ms: number;
}

/** Alternates slices with and without holds, and then measures calls from quiet organizations one at a time. */
export async function measureHolds(stage: Stage): Promise<HoldsRow> {
  const without = await bringOn(stage, startWithoutHolds);
  const held = await bringOn(stage, startTollgate);
  const rows = await runSlices(stage, "json", without, [held]);
  const slices = rows.find((row) => row.name === held.name);
  if (slices === undefined || held.addQuietCallers === undefined) throw new Error("the gateway was not measured");
  stage.showProgress("holds: quiet organizations");
  const keys = await held.addQuietCallers(stage.isQuick ? quietCalls.quick : quietCalls.full);
  const quiet: number[] = [];
  const busy: number[] = [];
  // Alternate quiet and busy calls, so that a busy machine affects both equally. The first request only loads the key.
  for (const key of keys) {
    await timeCall(held, { authorization: `Bearer ${key}` }, "/v1/models");
    quiet.push(await timeCall(held, { authorization: `Bearer ${key}` }));
    busy.push(await timeCall(held, held.headers));
  }
  await Promise.all([without.stop(), held.stop()]);
  return { slices, quietP50Ms: quantile(quiet, 0.5), busyP50Ms: quantile(busy, 0.5) };
}

async function timeCall(
  contestant: Contestant,
  headers: Readonly<Record<string, string>>,
  path = "/v1/chat/completions",
): Promise<number> {
  const isCall = path.endsWith("completions");
  const startedMs = performance.now();
  const answer = await fetch(new URL(path, contestant.url), {
    headers: { ...headers, "content-type": "application/json" },
    ...(isCall && { method: "POST", body: writeChatRequest(groupModel, false) }),
  });
  await answer.arrayBuffer();
  if (answer.status !== 200) throw new Error(`${contestant.name} answered ${answer.status} to a quiet organization`);
  return performance.now() - startedMs;
}
