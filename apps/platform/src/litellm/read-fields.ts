import { Failure } from "@tollgate/contracts/failures.ts";
import type { KeyName } from "@tollgate/db/keys/find-visible-key.ts";
import { hashApiKey, isWellFormedKey } from "@tollgate/domain/api-keys.ts";
import { fromLitellmPeriod } from "@tollgate/domain/credit/litellm-period.ts";
import type { NanoUsd } from "@tollgate/domain/money.ts";
import { parseDecimal } from "@tollgate/runtime/settings/parse-usd.ts";

const NANO_DECIMALS = 9;
const PICO_DECIMALS = 12;
/** Maximum amount that the ledger can store. */
const MAX_AMOUNT = 9_000_000_000_000_000_000n;
const SECOND_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** Rejects unknown fields and names them in the error, so that no field is dropped silently. */
export function refuseUnknown(body: object, known: object, also: readonly string[] = []): void {
  for (const [name, value] of Object.entries(body)) {
    if (name in known || also.includes(name) || saysNothing(value)) continue;
    throw invalid(
      name,
      "is not supported. Omit it. See the guide on the LiteLLM-compatible management API for supported fields.",
    );
  }
}

/** Converts USD to nano-USD exactly, or rejects the value. */
export function readUsd(name: string, value: number | string): NanoUsd {
  return readDecimal(name, value, NANO_DECIMALS, "must have at most nine decimal places");
}

/** Converts a unit price in USD to pico-USD. */
export function readUsdPrice(name: string, value: number | string): bigint {
  return readDecimal(name, value, PICO_DECIMALS, "is more precise than one pico-USD per unit");
}

/** Converts a budget period to the ledger's period name. Days, weeks, and months are calendar periods in UTC. */
export function readPeriod(name: string, text: string): string {
  const period = fromLitellmPeriod(text);
  if (period === null) throw invalid(name, "must be a period such as 30s, 30m, 24h, 7d, or 1mo.");
  return period;
}

const shownPeriods: ReadonlyMap<string, string | null> = new Map([
  ["none", null],
  ["daily", "1d"],
  ["weekly", "7d"],
  ["monthly", "1mo"],
]);

/** Converts a period to the API's format. Returns null if there is no period. */
export function showPeriod(period: string): string | null {
  const shown = shownPeriods.get(period);
  return shown === undefined ? period : shown;
}

/** Adds a duration to a date. Months are calendar months. */
export function readDuration(name: string, text: string, from: Date): Date {
  const [, count = "", unit = ""] = /^([1-9]\d{0,5})(s|m|h|d|w|mo)$/.exec(text) ?? [];
  const end = new Date(from);
  if (unit === "mo") end.setUTCMonth(end.getUTCMonth() + Number(count));
  else end.setTime(from.getTime() + Number(count) * SECOND_MS[unit as keyof typeof SECOND_MS]);
  if (count === "" || Number.isNaN(end.getTime()))
    throw invalid(name, "must be a duration such as 30s, 30m, 24h, or 30d.");
  return end;
}

/** Identifies a key by its digest, ID, or secret. A secret is immediately replaced with its digest. */
export function readKeyName(name: string, text: string): KeyName {
  if (/^[0-9a-f]{64}$/i.test(text)) return { hash: Buffer.from(text, "hex") };
  if (!text.startsWith("sk-")) return { id: text };
  if (/[…*]|\.\.\./.test(text)) {
    throw invalid(name, "is a masked key. Send the key's digest, ID, or full secret.");
  }
  if (!isWellFormedKey(text)) throw new Failure("not_found", "Key not found.", { param: name });
  return { hash: hashApiKey(text) };
}

/** Parses a user ID. Rejects values that aren't integers. */
export function readUserId(name: string, text: string): number {
  if (/^[1-9]\d{0,9}$/.test(text) && Number(text) <= 2_147_483_647) return Number(text);
  throw invalid(name, "must be a user ID. User IDs are integers.");
}

/** Returns a failure that names the invalid field. */
export function invalid(name: string, problem: string): Failure {
  return new Failure("invalid_request", `${name} ${problem}`, { param: name });
}

function readDecimal(name: string, value: number | string, decimals: number, tooFine: string): bigint {
  const parsed = parseDecimal(String(value), decimals);
  if (parsed.kind === "exact" && parsed.value <= MAX_AMOUNT) return parsed.value;
  throw invalid(name, parsed.kind === "too-fine" ? `${tooFine}.` : "must be an amount in USD.");
}

function saysNothing(value: unknown): boolean {
  if (value === null || value === false || value === "") return true;
  return typeof value === "object" && Object.keys(value).length === 0;
}
