import { setTimeout as pause } from "node:timers/promises";
import { addTenant } from "@tollgate/testkit/tenants.ts";
import { within } from "../chaos/stage/program.ts";
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
  readonly figures: Readonly<Record<string, number>>;
  readonly skipped: string | null;
}

export interface RunOptions {
  readonly seed: number;
  readonly isQuick: boolean;
}

/** 10,000 USD. */
const PLENTY = 10_000_000_000_000n;
const USUAL_LIMIT = 8_192;
const CASE_LIMIT_MS = { quick: 60_000, whole: 300_000 };
const SETTLE_LIMIT_MS = { quick: 15_000, whole: 40_000 };
const POLL_MS = 150;

/** Runs one case and compares what the upstream billed with what the rows say. */
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
  try {
    outcome = await within(CASE_LIMIT_MS[pace], each.run(context));
    problems.push(...(outcome.problems ?? []));
  } catch (error) {
    problems.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
  }
  const judgments = await settle(stage, outcome.calls, prefix, sinceMs, SETTLE_LIMIT_MS[pace]);
  problems.push(...judgments.flatMap((judgment) => judgment.problems));
  return {
    name: each.name,
    seconds: (performance.now() - startedAtMs) / 1_000,
    judgments,
    problems,
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
    maxTokens: maxTokens === undefined ? USUAL_LIMIT : maxTokens,
    ...(fields !== undefined && { fields }),
    ...(headers !== undefined && { headers }),
    cut,
  };
}

/** Waits until every attempt has ended and every billed call has a row, then compares. */
async function settle(
  stage: AdversaryStage,
  calls: readonly ExpectedCall[],
  prefix: string,
  sinceMs: number,
  limitMs: number,
): Promise<readonly Judgment[]> {
  const deadline = performance.now() + limitMs;
  let rows: ReadonlyMap<string, readonly CallRow[]> = new Map();
  while (calls.length > 0) {
    rows = await readCallRows(stage.books, prefix, sinceMs).catch(() => rows);
    const isThere = ({ nonce, expects }: ExpectedCall) => {
      const billed = stage.hostile.billOf(nonce);
      return billed !== null && (billed === 0n || rows.has(nonce) || expects.kind === "killed");
    };
    if (calls.every(isThere) || performance.now() > deadline) break;
    await pause(POLL_MS);
  }
  return calls.map(({ nonce, expects }) => {
    const facts = { nonce, billed: stage.hostile.billOf(nonce) ?? 0n, rows: rows.get(nonce) ?? [], expects };
    const judgment = judgeCall(facts);
    const isOpen = stage.hostile.billOf(nonce) === null;
    return isOpen
      ? { ...judgment, problems: [...judgment.problems, `${nonce}: the upstream still works on it`] }
      : judgment;
  });
}
