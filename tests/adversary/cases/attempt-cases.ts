import { priceCall } from "@tollgate/domain/pricing/price-call.ts";
import { NO_USAGE } from "@tollgate/domain/pricing/usage.ts";
import type { Attack, Case, CaseContext, CaseOutcome } from "../case.ts";
import { MODELS } from "../models.ts";
import { outputOf, script } from "../upstream/script.ts";
import { exactly } from "./cut-cases.ts";

const RETRIES = 5;
/** Each retry waits twice as long as the previous one. */
const QUICK_RETRIES = 3;
const STORM = 10;
/** Tolerance for a malformed response. Its usage is unreadable, so the loss is an estimate. */
const COUNTED = 0.5;
const MAX_ATTEMPTS = 6;

export const attemptCases: readonly Case[] = [
  {
    name: "malformed-then-good",
    promise: "A malformed answer that was retried is the operator's loss; the caller pays for the good one",
    guards: "rule: attempts are paid for",
    isQuick: true,
    run: async (context) => {
      const tenant = await context.addTenant();
      const good = script({ frames: 100 });
      const bad = script({ frames: 100, fault: "malformed" });
      const usage = { ...NO_USAGE, inputTokens: good.inputTokens, outputTokens: outputOf(good) };
      const charged = priceCall(usage, MODELS.cheap.price);
      const attack: Attack = retried(context, tenant, { scripts: [bad, bad, good] });
      await context.attack(attack);
      return { calls: [{ nonce: attack.nonce, expects: { kind: "loss", charged, tolerance: COUNTED } }] };
    },
  },
  {
    name: "malformed-storm",
    promise: "A storm of retries against malformed answers is bounded, and its whole bill is recorded as operator loss",
    guards: "rule: attempts are paid for",
    isQuick: true,
    // The case exhausts the retry budget, which other cases need.
    isAlone: true,
    run: async (context) => {
      const tenant = await context.addTenant();
      const bad = script({ frames: 100, fault: "malformed" });
      const fields = { num_retries: context.isQuick ? QUICK_RETRIES : RETRIES };
      const attacks = Array.from({ length: STORM }, () => retried(context, tenant, { scripts: [bad], fields }));
      await Promise.all(attacks.map(context.attack));
      const problems = attacks.flatMap(({ nonce }) => {
        const { length } = context.stage.hostile.attemptsOf(nonce);
        return length <= MAX_ATTEMPTS ? [] : [`${nonce}: ${length} attempts`];
      });
      const expects = { kind: "loss", charged: 0n, tolerance: COUNTED } as const;
      return { calls: attacks.map(({ nonce }) => ({ nonce, expects })), problems };
    },
  },
  {
    name: "caller-timeout",
    promise: "A caller whose own timeout ends the call pays for every attempt that it caused",
    guards: "rule: the caller pays when its field caused the failure",
    isQuick: true,
    run: (context) =>
      allExact(context, [
        { fields: { timeout: 0.01, num_retries: RETRIES } },
        { fields: { timeout: 0.05 } },
        { fields: { timeout: 0.05 }, isStream: true },
        { fields: { stream_timeout: 0.05, num_retries: RETRIES }, isStream: true },
        { headers: { "x-gw-timeout": "0.05" } },
      ]),
  },
  {
    name: "fallback-to-expensive",
    promise: "A fallback that the caller names is held and charged at its own price",
    guards: "rule: holds cover fallbacks",
    isQuick: true,
    run: async (context) => {
      const rich = await context.addTenant();
      const poor = await context.addTenant(1_000_000n);
      const scripts = [script({ fault: "refuses" }), script({ frames: 8 })];
      const fields = { fallbacks: ["expensive"] };
      const shape = { model: "mind", fields, scripts, maxTokens: 90 } as const;
      const paid: Attack = { ...shape, nonce: context.nonce(), tenant: rich };
      const unpaid: Attack = { ...shape, nonce: context.nonce(), tenant: poor };
      const [, log] = await Promise.all([context.attack(paid), context.attack(unpaid)]);
      const problems = log?.status === 200 ? ["a fallback was served that the credit does not cover"] : [];
      return { calls: [exactly(paid), { nonce: unpaid.nonce, expects: { kind: "refused" } }], problems };
    },
  },
];

function retried(context: CaseContext, tenant: Attack["tenant"], more: Partial<Attack>): Attack {
  return { nonce: context.nonce(), tenant, model: "cheap", fields: { num_retries: RETRIES }, ...more };
}

async function allExact(context: CaseContext, calls: readonly Partial<Attack>[]): Promise<CaseOutcome> {
  const tenant = await context.addTenant();
  const own = script({ headDelayMs: 400, hidden: 1_000 });
  const attacks = calls.map(
    (each): Attack => ({ nonce: context.nonce(), tenant, model: "mind", scripts: [own], ...each }),
  );
  await Promise.all(attacks.map(context.attack));
  return { calls: attacks.map(exactly) };
}
