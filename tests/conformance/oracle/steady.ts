import { UPSTREAM_KEY } from "./served-models.ts";

interface Surroundings {
  readonly baseUrl: string;
  readonly masterKey: string;
  readonly upstream: { readonly origin: string };
  readonly kept: ReadonlyMap<string, string>;
}

const A_DAY_S = 86_400;
/** Longest time from now to a time in a response, such as the end of a budget period. */
const NEAR_MS = 400 * 86_400_000;
const TIME = /\b\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(?:\.\d+)?(Z|[+-]\d{2}:\d{2})?/g;
/** Shorter values, such as numeric IDs, also occur inside other texts. */
const MIN_UNIQUE_LENGTH = 8;

/** Replaces everything that differs from run to run with placeholders. */
export function steady(value: unknown, around: Surroundings, name = ""): unknown {
  if (typeof value === "string") {
    const text = steadyText(value, around);
    return isEncrypted(name, text) ? "<encrypted>" : text;
  }
  if (typeof value === "number") return isNow(name, value) ? "<now>" : name.endsWith("_ms") ? "<milliseconds>" : value;
  if (Array.isArray(value)) return value.map((item) => steady(item, around));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [steadyText(key, around), steady(item, around, key)]),
  );
}

function steadyText(text: string, { baseUrl, masterKey, upstream, kept }: Surroundings): string {
  return (
    withoutKept(text.replace(TIME, steadyTime), kept)
      .replace(/\bsk-\.\.\.[\w-]{4}$/, "sk-...<last four>")
      .replaceAll(upstream.origin, "<upstream>")
      .replaceAll(new URL(upstream.origin).host, "<upstream>")
      .replaceAll(baseUrl, "<gateway>")
      .replaceAll(masterKey, "<master key>")
      .replaceAll(UPSTREAM_KEY, "<upstream key>")
      // LiteLLM's health checks send one of two questions.
      .replace(/^(Hey how's it going\?|What's 1 \+ 1\?)$/, "<test prompt>")
      .replace(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, "<uuid>")
      .replace(/\b[0-9a-f]{64}\b/g, "<hash>")
      .replace(/\b(chatcmpl|cmpl|modr|call|toolu|msg|resp|fc)([-_])(?!scripted)[A-Za-z0-9_<>-]{6,}=*/g, "$1$2<id>")
      // Secrets and IDs of records, which Tollgate and LiteLLM make up.
      .replace(/\bsk-(?:tg-[A-Za-z0-9]{48}|[\w-]{22})(?![\w-])/g, "<secret>")
      .replace(/\b(team|key)_[0-9A-Z]{26}\b/g, "<$1 id>")
      .replace(/\b(asst|thread|run|step)_[A-Za-z0-9]{24}\b/g, "$1_<id>")
  );
}

/** LiteLLM encrypts the parameters of stored models with a random nonce. */
function isEncrypted(name: string, text: string): boolean {
  return /^(model|api_base|api_key)$/.test(name) && /^[\w-]{40,}={0,2}$/.test(text);
}

/** Replaces the values that earlier questions kept with their names. */
function withoutKept(text: string, kept: ReadonlyMap<string, string>): string {
  let steadied = text;
  for (const [name, value] of kept) {
    if (steadied === value) return `<${name}>`;
    if (value.length >= MIN_UNIQUE_LENGTH) steadied = steadied.replaceAll(value, `<${name}>`);
  }
  return steadied;
}

function steadyTime(time: string, zone: string | undefined): string {
  if (Math.abs(Date.parse(time) - Date.now()) > NEAR_MS) return time;
  return zone === undefined ? "<time without zone>" : "<time>";
}

function isNow(name: string, value: number): boolean {
  return (
    /^(created|(created|started|expires|completed|cancelled|failed)_at)$/.test(name) &&
    Math.abs(value - Date.now() / 1_000) < A_DAY_S
  );
}
