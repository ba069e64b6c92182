import fc from "fast-check";
import { expect, test } from "vitest";
import { stringify } from "yaml";
import { litellmFile, loadText } from "./load-for-test.ts";
import { SettingsFile } from "./schema/settings-file.ts";

const lines = litellmFile.text.split("\n");
const sections = [...Object.keys(SettingsFile.properties), "litellm_settings"];

test("a damaged file either loads or causes errors with positions, and never crashes the process", () => {
  const damage = fc.record({
    line: fc.nat(lines.length - 1),
    column: fc.nat(40),
    text: fc.oneof(fc.constantFrom("", "[", "{", ": ", "- ", "&a ", "*a", "null", "1e-400", "!x "), fc.string()),
  });
  fc.assert(
    fc.property(fc.array(damage, { minLength: 1, maxLength: 4 }), (damages) => {
      const changed = [...lines];
      for (const { line, column, text } of damages) {
        const before = changed[line] as string;
        changed[line] = before.slice(0, column) + text + before.slice(column + text.length);
      }
      expectAnswer(changed.join("\n"));
    }),
    { numRuns: 100 },
  );
});

test("values of any type in any section are loaded or rejected", () => {
  const value = fc.jsonValue({ maxDepth: 3 });
  const names = fc.constantFrom(
    "model",
    "mode",
    "fallbacks",
    "key_headers",
    "cache_params",
    "__proto__",
    "litellm_params",
  );
  const content = fc.oneof(value, fc.dictionary(names, value), fc.array(fc.dictionary(names, value)));
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom(...sections), content), (file) => expectAnswer(stringify(file))),
    { numRuns: 100 },
  );
});

test("a variable without a name is rejected with an error message", () => {
  expectAnswer('environment_variables: { "": [] }');
});

function expectAnswer(text: string): void {
  const loaded = loadText(text, litellmFile.env);
  if (loaded.kind === "loaded") return;
  expect(loaded.problems.length).toBeGreaterThan(0);
  for (const { file, line, column, message } of loaded.problems) {
    expect(file).toBe("tollgate.yaml");
    expect(line).toBeGreaterThan(0);
    expect(column).toBeGreaterThan(0);
    expect(message).not.toBe("");
  }
}
