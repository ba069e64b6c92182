import type { Random } from "../../random.ts";
import type { Tenant } from "../stage/tenants.ts";
import type { CallPlan } from "./call-log.ts";

export interface Mix {
  readonly tenants: readonly Tenant[];
  /** Streams that last seconds, so that a killed gateway has written down what they used so far. */
  readonly longShare: number;
}

const STREAM_SHARE = 0.7;
const SILENT_SHARE = 0.3;
const BUSIEST_SHARE = 0.5;
/** Of the rest: enough for the poor to run out again and again. */
const POOR_SHARE = 0.15;
const CHUNKS = 20;
const GAP_MS = 5;
const LONG_CHUNKS = 60;
const LONG_GAP_MS = 50;
const TOKENS_PER_CHUNK = 5;
/** A little more than is used, as callers do. */
const SPARE_TOKENS = 20;

/** The tokens of a usual call, for whoever gives an organization enough for a number of them. */
export const DEFAULT_TOKENS = CHUNKS * TOKENS_PER_CHUNK;

/** Draws the next call of the standard load: mostly streams, half of them of one organization. */
export function planCall(random: Random, mix: Mix, nonce: string): CallPlan {
  const tenant = chooseTenant(random, mix.tenants);
  const isLong = random.chance(mix.longShare);
  const isStream = isLong || random.chance(STREAM_SHARE);
  const chunks = isLong ? LONG_CHUNKS : CHUNKS;
  return {
    nonce,
    tenant,
    model: random.chance(SILENT_SHARE) ? "silent" : "told",
    isStream,
    chunks,
    gapMs: isLong ? LONG_GAP_MS : GAP_MS,
    tokensPerChunk: TOKENS_PER_CHUNK,
    delayMs: random.integer(1, 20),
    maxTokens: chunks * TOKENS_PER_CHUNK + SPARE_TOKENS,
    hangUp: null,
  };
}

function chooseTenant(random: Random, [busiest, ...others]: readonly Tenant[]): Tenant {
  if (busiest === undefined) throw new Error("there is no tenant to call for");
  if (random.chance(BUSIEST_SHARE)) return busiest;
  const wantsPoor = random.chance(POOR_SHARE);
  return random.pick(others.filter(({ isPoor }) => isPoor === wantsPoor));
}
