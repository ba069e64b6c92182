import type { ChatChunk, ChatRequest } from "@tollgate/sdk/gateway/inference-types.generated.ts";
import type { CommandContext } from "../../../context.ts";
import type { Output } from "../../../output/output.ts";
import type { ChatLine } from "./chat-line.ts";

/** A complete response with its metadata. */
export interface Reply {
  readonly text: string;
  readonly usage: Exclude<ChatChunk["usage"], undefined>;
  readonly finishReason: string | null;
  readonly firstTokenMs: number | null;
  readonly durationMs: number;
  readonly callId: string | null;
  /** Cost from the response headers; null for streamed responses. */
  readonly cost: bigint | null;
  /** True if the user stopped the response. */
  readonly isStopped: boolean;
}

/** Prints a response as it streams. If the signal aborts the stream, the response ends early without an error. */
export async function streamReply(
  context: CommandContext,
  line: ChatLine,
  body: ChatRequest,
  signal?: AbortSignal,
): Promise<Reply> {
  const { output } = context;
  const startedAt = performance.now();
  const seen: { text: string; usage: Reply["usage"]; finishReason: string | null; firstTokenMs: number | null } = {
    text: "",
    usage: null,
    finishReason: null,
    firstTokenMs: null,
  };
  let callId: string | null = null;
  try {
    const stream = await context.waiting("waiting for the response…", line.stream(body, { signal }));
    callId = stream.facts.callId;
    for await (const chunk of stream) {
      const [choice] = chunk.choices;
      const piece = typeof choice?.delta.content === "string" ? choice.delta.content : "";
      if (piece !== "") seen.firstTokenMs ??= performance.now() - startedAt;
      seen.text += piece;
      seen.usage = chunk.usage ?? seen.usage;
      seen.finishReason = choice?.finish_reason ?? seen.finishReason;
      output.text(withoutControlCharacters(output, piece));
    }
  } catch (error) {
    if (seen.text !== "") output.text("\n");
    if (signal?.aborted !== true) throw error;
    return { ...seen, durationMs: performance.now() - startedAt, callId, cost: null, isStopped: true };
  }
  output.text("\n");
  return { ...seen, durationMs: performance.now() - startedAt, callId, cost: null, isStopped: false };
}

/** Removes control characters from model output if it is printed to a terminal. */
export function withoutControlCharacters({ isTerminal }: Output, text: string): string {
  return isTerminal ? text.replaceAll(/[^\P{Cc}\n\t]|\p{Bidi_Control}/gu, "") : text;
}
