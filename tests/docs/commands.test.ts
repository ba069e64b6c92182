import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { commandGroups } from "../../apps/cli/src/command-groups.ts";
import { topics } from "../../apps/cli/src/help/topics.ts";
import { serverCommands } from "../../apps/server/src/server-commands.ts";
import { findUnknownCommands } from "./find-unknown-commands.ts";

const root = join(import.meta.dirname, "../..");
const silent = { stdout: { write: () => true }, stderr: { write: () => true }, env: {}, cwd: "/" };

const commands = [
  ...commandGroups.flatMap((group) =>
    group.commands.flatMap((entry) => [entry.name, ...("aliases" in entry ? (entry.aliases ?? []) : [])]),
  ),
  ...serverCommands(silent).map(({ name }) => name),
  ...Object.keys(topics).map((topic) => `help ${topic}`),
];

test("every command that is named in a message or on a page exists", () => {
  const sources = globSync(
    [
      "{apps,packages}/*/src/**/*.{ts,tsx}",
      "{sdks,training}/*/src/**/*.{ts,py}",
      "scripts/**/*.ts",
      "*.md",
      "docs/**/*.md",
      "{examples,deploy,training}/**/*.{md,yaml,yml}",
    ],
    { cwd: root, exclude: ["**/node_modules/**", "**/dist/**"] },
  ).filter((path) => !/\.(?:test|fixture)\.tsx?$/.test(path));
  expect(sources.length).toBeGreaterThan(1_000);
  const texts = sources.map((source) => ({ source, text: readFileSync(join(root, source), "utf8") }));
  expect(findUnknownCommands(texts, commands)).toEqual([]);
});

test("detects an unknown command, even in an existing command group", () => {
  const text =
    'Run `tollgate secrets new`, `tollgate secrets rotate`, `tollgate secrets`, "tollgate frobnicate" or\ntollgate keys list --json\n$ tollgate keys lits';
  expect(findUnknownCommands([{ source: "page", text }], ["secrets rotate", "keys list"])).toEqual([
    "page: tollgate secrets new",
    "page: tollgate frobnicate",
    "page: tollgate keys lits",
  ]);
});
