import { priceCall } from "@tollgate/domain/pricing/price-call.ts";
import { NO_USAGE } from "@tollgate/domain/pricing/usage.ts";
import { type CallLog, tokensSeen } from "../load/call-log.ts";
import { PRICES } from "../models.ts";
import { type UpstreamRecord, writePrompt } from "../upstream/instructions.ts";
import type { UsageRow } from "./usage-rows.ts";

/** How a call looks in three independent records of it. */
export type Verdict =
  | { readonly kind: "right" }
  /** It began less than a second before its gateway died, and nothing is known of it. */
  | { readonly kind: "no trace" }
  | { readonly kind: "lost" | "doubled"; readonly why: string };

const RIGHT: Verdict = { kind: "right" };
/** What of a stream may go unbilled when its gateway dies: the time between two checkpoints, and a little to write one. */
const CHECKPOINT_MS = 1_000;
const WRITING_MS = 500;
/** What a count of our own may be off by. */
const TOLERANCE = 0.02;

/** Compares what the client saw, what the upstream delivered and what the books charge. */
export function judgeCall(log: CallLog, records: readonly UpstreamRecord[], rows: readonly UsageRow[]): Verdict {
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

/** The client left, and the gateway read the response to its end: the upstream bills all of it, and so do we. */
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
    return { kind: "doubled", why: `the client was told ${log.costSeen} and charged ${row.cost}` };
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

/** What the upstream delivered, with what the prompt may have been counted as. */
function mostCost({ plan }: CallLog, records: readonly UpstreamRecord[]): bigint {
  if (records.length === 0) return 0n;
  const outputTokens = records.reduce((sum, { delivered }) => sum + delivered, 0);
  const usage = { ...NO_USAGE, inputTokens: mostInput(plan.nonce), outputTokens: withTolerance(outputTokens) };
  return priceCall(usage, PRICES[plan.model]);
}

/** What the client saw of the answer: all of it when the client left, else up to the last checkpoint. */
function leastCost(log: CallLog): bigint {
  const { plan, seenAtMs, endedAtMs } = log;
  const until = plan.hangUp === null ? endedAtMs - CHECKPOINT_MS - WRITING_MS : endedAtMs;
  const chunks = plan.hangUp === null ? seenAtMs.filter((at) => at <= until).length : seenAtMs.length;
  // Nobody pays for more than was asked for, however much is said.
  const tokens = Math.min(chunks * plan.tokensPerChunk, plan.maxTokens);
  const outputTokens = Math.floor(tokens * (1 - TOLERANCE));
  if (tokensSeen(log) === 0) return 0n;
  return priceCall({ ...NO_USAGE, outputTokens }, PRICES[plan.model]);
}

const withTolerance = (tokens: number): number => Math.ceil(tokens * (1 + TOLERANCE));

/** No prompt has more tokens than a third of its request's bytes. */
function mostInput(nonce: string): number {
  const prompt = writePrompt({ nonce, chunks: 999, gapMs: 999, tokensPerChunk: 999, delayMs: 999 });
  return Math.ceil((prompt.length + 200) / 3);
}
