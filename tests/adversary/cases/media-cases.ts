import { priceCall } from "@tollgate/domain/pricing/price-call.ts";
import { NO_USAGE } from "@tollgate/domain/pricing/usage.ts";
import type { Attack, Case, CaseContext } from "../case.ts";
import type { Surface } from "../client/send-call.ts";
import { MODELS, type ModelName } from "../models.ts";
import { script } from "../upstream/script.ts";
import { refused } from "./admission-cases.ts";
import { exactly } from "./cut-cases.ts";

/** Input tokens that the upstream bills for a video or a file behind a short URL. */
const MEDIA_TOKENS = 300_000;
const MAX_TOKENS = 500;
/** Models with an unknown and with a known context window, by API surface. */
const UPSTREAMS: readonly (readonly [Surface, readonly ModelName[]])[] = [
  ["chat", ["mind", "window-mind"]],
  ["messages", ["claude-mind", "window-claude"]],
  ["responses", ["responses-mind", "window-responses"]],
];

type Target = readonly [Surface, ModelName];
const TARGETS: readonly Target[] = UPSTREAMS.flatMap(([surface, models]) =>
  models.map((model): Target => [surface, model]),
);

export const mediaCases: readonly Case[] = [
  {
    name: "media-by-reference",
    promise: "A video or file that the gateway cannot size costs what the upstream billed, also if its client leaves",
    guards: "rule: a report for media is believed up to the context window",
    isQuick: true,
    run: async (context) => {
      const tenant = await context.addTenant();
      const scripts = [script({ inputTokens: MEDIA_TOKENS, usageDelayMs: 150 })];
      const attacks = TARGETS.flatMap((target) => [
        attackWithMedia(context, tenant, target, { scripts }),
        attackWithMedia(context, tenant, target, { scripts, isStream: true }),
        attackWithMedia(context, tenant, target, { scripts, isStream: true, cut: { at: "word", count: 2 } }),
      ]);
      const hidden = attackWithMedia(context, tenant, ["chat", "mind"], { scripts });
      attacks.push({ ...hidden, fields: hiddenVideo(hidden.nonce) });
      await Promise.all(attacks.map(context.attack));
      return { calls: attacks.map(exactly) };
    },
  },
  {
    name: "media-small-credit",
    promise: "Credit that does not cover the context window buys no video or file",
    guards: "rule: the hold for media is the context window",
    isQuick: true,
    run: async (context) => {
      const tenant = await context.addTenant(costOf(MEDIA_TOKENS));
      const attacks = TARGETS.map((target) => attackWithMedia(context, tenant, target, {}));
      const logs = await Promise.all(attacks.map(context.attack));
      return refused(attacks, logs, ["QUOTA_EXCEEDED", "billing_error"]);
    },
  },
  {
    name: "media-limit",
    promise: "If a timeout ends the reading of a call with media, the row is an estimate that covers the bill",
    guards: "row 1, limits of on_disconnect: finish",
    isQuick: true,
    run: async (context) => {
      const tenant = await context.addTenant();
      const scripts = [script({ inputTokens: MEDIA_TOKENS, usageDelayMs: 8_000 })];
      const cut = { at: "word", count: 2 } as const;
      const attack = attackWithMedia(context, tenant, ["chat", "hurried"], { scripts, isStream: true, cut });
      await context.attack(attack);
      const limits = ["disconnect_timeout"];
      const expects = { kind: "estimate", tolerance: 0.02, mayExceed: true, limits } as const;
      return { calls: [{ nonce: attack.nonce, expects }] };
    },
  },
];

function attackWithMedia(
  context: CaseContext,
  tenant: Attack["tenant"],
  [surface, model]: Target,
  more: Partial<Attack>,
): Attack {
  const nonce = context.nonce();
  return { nonce, tenant, surface, model, maxTokens: MAX_TOKENS, fields: mediaFields(surface, nonce), ...more };
}

/** Returns the input of a request with a video or a file by URL, in the format of the API surface. */
function mediaFields(surface: Surface, nonce: string): Readonly<Record<string, unknown>> {
  const text = `Describe this for ${nonce} please.`;
  const url = "https://example.org/media";
  if (surface === "chat") {
    const content = [
      { type: "text", text },
      { type: "video_url", video_url: { url } },
    ];
    return { messages: [{ role: "user", content }] };
  }
  if (surface === "messages") {
    const content = [
      { type: "text", text },
      { type: "document", source: { type: "url", url } },
    ];
    return { messages: [{ role: "user", content }] };
  }
  const content = [
    { type: "input_text", text },
    { type: "input_file", file_url: url },
  ];
  return { input: [{ role: "user", content }] };
}

/** Returns a text part from which some upstreams read a video. */
function hiddenVideo(nonce: string): Readonly<Record<string, unknown>> {
  const video = { video_url: { url: "https://example.org/media" } };
  const content = [{ type: "text", text: `Describe this for ${nonce} please.`, uuid: "1", ...video }];
  return { messages: [{ role: "user", content }] };
}

const costOf = (inputTokens: number): bigint => priceCall({ ...NO_USAGE, inputTokens }, MODELS.mind.price);
