import { describe, expect, test } from "vitest";
import type { OperationName } from "../call/operation-traits.ts";
import { operationKinds } from "../operations/operation-kinds.ts";
import { compileFields } from "./compile-fields.ts";
import { providers } from "./registry.ts";

/** Fields in the OpenAI and Anthropic API references, as declared by client library versions 7.53 and 1.8. */
const references: Readonly<Partial<Record<OperationName, string>>> = {
  "chat.completions":
    "messages model audio frequency_penalty function_call functions logit_bias logprobs max_completion_tokens max_tokens metadata modalities moderation n parallel_tool_calls prediction presence_penalty prompt_cache_key prompt_cache_options prompt_cache_retention reasoning_effort response_format safety_identifier seed service_tier stop store stream stream_options temperature tool_choice tools top_logprobs top_p user verbosity web_search_options",
  completions:
    "model prompt best_of echo frequency_penalty logit_bias logprobs max_tokens n presence_penalty seed stop stream stream_options suffix temperature top_p user",
  embeddings: "input model dimensions encoding_format user",
  "images.generations":
    "prompt background complexity frame_count frame_duration_ms model moderation n output_compression output_format partial_images quality response_format safety_identifier size stream style svg user",
  "audio.speech": "input model voice instructions response_format speed stream_format",
  "audio.transcriptions":
    "file model chunking_strategy include keywords known_speaker_names known_speaker_references language languages prompt response_format stream temperature timestamp_granularities",
  moderations: "input model",
  responses:
    "access_programs background context_management conversation image include input instructions max_output_tokens max_tool_calls metadata model moderation parallel_tool_calls previous_response_id prompt prompt_cache_key prompt_cache_options prompt_cache_retention reasoning safety_identifier service_tier store stream stream_options temperature text tool_choice tools top_logprobs top_p truncation user",
  messages:
    "max_tokens messages model cache_control compaction container context_management diagnostics fallback_credit_token fallbacks inference_geo mcp_servers metadata output_config output_format service_tier speed stop_sequences stream system temperature thinking thread tool_choice tools top_k top_p",
  rerank: "model query documents top_n max_tokens_per_doc return_documents rank_fields max_chunks_per_doc",
};

function kindOf(operation: OperationName) {
  const kind = operationKinds[operation];
  if (kind === undefined) throw new Error(`no operation ${operation}`);
  return kind;
}

const operations = Object.keys(references) as OperationName[];
const all = [...providers.values()].flatMap((provider) => operations.map((operation) => ({ provider, operation })));

describe("each provider's field lists", () => {
  test("include every field in the API reference and every field that the gateway supports", () => {
    for (const { provider, operation } of all) {
      const rules = compileFields(provider.requestFields(operation));
      const { required, params } = kindOf(operation).fields;
      const names = [...(references[operation] ?? "").split(" "), ...required, ...params, "model"];
      expect(
        names.filter((name) => !rules.has(name)),
        `${provider.name} ${operation}`,
      ).toEqual([]);
    }
  });

  test("mark every field that affects the cost as counted or unpriced", () => {
    // The gateway rewrites these fields for the provider, or reads them without sending them.
    const settledElsewhere = new Set(["tools", "system", "metadata", "cache_control", "store"]);
    for (const { provider, operation } of all) {
      const rules = compileFields(provider.requestFields(operation));
      for (const name of kindOf(operation).fields.settled) {
        if (settledElsewhere.has(name) || !rules.has(name)) continue;
        expect(["counted", "unpriced"], `${provider.name} ${operation} ${name}`).toContain(rules.get(name)?.kind);
      }
    }
  });

  test("count the limit of tool calls, so that extra_body cannot raise it above the hold", () => {
    for (const { provider } of all.filter(({ operation }) => operation === "responses")) {
      const rules = compileFields(provider.requestFields("responses"));
      if (rules.has("max_tool_calls")) expect(rules.get("max_tool_calls")?.kind, provider.name).toBe("counted");
    }
  });

  test("lack objects of Bedrock with tools and limits inside, which nothing would count", () => {
    for (const { provider, operation } of all.filter((each) => each.provider.name === "bedrock")) {
      const rules = compileFields(provider.requestFields(operation));
      for (const name of ["toolConfig", "inferenceConfig", "additionalModelRequestFields"]) {
        expect(rules.has(name), `${operation} ${name}`).toBe(false);
      }
    }
  });

  test("mark fields as unpriced or as searches if they make a provider search or choose another model", () => {
    for (const { provider, operation } of all) {
      const rules = compileFields(provider.requestFields(operation));
      for (const name of ["enable_search", "models", "route", "plugins"]) {
        expect(rules.get(name)?.kind, `${provider.name} ${operation} ${name}`).toBe("unpriced");
      }
      for (const name of ["web_search_options", "search_parameters"]) {
        expect(["unpriced", "search"], `${provider.name} ${operation} ${name}`).toContain(rules.get(name)?.kind);
      }
    }
  });
});

test("every provider supports 'stream' for chat, so drop_params never removes it", () => {
  for (const { name, translations } of providers.values()) {
    const chat = translations["chat.completions"];
    if (chat !== undefined) expect(chat.supportedParams("some-model"), name).toContain("stream");
  }
});

test("a tool counts as client-run only if the provider's API defines it as client-run", () => {
  const toolsOf = (name: string, operation: OperationName = "chat.completions") => {
    const rule = compileFields(providers.get(name)?.requestFields(operation) ?? []).get("tools");
    if (rule?.kind !== "tools") throw new Error("no rule for tools");
    return rule.isClientTool;
  };
  for (const name of providers.keys()) {
    expect(toolsOf(name)({ type: "function", function: { name: "f" } }), name).toBe(true);
    expect(toolsOf(name)({ type: "web_search" }), name).toBe(false);
    expect(toolsOf(name)({ type: "mcp" }), name).toBe(false);
    expect(toolsOf(name, "messages")({ type: "web_search_20250305" }), name).toBe(false);
    expect(toolsOf(name, "messages")({ type: "bash_20250124" }), name).toBe(true);
  }
  expect(toolsOf("openai")({ google_search: {} })).toBe(false);
  expect(toolsOf("gemini")({ google_search: {} })).toBe(false);
  expect(toolsOf("gemini")({ functionDeclarations: [] })).toBe(true);
  expect(toolsOf("gemini")({ functionDeclarations: [], googleSearch: {} })).toBe(false);
});
