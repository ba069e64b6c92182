import { Failure } from "@tollgate/contracts/failures.ts";

/** A simulated model's name and parameters, as in `lorem?tokens=200&tps=80`. */
export interface SimModel {
  readonly name: string;
  /** Number of tokens that a text model generates. */
  readonly tokens: number;
  /** Tokens per second in a stream; 0 means no pacing. */
  readonly tokensPerSecond: number;
  readonly firstTokenDelayMs: number;
  /** Number of chunks after which the connection is cut. */
  readonly cutAfter: number | null;
  readonly failure: SimFailure | null;
  /** Share of calls that fail. */
  readonly failureRate: number;
  /** Number of parallel tool calls that a model with tools makes. */
  readonly calls: number;
  readonly seed: number;
}

export type SimFailure = { readonly status: number } | { readonly kind: "context" | "policy" | "schema" };

const MAX_TOKENS = 100_000;
const DEFAULT_TOKENS = 64;
const MAX_CALLS = 16;
const names = new Set([
  "echo",
  "paid",
  "lorem",
  "json",
  "tools",
  "vision",
  "error",
  "cut",
  "slow",
  "embed",
  "moderation",
  "speech",
  "transcribe",
  "image",
  "rerank",
]);

/** Reports whether a simulated model has this name. Its parameters may be invalid. */
export function isSimModel(model: string): boolean {
  return names.has(model.split("?", 1)[0] as string);
}

/** Parses the model's name and parameters. Rejects unknown parameters, so that typos are noticed. */
export function parseSimModel(model: string): SimModel {
  const query = model.indexOf("?");
  const name = query < 0 ? model : model.slice(0, query);
  if (!names.has(name)) throw new Failure("model_not_found", `Simulated model '${name}' does not exist.`);
  const parameters = new URLSearchParams(query < 0 ? "" : model.slice(query + 1));
  const number = (key: string, fallback: number, maximum: number) => {
    const text = parameters.get(key);
    if (text === null) return fallback;
    const value = Number(text);
    if (!Number.isFinite(value) || value < 0 || value > maximum) {
      throw new Failure("invalid_request", `'${key}' of a simulated model must be from 0 to ${maximum}.`);
    }
    return value;
  };
  return {
    name,
    tokens: number("tokens", DEFAULT_TOKENS, MAX_TOKENS),
    tokensPerSecond: number("tps", 0, 100_000),
    firstTokenDelayMs: readDuration(parameters.get("ttft") ?? (name === "slow" ? "2s" : "0")),
    cutAfter: name === "cut" ? number("after", 5, MAX_TOKENS) : null,
    failure: name === "error" ? readFailure(parameters) : null,
    failureRate: number("rate", 1, 1),
    calls: Math.max(1, Math.floor(number("calls", 1, MAX_CALLS))),
    seed: number("seed", 0, Number.MAX_SAFE_INTEGER),
  };
}

function readFailure(parameters: URLSearchParams): SimFailure {
  const kind = parameters.get("kind");
  if (kind === "context" || kind === "policy" || kind === "schema") return { kind };
  const status = Number(parameters.get("status") ?? "500");
  if (!Number.isInteger(status) || status < 400 || status > 599) {
    throw new Failure("invalid_request", "'status' of a simulated model must be from 400 to 599.");
  }
  return { status };
}

/** Parses `2s`, `150ms`, or plain milliseconds. */
function readDuration(text: string): number {
  const match = /^(\d{1,7}(?:\.\d{1,3})?)(ms|s)?$/.exec(text);
  if (match === null)
    throw new Failure("invalid_request", "'ttft' of a simulated model must be a duration such as 2s or 150ms.");
  return Math.min(600_000, Number(match[1]) * (match[2] === "s" ? 1_000 : 1));
}
