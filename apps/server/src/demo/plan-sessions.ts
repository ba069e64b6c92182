import { makeUuidV7 } from "@tollgate/domain/ids.ts";
import type { PlannedCall, PlannedRequest } from "./planned-request.ts";
import { type SeededRandom, seededRandom } from "./seeded-random.ts";

/** Share of the runs of requests of an agent's key that name a session. */
const SESSION_SHARE = 0.8;
const MIN_CALLS = 3;
const MAX_CALLS = 14;
/** Median time that an agent needs between a response and its next request. */
const PAUSE_MS = 4_000;

/**
 * Makes sessions of the requests of agents' keys: a run of a key's calls follows its first call, each after the response
 * to the one before. The requests and their cost stay the same, only their times change.
 */
export function planSessions(seed: number, nowMs: number, requests: readonly PlannedRequest[]): PlannedRequest[] {
  const changed = new Map<PlannedRequest, PlannedCall>();
  const calls = requests.filter((request) => request.kind === "call");
  for (const [key, ofKey] of Map.groupBy(calls, (call) => call.key)) {
    if (key.sessions === undefined) continue;
    const random = seededRandom(Math.imul(seed, 17) + key.createdOnDay);
    let number = random.between(200, 900);
    for (let start = 0; start < ofKey.length; ) {
      const run = ofKey.slice(start, start + random.between(MIN_CALLS, MAX_CALLS));
      start += run.length;
      const isSession = random.next() < SESSION_SHARE;
      number += random.between(1, 4);
      const planned = follow(random, run, `${key.sessions}-${number}`);
      const last = planned.at(-1);
      // A run that would end after now stays as it is.
      if (!isSession || last === undefined || last.atMs + last.latencyMs > nowMs) continue;
      for (const [index, call] of planned.entries()) changed.set(run[index] as PlannedCall, call);
    }
  }
  return requests.map((request) => changed.get(request) ?? request).sort((one, other) => one.atMs - other.atMs);
}

function follow(random: SeededRandom, run: readonly PlannedCall[], session: string): PlannedCall[] {
  let atMs = run[0]?.atMs ?? 0;
  return run.map((call) => {
    const planned = { ...call, session, atMs, id: makeUuidV7(atMs, random.bytes(10)) };
    atMs += call.latencyMs + Math.round(random.around(PAUSE_MS, 0.8));
    return planned;
  });
}
