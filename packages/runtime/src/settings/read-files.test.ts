import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { testProviders } from "./load-for-test.ts";
import { type LoadedSettings, loadSettings } from "./load-settings.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function loadFolder(contents: Readonly<Record<string, string>>, ...files: readonly string[]): LoadedSettings {
  const cwd = mkdtempSync(join(tmpdir(), "tollgate-settings-"));
  folders.push(cwd);
  for (const [name, text] of Object.entries(contents)) {
    mkdirSync(dirname(join(cwd, name)), { recursive: true });
    writeFileSync(join(cwd, name), text);
  }
  return loadSettings({ files, env: {}, providers: testProviders, cwd });
}

const deployment = (name: string): string => `model_list: [{model_name: ${name}, litellm_params: {model: sim/echo}}]\n`;

test("a file takes precedence over the files it includes, and lists are concatenated", () => {
  const loaded = loadFolder(
    {
      "main.yaml": `${deployment("first")}include: [parts/more.yaml]\nrouter_settings: {num_retries: 1}`,
      "parts/more.yaml": `${deployment("second")}include: deeper.yaml\nrouter_settings: {num_retries: 9, max_fallbacks: 3}`,
      "parts/deeper.yaml": deployment("third"),
    },
    "main.yaml",
  );
  if (loaded.kind === "refused") throw new Error(JSON.stringify(loaded.problems));
  expect(loaded.settings.deployments.map(({ modelName }) => modelName)).toEqual(["first", "second", "third"]);
  expect(loaded.settings.router).toMatchObject({ numRetries: 1, maxFallbacks: 3 });
  expect(loaded.settings.deployments[2]?.source).toEqual({ file: "parts/deeper.yaml", line: 1 });
});

test("a later file takes precedence over earlier files", () => {
  const loaded = loadFolder(
    { "a.yaml": "router_settings: {num_retries: 1, max_fallbacks: 1}", "b.yaml": "router_settings: {num_retries: 2}" },
    "a.yaml",
    "b.yaml",
  );
  expect(loaded.kind === "loaded" && loaded.settings.router).toMatchObject({ numRetries: 2, maxFallbacks: 1 });
});

test("an empty section doesn't override the same section in another file", () => {
  const loaded = loadFolder(
    { "a.yaml": "router_settings:\ninclude: [b.yaml]", "b.yaml": "router_settings: {num_retries: 7}" },
    "a.yaml",
  );
  expect(loaded.kind === "loaded" && loaded.settings.router.numRetries).toBe(7);
});

test.each<[string, Readonly<Record<string, string>>, object]>([
  ["a file that is not there", {}, { file: "main.yaml", message: "cannot read main.yaml" }],
  [
    "an include that is not there",
    { "main.yaml": "include:\n  - gone.yaml" },
    { file: "main.yaml", line: 2, column: 5, message: "include: gone.yaml", suggestion: "that file does not exist" },
  ],
  [
    "files that include each other",
    { "main.yaml": "include: [b.yaml]", "b.yaml": "include: [main.yaml]" },
    { file: "b.yaml", line: 1, column: 11, message: "include: main.yaml" },
  ],
  ["a file that includes itself", { "main.yaml": "include: [./main.yaml]" }, { message: "include: ./main.yaml" }],
  [
    "a chain of includes without end",
    Object.fromEntries(
      Array.from({ length: 12 }, (_, index) => [`${index || "main"}.yaml`, `include: [${index + 1}.yaml]`]),
    ),
    { file: "8.yaml", suggestion: "includes can be nested at most 8 levels deep" },
  ],
  ["text that is not YAML", { "main.yaml": "a: [1, 2\nb: }" }, { message: expect.stringContaining("not valid YAML") }],
  ["a setting written twice", { "main.yaml": "billing: {}\nbilling: {}" }, { line: 2, column: 1 }],
  ["a list instead of sections", { "main.yaml": "- a\n- b" }, { message: "the file is not a mapping" }],
  ["two documents", { "main.yaml": "billing: {}\n---\nbilling: {}" }, { line: 2 }],
  ["an unknown tag", { "main.yaml": "billing: {provider: !vault off}" }, { line: 1, column: 21 }],
  [
    "aliases that stand for too much",
    {
      "main.yaml": `include: []\nguardrails: &a0 [x]\n${Array.from(
        { length: 9 },
        (_, index) => `k${index}: &a${index + 1} [${Array(8).fill(`*a${index}`).join(", ")}]`,
      ).join("\n")}`,
    },
    { message: "the file is too large or nested too deeply" },
  ],
])("rejects %s", (_, contents, problem) => {
  const loaded = loadFolder(contents, "main.yaml");
  expect(loaded.kind === "refused" && loaded.problems).toContainEqual(expect.objectContaining(problem));
});
