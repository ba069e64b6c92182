import { expect, test } from "vitest";
import { highlight } from "./highlight.ts";

const SNIPPET = `import OpenAI from "openai"; // the usual one
const client = new OpenAI({ baseURL: "https://gateway.example/v1" });
print('it\\'s #1') # done`;

const textsOf = (kind: string) => highlight(SNIPPET).flatMap((token) => (token.kind === kind ? [token.text] : []));

test("highlighting preserves the code exactly", () => {
  const tokens = highlight(SNIPPET);
  expect(tokens.map(({ text }) => text).join("")).toBe(SNIPPET);
  for (const { at, text } of tokens) expect(SNIPPET.slice(at, at + text.length)).toBe(text);
});

test("a URL in a string is not a comment, and a word in a string is not a keyword", () => {
  expect(textsOf("string")).toEqual(['"openai"', '"https://gateway.example/v1"', "'it\\'s #1'"]);
  expect(textsOf("comment")).toEqual(["// the usual one", "# done"]);
  expect(textsOf("keyword")).toEqual(["import", "from", "const", "new", "print"]);
});

test("an unquoted URL is one token", () => {
  expect(highlight("curl https://gateway.example/v1").map(({ kind }) => kind)).toEqual(["keyword", "plain"]);
});

test("long code has at most 2,000 tokens", () => {
  const code = "return 1\n".repeat(5_000);
  const tokens = highlight(code);
  expect(tokens).toHaveLength(2_000);
  expect(tokens.at(-1)?.kind).toBe("plain");
  expect(tokens.map(({ text }) => text).join("")).toBe(code);
});

test("an escaped quote starts no string", () => {
  const code = String.raw`say \"a"`;
  expect(highlight(code)).toEqual([{ kind: "plain", at: 0, text: code }]);
});
