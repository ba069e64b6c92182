import type { Random } from "../../random.ts";
import type { Tenant } from "../stage/tenants.ts";
import type { CallPlan } from "./call-log.ts";

export interface Mix {
  readonly tenants: readonly Tenant[];
  /** Share of the calls that are streams of several seconds, so that a killed gateway has checkpointed their usage. */
  readonly longShare: number;
}

const STREAM_SHARE = 0.7;
const SILENT_SHARE = 0.3;
const BUSIEST_SHARE = 0.5;
/**
 * Share of the remaining calls that poor organizations make. It is high enough that they repeatedly run out of credit.
 */
const POOR_SHARE = 0.15;
const CHUNKS = 20;
const GAP_MS = 5;
const LONG_CHUNKS = 60;
const LONG_GAP_MS = 50;
const TOKENS_PER_CHUNK = 5;
/** Margin of the requested maximum above the actual usage, as with real callers. */
const SPARE_TOKENS = 20;

/** Number of tokens in a default call, for calculating an organization's credit. */
export const DEFAULT_TOKENS = CHUNKS * TOKENS_PER_CHUNK;

/** Draws the next call of the standard load: mostly streams, half of them from one organization. */
export function planCall(random: Random, mix: Mix, nonce: string): CallPlan {
  const tenant = chooseTenant(random, mix.tenants);
  const isLong = random.chance(mix.longShare);
  const isStream = isLong || random.chance(STREAM_SHARE);
  const chunks = isLong ? LONG_CHUNKS : CHUNKS;
  return {
    nonce,
    tenant,
    model: random.chance(SILENT_SHARE) ? "silent" : "reporting",
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
