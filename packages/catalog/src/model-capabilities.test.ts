import { describe, expect, test } from "vitest";
import { loadCatalog } from "./catalog.ts";
import type { Model } from "./model.ts";
import { capabilitiesOf, configureCapabilities, unknownCapabilities } from "./model-capabilities.ts";

const catalog = loadCatalog();
const get = (id: string) => capabilitiesOf(catalog.find([id]) as Model);
const missing = (id: string) => get(id).missing.map(({ feature }) => feature);

describe("capabilities of a model in the catalog", () => {
  test.each([
    ["openai/gpt-4o", ["reasoning", "thinking", "verbosity", "audio_input", "audio_output"]],
    ["openai/gpt-5", ["thinking", "audio_input", "audio_output"]],
    ["openai/o3-mini", ["parallel_tools", "thinking", "verbosity", "vision", "audio_input", "audio_output"]],
    ["openai/gpt-5-chat-latest", ["tools", "reasoning", "thinking", "verbosity", "audio_input", "audio_output"]],
    ["openai/gpt-4o-audio-preview", ["reasoning", "thinking", "verbosity", "vision", "response_schema"]],
    ["mistral/mistral-large-latest", ["reasoning"]],
    ["mistral/mistral-medium-latest", []],
    ["anthropic/claude-sonnet-4-5", []],
    ["openai/text-embedding-3-small", []],
  ])("%s lacks %j", (id, lacks) => {
    expect(missing(id).toSorted()).toEqual([...lacks].toSorted());
  });

  test("name the source of each missing feature", () => {
    for (const { source } of get("openai/gpt-4o").missing) expect(source).toMatch(/^https:\/\//);
  });

  test("include what the model reads, writes, and streams", () => {
    expect(get("openai/gpt-4o")).toMatchObject({ inputs: ["text", "image", "file"], outputs: ["text"] });
    expect(get("openai/gpt-4o-audio-preview").outputs).toEqual(["text", "audio"]);
    expect(get("openai/gpt-4o").streams).toEqual(["text"]);
    expect(get("openai/whisper-1")).toMatchObject({ inputs: ["audio"], outputs: ["text"], streams: [] });
    expect(get("openai/text-embedding-3-small")).toMatchObject({ inputs: ["text"], outputs: [], streams: [] });
  });
});

test("flags in the settings take precedence over the catalog", () => {
  const known = get("openai/gpt-4o");
  const configured = configureCapabilities(known, { supports_reasoning: true, supports_vision: false });
  const names = configured.missing.map(({ feature }) => feature);
  expect(names).toEqual(["thinking", "audio_input", "audio_output", "vision"]);
  expect(configured.missing.at(-1)).toEqual({ feature: "vision", source: "settings" });
  expect(configureCapabilities(known, { mode: "chat" })).toBe(known);
  expect(configureCapabilities(unknownCapabilities, { supports_function_calling: false }).missing).toEqual([
    { feature: "tools", source: "settings" },
  ]);
});
