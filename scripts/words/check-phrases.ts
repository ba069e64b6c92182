import { readFileSync } from "node:fs";
import { join } from "node:path";
import { listFiles, surfaces } from "./surfaces.ts";

const root = join(import.meta.dirname, "../..");
const failureMessages = /new (?:Management)?Failure\(\s*"[^"]+",\s*[`"]([^`"]+)[`"]/g;
const logMessages = /\blogger\.(?:info|warn|error)\(\s*[`"]([^`"]+)[`"]/g;

/** Constructions that make a reader stop, and what to write instead. */
const rules: readonly { readonly pattern: RegExp; readonly fix: string }[] = [
  {
    pattern: /^(Nothing|Nobody|None|Somebody|Whoever|Whatever)\b|\b(whoever|whatever|somebody|nobody)\b/,
    fix: "name the subject",
  },
  {
    pattern: /^(What|Who|Whom|Whose|Which|Whether|Where|That|Of|Among)\b(?!.*\?$)/,
    fix: "start with a verb or a noun",
  },
  { pattern: /\b(no longer|no more|any ?more|for good|for ever|once more|besides)[."]?$/, fix: "use a verb" },
  { pattern: /, and \w+ is not \w+\.|, which is not|: unpriced is not free/, fix: "delete the maxim" },
  {
    pattern:
      /\b(is|are|was|were|be|been) (told|kept|said|heard|found out|looked at|taken up|given back|written down)\b/,
    fix: "use the active voice and a precise verb",
  },
  {
    pattern:
      /\b(mend\w*|dearer|dearest|pretended|lately|of late|beforehand|in sum|in all|for want of|so many|so often|under way)\b/,
    fix: "use the field's word",
  },
  { pattern: /^There (is|are) (no|nothing|not)\b/, fix: 'write "Unknown …" or "No … found"' },
  {
    pattern: /^(Model|Keys?|Email|Fee|Name|Secret|Changes|Requests|Provider) of (the|this|your)\b/,
    fix: "use a compound noun",
  },
  { pattern: /\b(is|are|was|were) (away|gone|silent|well)\b/, fix: "write unavailable or disconnected" },
  { pattern: /\bat once\b/, fix: "write concurrently or immediately" },
];

/** The first rule that a text breaks, as the advice to its writer; null if it breaks none. */
export function adviceFor(text: string): string | null {
  return rules.find(({ pattern }) => pattern.test(text))?.fix ?? null;
}

interface Finding {
  readonly file: string;
  readonly text: string;
  readonly fix: string;
}

function findIn(files: readonly string[], read: (text: string) => readonly string[]): readonly Finding[] {
  return files.flatMap((file) =>
    read(readFileSync(join(root, file), "utf8")).flatMap((text) => {
      const fix = adviceFor(text.trim());
      return fix === null ? [] : [{ file, text: text.trim(), fix }];
    }),
  );
}

function findAll(): readonly Finding[] {
  const { paths, includes, read } = surfaces.visible as NonNullable<typeof surfaces.visible>;
  const isProduct = (file: string) => !/\.(test|fixture|generated)\./.test(file);
  const messages = (text: string) =>
    [failureMessages, logMessages].flatMap((pattern) => [...text.matchAll(pattern)].map(([, found = ""]) => found));
  const headings = (text: string) => [...text.matchAll(/^#{1,4} (.+)$/gm)].map(([, found = ""]) => found);
  return [
    ...findIn(listFiles(...paths).filter(includes), read),
    ...findIn(
      listFiles(
        "apps/gateway/src/**/*.ts",
        "apps/platform/src/**/*.ts",
        "apps/operate/src/**/*.ts",
        "apps/server/src/**/*.ts",
        "apps/worker/src/**/*.ts",
        "packages/*/src/**/*.ts",
        "training/*/src/**/*.ts",
      ).filter(isProduct),
      messages,
    ),
    ...findIn(listFiles("*.md", "docs/**/*.md"), headings),
  ];
}

function main(): number {
  const findings = findAll();
  for (const { file, text, fix } of findings) console.log(`${file}: "${text}" (${fix})`);
  return findings.length === 0 ? 0 : 1;
}

if (import.meta.main) process.exitCode = main();
