import { createInterface, type Interface } from "node:readline";
import { formatMoney } from "@tollgate/domain/figures/money-text.ts";
import { ApiError } from "@tollgate/sdk/http/api-error.ts";
import type { CommandContext } from "../../../context.ts";
import { EXIT } from "../../../exit-codes.ts";
import { reportError } from "../../../report-error.ts";
import type { ChatLine } from "./chat-line.ts";
import { noteFooter } from "./note-footer.ts";
import { runSessionCommand, type Session } from "./session-commands.ts";
import { streamReply } from "./stream-reply.ts";

/** Options for every message in a session. */
interface ChatOptions {
  readonly model: string;
  readonly max_tokens?: number;
  readonly temperature?: number;
}

/** Runs an interactive conversation until the user ends it. */
export async function runSession(
  context: CommandContext,
  line: ChatLine,
  { model, ...options }: ChatOptions,
  system: string | null,
): Promise<number> {
  const { io, output } = context;
  const { dim, cyan } = output.noteStyles;
  const session: Session = { model, system, messages: [], cost: 0n, unknownCosts: 0 };
  output.note(dim(`${model} · /help for commands, Ctrl-D to exit`));
  const reader = createInterface({
    input: io.stdin as NodeJS.ReadableStream,
    output: io.stderr as NodeJS.WritableStream,
    terminal: true,
  });
  let isOver = false;
  reader.once("close", () => {
    isOver = true;
  });
  try {
    // The user may end the session while a response is streaming.
    while (!isOver) {
      const text = await readMessage(reader, cyan("> "), () => output.note(dim("\nPress Ctrl-C again to exit")));
      if (text === "end") return EXIT.ok;
      if (text === "interrupted") return EXIT.interrupted;
      if (text.said.startsWith("/")) {
        if (runSessionCommand(context, session, text.said) === "exit") return EXIT.ok;
      } else if (text.said.trim() !== "") {
        await converse(context, line, session, options, text.said, reader);
      }
    }
    return EXIT.ok;
  } finally {
    reader.close();
    if (session.cost > 0n) output.note(dim(`Session cost: ${formatMoney(session.cost)}`));
  }
}

/** Sends one message and prints the response. If the message is refused, prints the error and drops the message. */
async function converse(
  context: CommandContext,
  line: ChatLine,
  session: Session,
  options: Omit<ChatOptions, "model">,
  text: string,
  reader: Interface,
): Promise<void> {
  const stopping = new AbortController();
  const stop = () => stopping.abort();
  reader.on("SIGINT", stop);
  const asked = { role: "user", content: text } as const;
  const body = {
    ...options,
    model: session.model,
    messages: [
      ...(session.system === null ? [] : [{ role: "system", content: session.system } as const]),
      ...session.messages,
      asked,
    ],
  };
  try {
    const reply = await streamReply(context, line, body, stopping.signal);
    session.messages.push(asked, { role: "assistant", content: reply.text });
    const cost = await noteFooter(context, reply);
    if (cost === null) session.unknownCosts += 1;
    else session.cost += cost;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    reportError(error, context.io, { isJson: false, isPlain: !context.output.noteStyles.isColoured, isDebug: false });
  } finally {
    reader.off("SIGINT", stop);
  }
}

/**
 * Reads the next message. A trailing backslash continues the line. Ctrl-C clears the line, and a second Ctrl-C exits.
 */
function readMessage(
  reader: Interface,
  prompt: string,
  warn: () => void,
): Promise<{ readonly said: string } | "end" | "interrupted"> {
  return new Promise((resolve) => {
    const lines: string[] = [];
    let isWarned = false;
    const settle = (result: { readonly said: string } | "end" | "interrupted") => {
      reader.off("line", onLine);
      reader.off("close", onClose);
      reader.off("SIGINT", onInterrupt);
      resolve(result);
    };
    const show = (text: string) => {
      reader.setPrompt(text);
      reader.prompt();
    };
    const onLine = (typed: string) => {
      isWarned = false;
      if (typed.endsWith("\\")) {
        lines.push(typed.slice(0, -1));
        show("… ");
      } else settle({ said: [...lines, typed].join("\n") });
    };
    const onClose = () => settle("end");
    const onInterrupt = () => {
      if (isWarned) return settle("interrupted");
      isWarned = true;
      lines.length = 0;
      reader.write(null, { ctrl: true, name: "u" });
      warn();
      show(prompt);
    };
    reader.on("line", onLine);
    reader.on("close", onClose);
    reader.on("SIGINT", onInterrupt);
    show(prompt);
  });
}
