import { type NanoUsd, parseUsd } from "@tollgate/domain/money.ts";
import { isCount } from "@tollgate/domain/pricing/price-call.ts";

/** The members of a usage object in which providers report their charge. */
export interface ReportedCost {
  /** OpenRouter: the charge in USD. Perplexity: an object with the total. */
  readonly cost?: unknown;
  /** OpenRouter: true if another provider bills the operator's own account, and this charge is only a fee. */
  readonly is_byok?: unknown;
  readonly cost_details?: { readonly upstream_inference_cost?: unknown } | null;
  /** xAI: the charge, in units of a ten-billionth of a USD. */
  readonly cost_in_usd_ticks?: unknown;
}

const TICKS_PER_NANO = 10n;
/** Digits after a member's name. */
const DIGITS = String.raw`"\s*:\s*([-+.\deE]{1,64})`;
const COST = new RegExp(`"cost${DIGITS}`);
const TOTAL_COST = new RegExp(`"total_cost${DIGITS}`);
const UPSTREAM_COST = new RegExp(`"upstream_inference_cost${DIGITS}`);
/** The ledger rejects larger amounts, and no call costs a million USD. */
const MAX_COST: NanoUsd = 1_000_000_000_000_000n;

/** Returns the charge that a usage object reports, rounded to a nano-USD, or null if it reports none. */
export function readReportedCost(raw: ReportedCost, json: string): NanoUsd | null {
  const cost = costIn(raw, json);
  return cost === null || cost > MAX_COST ? null : cost;
}

function costIn(raw: ReportedCost, json: string): NanoUsd | null {
  const { cost, cost_in_usd_ticks: ticks } = raw;
  if (isCount(ticks)) return (BigInt(ticks) + TICKS_PER_NANO / 2n) / TICKS_PER_NANO;
  if (typeof cost === "object" && cost !== null) {
    return amountOf(TOTAL_COST, (cost as { readonly total_cost?: unknown }).total_cost, json);
  }
  const charged = amountOf(COST, cost, json);
  if (charged === null || raw.is_byok !== true) return charged;
  const upstream = amountOf(UPSTREAM_COST, raw.cost_details?.upstream_inference_cost, json);
  return upstream === null ? null : charged + upstream;
}

/** Reads a member's digits, because its value is a binary fraction. Returns null if the text has other digits. */
function amountOf(member: RegExp, value: unknown, json: string): NanoUsd | null {
  if (typeof value !== "number") return null;
  const digits = member.exec(json)?.[1];
  return digits === undefined || Number(digits) !== value ? null : parseUsd(digits);
}
