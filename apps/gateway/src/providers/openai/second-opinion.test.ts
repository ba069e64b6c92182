import { createAzure } from "@ai-sdk/azure";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { describe, expect, test } from "vitest";
import type { Provider, TargetSettings } from "../../call/provider.ts";
import type { ChatBody } from "../library-options.fixture.ts";
import { providers } from "../registry.ts";
import { askGateway, askLibrary, listDifferences, SOME_KEY } from "../second-opinion.fixture.ts";
import { type RecordedWire, recordedAnswer, recordedStream, recordedWires } from "./wires.fixture.ts";
import { openAiWires } from "./wires.ts";

const image = "data:image/png;base64,iVBORw0KGgo=";
const tools = [
  {
    type: "function",
    function: {
      name: "weather",
      description: "The weather in a city",
      parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
    },
  },
];
const schema = { type: "object", properties: { celsius: { type: "number" } }, required: ["celsius"] };

/** One call for each feature that both the gateway and the library support. */
const bodies: Readonly<Record<string, ChatBody>> = {
  "with only text": { messages: [{ role: "user", content: "hello — é 🌦" }] },
  "with a system message and settings": {
    messages: [
      { role: "system", content: "be brief" },
      { role: "user", content: "hello" },
      { role: "assistant", content: "hi" },
      { role: "user", content: "again" },
    ],
    max_tokens: 50,
    temperature: 0.2,
    top_p: 0.9,
    presence_penalty: 0.1,
    frequency_penalty: -0.1,
    seed: 7,
    stop: ["END"],
  },
  "with tools": { messages: [{ role: "user", content: "weather?" }], tools, tool_choice: "auto" },
  "with a forced tool call": {
    messages: [{ role: "user", content: "weather?" }],
    tools,
    tool_choice: { type: "function", function: { name: "weather" } },
  },
  "with a tool result": {
    messages: [
      { role: "user", content: "weather?" },
      {
        role: "assistant",
        content: null,
        tool_calls: [
          { id: "call00001", type: "function", function: { name: "weather", arguments: '{"city":"Oslo"}' } },
        ],
      },
      { role: "tool", tool_call_id: "call00001", content: "17 °C" },
    ],
    tools,
  },
  "with an image": {
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: "what is it?" },
          { type: "image_url", image_url: { url: image } },
        ],
      },
    ],
  },
  "with earlier reasoning": {
    messages: [
      { role: "user", content: "hello" },
      { role: "assistant", content: "hi", reasoning_content: "greet" },
      { role: "user", content: "again" },
    ],
  },
  "with a response schema": {
    messages: [{ role: "user", content: "how warm?" }],
    response_format: { type: "json_schema", json_schema: { name: "warmth", schema, strict: true } },
  },
};

interface Pair {
  readonly row: string;
  readonly target: Partial<TargetSettings> & { readonly upstreamModel: string };
  readonly library: (fetch: typeof globalThis.fetch) => unknown;
}

/** All allowed differences. The guide for the OpenAI format explains the reason for each difference. */
interface Differences {
  readonly always?: readonly string[];
  readonly streamed?: readonly string[];
  readonly inKind?: Readonly<Record<string, readonly string[]>>;
  /** Calls that the gateway rejects and the library sends. */
  readonly refused?: readonly string[];
}

const thoughtsUnderOwnName = {
  "with earlier reasoning": [
    'body.messages[1].reasoning: "greet" | absent',
    'body.messages[1].reasoning_content: absent | "greet"',
  ],
};
const withoutReasoning = { "with earlier reasoning": ['body.messages[1].reasoning_content: absent | "greet"'] };
const usageUnasked = ['body.stream_options: absent | {"include_usage":true}'];

const differences: Readonly<Record<string, Differences>> = {
  "@ai-sdk/azure, undated": {
    always: [
      'url: "https://acme.openai.azure.com/openai/v1/chat/completions" | "https://acme.openai.azure.com/openai/v1/chat/completions?api-version=v1"',
    ],
  },
  litellm_proxy: { always: ["answer.usage.cacheWrite: 50 | 0", "answer.usage.input: 150 | 200"] },
  openrouter: {
    always: ["answer.usage.cacheWrite: 100 | 0", "answer.usage.input: 30 | 130"],
    inKind: thoughtsUnderOwnName,
  },
  github: { inKind: withoutReasoning },
  hosted_vllm: { inKind: thoughtsUnderOwnName },
  ollama: {
    inKind: { ...thoughtsUnderOwnName, "with tools": ['body.tool_choice: absent | "auto"'] },
    refused: ["with a forced tool call"],
  },
  lm_studio: { inKind: thoughtsUnderOwnName },
  groq: { inKind: thoughtsUnderOwnName },
  together_ai: {
    always: ["answer.usage.cacheRead: 4 | 0", "answer.usage.input: 8 | 12"],
    inKind: thoughtsUnderOwnName,
  },
  nvidia_nim: { inKind: thoughtsUnderOwnName },
  cerebras: { inKind: thoughtsUnderOwnName },
  sambanova: { inKind: thoughtsUnderOwnName },
  mistral: {
    streamed: usageUnasked,
    inKind: {
      ...withoutReasoning,
      "with a system message and settings": ["body.random_seed: 7 | absent", "body.seed: absent | 7"],
      "with a tool result": ["body.messages[1].content: absent | null"],
    },
  },
  xai: { always: ["answer.usage.output: 103 | 9"] },
  perplexity: { streamed: usageUnasked },
  moonshot: { always: ["answer.usage.cacheRead: 10 | 0", "answer.usage.input: 9 | 19"] },
};

const compatible = (row: string, baseURL: string, model: string): Pair => ({
  row,
  target: { upstreamModel: model, apiBase: baseURL },
  library: (fetch) =>
    createOpenAICompatible({
      name: row,
      apiKey: SOME_KEY,
      baseURL,
      fetch,
      includeUsage: true,
      supportsStructuredOutputs: true,
    })(model),
});

const pairs: Readonly<Record<string, Pair>> = {
  "@ai-sdk/openai": {
    row: "openai",
    target: { upstreamModel: "gpt-4o" },
    library: (fetch) => createOpenAI({ apiKey: SOME_KEY, fetch }).chat("gpt-4o"),
  },
  "@ai-sdk/azure, dated": {
    row: "azure",
    target: { upstreamModel: "my-gpt", apiBase: "https://acme.openai.azure.com/openai", apiVersion: "2024-10-21" },
    library: (fetch) =>
      createAzure({
        apiKey: SOME_KEY,
        baseURL: "https://acme.openai.azure.com/openai",
        apiVersion: "2024-10-21",
        useDeploymentBasedUrls: true,
        fetch,
      }).chat("my-gpt"),
  },
  "@ai-sdk/azure, undated": {
    row: "azure",
    target: { upstreamModel: "my-gpt", apiBase: "https://acme.openai.azure.com" },
    library: (fetch) => createAzure({ apiKey: SOME_KEY, resourceName: "acme", fetch }).chat("my-gpt"),
  },
  ...Object.fromEntries(
    openAiWires
      .filter(({ name }) => name !== "openai" && name !== "azure")
      .map(({ name, apiBase }) => [
        `@ai-sdk/openai-compatible for ${name}`,
        compatible(name, apiBase ?? "https://upstream.example/v1", "accounts/some/model"),
      ]),
  ),
};

async function compare(pair: Pair, body: ChatBody, isStream: boolean): Promise<readonly string[]> {
  const isToolCall = "tools" in body;
  const wire = recordedWires[pair.row] as RecordedWire;
  const recorded = isStream ? { events: recordedStream(wire, isToolCall) } : { json: recordedAnswer(wire, isToolCall) };
  const ours = askGateway(
    providers.get(pair.row) as Provider,
    pair.target,
    isStream ? { ...body, stream: true } : body,
    recorded,
  );
  const theirs = await askLibrary(pair.library, body, recorded);
  const { "user-agent": _, ...theirHeaders } = theirs.headers;
  const { "accept-encoding": __, "x-gw-hops": ___, accept: ____, ...ourHeaders } = ours.headers;
  return listDifferences({ ...ours, headers: ourHeaders }, { ...theirs, headers: theirHeaders });
}

describe.for(Object.entries(pairs))("%s", ([name, pair]) => {
  const known = differences[name] ?? differences[pair.row] ?? {};
  for (const [kind, body] of Object.entries(bodies)) {
    for (const isStream of [false, true]) {
      const call = `a call ${kind}${isStream ? ", streamed" : ""}`;
      if (known.refused?.includes(kind) === true) {
        test(`sends a request that the gateway rejects: ${call}`, async () => {
          const refusal = expect.objectContaining({ code: "unsupported_parameter" });
          await expect(compare(pair, body, isStream)).rejects.toThrowError(refusal);
        });
        continue;
      }
      test(`agrees with the gateway on ${call}, except for known differences`, async () => {
        const expected = [
          ...(known.always ?? []),
          ...(isStream ? (known.streamed ?? []) : []),
          ...(known.inKind?.[kind] ?? []),
        ];
        expect(await compare(pair, body, isStream)).toEqual(expected.sort());
      });
    }
  }
});

test("for a reasoning model, the gateway and the AI SDK differ only in the system role and the rejected temperature", async () => {
  const pair: Pair = {
    row: "openai",
    target: { upstreamModel: "o3" },
    library: (fetch) => createOpenAI({ apiKey: SOME_KEY, fetch }).chat("o3"),
  };
  const body: ChatBody = {
    messages: [
      { role: "system", content: "be brief" },
      { role: "user", content: "hello" },
    ],
    max_tokens: 50,
    reasoning_effort: "low",
  };
  expect(await compare(pair, body, false)).toEqual(['body.messages[0].role: "system" | "developer"']);
  const warm = { ...body, temperature: 0.2 };
  await expect(compare(pair, warm, false)).rejects.toThrowError(
    expect.objectContaining({ code: "unsupported_parameter" }),
  );
});
