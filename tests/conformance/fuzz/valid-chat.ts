import fc from "fast-check";
import { SCRIPTED_GROUP } from "../stage/served-groups.ts";

/** Models that respond to every valid request. */
export const workingModels = [
  "sim/echo",
  "sim/paid",
  "sim/json",
  "sim/tools",
  "sim/vision",
  "sim/lorem?tokens=7",
  "sim/lorem?tokens=3&tps=2000",
  "sim/slow?ttft=5ms",
  SCRIPTED_GROUP,
] as const;

/**
 * Models that fail on purpose in every possible way, and the required status, or null if the contract leaves the status
 * open. If the upstream rejects our own credential, the caller's key is not at fault, so the status isn't 401.
 */
export const failingModels: ReadonlyMap<string, number | null> = new Map([
  ["sim/error?status=400", 400],
  ["sim/error?status=401", 500],
  ["sim/error?status=403", 500],
  ["sim/error?status=404", 404],
  ["sim/error?status=408", 408],
  ["sim/error?status=409", null],
  ["sim/error?status=418", null],
  ["sim/error?status=422", 422],
  ["sim/error?status=429", 429],
  ["sim/error?status=500", 500],
  ["sim/error?status=501", 503],
  ["sim/error?status=502", 502],
  ["sim/error?status=503", 503],
  ["sim/error?status=504", 408],
  ["sim/error?status=529", 503],
  ["sim/error?status=599", 503],
  ["sim/error?kind=context", 400],
  ["sim/error?kind=policy", 400],
  ["sim/error?kind=schema", 500],
  ["sim/cut?after=0", 503],
  ["sim/cut?after=2", null],
]);

const text = fc.string({ minLength: 1, maxLength: 40, unit: "binary" });
/** Object keys that the gateway always rejects. */
const refusedKey = /^(?:__proto__|constructor|prototype)$/;
export const name = fc.stringMatching(/^[A-Za-z0-9_-]{1,16}$/).filter((word) => !refusedKey.test(word));
/**
 * The gateway also rejects field names for locations and credentials, so use a prefix that none of those names have.
 */
export const labels = fc.dictionary(
  name.map((word) => `note-${word}`),
  text,
  { maxKeys: 3 },
);
const textPart = fc.record({ type: fc.constant("text"), text });
const imagePart = fc.record({
  type: fc.constant("image_url"),
  image_url: fc.oneof(
    fc.constant("https://example.com/a.png"),
    fc.record({ url: fc.constant("data:image/png;base64,AAAA"), detail: fc.constantFrom("auto", "low", "high") }),
  ),
});
const instruction = fc.record({
  role: fc.constantFrom("system", "developer"),
  content: fc.oneof(text, fc.tuple(textPart)),
});
const question = fc.record({
  role: fc.constant("user"),
  content: fc.oneof(text, fc.array(fc.oneof(textPart, imagePart), { minLength: 1, maxLength: 3 })),
});
const answer = fc.record({ role: fc.constant("assistant"), content: text });
const toolExchange = fc.tuple(name, text).map(([id, content]) => [
  {
    role: "assistant",
    content: null,
    tool_calls: [{ id, type: "function", function: { name: "f", arguments: "{}" } }],
  },
  { role: "tool", tool_call_id: id, content },
]);
const messages = fc
  .tuple(
    fc.array(instruction, { maxLength: 1 }),
    fc.array(
      fc.oneof(
        answer.map((one) => [one]),
        toolExchange,
      ),
      { maxLength: 2 },
    ),
    question,
  )
  .map(([first, middle, last]) => [...first, ...middle.flat(), last]);

const tool = fc.record({
  type: fc.constant("function"),
  function: fc.record({
    name,
    description: text,
    parameters: fc.constant({ type: "object", properties: { city: { type: "string" }, days: { type: "integer" } } }),
  }),
});

/** Each option is valid independently of the others. */
const options = fc.record(
  {
    frequency_penalty: fc.double({ min: -2, max: 2, noNaN: true }),
    presence_penalty: fc.constantFrom(-2, 0, 2, null),
    temperature: fc.double({ min: 0, max: 2, noNaN: true }),
    top_p: fc.double({ min: 0, max: 1, noNaN: true }),
    n: fc.integer({ min: 1, max: 3 }),
    max_tokens: fc.integer({ min: 1, max: 50 }),
    max_completion_tokens: fc.integer({ min: 1, max: 50 }),
    seed: fc.integer(),
    stop: fc.oneof(text, fc.array(text, { maxLength: 4 })),
    logit_bias: fc.dictionary(fc.stringMatching(/^[0-9]{1,5}$/), fc.integer({ min: -100, max: 100 }), { maxKeys: 3 }),
    logprobs: fc.boolean(),
    user: text,
    tools: fc.array(tool, { minLength: 1, maxLength: 2 }),
    tool_choice: fc.constantFrom("none", "auto", "required"),
    parallel_tool_calls: fc.boolean(),
    response_format: fc.constantFrom({ type: "text" }, { type: "json_object" }),
    reasoning_effort: fc.constantFrom("minimal", "low", "medium", "high"),
    service_tier: fc.constantFrom("auto", "default"),
    store: fc.boolean(),
    metadata: labels,
    tags: fc.array(name, { maxLength: 3 }),
    num_retries: fc.integer({ min: 0, max: 10 }),
    drop_params: fc.boolean(),
    extra_body: fc.constantFrom({}, { top_k: 3 }),
    api_version: fc.constantFrom("2024-10-21", null),
    // A non-null value would be rejected, because billing is on and the field is not on an allowlist.
    x_unknown_field: fc.constant(null),
    api_base: fc.constant(null),
  },
  { requiredKeys: [] },
);

const streaming = fc.oneof(
  { weight: 2, arbitrary: fc.constant({}) },
  { weight: 1, arbitrary: fc.constant({ stream: true }) },
  { weight: 1, arbitrary: fc.constant({ stream: true, stream_options: { include_usage: true } }) },
);

/** Chat requests that must succeed, for the given model. */
export function validChats(model: fc.Arbitrary<string>): fc.Arbitrary<Record<string, unknown>> {
  return fc
    .tuple(model, messages, options, streaming, fc.integer({ min: 0, max: 6 }))
    .map(([chosen, talk, all, stream, count]) => {
      const few = Object.fromEntries(Object.entries(all).slice(0, count));
      return { model: chosen, messages: talk, ...few, ...stream };
    });
}
