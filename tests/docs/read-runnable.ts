import { type Code, listCode } from "../../apps/docs/src/read-markdown.ts";

/** One step of a page. */
export type Step =
  /** Shell commands, and the expected output if the page shows it. */
  | { readonly kind: "shell"; readonly script: string; readonly expected: string | null }
  | { readonly kind: "python" | "node"; readonly script: string; readonly expected: string | null }
  /** A file that later steps read. */
  | { readonly kind: "file"; readonly name: string; readonly text: string };

export interface RunnableBlock {
  /** Position among the runnable blocks on the page, starting at 1. */
  readonly index: number;
  readonly steps: readonly Step[];
}

const RUNNABLE = "runnable";
const languages: Readonly<Record<string, "shell" | "python" | "node">> = {
  sh: "shell",
  bash: "shell",
  python: "python",
  js: "node",
  ts: "node",
};

/**
 * Returns a page's blocks whose fence contains the word `runnable`. In a `console` block, lines that start with `$ `
 * are commands, and the other lines are their output. For other blocks, a `text expected` block that follows contains
 * the output. A block with `file:NAME` is a file with that name.
 */
export function readRunnable(markdown: string): readonly RunnableBlock[] {
  const code = listCode(markdown);
  const blocks: RunnableBlock[] = [];
  for (const [position, block] of code.entries()) {
    const steps = stepsOf(block, code[position + 1]);
    if (steps.length > 0) blocks.push({ index: blocks.length + 1, steps });
  }
  return blocks;
}

/** Returns the settings that a page starts the instance with, from fences with the word `settings`. */
export function readSettings(markdown: string): readonly string[] {
  return listCode(markdown).flatMap(({ words, text }) => (words[1] === "settings" ? [`${text}\n`] : []));
}

function stepsOf({ words, text }: Code, next: Code | undefined): readonly Step[] {
  const name = words.find((word) => word.startsWith("file:"))?.slice("file:".length);
  if (name !== undefined) return [{ kind: "file", name, text: `${text}\n` }];
  if (!words.includes(RUNNABLE)) return [];
  const [language = ""] = words;
  if (language === "console") return readConsole(text);
  const kind = languages[language];
  if (kind === undefined) throw new Error(`unsupported block language '${language}'`);
  const expected = next?.words[0] === "text" && next.words[1] === "expected" ? next.text : null;
  return [{ kind, script: text, expected }];
}

/** Splits a console block into commands. A command continues after a trailing backslash and inside an open quote. */
function readConsole(text: string): readonly Step[] {
  const steps: { command: string[]; printed: string[] }[] = [];
  for (const line of text.split("\n")) {
    const last = steps.at(-1);
    if (line.startsWith("$ ")) steps.push({ command: [line.slice(2)], printed: [] });
    else if (last === undefined) throw new Error("a console block begins with a command");
    else if (last.printed.length === 0 && isOpen(last.command)) last.command.push(line);
    else last.printed.push(line);
  }
  return steps.map(({ command, printed }) => ({
    kind: "shell",
    script: command.join("\n"),
    expected: printed.join("\n").trim() === "" ? null : printed.join("\n"),
  }));
}

function isOpen(lines: readonly string[]): boolean {
  if (lines.at(-1)?.endsWith("\\")) return true;
  const quotes = lines.join("\n").match(/'/g)?.length ?? 0;
  return quotes % 2 === 1;
}
