import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { formatMoney } from "@tollgate/domain/figures/money-text.ts";
import type { CommandContext } from "../../../context.ts";

/** State of a chat session. */
export interface Session {
  model: string;
  system: string | null;
  readonly messages: { readonly role: "user" | "assistant"; readonly content: string }[];
  cost: bigint;
  /** Number of responses whose cost could not be read. */
  unknownCosts: number;
}

const HELP = `  /model [NAME]    show or change the model
  /system [TEXT]   show or change the system prompt
  /save FILE       save the conversation as a JSON request
  /cost            show the session cost
  /exit            exit (also Ctrl-D)
  End a line with \\ to continue it. Ctrl-C stops a response.`;

/** Runs a slash command. */
export function runSessionCommand(context: CommandContext, session: Session, line: string): "exit" | "done" {
  const { output } = context;
  const [, name = "", rest = ""] = /^\/(\S*)\s*(.*)$/s.exec(line) ?? [];
  const value = rest.trim();
  switch (name) {
    case "model":
      if (value !== "") session.model = value;
      output.note(`model: ${session.model}`);
      return "done";
    case "system":
      if (value !== "") session.system = value;
      output.note(`system: ${session.system ?? "none"}`);
      return "done";
    case "save":
      save(context, session, value);
      return "done";
    case "cost":
      output.note(describeCost(session));
      return "done";
    case "exit":
    case "quit":
      return "exit";
    default:
      if (name !== "help") output.warn(`Unknown command: /${name}.`);
      output.note(HELP);
      return "done";
  }
}

function describeCost({ cost, unknownCosts }: Session): string {
  const unknown =
    unknownCosts === 0 ? "" : `, plus ${unknownCosts} responses whose cost is unknown (sign in to see it)`;
  return `${formatMoney(cost)}${unknown}`;
}

/** Saves the conversation as a request that `tollgate inspect FILE` can also read. */
function save({ io, output }: CommandContext, { model, system, messages }: Session, path: string): void {
  if (path === "") return output.warn("No file given. Usage: /save FILE");
  const all = [...(system === null ? [] : [{ role: "system", content: system }]), ...messages];
  try {
    writeFileSync(resolve(io.cwd, path), `${JSON.stringify({ model, messages: all }, null, 2)}\n`, { flag: "wx" });
    output.done(`Saved ${messages.length} messages to ${path}`);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    output.warn(code === "EEXIST" ? `${path} already exists.` : `Could not write ${path}: ${code ?? "unknown error"}.`);
  }
}
