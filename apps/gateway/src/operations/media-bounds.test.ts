import type { ImageRequest } from "@tollgate/contracts/images/image-request.ts";
import type { RerankRequest } from "@tollgate/contracts/rerank/rerank-request.ts";
import type { SpeechRequest } from "@tollgate/contracts/speech/speech-request.ts";
import type { TranscriptionRequest } from "@tollgate/contracts/transcriptions/transcription-request.ts";
import { type Price, priceCall } from "@tollgate/domain/pricing/price-call.ts";
import { tokenPrice } from "@tollgate/domain/pricing/token-price.ts";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Call } from "../call/call.ts";
import type { Deployment } from "../call/deployment.ts";
import type { OperationKind } from "../call/operation-kind.ts";
import { images } from "./images/images.ts";
import { rerank } from "./rerank/rerank.ts";
import { speech } from "./speech/speech.ts";
import { transcriptions } from "./transcriptions/transcriptions.ts";

const pico = fc.bigInt({ min: 0n, max: 10n ** 11n });
const price: fc.Arbitrary<Price> = fc
  .record({
    input: pico,
    output: pico,
    perCharacter: fc.option(pico),
    perSecond: fc.option(pico),
    perImage: fc.option(pico),
    perSearch: fc.option(pico),
  })
  .map(({ input, output, ...units }) => tokenPrice(input, output, units));
const text = (maxLength: number) => fc.string({ unit: "binary", minLength: 1, maxLength });

/** Returns a call's maximum cost, and its cost if no usage is reported. */
function costs<Request extends object>(
  kind: OperationKind<Request & object>,
  request: Request,
  at: Price,
  more: { file?: object; answer?: string | null; outputTokens?: number } = {},
): { most: bigint; counted: bigint } {
  const bytes = Buffer.from(JSON.stringify(request), "utf8");
  const parsed = JSON.parse(bytes.toString("latin1"));
  const body = { bytes, request: parsed, dropped: new Set(), file: more.file ?? null };
  const call = { body, operation: kind.name } as unknown as Call<Request & object>;
  const facts = { imagePrices: new Map(), maxOutputTokens: null, maxInputTokens: null };
  const deployment = { price: at, facts, provider: {}, additionalDropParams: [], offers: {} } as unknown as Deployment;
  const most = kind.boundUsage(call, deployment);
  if (most === null) throw new Error("the call is not bounded");
  const counted = kind.countUsage(call, deployment, more.answer ?? null, more.outputTokens ?? 0);
  return { most: priceCall(most, at), counted: priceCall(counted, at) };
}

test("speech never costs more than its hold, for any amount of audio", () => {
  const request = fc.record({
    input: text(200),
    voice: fc.constant("a"),
    speed: fc.option(fc.double({ min: 0.25, max: 4, noNaN: true })),
    instructions: fc.option(text(50)),
  });
  fc.assert(
    fc.property(request, price, fc.nat(1_000_000), (asked, at, outputTokens) => {
      const { most, counted } = costs<SpeechRequest>(speech, asked, at, { outputTokens });
      expect(counted).toBeLessThanOrEqual(most);
    }),
  );
});

test("transcriptions never cost more than their hold, for any timestamps in the response", () => {
  const request = fc.record({
    file: fc.constant({ filename: "a.ogg", content_type: "audio/ogg", bytes: 1 }),
    prompt: fc.option(text(50)),
  });
  const answer = fc.nat(99).map((hours) => `1\n00:00:00,000 --> ${String(hours).padStart(2, "0")}:00:00,000\nHi\n\n`);
  const file = fc.record({
    size: fc.integer({ min: 1, max: 25_000_000 }),
    head: fc.uint8Array({ maxLength: 64 }).map((bytes) => Buffer.from(bytes)),
  });
  fc.assert(
    fc.property(request, price, file, answer, (asked, at, given, said) => {
      const { most, counted } = costs<TranscriptionRequest>(transcriptions, asked, at, { file: given, answer: said });
      expect(counted).toBeLessThanOrEqual(most);
    }),
  );
});

test("rerank requests never cost more than their hold, for documents of any length", () => {
  const words = fc
    .integer({ min: 0, max: 3_000 })
    .chain((length) => fc.constantFrom("word ", "ü", "7", "\u{1f600}").map((word) => word.repeat(length)));
  const said = fc.lorem({ maxCount: 9 });
  const document = fc.oneof(said, words, fc.record({ text: words, title: said }, { requiredKeys: [] }));
  const request = fc.record({
    query: said,
    documents: fc.array(document, { minLength: 1, maxLength: 5 }),
    rank_fields: fc.option(fc.constantFrom(["title"], ["title", "text"])),
    max_chunks_per_doc: fc.option(fc.integer({ min: 1, max: 20 })),
    max_tokens_per_doc: fc.option(fc.integer({ min: 1, max: 10_000 })),
  });
  fc.assert(
    fc.property(request, price, (asked, at) => {
      const { most, counted } = costs<RerankRequest>(rerank, asked as RerankRequest, at);
      expect(counted).toBeLessThanOrEqual(most);
    }),
  );
});

test("images never cost more than their hold, for any number of returned images", () => {
  const request = fc.record({
    prompt: text(100),
    n: fc.option(fc.integer({ min: 1, max: 10 })),
    quality: fc.option(fc.constantFrom("low", "medium", "high", "auto", "hd")),
  });
  fc.assert(
    fc.property(request, price, fc.nat(20), (asked, at, came) => {
      const answer = JSON.stringify({ data: Array.from({ length: came }, () => ({ url: "https://x" })) });
      const { most, counted } = costs<ImageRequest>(images, asked, at, { answer });
      expect(counted).toBeLessThanOrEqual(most);
    }),
  );
});
