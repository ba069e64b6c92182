import { setTimeout as pause } from "node:timers/promises";
import { type Attack, type Case, type CaseContext, type CaseOutcome, type ExpectedCall, inBatches } from "../case.ts";
import type { Cut, Surface } from "../client/send-call.ts";
import type { ModelName } from "../models.ts";
import { type Script, script } from "../upstream/script.ts";

const FRAMES = 4;
const WORDS_PER_FRAME = 2;
const HIDDEN = 3_000;
const TOGETHER = 16;
const HEAD_DELAY_MS = 150;
/** Maximum number of visible frames on any API surface, including the opening and closing frames. */
const MAX_FRAMES = 13;

const SURFACES = ["chat", "messages", "responses"] as const;
/**
 * Upstream models that can serve an API surface: in OpenAI's wire format, in Anthropic's wire format, and with native
 * Responses API support.
 */
const UPSTREAMS: Readonly<Record<Surface, readonly ModelName[]>> = {
  chat: ["mind", "claude-mind"],
  messages: ["mind", "claude-mind"],
  responses: ["mind", "claude-mind", "responses-mind"],
};

export const cutCases: readonly Case[] = SURFACES.map((surface) => ({
  name: `cuts-${surface}`,
  promise: "A stream that its client leaves, at any frame, costs what the upstream billed, hidden reasoning included",
  guards: "row 1, on_disconnect: finish",
  isQuick: true,
  run: (context) => cutEverywhere(context, surface),
}));

export const wholeCutCases: readonly Case[] = SURFACES.map((surface) => ({
  name: `cuts-whole-${surface}`,
  promise: "A call that is not streamed and left early costs what the upstream billed",
  guards: "row 5, on_disconnect: finish",
  isQuick: true,
  run: (context) => cutWhole(context, surface),
}));

export const randomCutCase: Case = {
  name: "cuts-random",
  promise: "Wherever a client leaves, and whatever the answer looks like, it pays what the upstream billed",
  guards: "rows 1 and 5, on_disconnect: finish",
  isQuick: true,
  run: cutAnywhere,
};

async function cutAnywhere(context: CaseContext): Promise<CaseOutcome> {
  const { random, stage } = context;
  const tenant = await context.addTenant();
  const attacks = Array.from({ length: context.isQuick ? 48 : 400 }, (): Attack => {
    const nonce = context.nonce();
    const surface = random.pick(SURFACES);
    const own = script({
      ...{ frames: random.integer(1, 30), wordsPerFrame: random.integer(1, 10), hidden: random.integer(0, 6_000) },
      ...{ headDelayMs: random.integer(0, 200), gapMs: random.integer(0, 10), usageDelayMs: random.integer(0, 400) },
    });
    const afterMs = random.integer(0, 500);
    const event = stage.hostile.received(nonce).then(() => pause(afterMs));
    const shape = { nonce, tenant, surface, model: random.pick(UPSTREAMS[surface]), scripts: [own] };
    return { ...shape, isStream: random.chance(0.7), cut: { at: "event", event } };
  });
  await inBatches(attacks, TOGETHER, context.attack);
  return { calls: attacks.map(exactly) };
}

async function cutEverywhere(context: CaseContext, surface: Surface): Promise<CaseOutcome> {
  const delays = context.isQuick ? [0, 150] : [0, 150, 2_000];
  const tenant = await context.addTenant();
  const attacks: Attack[] = [];
  for (const model of UPSTREAMS[surface]) {
    for (const usageDelayMs of delays) {
      const own = script({ frames: FRAMES, wordsPerFrame: WORDS_PER_FRAME, hidden: HIDDEN, gapMs: 5, usageDelayMs });
      const add = (cut: (nonce: string) => Cut, changes: Partial<Script> = {}) => {
        const nonce = context.nonce();
        attacks.push({
          nonce,
          tenant,
          model,
          surface,
          isStream: true,
          scripts: [{ ...own, ...changes }],
          cut: cut(nonce),
        });
      };
      add((nonce) => ({ at: "event", event: context.stage.hostile.received(nonce) }), { headDelayMs: HEAD_DELAY_MS });
      add(() => ({ at: "headers" }));
      for (let count = 1; count <= MAX_FRAMES; count += context.isQuick ? 3 : 1) add(() => ({ at: "frame", count }));
      add(() => ({ at: "word", count: FRAMES * WORDS_PER_FRAME }));
    }
  }
  await inBatches(attacks, TOGETHER, context.attack);
  return { calls: attacks.map(exactly) };
}

async function cutWhole(context: CaseContext, surface: Surface): Promise<CaseOutcome> {
  const delays = context.isQuick ? [150] : [0, 150, 2_000];
  const tenant = await context.addTenant();
  const attacks = UPSTREAMS[surface].flatMap((model) =>
    delays.map((usageDelayMs): Attack => {
      const nonce = context.nonce();
      const own = script({ hidden: HIDDEN, headDelayMs: HEAD_DELAY_MS, usageDelayMs });
      const cut: Cut = { at: "event", event: context.stage.hostile.received(nonce) };
      return { nonce, tenant, model, surface, scripts: [own], cut };
    }),
  );
  await inBatches(attacks, TOGETHER, context.attack);
  return {
    calls: attacks.map((attack) => ({ nonce: attack.nonce, expects: { kind: "exact", status: "client_disconnect" } })),
  };
}

/** Returns the expectation that the caller pays exactly the upstream's bill. */
export const exactly = ({ nonce }: { readonly nonce: string }): ExpectedCall => ({ nonce, expects: { kind: "exact" } });
