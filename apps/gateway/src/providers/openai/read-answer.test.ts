import { chatAnswer } from "@tollgate/testkit/chat-answers.ts";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { makeChatCall } from "../../pipeline/chat-call.fixture.ts";
import { readChatAnswer } from "./read-answer.ts";

const read = (text: string, displayName = "group") => {
  const answer = readChatAnswer(makeChatCall({ shownName: displayName }), Buffer.from(text, "utf8").toString("latin1"));
  return { ...answer, text: Buffer.from(answer.text, "latin1").toString("utf8") };
};

describe("OpenAI chat response", () => {
  test("has the caller's model name and is otherwise unchanged", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.string({ unit: "grapheme" }), (content, displayName) => {
        const text = JSON.stringify(chatAnswer({ content, model: "upstream-1" }));
        expect(read(text, displayName).text).toBe(text.replace('"upstream-1"', () => JSON.stringify(displayName)));
      }),
    );
  });

  test.for(["\n", "\t", " ", ""])(
    "has the caller's model name even if the upstream's JSON has %j between tokens",
    (space) => {
      const text = `{${space}"model"${space}:${space}"upstream-1",${space}"choices":[],"usage":{"prompt_tokens":1}}`;
      expect(JSON.parse(read(text).text)).toMatchObject({ model: "group" });
    },
  );

  test("leaves model names in nested objects unchanged", () => {
    const text = '{"choices":[{"message":{"model":"upstream-1"}}],"model":"upstream-1","usage":{"prompt_tokens":1}}';
    expect(JSON.parse(read(text).text)).toMatchObject({
      choices: [{ message: { model: "upstream-1" } }],
      model: "group",
    });
  });

  test("contains the reported usage", () => {
    const { usage } = read(JSON.stringify(chatAnswer({ inputTokens: 12, outputTokens: 3 })));
    expect(usage).toMatchObject({ inputTokens: 12, outputTokens: 3, source: "reported" });
  });

  test("has null usage if the usage is missing or invalid", () => {
    const { usage: _, ...bare } = chatAnswer();
    expect(read(JSON.stringify(bare)).usage).toBeNull();
    expect(read(JSON.stringify({ ...bare, usage: { prompt_tokens: -5 } })).usage).toBeNull();
  });
});

describe("malformed OpenAI chat response", () => {
  test.for([
    ["an empty body", ""],
    ["an HTML page", "<html><body>Bad gateway</body></html>"],
    ["a truncated response", JSON.stringify(chatAnswer()).slice(0, -40)],
    ["a response truncated after its usage", JSON.stringify({ choices: [], usage: { prompt_tokens: 1 } }).slice(0, -1)],
    ["HTML around a response", `<pre>${JSON.stringify(chatAnswer())}</pre>`],
    ["a list", "[]"],
    ["an object without choices", '{"object":"chat.completion"}'],
    ["an error with status 200", '{"error":{"message":"no"}}'],
  ] as const)("fails with bad_gateway: %s", ([, text]) => {
    expect(() => read(text)).toThrowError(expect.objectContaining({ code: "bad_gateway" }));
  });
});
