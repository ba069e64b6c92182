import { chatAnswer } from "@tollgate/testkit/chat-answers.ts";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { makeChatCall } from "../../pipeline/chat-call.fixture.ts";
import { readChatAnswer } from "./read-answer.ts";

const read = (text: string, displayName = "group") => {
  const answer = readChatAnswer(makeChatCall({ shownName: displayName }), Buffer.from(text, "utf8").toString("latin1"));
  return { ...answer, text: Buffer.from(answer.text, "latin1").toString("utf8") };
};

describe("a complete answer", () => {
  test("says the caller's name for the model and is otherwise what the upstream wrote", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.string({ unit: "grapheme" }), (content, displayName) => {
        const text = JSON.stringify(chatAnswer({ content, model: "upstream-1" }));
        expect(read(text, displayName).text).toBe(text.replace('"upstream-1"', () => JSON.stringify(displayName)));
      }),
    );
  });

  test.for(["\n", "\t", " ", ""])("is renamed also when it is written with %j between its tokens", (space) => {
    const text = `{${space}"model"${space}:${space}"upstream-1",${space}"choices":[],"usage":{"prompt_tokens":1}}`;
    expect(JSON.parse(read(text).text)).toMatchObject({ model: "group" });
  });

  test("keeps the model's name where it is not the answer's own", () => {
    const text = '{"choices":[{"message":{"model":"upstream-1"}}],"model":"upstream-1","usage":{"prompt_tokens":1}}';
    expect(JSON.parse(read(text).text)).toMatchObject({
      choices: [{ message: { model: "upstream-1" } }],
      model: "group",
    });
  });

  test("gives up its usage", () => {
    const { usage } = read(JSON.stringify(chatAnswer({ inputTokens: 12, outputTokens: 3 })));
    expect(usage).toMatchObject({ inputTokens: 12, outputTokens: 3, source: "reported" });
  });

  test("may come without usage, or with one that makes no sense, and is then counted here", () => {
    const { usage: _, ...bare } = chatAnswer();
    expect(read(JSON.stringify(bare)).usage).toBeNull();
    expect(read(JSON.stringify({ ...bare, usage: { prompt_tokens: -5 } })).usage).toBeNull();
  });
});

describe("refuses as unreadable", () => {
  test.for([
    ["nothing", ""],
    ["a page", "<html><body>Bad gateway</body></html>"],
    ["half an answer", JSON.stringify(chatAnswer()).slice(0, -40)],
    ["an answer cut behind its usage", JSON.stringify({ choices: [], usage: { prompt_tokens: 1 } }).slice(0, -1)],
    ["something around an answer", `<pre>${JSON.stringify(chatAnswer())}</pre>`],
    ["a list", "[]"],
    ["an object without choices", '{"object":"chat.completion"}'],
    ["an error under status 200", '{"error":{"message":"no"}}'],
  ] as const)("%s", ([, text]) => {
    expect(() => read(text)).toThrowError(expect.objectContaining({ code: "bad_gateway" }));
  });
});
