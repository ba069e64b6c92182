/** A recording before and after its changing values are replaced. */
interface Recording {
  readonly answers: Readonly<Record<string, unknown>>;
  readonly refusals: Readonly<Record<string, unknown>>;
}

const FIRST_TIME = Date.parse("2026-11-02T09:00:00.000Z");
const TIME_STEP_MS = 61_000;
const DAY_MS = 86_400_000;
const DURATION_MS = 125;

const times = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;
const days = /(?<=")\d{4}-\d\d-\d\d(?=")/g;
const ids = /([a-z]{2,8})_([0-9A-Z]{26}|[0-9a-z]{26})\b/g;
const uuids = /\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/g;
const digests = /\b[0-9a-f]{64}\b/g;
const keys = /\bsk-tg-(?:\w{8,}|\w\w…\w{4})/g;
const tokens = /\beyJ[\w-]+\.[\w-]+\.[\w-]+/g;
const pairingCodes = /\b[0-9A-Z]{4}-[0-9A-Z]{4}\b(?=["&])/g;
const signingSecrets = /\bwhsec_[\w+/=-]+/g;

/**
 * Replaces secrets, IDs, times, and durations, and writes the recording with one line per answer. Equal values stay
 * equal, and times keep their order.
 */
export function normalizeRecording(
  recording: Recording,
  { secrets, baseUrl }: { readonly secrets: readonly string[]; readonly baseUrl: string },
): string {
  let text = JSON.stringify(recording, (name, value: unknown) => normalizeMember(name, value));
  for (const secret of secrets) text = text.replaceAll(secret, "recorded-secret");
  text = text.replaceAll(baseUrl, "http://127.0.0.1:4000");
  text = text.replaceAll(tokens, "eyJyZWNvcmRlZA.eyJyZWNvcmRlZA.recorded");
  text = text.replaceAll(pairingCodes, "ABCD-1234");
  text = text.replaceAll(signingSecrets, "whsec_recorded");
  text = numberAll(text, keys, ([key], count) => {
    const digits = String(count).padStart(4, "0");
    return key.includes("…") ? `sk-tg-re…${digits}` : `sk-tg-recorded${digits}`;
  });
  text = numberAll(text, ids, ([, prefix], count) => `${prefix}_${String(count).padStart(26, "0")}`);
  text = numberAll(text, uuids, (_, count) => `00000000-0000-4000-8000-${String(count).padStart(12, "0")}`);
  text = numberAll(text, digests, (_, count) => String(count).padStart(64, "0"));
  return toLines(JSON.parse(spreadDays(spreadTimes(text))) as Recording);
}

/** Replaces measured durations and addresses, which differ from one recording to the next. */
function normalizeMember(name: string, value: unknown): unknown {
  if (typeof value === "number" && /Ms$/.test(name)) return DURATION_MS;
  if (name === "secret" && typeof value === "string" && !value.startsWith("whsec_")) return "recorded-secret";
  if (typeof value === "string" && /#token=/.test(value)) return value.replace(/#token=.*/, "#token=recorded-secret");
  if (name === "userAgent" && typeof value === "string") return "recorder";
  return value;
}

/** Replaces each distinct match by a numbered text. */
function numberAll(text: string, pattern: RegExp, rename: (match: RegExpExecArray, count: number) => string): string {
  const names = new Map<string, string>();
  for (const match of text.matchAll(pattern)) {
    if (!names.has(match[0])) names.set(match[0], rename(match, names.size + 1));
  }
  return text.replaceAll(pattern, (found) => names.get(found) as string);
}

/** Replaces the times by evenly spaced times in the same order. */
function spreadTimes(text: string): string {
  return spread(text, times, (at) => new Date(FIRST_TIME + at * TIME_STEP_MS).toISOString());
}

/** Replaces the days by consecutive days in the same order. */
function spreadDays(text: string): string {
  return spread(text, days, (at) => new Date(FIRST_TIME + at * DAY_MS).toISOString().slice(0, "YYYY-MM-DD".length));
}

function spread(text: string, pattern: RegExp, rename: (at: number) => string): string {
  const sorted = [...new Set(text.match(pattern))].sort();
  const names = new Map(sorted.map((found, at) => [found, rename(at)]));
  return text.replaceAll(pattern, (found) => names.get(found) as string);
}

function toLines(recording: Recording): string {
  const groups = Object.entries(recording).map(([name, group]: [string, Readonly<Record<string, unknown>>]) => {
    const lines = Object.entries(group).map(([id, answer]) => `    ${JSON.stringify(id)}: ${JSON.stringify(answer)}`);
    return `  ${JSON.stringify(name)}: {\n${lines.join(",\n")}\n  }`;
  });
  return `{\n${groups.join(",\n")}\n}\n`;
}
