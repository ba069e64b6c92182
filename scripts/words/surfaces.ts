import { execFileSync } from "node:child_process";
import { join } from "node:path";

const root = join(import.meta.dirname, "../..");

/** A group of text that people read, and how to find its items in a file. */
export interface Surface {
  /** Git pathspecs. */
  readonly paths: readonly string[];
  readonly includes: (file: string) => boolean;
  readonly read: (text: string) => readonly string[];
}

/** The groups that a second reader samples. */
export const surfaces: Readonly<Record<string, Surface>> = {
  visible: {
    paths: [
      "apps/ui/src/**/*.tsx",
      "apps/ui/src/**/*.ts",
      "apps/cli/src/**/*.ts",
      "apps/server/src/commands/**/*.ts",
      "apps/operate/src/**/*.ts",
    ],
    includes: (file) => isOwn(file) && !/\.(test|fixture)\./.test(file),
    read: (text) => visibleTexts(text),
  },
  docs: {
    paths: ["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "SECURITY.md", "docs/**/*.md"],
    includes: isOwn,
    read: (text) => proseOf(text).filter(isSentence),
  },
  code: {
    paths: [
      "apps/**/*.ts",
      "apps/**/*.tsx",
      "packages/**/*.ts",
      "sdks/typescript/src/**/*.ts",
      "tests/**/*.ts",
      "training/**/*.ts",
    ],
    includes: isOwn,
    read: (text) => [
      ...find(/^[ \t]*\/\*\*([\s\S]*?)\*\//gm, text).map((comment) => comment.replaceAll(/\n\s*\*/g, " ")),
      // Consecutive lines are one comment.
      ...find(/((?:^[ \t]*\/\/ .+\n?)+)/gm, text).map((comment) => comment.replaceAll(/^[ \t]*\/\/ /gm, "")),
      ...testNames(text),
    ],
  },
};

/** Lists the tracked files that match one of the path patterns. */
export function listFiles(...paths: readonly string[]): readonly string[] {
  const specs = paths.map((path) => `:(glob)${path}`);
  return execFileSync("git", ["ls-files", ...specs], { cwd: root, encoding: "utf8" })
    .trim()
    .split("\n");
}

/** Strings and JSX text that a person may see. Names of styles and modules are not among them. */
export function visibleTexts(source: string): readonly string[] {
  const text = source.replaceAll(/^import .*$/gm, "").replaceAll(/\bclassName=(?:"[^"]*"|\{[^}]*\})/g, "");
  return [...find(/>([^<>{}=;]+)</g, text), ...find(/"((?:[^"\\\n]|\\.)+)"/g, text)].filter(isSentence);
}

/** Names of tests as a report shows them: after the names of the groups that they are in, which indentation reveals. */
export function testNames(source: string): readonly string[] {
  const groups: { readonly indent: number; readonly name: string }[] = [];
  const names: string[] = [];
  const pattern = /^(?<space> *)(?<kind>test|describe)(?:\.\w+(?:\([^()]*\))?)*\(\s*"(?<name>(?:[^"\\]|\\.)+)"/gm;
  for (const { groups: found } of source.matchAll(pattern)) {
    const { space = "", kind, name = "" } = found ?? {};
    while ((groups.at(-1)?.indent ?? -1) >= space.length) groups.pop();
    if (kind === "describe") groups.push({ indent: space.length, name });
    else names.push([...groups.map((group) => group.name), name].join(" > "));
  }
  return names;
}

function isOwn(file: string): boolean {
  return !file.includes(".generated.");
}

function find(pattern: RegExp, text: string): readonly string[] {
  return [...text.matchAll(pattern)].map(([, found = ""]) => found);
}

/** Reports whether a text has two words in a row and is not a class list, a path, or a piece of code. */
function isSentence(text: string): boolean {
  return (
    /[A-Za-z]{2,} [A-Za-z]{2,}/.test(text) &&
    !/^[@./#]|::|--\w+-|\bvar\(|=>|\b(?:flex|grid|gap-\d|px-\d|py-\d|text-\w+|min-w-\d|size-\d)\b/.test(text.trim()) &&
    !isClassList(text) &&
    !isCode(text)
  );
}

/** Reports whether at least two words, and half of all words, are class names such as `bg-surface` or `hover:underline`. */
function isClassList(text: string): boolean {
  const words = text.trim().split(/\s+/);
  const classNames = words.filter((word) => /^-?[a-z\d[&]+(?:[-:/_[\].%&]+\w+)+\]?$/.test(word));
  return classNames.length >= 2 && classNames.length * 2 >= words.length;
}

/** Reports whether the text is code between two angle brackets or quotes. */
function isCode(text: string): boolean {
  return /===|\|\||\breadonly \w|\/\/ |^\s*&& |^\s*[)\]}|]|^\s*, \w+:|\bawait\b.*\(/.test(text);
}

/** Paragraphs, headings, list items and table cells of a page, without code blocks. */
function proseOf(page: string): readonly string[] {
  const lines = page.replaceAll(/^```[\s\S]*?^```/gm, "").split("\n");
  return lines.flatMap((line) => (line.startsWith("|") ? line.split("|") : [line])).map((item) => item.trim());
}
