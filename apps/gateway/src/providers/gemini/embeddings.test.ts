import type { EmbeddingRequest } from "@tollgate/contracts/embeddings/embedding-request.ts";
import { Failure } from "@tollgate/contracts/failures.ts";
import { describe, expect, test } from "vitest";
import type { TranslatedCall } from "../../call/provider.ts";
import { embeddings } from "../../operations/embeddings/embeddings.ts";
import { makeChatCall } from "../../pipeline/chat-call.fixture.ts";
import { embeddingTranslation } from "./embeddings.ts";
import { geminiTarget } from "./gemini-answers.fixture.ts";

const callOf = (fields: object) =>
  makeChatCall({
    text: JSON.stringify({ model: "x", ...fields }),
    kind: embeddings,
  }) as unknown as TranslatedCall<EmbeddingRequest>;

function build(fields: object) {
  const dropped = new Set(["extra_body"]);
  const { path, body } = embeddingTranslation.buildRequest(
    callOf(fields),
    geminiTarget("gemini-embedding-001"),
    dropped,
  );
  expect(path).toBe("/models/gemini-embedding-001:batchEmbedContents");
  return JSON.parse((body as Buffer).toString("utf8"));
}
const model = "models/gemini-embedding-001";
const content = (text: string) => ({ parts: [{ text }] });

describe("Gemini embedding request", () => {
  test("requests one embedding per input", () => {
    expect(build({ input: "Grüße" })).toEqual({ requests: [{ model, content: content("Grüße") }] });
    const task = { taskType: "RETRIEVAL_QUERY" };
    expect(
      build({ input: ["a", "b"], dimensions: 256, user: "u", extra_body: { task_type: "RETRIEVAL_QUERY" } }),
    ).toEqual({
      requests: ["a", "b"].map((text) => ({ model, content: content(text), outputDimensionality: 256, ...task })),
    });
  });

  test("decodes token input to text, because the Gemini API doesn't accept tokens", () => {
    expect(build({ input: [[15339, 1917]] })).toEqual({ requests: [{ model, content: content("hello world") }] });
  });

  test.for<[string, object]>([
    ["more texts than the provider accepts", { input: Array.from({ length: 101 }, () => "a") }],
    ["a text other than the counted one", { input: "a", extra_body: { content: {} } }],
  ])("is rejected for %s", ([, fields]) => {
    expect(() => build(fields)).toThrow(Failure);
  });
});

describe("Gemini embeddings", () => {
  const answer = { embeddings: [{ values: [0.5, -1] }, { values: [0.25, 2] }] };
  const read = (value: object, fields: object = {}) => {
    const { text, usage } = embeddingTranslation.readAnswer(
      callOf({ input: "a", ...fields }),
      JSON.stringify(value),
      {},
    );
    return { answer: JSON.parse(text), usage };
  };

  test("are returned in input order, in the requested encoding", () => {
    const { answer: shown, usage } = read({ ...answer, usageMetadata: { promptTokenCount: 9 } });
    expect(shown).toEqual({
      object: "list",
      data: [
        { object: "embedding", index: 0, embedding: [0.5, -1] },
        { object: "embedding", index: 1, embedding: [0.25, 2] },
      ],
      model: "group",
      usage: { prompt_tokens: 9, total_tokens: 9 },
    });
    expect(usage).toMatchObject({ inputTokens: 9, outputTokens: 0, source: "reported" });
    const [first] = read(answer, { encoding_format: "base64" }).answer.data;
    expect(Buffer.from(first.embedding, "base64").readFloatLE(4)).toBe(-1);
  });

  test("have null usage if the provider doesn't report usage", () => {
    expect(read(answer).usage).toBeNull();
  });

  test.for(["{", "{}", '{"embeddings":[]}', '{"embeddings":[{"values":["x"]}]}', '{"embeddings":[{}]}'])(
    "are rejected as malformed: %s",
    (text) => {
      expect(() => embeddingTranslation.readAnswer(callOf({ input: "a" }), text, {})).toThrow(Failure);
    },
  );
});
