import { decodeTokens } from "../../tokens/decode-tokens.ts";
import { itemsOf, type TextOrTokens } from "../../tokens/text-or-tokens.ts";
import { makeSimAnswer, type SimChoice } from "./sim-answer.ts";
import type { SimModel } from "./sim-model.ts";
import { eventReply, jsonReply, readJson, type SimOperation } from "./sim-operation.ts";
import { createRandom, seedOf, splitTokens, textModels } from "./sim-text.ts";

interface CompletionAsked {
  readonly prompt: TextOrTokens;
  readonly max_tokens?: number | null;
  readonly n?: number | null;
  readonly best_of?: number | null;
  readonly echo?: boolean | null;
  readonly logprobs?: number | null;
  readonly seed?: number | null;
  readonly stream?: boolean | null;
  readonly stream_options?: { readonly include_usage?: boolean | null } | null;
}

/** One choice, which continues one prompt. */
interface Continuation {
  readonly pieces: readonly string[];
  readonly finishReason: string;
}

interface Completion {
  readonly head: { readonly id: string; readonly object: "text_completion"; readonly created: number; model: string };
  /** All choices for the first prompt, followed by all choices for the second prompt, and so on. */
  readonly choices: readonly Continuation[];
  readonly usage: { readonly prompt_tokens: number; readonly completion_tokens: number; readonly total_tokens: number };
}

/** Text completions by the simulated text models. The same request always gets the same response. */
export const completion: SimOperation<CompletionAsked> = {
  models: textModels,
  read: (request) => readJson(request, "prompt"),
  reply: (model, asked, nowMs) => {
    const made = complete(model, asked, nowMs);
    return asked.stream === true ? eventReply(writeFrames(made, asked)) : jsonReply(writeWhole(made, asked));
  },
};

function complete(model: SimModel, asked: CompletionAsked, nowMs: number): Completion {
  const kept = asked.n ?? 1;
  const made = Math.max(kept, asked.best_of ?? 1);
  const choices: Continuation[] = [];
  let promptTokens = 0;
  let completionTokens = 0;
  for (const item of itemsOf(asked.prompt)) {
    const prompt = typeof item === "string" ? item : decodeTokens(item, model.name, "prompt");
    const answer = makeSimAnswer(model, { ...asked, messages: [{ role: "user", content: prompt }], n: made }, nowMs);
    promptTokens += typeof item === "string" ? splitTokens(prompt).length : item.length;
    completionTokens += answer.completionTokens;
    choices.push(...answer.choices.slice(0, kept).map((choice) => continuation(choice, asked.echo ? prompt : null)));
  }
  const seed = seedOf(`${model.name} ${model.seed} ${JSON.stringify(asked.prompt)}`);
  return {
    head: {
      id: `cmpl-sim${seed.toString(36).padStart(8, "0")}`,
      object: "text_completion",
      created: Math.floor(nowMs / 1_000),
      model: `sim-${model.name}`,
    },
    choices,
    usage: {
      prompt_tokens: promptTokens,
      completion_tokens: completionTokens,
      total_tokens: promptTokens + completionTokens,
    },
  };
}

function continuation({ tokens, finishReason }: SimChoice, echoed: string | null): Continuation {
  return { pieces: echoed === null ? tokens : [...splitTokens(echoed), ...tokens], finishReason };
}

function writeWhole({ head, choices, usage }: Completion, { logprobs }: CompletionAsked): string {
  return JSON.stringify({
    ...head,
    choices: choices.map(({ pieces, finishReason }, index) => ({
      index,
      text: pieces.join(""),
      finish_reason: finishReason,
      logprobs: logprobs == null ? null : describeLogprobs(pieces, logprobs, 0),
    })),
    usage,
  });
}

function* writeFrames({ head, choices, usage }: Completion, asked: CompletionAsked): Generator<string> {
  const asksUsage = asked.stream_options?.include_usage === true;
  const frame = (entries: unknown[], reported: unknown = null) =>
    `data: ${JSON.stringify({ ...head, choices: entries, ...(asksUsage && { usage: reported }) })}\n\n`;
  for (const [index, { pieces, finishReason }] of choices.entries()) {
    let offset = 0;
    for (const text of pieces) {
      const logprobs = asked.logprobs == null ? null : describeLogprobs([text], asked.logprobs, offset);
      offset += text.length;
      yield frame([{ index, text, finish_reason: null, logprobs }]);
    }
    yield frame([{ index, text: "", finish_reason: finishReason, logprobs: null }]);
  }
  if (asksUsage) yield frame([], usage);
}

/** Returns simulated log probabilities. The same word always has the same probability. */
function describeLogprobs(pieces: readonly string[], alternatives: number, start: number): Record<string, unknown> {
  const likelihood = (piece: string) => -createRandom(seedOf(piece))();
  let offset = start;
  const textOffset = pieces.map((piece) => {
    const at = offset;
    offset += piece.length;
    return at;
  });
  return {
    tokens: pieces,
    token_logprobs: pieces.map(likelihood),
    top_logprobs: alternatives === 0 ? null : pieces.map((piece) => ({ [piece]: likelihood(piece) })),
    text_offset: textOffset,
  };
}
