import { type Behavior, reply, streamFrames } from "../upstream-behaviors.ts";
import type { HostileBehavior, Outcome } from "./hostile-behavior.ts";
import { PIECES, type RawUsage, USUAL, type Wire } from "./wires.ts";

/** Outcome of invalid JSON, which invalidates a complete response but may affect only the usage frame of a stream. */
const NOT_JSON: Outcome = "decent";

const counts: readonly (readonly [string, RawUsage | null, HostileBehavior["outcome"]?])[] = [
  ["nothing", null],
  ["zero", { input: "0", output: "0" }],
  ["less than nothing", { input: "-5", output: "-1" }],
  ["less than nothing, and more", { input: "-1000000", output: "1000000" }],
  ["halves", { input: "1.5", output: "2.5" }],
  ["2^53", { input: "9007199254740992", output: "9007199254740993" }],
  ["2^64", { input: "18446744073709551616", output: "18446744073709551616" }],
  ["1e308", { input: "1e308", output: "1e308" }],
  ["1e309", { input: "1e309", output: "1e309" }],
  ["a billion", { input: "1000000000", output: "1000000000" }],
  ["a million", { input: "1000000", output: "1000000" }],
  ["a million of output", { input: "9", output: "1000000" }],
  ["a million of input", { input: "1000000", output: "5" }],
  ["texts", { input: '"9"', output: '"5"' }],
  ["words", { input: '"many"', output: '"few"' }],
  ["truths", { input: "true", output: "false" }],
  ["lists", { input: "[9]", output: "[5]" }],
  ["objects", { input: '{"valueOf":9}', output: "{}" }],
  ["nulls", { input: "null", output: "null" }],
  ["half of it", { input: "9", output: "null" }],
  ["NaN", { input: "NaN", output: "NaN" }, NOT_JSON],
  ["Infinity", { input: "Infinity", output: "-Infinity" }, NOT_JSON],
  ["octal", { input: "007", output: "005" }, NOT_JSON],
  ["details beyond the total", { input: "9", output: "5", more: details("1000000") }],
  ["details below zero", { input: "9", output: "5", more: details("-1000000") }],
  ["details in words", { input: "9", output: "5", more: details('"many"') }],
  ["a total of its own", { input: "9", output: "5", more: ',"total_tokens":1e12,"totalTokenCount":1e12' }],
];

/** Impossible token counts in otherwise valid responses. No such response may cost more than the hold. */
export const usageBehaviors: readonly HostileBehavior[] = [
  ...counts.flatMap(([name, usage, outcome = "sound"]) => [
    counting(name, false, outcome, (wire) => reply(200, wire.whole({ pieces: PIECES, usage }))),
    counting(name, true, outcome, (wire) => streamFrames(wire.frames({ pieces: PIECES, usage }))),
  ]),
  counting("a million in every frame", true, "sound", (wire) => streamFrames(inEvery(wire, "1000000"))),
  counting("its sum in every frame", true, "sound", (wire) => streamFrames(inEvery(wire, "5"))),
  counting("a million first and the truth later", true, "sound", (wire) =>
    streamFrames([...inEvery(wire, "1000000").slice(0, 3), ...wire.frames(USUAL).slice(3)]),
  ),
  counting("more and more without end", true, "sound", (wire) =>
    streamFrames(inEvery(wire, "1").map((frame, index) => frame.replaceAll(":1,", `:1${"0".repeat(index)},`))),
  ),
];

function details(value: string): string {
  const names = `"cached_tokens":${value},"audio_tokens":${value},"reasoning_tokens":${value}`;
  return [
    `,"prompt_tokens_details":{${names}}`,
    `"completion_tokens_details":{${names}}`,
    `"cache_read_input_tokens":0`,
    `"output_tokens_details":{"thinking_tokens":${value}}`,
    `"iterations":[null,5,{"type":"compaction","input_tokens":${value}}]`,
    `"cachedContentTokenCount":${value}`,
  ].join(",");
}

function counting(
  name: string,
  isStream: boolean,
  outcome: HostileBehavior["outcome"],
  behave: (wire: Wire) => Behavior,
): HostileBehavior {
  return { name: `counts ${name}${isStream ? ", in a stream" : ""}`, isStream, outcome, behave };
}

/** Adds token counts to every frame, with the field names of the API format. */
function inEvery(wire: Wire, count: string): string[] {
  const openai = `"usage":{"prompt_tokens":${count},"completion_tokens":${count}}`;
  const gemini = `"usageMetadata":{"promptTokenCount":${count},"candidatesTokenCount":${count}}`;
  const added = wire.name === "gemini" ? gemini : openai;
  return wire.frames(USUAL).map((frame) => (frame.includes("{") ? frame.replace("{", `{${added},`) : frame));
}
