/** A whole chat or completions response, or a chunk of a streamed one, with the members that this module uses. */
export interface Completion {
  readonly object: string;
  readonly choices: readonly Choice[];
  readonly usage?: object | null;
  readonly [member: string]: unknown;
}

export interface Choice {
  readonly index: number;
  readonly finish_reason?: string | null;
  readonly logprobs?: unknown;
  readonly message?: Readonly<Record<string, unknown>>;
  readonly delta?: Readonly<Record<string, unknown>>;
  readonly text?: string;
}

export const DONE_FRAME = "data: [DONE]\n\n";

/** Converts a whole response to a stream. Each choice is sent as its whole content followed by its finish reason. */
export function framesOf({ usage, choices, ...rest }: Completion, wantsUsage: boolean): string {
  const isChat = rest.object === "chat.completion";
  const head = { ...rest, object: isChat ? "chat.completion.chunk" : rest.object };
  const frames = choices.flatMap(({ index, message, text, logprobs, finish_reason: reason }) => {
    const said = isChat ? { delta: deltaOf(message ?? {}) } : { text };
    const nothing = isChat ? { delta: {} } : { text: "" };
    return [
      writeFrame({ ...head, choices: [{ index, ...said, logprobs: logprobs ?? null, finish_reason: null }] }),
      writeFrame({ ...head, choices: [{ index, ...nothing, logprobs: null, finish_reason: reason ?? null }] }),
    ];
  });
  const last = wantsUsage && usage != null ? usageFrame(head, usage) : "";
  return `${frames.join("")}${last}${DONE_FRAME}`;
}

/** Returns a stream's usage frame. */
export function usageFrame(chunk: object, usage: object): string {
  return writeFrame({ ...chunk, choices: [], usage });
}

export function writeFrame(chunk: object): string {
  return `data: ${JSON.stringify(chunk)}\n\n`;
}

/** Returns the chunks of a stream, without the closing frame and without other upstream events. */
export function splitFrames(text: string): readonly Completion[] {
  return text
    .split("\n\n")
    .filter((frame) => frame.startsWith("data: {"))
    .map((frame) => JSON.parse(frame.slice("data: ".length)) as Completion)
    .filter(({ choices }) => Array.isArray(choices));
}

/** Adds the indexes that identify tool calls in a stream. */
function deltaOf({ tool_calls: calls, ...message }: Readonly<Record<string, unknown>>): object {
  if (!Array.isArray(calls)) return message;
  return { ...message, tool_calls: calls.map((call: object, index) => ({ index, ...call })) };
}
