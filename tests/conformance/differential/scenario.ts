/** What a scripted upstream answers, whole and as a stream, and the request that asks for it. */
export interface Scenario {
  readonly name: string;
  /** Fields of the request besides model, messages, user and streaming. */
  readonly request: Readonly<Record<string, unknown>>;
  readonly answer: ScriptedAnswer;
}

export type ScriptedAnswer =
  | {
      readonly kind: "completion";
      readonly choices: readonly object[];
      /** The `choices` of each frame of the stream. */
      readonly frames: readonly (readonly object[])[];
      readonly usage: object;
      readonly delivery: Delivery;
    }
  | { readonly kind: "refusal"; readonly status: number; readonly error: object }
  /** Half a stream, then an error frame in place of the rest. */
  | { readonly kind: "error frame"; readonly frames: readonly (readonly object[])[]; readonly error: object };

/** How the same answer is put on the wire: plainly, in pieces of a few bytes, with other line ends, or ASCII only. */
export type Delivery = "plain" | "trickled" | "carriage returns" | "escaped";

const plainUsage = { prompt_tokens: 9, completion_tokens: 5, total_tokens: 14 };

interface CompletionScript {
  readonly request?: Readonly<Record<string, unknown>>;
  readonly choices: readonly object[];
  readonly frames: readonly (readonly object[])[];
  readonly usage?: object;
  readonly delivery?: Delivery;
}

/** A scenario whose upstream answers. */
export function completion(name: string, script: CompletionScript): Scenario {
  const { request = {}, choices, frames, usage = plainUsage, delivery = "plain" } = script;
  return { name, request, answer: { kind: "completion", choices, frames, usage, delivery } };
}

/** A scenario whose upstream refuses. */
export function refusal(name: string, status: number, error: object): Scenario {
  return { name, request: {}, answer: { kind: "refusal", status, error } };
}

/** One choice of a whole answer. */
export function choice(message: object, finishReason = "stop", more: object = {}): object {
  return { index: 0, message: { role: "assistant", ...message }, logprobs: null, finish_reason: finishReason, ...more };
}

/** The one choice of a frame. */
export function delta(content: object, finishReason: string | null = null, more: object = {}): readonly object[] {
  return [{ index: 0, delta: content, logprobs: null, finish_reason: finishReason, ...more }];
}

/** The frames of a text: role, the pieces, the reason it ended. */
export function textFrames(pieces: readonly string[], finishReason = "stop"): readonly (readonly object[])[] {
  return [
    delta({ role: "assistant", content: "", refusal: null }),
    ...pieces.map((piece) => delta({ content: piece })),
    delta({}, finishReason),
  ];
}
