import { type Attack, type Case, type CaseContext, type CaseOutcome, inBatches } from "../case.ts";
import type { Surface } from "../client/send-call.ts";
import type { ModelName } from "../models.ts";
import { type Script, script } from "../upstream/script.ts";
import { exactly } from "./cut-cases.ts";

const TOLERANCE = 0.02;
const TOGETHER = 12;
const WIRES: readonly (readonly [ModelName, Surface])[] = [
  ["mind", "chat"],
  ["claude-mind", "messages"],
  ["responses-mind", "responses"],
];

export const usageCases: readonly Case[] = [
  {
    name: "odd-usage-frames",
    promise: "Usage that is repeated or comes before the end is charged once, and exactly",
    guards: "rule: a report is believed once",
    isQuick: true,
    run: async (context) => {
      const attacks = await attackWires(
        context,
        [{ usage: "twice" }, { usage: "early" }],
        [true],
        null,
        WIRES.slice(0, 2),
      );
      return { calls: attacks.map(exactly) };
    },
  },
  {
    name: "impossible-usage",
    promise: "A report in wrong types, beyond all limits, or missing is replaced by our own count",
    guards: "rule: an impossible report is counted instead",
    isQuick: true,
    run: async (context) => {
      const shape = { frames: 20, wordsPerFrame: 20, inputTokens: 20 };
      const changes = (["impossible", "wrong types", "none"] as const).map((usage) => ({ ...shape, usage }));
      return estimatedWires(context, changes, [true, false]);
    },
  },
  {
    name: "ignored-limit",
    promise:
      "An upstream that ignores max_tokens or never ends its stream is stopped, and the caller pays for its limit",
    guards: "rule: no caller pays for more than it requested",
    isQuick: true,
    run: async (context) => {
      const shape = { wordsPerFrame: 50, inputTokens: 20, gapMs: 1 };
      const limited = await estimatedWires(
        context,
        [{ ...shape, fault: "ignores limit", usage: "impossible" }],
        [true, false],
        500,
      );
      const endless = await estimatedWires(context, [{ ...shape, fault: "endless", usage: "none" }], [true], 500);
      const left = await leaveEndless(context);
      return { calls: [...limited.calls, ...endless.calls, ...left.calls] };
    },
  },
];

/** Disconnects from endless streams. The upstream would continue, so the gateway must stop reading. */
async function leaveEndless(context: CaseContext): Promise<CaseOutcome> {
  const tenant = await context.addTenant();
  const own = script({ wordsPerFrame: 50, inputTokens: 20, gapMs: 1, fault: "endless", usage: "none" });
  const attacks = WIRES.map(([model, surface]): Attack => {
    const shape = { nonce: context.nonce(), tenant, model, surface, isStream: true, maxTokens: 500, scripts: [own] };
    return { ...shape, cut: { at: "word", count: 50 } };
  });
  await Promise.all(attacks.map(context.attack));
  const expects = { kind: "estimate", tolerance: TOLERANCE } as const;
  return { calls: attacks.map(({ nonce }) => ({ nonce, expects })) };
}

async function attackWires(
  context: CaseContext,
  changes: readonly Partial<Script>[],
  forms: readonly boolean[],
  maxTokens: number | null,
  wires = WIRES,
): Promise<readonly Attack[]> {
  const tenant = await context.addTenant();
  const attacks = wires.flatMap(([model, surface]) =>
    changes.flatMap((each) =>
      forms.map((isStream): Attack => {
        const limit = maxTokens === null ? {} : { maxTokens };
        return { nonce: context.nonce(), tenant, model, surface, isStream, scripts: [script(each)], ...limit };
      }),
    ),
  );
  await inBatches(attacks, TOGETHER, context.attack);
  return attacks;
}

async function estimatedWires(
  context: CaseContext,
  changes: readonly Partial<Script>[],
  forms: readonly boolean[],
  maxTokens: number | null = null,
): Promise<CaseOutcome> {
  const attacks = await attackWires(context, changes, forms, maxTokens);
  const expects = { kind: "estimate", tolerance: TOLERANCE } as const;
  return { calls: attacks.map(({ nonce }) => ({ nonce, expects })) };
}
