import { priceCall } from "@tollgate/domain/pricing/price-call.ts";
import { NO_USAGE } from "@tollgate/domain/pricing/usage.ts";
import type { Attack, Case, CaseContext, CaseOutcome } from "../case.ts";
import { MODELS } from "../models.ts";
import { outputOf, type Script, script } from "../upstream/script.ts";

/** More than 32 MiB in total. */
const BIG_FRAMES = 150;
const BIG_PADDING = 256 * 1_024;
/** Tokens by which the gateway raises the hold for a stream without an output limit. */
const OUTPUT_STEP = 4_096;

export const limitCases: readonly Case[] = [
  {
    name: "limit-timeout",
    promise: "If the call's timeout ends a reading without a client, the row is an estimate that covers the bill",
    guards: "row 1, limits of on_disconnect: finish",
    isQuick: true,
    run: (context) =>
      endByLimit(context, "disconnect_timeout", script({ hidden: 500, frames: 4, usageDelayMs: 8_000 }), "hurried", 4),
  },
  {
    name: "limit-size",
    promise: "A reading without a client ends after 32 MiB, and the row is an estimate that covers the bill",
    guards: "row 1, limits of on_disconnect: finish",
    isQuick: false,
    run: (context) =>
      endByLimit(
        context,
        "disconnect_size",
        script({ hidden: 500, frames: BIG_FRAMES, padding: BIG_PADDING }),
        "mind",
        4,
      ),
  },
  {
    name: "limit-credit",
    promise: "A stream that its client left ends when no more credit can be held, and is charged up to there",
    guards: "row 1, limits of on_disconnect: finish",
    isQuick: false,
    run: async (context) => {
      const outputTokens = OUTPUT_STEP * 2;
      const credit = priceCall({ ...NO_USAGE, inputTokens: 1_000, outputTokens }, MODELS.mind.price);
      const tenant = await context.addTenant(credit);
      const own = script({ fault: "endless", usage: "none", wordsPerFrame: 20, gapMs: 4, inputTokens: 20 });
      const attack: Attack = {
        ...{ nonce: context.nonce(), tenant, model: "mind", isStream: true, maxTokens: null, scripts: [own] },
        cut: { at: "word", count: 40 },
      };
      await context.attack(attack);
      // The upstream also bills tokens that were in flight while the gateway decided.
      const expects = { kind: "estimate", tolerance: 0.1, mayExceed: true, limits: ["disconnect_credit"] } as const;
      return { calls: [{ nonce: attack.nonce, expects }] };
    },
  },
];

/** The request allows exactly as many tokens as the model uses, so the rest of the hold covers the hidden tokens. */
async function endByLimit(
  context: CaseContext,
  limit: string,
  own: Script,
  model: Attack["model"],
  cutAfter: number,
): Promise<CaseOutcome> {
  const tenant = await context.addTenant();
  const attacks = (["chat", "messages", "responses"] as const).map((surface): Attack => {
    const shape = { nonce: context.nonce(), tenant, model, surface, isStream: true, maxTokens: outputOf(own) };
    return { ...shape, scripts: [own], cut: { at: "word", count: cutAfter } };
  });
  await Promise.all(attacks.map(context.attack));
  const expects = { kind: "estimate", tolerance: 0.02, mayExceed: true, limits: [limit] } as const;
  return { calls: attacks.map(({ nonce }) => ({ nonce, expects })) };
}
