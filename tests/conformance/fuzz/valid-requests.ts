import fc from "fast-check";
import { makeSilence } from "../sdk/make-silence.ts";
import { SCRIPTED_GROUP } from "../stage/served-groups.ts";
import { failingModels, labels, validChats, name as word, workingModels } from "./valid-chat.ts";

type Bodies = fc.Arbitrary<Readonly<Record<string, unknown>>>;

/** Generates valid requests for one operation. */
export interface RequestSource {
  /** Models that succeed for every valid request; empty if the body names no model. */
  readonly models: readonly string[];
  readonly bodies: (model: fc.Arbitrary<string>) => Bodies;
  /** Models that fail on purpose for this operation, and the required status. */
  readonly failures: ReadonlyMap<string, number | null>;
  /** Required query parameters of a valid request. */
  readonly queries?: readonly string[];
  /** Reports whether a problem concerns a rule that the published schema cannot express. */
  readonly isBeyondSchemas?: (problem: {
    readonly loc: readonly (string | number)[];
    readonly type: string;
  }) => boolean;
}

const text = fc.string({ minLength: 1, maxLength: 40, unit: "binary" });
const tokens = fc.array(fc.integer({ min: 0, max: 50_000 }), { minLength: 1, maxLength: 5 });
const never: ReadonlyMap<string, number | null> = new Map();
/**
 * Models that return an error status, for operations whose responses are binary or not streamed. In these operations, a
 * truncated response is useless to the client, so its outcome isn't specified.
 */
const wholeFailures = new Map([...failingModels].filter(([name]) => name.startsWith("sim/error?status")));

/** Fields that the gateway itself reads in every operation. Each field is valid independently of the others. */
const gatewayOptions = {
  metadata: labels,
  tags: fc.array(word, { maxLength: 3 }),
  num_retries: fc.integer({ min: 0, max: 10 }),
  drop_params: fc.boolean(),
  api_version: fc.constantFrom("2024-10-21", null),
  x_unknown_field: fc.constant(null),
  api_base: fc.constant(null),
} as const;

/** Generates bodies with all required fields and some of the optional fields. */
function bodiesOf(
  needed: Readonly<Record<string, fc.Arbitrary<unknown>>>,
  optional: object = {},
): RequestSource["bodies"] {
  const options = fc.record({ ...optional, ...gatewayOptions } as Record<string, fc.Arbitrary<unknown>>, {
    requiredKeys: [],
  });
  return (model) =>
    fc.tuple(fc.record({ model, ...needed }), options, fc.nat(4)).map(([body, all, count]) => ({
      ...Object.fromEntries(Object.entries(all).slice(0, count)),
      ...body,
    }));
}

const streaming = fc.constantFrom<object[]>(
  {},
  {},
  { stream: true },
  { stream: true, stream_options: { include_usage: true } },
);

const completionBodies = bodiesOf(
  { prompt: fc.oneof(text, fc.array(text, { minLength: 1, maxLength: 3 }), tokens) },
  {
    max_tokens: fc.integer({ min: 1, max: 50 }),
    temperature: fc.double({ min: 0, max: 2, noNaN: true }),
    top_p: fc.double({ min: 0, max: 1, noNaN: true }),
    stop: fc.oneof(text, fc.array(text, { maxLength: 4 })),
    seed: fc.integer(),
    user: text,
  },
);

const speechBodies = bodiesOf(
  { input: text, voice: fc.oneof(word, fc.record({ id: word })) },
  {
    response_format: fc.constantFrom("mp3", "opus", "aac", "flac", "wav", "pcm"),
    speed: fc.double({ min: 0.25, max: 4, noNaN: true }),
    instructions: text,
    stream_format: fc.constantFrom("audio", "sse"),
  },
);

const file = fc.record({
  filename: fc.constantFrom("a.wav", "evening talk.MP3", "naïve.webm"),
  contentType: fc.constantFrom("audio/wav", "application/octet-stream"),
  bytes: fc.oneof(
    fc.constant(makeSilence()),
    fc.uint8Array({ minLength: 1, maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
  ),
});
const transcriptionBodies = bodiesOf(
  { file },
  {
    response_format: fc.constantFrom("json", "text", "srt", "verbose_json", "vtt"),
    language: fc.constantFrom("en", "de"),
    prompt: word,
    temperature: fc.constantFrom(0, 0.5, 1),
    user: word,
  },
);

const imageBodies = bodiesOf(
  { prompt: text },
  {
    n: fc.integer({ min: 1, max: 3 }),
    size: fc.constantFrom("256x256", "1024x1024"),
    response_format: fc.constantFrom("url", "b64_json"),
    user: text,
  },
);

const rerankBodies = bodiesOf(
  {
    query: text,
    documents: fc.array(fc.oneof(text, fc.record({ text, title: text }, { requiredKeys: ["text"] })), {
      minLength: 1,
      maxLength: 5,
    }),
  },
  {
    top_n: fc.integer({ min: 1, max: 5 }),
    return_documents: fc.boolean(),
    rank_fields: fc.constantFrom(["text"], ["title", "text"]),
    max_chunks_per_doc: fc.integer({ min: 1, max: 10 }),
    max_tokens_per_doc: fc.integer({ min: 1, max: 4096 }),
  },
);

const block = fc.oneof(
  fc.record({ type: fc.constant("text"), text }),
  fc.constant({ type: "text", text: "x", cache_control: { type: "ephemeral" } }),
);
const spoken = fc.record({
  role: fc.constantFrom("user", "assistant"),
  content: fc.oneof(text, fc.array(block, { minLength: 1, maxLength: 3 })),
});
/** The last message is from the user, as every upstream requires. */
const conversation = fc
  .array(spoken, { maxLength: 3 })
  .map((before) => [...before, { role: "user", content: "hello" }]);
const messagePrompt = { messages: conversation };
const messageOptions = {
  system: fc.oneof(text, fc.array(fc.record({ type: fc.constant("text"), text }), { minLength: 1, maxLength: 2 })),
  temperature: fc.double({ min: 0, max: 1, noNaN: true }),
  top_p: fc.double({ min: 0, max: 1, noNaN: true }),
  stop_sequences: fc.array(text, { maxLength: 4 }),
  stream: fc.boolean(),
  thinking: fc.constantFrom({ type: "adaptive" }, { type: "disabled" }, { type: "enabled", budget_tokens: 1_024 }),
  tools: fc.array(fc.record({ name: word, input_schema: fc.constant({ type: "object" }) }), { maxLength: 2 }),
  service_tier: fc.constantFrom("auto", "standard_only"),
};

const responseOptions = {
  instructions: text,
  temperature: fc.double({ min: 0, max: 2, noNaN: true }),
  top_p: fc.double({ min: 0, max: 1, noNaN: true }),
  max_output_tokens: fc.integer({ min: 1, max: 500 }),
  stream: fc.boolean(),
  store: fc.boolean(),
  parallel_tool_calls: fc.boolean(),
  truncation: fc.constantFrom("auto", "disabled"),
  include: fc.constantFrom([], ["reasoning.encrypted_content"]),
  reasoning: fc.constantFrom({ effort: "low" }, { summary: "auto" }, {}),
  text: fc.constantFrom({ format: { type: "text" } }, { verbosity: "low" }),
  tools: fc.array(fc.record({ type: fc.constantFrom("function", "custom"), name: word }), { maxLength: 2 }),
  service_tier: fc.constantFrom("auto", "default"),
  prompt_cache_key: text,
};

const chatBody = validChats(fc.constantFrom(...workingModels));
const callTypes = ["completion", "acompletion"] as const;

/** Operations with a body, by operation ID. The run stops if a published operation is missing here. */
export const requestSources: Readonly<Record<string, RequestSource>> = {
  createChatCompletion: {
    models: workingModels,
    bodies: validChats,
    failures: failingModels,
    // An assistant message must have content in one of five forms, a rule that the schema describes only in text.
    isBeyondSchemas: ({ loc, type }) => type === "missing" && loc[1] === "messages" && loc.at(-1) === "content",
  },
  createCompletion: {
    models: ["sim/echo", "sim/paid", "sim/lorem?tokens=5", "instruct", SCRIPTED_GROUP],
    bodies: (model) => fc.tuple(completionBodies(model), streaming).map(([body, stream]) => ({ ...body, ...stream })),
    failures: failingModels,
  },
  createAnthropicMessage: {
    models: ["sim/echo", "sim/paid", "sim/lorem?tokens=5", "claude"],
    bodies: bodiesOf({ ...messagePrompt, max_tokens: fc.integer({ min: 1, max: 500 }) }, messageOptions),
    failures: failingModels,
  },
  createResponse: {
    models: ["sim/echo", "sim/paid", "sim/lorem?tokens=5", "gpt", "responder"],
    bodies: bodiesOf({ input: fc.oneof(text, conversation) }, responseOptions),
    failures: failingModels,
  },
  countMessageTokens: {
    models: ["sim/echo", "gpt", "claude"],
    bodies: bodiesOf(messagePrompt, { system: messageOptions.system, tools: messageOptions.tools }),
    failures: never,
  },
  createEmbedding: {
    models: ["sim/embed", "vectors", SCRIPTED_GROUP],
    bodies: bodiesOf(
      {
        input: fc.oneof(
          text,
          fc.array(text, { minLength: 1, maxLength: 4 }),
          tokens,
          fc.array(tokens, { minLength: 1, maxLength: 3 }),
        ),
      },
      {
        encoding_format: fc.constantFrom("float", "base64"),
        dimensions: fc.integer({ min: 1, max: 64 }),
        user: text,
      },
    ),
    failures: wholeFailures,
  },
  createRerank: { models: ["sim/rerank", "sorter"], bodies: rerankBodies, failures: wholeFailures },
  createModeration: {
    models: ["sim/moderation", "moderator"],
    bodies: bodiesOf({ input: fc.oneof(text, fc.array(text, { minLength: 1, maxLength: 4 })) }),
    failures: wholeFailures,
  },
  createSpeech: { models: ["sim/speech"], bodies: speechBodies, failures: wholeFailures },
  createTranscription: { models: ["sim/transcribe"], bodies: transcriptionBodies, failures: wholeFailures },
  createImage: { models: ["sim/image"], bodies: imageBodies, failures: wholeFailures },
  countTokens: {
    models: ["sim/echo", "gpt", "no-such-model"],
    bodies: (model) =>
      fc
        .tuple(model, fc.oneof(fc.record({ prompt: text }), chatBody))
        .map(([name, body]) => ({ ...body, model: name })),
    failures: never,
  },
  transformRequest: {
    models: [],
    bodies: () => fc.record({ call_type: fc.constantFrom(...callTypes), request_body: chatBody }),
    failures: never,
    isBeyondSchemas: ({ loc }) => loc[1] === "request_body",
  },
  calculateSpend: {
    models: ["sim/paid"],
    bodies: (model) =>
      fc.oneof(
        fc.record({
          model,
          messages: fc.array(fc.record({ role: fc.constant("user"), content: text }), { maxLength: 3 }),
        }),
        fc.record({
          model,
          completion_response: fc.record({
            usage: fc.record({ prompt_tokens: fc.nat(100_000), completion_tokens: fc.nat(100_000) }),
          }),
        }),
      ),
    failures: never,
  },
  quoteCost: {
    models: workingModels,
    bodies: validChats,
    failures: never,
    // The body can belong to any operation, so its schema is nearly empty.
    isBeyondSchemas: () => true,
  },
};
