import { chatAnswer } from "@tollgate/testkit/chat-answers.ts";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { BodyPieces } from "../../call/body-pieces.ts";
import type { PiecedAnswer } from "../../call/pieced-answer.ts";
import type { ReadAnswer, TranslatedCall } from "../../call/provider.ts";
import { embeddings } from "../../operations/embeddings/embeddings.ts";
import { makeChatCall } from "../../pipeline/chat-call.fixture.ts";
import { embeddingTranslation } from "./embeddings.ts";
import { readChatAnswer } from "./read-answer.ts";
import { readChatPieces } from "./read-answer-pieces.ts";

/** A response and the sizes of the pieces in which it arrives. */
interface Arrival {
  readonly text: string;
  readonly sizes: readonly number[];
}

function toPieces({ text, sizes }: Arrival): BodyPieces {
  const bytes = Buffer.from(text, "utf8");
  const pieces: Buffer[] = [];
  let at = 0;
  for (let turn = 0; at < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length] as number;
    pieces.push(bytes.subarray(at, at + size));
    at += size;
  }
  return new BodyPieces(pieces);
}

const sizes = fc.array(fc.oneof(fc.integer({ min: 1, max: 9_000 }), fc.constant(65_536)), {
  minLength: 1,
  maxLength: 4,
});
/** Text of up to 20 KiB, so that what the gateway reads is near the ends of a response or far from them. */
const long = fc
  .tuple(fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 }), fc.integer({ min: 0, max: 400 }))
  .map(([text, times]) => text.repeat(times));
const usage = fc.oneof(
  fc.record({ prompt_tokens: fc.nat(), completion_tokens: fc.nat(9) }),
  fc.constantFrom(null, {}, { prompt_tokens: -1 }, "none"),
);
const space = fc.constantFrom("", " ", "\n", " ".repeat(6_000));

/** Returns what a reader returns, or the message of its error. */
function outcomeOf(read: () => ReadAnswer): object {
  try {
    const { text, usage: reported } = read();
    return { text, usage: reported };
  } catch (error) {
    return { error: (error as Error).message };
  }
}

function expectSame(pieced: PiecedAnswer | null, whole: object): void {
  if (pieced === null) return;
  expect(pieced.pieces.length).toBe(pieced.text.length);
  expect({ text: pieced.text, usage: pieced.usage }).toEqual(whole);
}

describe("a chat response in pieces", () => {
  const answer = fc
    .record({ model: fc.constantFrom("upstream", "é", 'a"b', 7, null), content: long, usage, more: long })
    .chain(({ model, content, usage: reported, more }) => {
      const members = { model, choices: [{ message: { content, model: "other" } }], usage: reported, more };
      const order = fc.shuffledSubarray(Object.entries(members), { minLength: 2, maxLength: 4 });
      return fc
        .tuple(order, space, space, fc.boolean())
        .map(
          ([entries, before, after, isCut]) =>
            before + JSON.stringify(Object.fromEntries(entries)) + (isCut ? "x" : after),
        );
    });

  test("is read like one text, or left to the reader of texts", () => {
    fc.assert(
      fc.property(answer, sizes, fc.string({ unit: "grapheme" }), (text, arrival, shownName) => {
        const call = makeChatCall({ shownName });
        const whole = outcomeOf(() => readChatAnswer(call, Buffer.from(text, "utf8").toString("latin1")));
        expectSame(readChatPieces(call, toPieces({ text, sizes: arrival })), whole);
      }),
      { numRuns: 1_000 },
    );
  });

  test("is read without a text of it if it has the usual order", () => {
    fc.assert(
      fc.property(long, sizes, (content, arrival) => {
        const text = JSON.stringify(chatAnswer({ content, model: "upstream-1", inputTokens: 12, outputTokens: 3 }));
        const read = readChatPieces(makeChatCall(), toPieces({ text, sizes: arrival })) as PiecedAnswer;
        expect(read.usage).toMatchObject({ inputTokens: 12, outputTokens: 3 });
        expect(read.pieces.join().toString("utf8")).toBe(text.replace("upstream-1", "group"));
        expect(read.namedModel).toBe('"model":"upstream-1"');
      }),
    );
  });

  test("names the tier that is priced, and is left to the reader of texts if its end names none", () => {
    const { body, model } = makeChatCall();
    const call = { body, model, target: { facts: { rateCard: {} } } } as unknown as TranslatedCall;
    const content = "a".repeat(20_000);
    const tier = { ...chatAnswer({ content }), service_tier: "priority" };
    const read = (text: string) => readChatPieces(call, toPieces({ text, sizes: [5_000] }));
    const text = JSON.stringify(tier);
    expect(read(text)?.usage).toEqual(readChatAnswer(call, text).usage);
    expect(read(text)?.usage).toHaveProperty("served");
    expect(read(JSON.stringify(chatAnswer({ content })))).toBeNull();
  });
});

describe("embeddings in pieces", () => {
  const translation = embeddingTranslation({});
  const vector = fc.oneof(
    fc.array(fc.float({ noNaN: true, noDefaultInfinity: true }), { minLength: 1, maxLength: 2_000 }),
    fc.base64String({ maxLength: 8_000 }),
  );
  const answer = fc
    .record({ model: fc.constantFrom("upstream", "é", 7, null), vectors: fc.array(vector, { maxLength: 3 }), usage })
    .chain(({ model, vectors, usage: reported }) => {
      const data = vectors.map((embedding, index) => ({ object: "embedding", index, embedding }));
      const order = fc.shuffledSubarray(Object.entries({ data, model, usage: reported }), {
        minLength: 2,
        maxLength: 3,
      });
      return fc
        .tuple(order, space, space)
        .map(([entries, before, after]) => before + JSON.stringify(Object.fromEntries(entries)) + after);
    });
  const bodies = fc.constantFrom(
    '{"model":"group","input":"x"}',
    '{"model":"group","input":"x","encoding_format":"base64"}',
  );

  test("are read like one text, or left to the reader of texts", () => {
    fc.assert(
      fc.property(answer, sizes, bodies, (text, arrival, body) => {
        const call = makeChatCall({ text: body, kind: embeddings }) as never;
        const whole = outcomeOf(() => translation.readAnswer(call, Buffer.from(text, "utf8").toString("latin1"), {}));
        expectSame(translation.readPieces?.(call, toPieces({ text, sizes: arrival })) ?? null, whole);
      }),
      { numRuns: 1_000 },
    );
  });

  test("are read without a text of them in the format of OpenAI", () => {
    const embedding = Array.from({ length: 3_000 }, (_, at) => at / 7);
    const data = [0, 1].map((index) => ({ object: "embedding", index, embedding }));
    const text = JSON.stringify({
      object: "list",
      data,
      model: "upstream",
      usage: { prompt_tokens: 7, total_tokens: 7 },
    });
    const call = makeChatCall({ text: '{"model":"group","input":["x","y"]}', kind: embeddings }) as never;
    const read = translation.readPieces?.(call, toPieces({ text, sizes: [10_000] })) as PiecedAnswer;
    expect(read.usage).toMatchObject({ inputTokens: 7 });
    expect(read.pieces.join().toString("utf8")).toBe(text.replace('"upstream"', '"group"'));
    expect(read.namedModel).toBe('"model":"upstream"');
  });
});
