import { expect, test } from "vitest";
import { findMissing } from "./compare-output.ts";
import { readRunnable, readSettings } from "./read-runnable.ts";

const page = `# Page

\`\`\`sh
not me
\`\`\`

\`\`\`yaml settings
model_list: []
\`\`\`

\`\`\`yaml file:a.yaml
a: 1
\`\`\`

\`\`\`sh runnable
echo one
\`\`\`

\`\`\`text expected
one
\`\`\`

\`\`\`console runnable
$ curl x \\
    -d '{
  "a": 1}'
{"b":…}
$ true
\`\`\`
`;

test("returns the blocks that are marked as runnable, in order and with their expected output", () => {
  expect(readRunnable(page)).toEqual([
    { index: 1, steps: [{ kind: "file", name: "a.yaml", text: "a: 1\n" }] },
    { index: 2, steps: [{ kind: "shell", script: "echo one", expected: "one" }] },
    {
      index: 3,
      steps: [
        { kind: "shell", script: `curl x \\\n    -d '{\n  "a": 1}'`, expected: '{"b":…}' },
        { kind: "shell", script: "true", expected: null },
      ],
    },
  ]);
  expect(readSettings(page)).toEqual(["model_list: []\n"]);
});

test("throws for a runnable block in an unsupported language", () => {
  expect(() => readRunnable("# P\n\n```go runnable\nmain()\n```\n")).toThrow("go");
  expect(() => readRunnable("# P\n\n```console runnable\nno command\n```\n")).toThrow("begins with a command");
});

test("compares output piece by piece, in order, and ignores whitespace", () => {
  expect(findMissing('{"a":1,…"b":2}', '{ "a": 1, "x": 0,\n "b": 2 }')).toBeNull();
  expect(findMissing("second\nfirst", "first\nsecond")).toBe("first");
  expect(findMissing("cost: 9000", "cost: 900")).toBe("cost: 9000");
});
