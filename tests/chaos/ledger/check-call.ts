import { priceCall } from "@tollgate/domain/pricing/price-call.ts";
import { NO_USAGE } from "@tollgate/domain/pricing/usage.ts";
import { type CallLog, tokensSeen } from "../load/call-log.ts";
import { PRICES } from "../models.ts";
import { type UpstreamRecord, writePrompt } from "../upstream/instructions.ts";
import type { UsageRow } from "./usage-rows.ts";

/** Verdict on a call, based on three independent records. */
export type Verdict =
  | { readonly kind: "right" }
  /** The call started less than a second before its gateway died and left no record. */
  | { readonly kind: "no trace" }
  | { readonly kind: "lost" | "doubled"; readonly why: string };

const RIGHT: Verdict = { kind: "right" };
/**
 * Maximum time before a gateway's death for which a stream may be unbilled: the time between two checkpoints, plus the
 * time to write one.
 */
const CHECKPOINT_MS = 1_000;
const WRITING_MS = 500;
/** Tolerance for the gateway's own token count. */
const TOLERANCE = 0.02;

/** Compares the client's view, the upstream's deliveries, and the ledger's charges. */
export function checkCall(log: CallLog, records: readonly UpstreamRecord[], rows: readonly UsageRow[]): Verdict {
  if (rows.length > 1) return { kind: "doubled", why: `${rows.length} rows` };
  const [row] = rows;
  if (log.isComplete || wasReadOn(log, records)) return judgeWhole(log, records, row);
  const ceiling = mostCost(log, records);
  if (row === undefined) return judgeMissing(log);
  if (row.cost > ceiling) return { kind: "doubled", why: `charged ${row.cost}, delivered at most ${ceiling}` };
  const floor = leastCost(log);
  if (row.cost < floor) return { kind: "lost", why: `charged ${row.cost}, at least ${floor} was seen` };
  return RIGHT;
}

/**
 * Reports whether the gateway read the response to the end after the client disconnected. In that case, the whole
 * response is billed.
 */
function wasReadOn({ plan }: CallLog, records: readonly UpstreamRecord[]): boolean {
  const { hangUp } = plan;
  return hangUp !== null && hangUp.at !== "end" && records.some(({ isComplete }) => isComplete);
}

function judgeWhole(log: CallLog, records: readonly UpstreamRecord[], row: UsageRow | undefined): Verdict {
  if (row === undefined) return { kind: "lost", why: "a whole answer without a row" };
  const record = records.find(({ isComplete }) => isComplete);
  if (record === undefined) return { kind: "lost", why: "a whole answer that the upstream never gave" };
  const { reported } = record;
  const price = PRICES[record.model];
  const input = reported?.input ?? 0;
  const expected = priceCall({ ...NO_USAGE, inputTokens: input, outputTokens: record.delivered }, price);
  const off = reported === null ? BigInt(Math.ceil(Number(expected) * TOLERANCE)) : 0n;
  if (row.cost < expected - off) return { kind: "lost", why: `charged ${row.cost} instead of ${expected}` };
  if (row.cost > expected + off) return { kind: "doubled", why: `charged ${row.cost} instead of ${expected}` };
  if (log.costSeen !== null && log.costSeen !== row.cost) {
    return { kind: "doubled", why: `the response reported a cost of ${log.costSeen}, but the charge was ${row.cost}` };
  }
  return RIGHT;
}

function judgeMissing(log: CallLog): Verdict {
  const [first] = log.seenAtMs;
  if (first === undefined) return RIGHT;
  const isYoung = log.endedAtMs - first <= CHECKPOINT_MS;
  return isYoung && log.plan.hangUp === null
    ? { kind: "no trace" }
    : { kind: "lost", why: "a cut answer without a row" };
}

/** Returns the maximum cost of a call: the cost of the delivered output and of the maximum number of input tokens. */
function mostCost({ plan }: CallLog, records: readonly UpstreamRecord[]): bigint {
  if (records.length === 0) return 0n;
  const outputTokens = records.reduce((sum, { delivered }) => sum + delivered, 0);
  const usage = { ...NO_USAGE, inputTokens: mostInput(plan.nonce), outputTokens: withTolerance(outputTokens) };
  return priceCall(usage, PRICES[plan.model]);
}

/**
 * Returns the minimum cost of a call: everything that the client saw if it disconnected, or everything up to the last
 * checkpoint if the gateway died.
 */
function leastCost(log: CallLog): bigint {
  const { plan, seenAtMs, endedAtMs } = log;
  const until = plan.hangUp === null ? endedAtMs - CHECKPOINT_MS - WRITING_MS : endedAtMs;
  const chunks = plan.hangUp === null ? seenAtMs.filter((at) => at <= until).length : seenAtMs.length;
  // The charge is capped at the requested maximum output, however many tokens are sent.
  const tokens = Math.min(chunks * plan.tokensPerChunk, plan.maxTokens);
  const outputTokens = Math.floor(tokens * (1 - TOLERANCE));
  if (tokensSeen(log) === 0) return 0n;
  return priceCall({ ...NO_USAGE, outputTokens }, PRICES[plan.model]);
}

const withTolerance = (tokens: number): number => Math.ceil(tokens * (1 + TOLERANCE));

/** Returns the maximum number of prompt tokens, which is a third of the number of bytes in the request. */
function mostInput(nonce: string): number {
  const prompt = writePrompt({ nonce, chunks: 999, gapMs: 999, tokensPerChunk: 999, delayMs: 999 });
  return Math.ceil((prompt.length + 200) / 3);
}
