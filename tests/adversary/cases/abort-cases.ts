import { type Attack, type Case, type CaseContext, type CaseOutcome, inBatches } from "../case.ts";
import type { ModelName } from "../models.ts";
import { script } from "../upstream/script.ts";

const WORDS_PER_FRAME = 20;
const STALLS = [3, 6, 12] as const;
const TOLERANCE = 0.02;
const TOGETHER = 9;

export const abortCases: readonly Case[] = [
  {
    name: "abort-streams",
    promise: "With `on_disconnect: abort` a cut stream costs its input and the text sent so far, within 2 %",
    guards: "row 1, on_disconnect: abort",
    isQuick: true,
    run: abortStreams,
  },
  {
    name: "abort-whole",
    promise: "With `on_disconnect: abort` a call that is not streamed and left early costs its input",
    guards: "row 5, on_disconnect: abort",
    isQuick: true,
    run: abortWhole,
  },
];

/**
 * Aborts streams. The upstream pauses after sending the expected amount, so that the gateway and the upstream bill the
 * same text.
 */
async function abortStreams(context: CaseContext): Promise<CaseOutcome> {
  const tenant = await context.addTenant();
  const attacks: Attack[] = [];
  for (const model of ["abort-plain", "abort-claude"] as const) {
    for (const surface of ["chat", "messages", "responses"] as const) {
      for (const stallAfter of STALLS) {
        const nonce = context.nonce();
        const inputTokens = await countInput(context, tenant, model, nonce);
        const own = { frames: 20, wordsPerFrame: WORDS_PER_FRAME, stallAfter, inputTokens };
        attacks.push({
          ...{ nonce, tenant, model, surface, isStream: true },
          scripts: [script({ ...own, onAbort: "bills what was sent" })],
          cut: { at: "word", count: stallAfter * WORDS_PER_FRAME },
        });
      }
    }
  }
  await inBatches(attacks, TOGETHER, context.attack);
  return { calls: attacks.map(estimated), problems: checkAborted(context, attacks) };
}

async function abortWhole(context: CaseContext): Promise<CaseOutcome> {
  const tenant = await context.addTenant();
  const attacks: Attack[] = [];
  for (const model of ["abort-plain", "abort-claude"] as const) {
    const nonce = context.nonce();
    const inputTokens = await countInput(context, tenant, model, nonce);
    attacks.push({
      ...{ nonce, tenant, model },
      scripts: [script({ inputTokens, headDelayMs: 1_500, onAbort: "bills what was sent" })],
      cut: { at: "event", event: context.stage.hostile.received(nonce) },
    });
  }
  await Promise.all(attacks.map(context.attack));
  return { calls: attacks.map(estimated), problems: checkAborted(context, attacks) };
}

const estimated = ({ nonce }: Attack) => ({ nonce, expects: { kind: "estimate", tolerance: TOLERANCE } }) as const;

function checkAborted({ stage }: CaseContext, attacks: readonly Attack[]): string[] {
  const finished = attacks.filter(({ nonce }) => stage.hostile.attemptsOf(nonce).some(({ isComplete }) => isComplete));
  return finished.map(({ nonce }) => `${nonce}: the upstream was not aborted`);
}

/**
 * Returns the gateway's token count for the prompt. This case tests the billing of text, so the gateway and the
 * upstream must bill the same input.
 */
async function countInput(
  { stage }: CaseContext,
  tenant: { readonly apiKey: string },
  model: ModelName,
  nonce: string,
): Promise<number> {
  const answer = await fetch(`${stage.tollgate.url}/utils/token_counter`, {
    method: "POST",
    headers: { "x-gw-api-key": tenant.apiKey, "content-type": "application/json", connection: "close" },
    body: JSON.stringify({ model, messages: [{ role: "user", content: promptOf(nonce) }] }),
  });
  const { total_tokens: tokens } = (await answer.json()) as { total_tokens?: number };
  if (tokens === undefined) throw new Error(`the token counter answered ${answer.status}`);
  return tokens;
}

/** Returns the prompt that every call in the suite sends. */
export const promptOf = (nonce: string): string => `Count for ${nonce} please.`;
