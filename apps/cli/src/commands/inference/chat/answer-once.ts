import type { ChatRequest } from "@tollgate/sdk/gateway/inference-types.generated.ts";
import type { CommandContext } from "../../../context.ts";
import type { ChatLine } from "./chat-line.ts";
import { noteFooter } from "./note-footer.ts";
import { streamReply, withoutControlCharacters } from "./stream-reply.ts";

/** Sends one question and prints the response in the requested format. */
export async function answerOnce(
  context: CommandContext,
  line: ChatLine,
  body: ChatRequest,
  { stream, noStream }: { readonly stream: boolean; readonly noStream: boolean },
): Promise<void> {
  const { output } = context;
  if (output.isJson && stream) {
    for await (const chunk of await line.stream(body)) output.jsonLine(chunk);
    return;
  }
  if (!output.isJson && !noStream) {
    await noteFooter(context, await streamReply(context, line, body));
    return;
  }
  const startedAt = performance.now();
  const { data, facts } = await context.waiting("waiting for the response…", line.complete(body));
  const text = data.choices[0]?.message.content ?? "";
  output.record(data, () => `${withoutControlCharacters(output, text)}\n`);
  if (output.isJson) return;
  await noteFooter(context, {
    text,
    usage: data.usage ?? null,
    finishReason: data.choices[0]?.finish_reason ?? null,
    firstTokenMs: null,
    durationMs: performance.now() - startedAt,
    callId: facts.callId,
    cost: facts.costNanoUsd,
    isStopped: false,
  });
}
