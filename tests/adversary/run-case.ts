import { setTimeout as pause } from "node:timers/promises";
import { within } from "@tollgate/testkit/processes/program.ts";
import { addTenant } from "@tollgate/testkit/tenants.ts";
import { Random } from "../random.ts";
import { type CallRow, readCallRows, SEPARATOR } from "./books/call-rows.ts";
import { type Judgment, judgeCall } from "./books/judge-call.ts";
import type { Attack, Case, CaseContext, CaseOutcome, ExpectedCall } from "./case.ts";
import { sendCall } from "./client/send-call.ts";
import type { AdversaryStage } from "./stage/stage.ts";
import { script } from "./upstream/script.ts";

export interface CaseReport {
  readonly name: string;
  readonly seconds: number;
  readonly judgments: readonly Judgment[];
  readonly problems: readonly string[];
  /** True if the case threw an error. Its result then says nothing about the promise. */
  readonly isCrash: boolean;
  readonly figures: Readonly<Record<string, number>>;
  readonly skipped: string | null;
}

export interface RunOptions {
  readonly seed: number;
  readonly isQuick: boolean;
}

/** 10,000 USD. */
const PLENTY = 10_000_000_000_000n;
const DEFAULT_LIMIT = 8_192;
const CASE_LIMIT_MS = { quick: 60_000, whole: 300_000 };
const SETTLE_LIMIT_MS = { quick: 15_000, whole: 40_000 };
const POLL_MS = 150;
const GRACE_MS = 2_500;
const RECOVERY_MS = 5_000;

/** Runs one case and compares the upstream's bill with the usage rows. */
export async function runCase(
  each: Case,
  index: number,
  stage: AdversaryStage,
  options: RunOptions,
): Promise<CaseReport> {
  const pace = options.isQuick ? "quick" : "whole";
  const startedAtMs = performance.now();
  const sinceMs = Date.now();
  const prefix = `adv-${options.seed}-${each.name}-`;
  const context = makeContext(index, stage, options, prefix);
  let outcome: CaseOutcome = { calls: [] };
  const problems: string[] = [];
  let isCrash = false;
  try {
    outcome = await within(CASE_LIMIT_MS[pace], each.run(context));
    problems.push(...(outcome.problems ?? []));
  } catch (error) {
    isCrash = true;
    problems.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
  }
  const judgments = await settle(stage, outcome.calls, prefix, sinceMs, SETTLE_LIMIT_MS[pace]);
  problems.push(...judgments.flatMap((judgment) => judgment.problems));
  return {
    name: each.name,
    seconds: (performance.now() - startedAtMs) / 1_000,
    judgments,
    problems,
    isCrash,
    figures: outcome.figures ?? {},
    skipped: outcome.skipped ?? null,
  };
}

function makeContext(index: number, stage: AdversaryStage, { seed, isQuick }: RunOptions, prefix: string): CaseContext {
  let count = 0;
  return {
    stage,
    random: new Random(seed + index),
    isQuick,
    nonce: () => {
      count += 1;
      return `${prefix}${count}`;
    },
    addTenant: (credit = PLENTY) => addTenant(stage.platform, { credit }),
    attack: (attack) => {
      stage.hostile.expect(attack.nonce, ...(attack.scripts ?? [script()]));
      return sendCall(describeCall(stage, attack));
    },
  };
}

function describeCall({ tollgate }: AdversaryStage, attack: Attack) {
  const { nonce, tenant, model, surface = "chat", isStream = false, maxTokens, fields, headers, cut = null } = attack;
  return {
    url: tollgate.url,
    apiKey: tenant.apiKey,
    callId: `${nonce}${SEPARATOR}${attack.index ?? 0}`,
    surface,
    model,
    prompt: `Count for ${nonce} please.`,
    isStream,
    maxTokens: maxTokens === undefined ? DEFAULT_LIMIT : maxTokens,
    ...(fields !== undefined && { fields }),
    ...(headers !== undefined && { headers }),
    cut,
  };
}

/**
 * Waits until every attempt has ended and every call agrees with its usage rows, or until the time limit has passed.
 * Then compares the bills with the usage rows.
 */
async function settle(
  stage: AdversaryStage,
  calls: readonly ExpectedCall[],
  prefix: string,
  sinceMs: number,
  limitMs: number,
): Promise<readonly Judgment[]> {
  const startedAtMs = performance.now();
  const deadline = startedAtMs + limitMs;
  // A restarted gateway charges the calls in its journal, so a missing usage row may still appear.
  const earliest = calls.some(({ expects }) => expects.kind === "killed") ? startedAtMs + RECOVERY_MS : startedAtMs;
  let completeAtMs: number | null = null;
  let rows: ReadonlyMap<string, readonly CallRow[]> = new Map();
  for (;;) {
    rows = await readCallRows(stage.ledger, prefix, sinceMs).catch(() => rows);
    const judgments = calls.map((call) => judge(stage, call, rows.get(call.nonce) ?? []));
    const now = performance.now();
    if (now >= earliest && judgments.every(({ problems }) => problems.length === 0)) return judgments;
    const isComplete = calls.every(({ nonce }) => {
      const billed = stage.hostile.billOf(nonce);
      return billed === 0n || (billed !== null && rows.has(nonce));
    });
    completeAtMs = isComplete ? (completeAtMs ?? now) : null;
    // Several calls can share a nonce, so one usage row does not mean that all of them have settled.
    const isSettled = completeAtMs !== null && now > completeAtMs + GRACE_MS;
    if (isSettled || now > deadline) return judgments;
    await pause(POLL_MS);
  }
}

function judge({ hostile }: AdversaryStage, { nonce, expects }: ExpectedCall, rows: readonly CallRow[]): Judgment {
  const billed = hostile.billOf(nonce);
  const judgment = judgeCall({ nonce, billed: billed ?? 0n, rows, expects });
  if (billed !== null) return judgment;
  return { ...judgment, problems: [...judgment.problems, `${nonce}: the upstream still works on it`] };
}
