/** A scripted upstream response, in streaming and non-streaming form, and the request that triggers it. */
export interface Scenario {
  readonly name: string;
  /** Request fields other than `model`, `messages`, `user`, and the streaming options. */
  readonly request: Readonly<Record<string, unknown>>;
  readonly answer: ScriptedAnswer;
}

export type ScriptedAnswer =
  | {
      readonly kind: "completion";
      readonly choices: readonly object[];
      /** The `choices` of each stream frame. */
      readonly frames: readonly (readonly object[])[];
      readonly usage: object;
      readonly delivery: Delivery;
    }
  | { readonly kind: "refusal"; readonly status: number; readonly error: object }
  /** Half a stream followed by an error frame. */
  | { readonly kind: "error frame"; readonly frames: readonly (readonly object[])[]; readonly error: object };

/** How the response is delivered: plain, in writes of a few bytes, with different line endings, or in ASCII only. */
export type Delivery = "plain" | "trickled" | "carriage returns" | "escaped";

const plainUsage = { prompt_tokens: 9, completion_tokens: 5, total_tokens: 14 };

interface CompletionScript {
  readonly request?: Readonly<Record<string, unknown>>;
  readonly choices: readonly object[];
  readonly frames: readonly (readonly object[])[];
  readonly usage?: object;
  readonly delivery?: Delivery;
}

/** Creates a scenario with a successful upstream response. */
export function completion(name: string, script: CompletionScript): Scenario {
  const { request = {}, choices, frames, usage = plainUsage, delivery = "plain" } = script;
  return { name, request, answer: { kind: "completion", choices, frames, usage, delivery } };
}

/** Creates a scenario with an upstream error. */
export function refusal(name: string, status: number, error: object): Scenario {
  return { name, request: {}, answer: { kind: "refusal", status, error } };
}

/** Creates one choice of a non-streaming response. */
export function choice(message: object, finishReason = "stop", more: object = {}): object {
  return { index: 0, message: { role: "assistant", ...message }, logprobs: null, finish_reason: finishReason, ...more };
}

/** Creates the single choice of a frame. */
export function delta(content: object, finishReason: string | null = null, more: object = {}): readonly object[] {
  return [{ index: 0, delta: content, logprobs: null, finish_reason: finishReason, ...more }];
}

/** Creates the frames of a text stream: the role, the text in pieces, and the finish reason. */
export function textFrames(pieces: readonly string[], finishReason = "stop"): readonly (readonly object[])[] {
  return [
    delta({ role: "assistant", content: "", refusal: null }),
    ...pieces.map((piece) => delta({ content: piece })),
    delta({}, finishReason),
  ];
}
