import { CliError } from "../../../cli-error.ts";
import type { CommandContext } from "../../../context.ts";
import { EXIT } from "../../../exit-codes.ts";
import { withoutControlCharacters } from "../chat/stream-reply.ts";
import { threadPath } from "./assistant-objects.ts";

interface RunEvent {
  readonly event: string;
  readonly data: {
    readonly id?: string;
    readonly delta?: { readonly content?: readonly { readonly text?: { readonly value?: string } }[] };
    readonly last_error?: { readonly code: string; readonly message: string } | null;
  };
}

/** Runs an assistant in a thread and prints the response as it streams. */
export async function runThread(context: CommandContext, threadId: string, assistantId: string): Promise<void> {
  const { output } = context;
  const path = `${threadPath(threadId)}/runs`;
  const events = await context.waiting(
    "waiting for the response…",
    context.gateway.stream<RunEvent>("POST", path, { assistant_id: assistantId, stream: true }),
  );
  for await (const { event, data } of events) {
    if (output.isJson) output.jsonLine({ event, data });
    else if (event === "thread.message.delta") output.text(withoutControlCharacters(output, textIn(data)));
    else if (event === "thread.message.completed") output.text("\n");
    if (event === "thread.run.completed") return;
    if (event.startsWith("thread.run.") && endings[event] !== undefined) throw endedBadly(event, data);
  }
}

/** Events after which a run produces no response, and the phrase that reports each event. */
const endings: Readonly<Record<string, string>> = {
  "thread.run.failed": "failed",
  "thread.run.incomplete": "reached a limit",
  "thread.run.cancelled": "was canceled",
  "thread.run.expired": "timed out",
  "thread.run.requires_action": "is waiting for tool output",
};

function textIn({ delta }: RunEvent["data"]): string {
  return (delta?.content ?? []).map(({ text }) => text?.value ?? "").join("");
}

function endedBadly(event: string, { id, last_error: error }: RunEvent["data"]): CliError {
  const why = error === undefined || error === null ? "" : ` ${error.message}`;
  return new CliError(EXIT.failure, error?.code ?? event.toUpperCase(), `The run ${id ?? ""} ${endings[event]}.${why}`);
}
