import { describe, expect, test } from "vitest";
import type { Provider, UpstreamTarget } from "../../call/provider.ts";
import type { ChatBody } from "../library-options.fixture.ts";
import { providers } from "../registry.ts";
import { askGateway, eventStream } from "../second-opinion.fixture.ts";
import { type RecordedWire, recordedAnswer, recordedWires } from "./wires.fixture.ts";

type Target = Partial<UpstreamTarget>;
const hello = [{ role: "user", content: "hello" }];

function ask(name: string, body: Partial<ChatBody>, target: Target = {}, answer?: unknown) {
  const provider = providers.get(name) as Provider;
  const json = answer ?? recordedAnswer(recordedWires[name] as RecordedWire);
  const settings = { upstreamModel: "some-model", apiBase: provider.defaultApiBase ?? "https://up.example", ...target };
  const opinion = askGateway(provider, settings, { messages: hello, ...body }, { json });
  return { ...opinion, body: opinion.body as Record<string, unknown> };
}

const paramsOf = (name: string, model: string) =>
  (providers.get(name) as Provider).translations["chat.completions"]?.supportedParams(model) ?? [];

describe("OpenAI reasoning models", () => {
  test.for(["o1", "o3-mini", "o4-mini-2025-04-16", "gpt-5", "gpt-5-mini", "openai/o3"])(
    "include %s, which doesn't support sampling parameters",
    (model) => {
      for (const param of ["top_p", "logprobs", "presence_penalty", "frequency_penalty", "logit_bias"]) {
        expect(paramsOf("openai", model)).not.toContain(param);
      }
      expect(paramsOf("openai", model)).toContain("reasoning_effort");
    },
  );

  test.for(["gpt-4o", "gpt-4.1-mini", "gpt-5-chat-latest", "chatgpt-4o-latest", "ft:gpt-4o:acme::1"])(
    "don't include %s",
    (model) => {
      expect(paramsOf("openai", model)).toEqual(expect.arrayContaining(["top_p", "stop", "logit_bias"]));
      expect(ask("openai", { max_tokens: 5, temperature: 0 }, { upstreamModel: model }).body).toMatchObject({
        max_tokens: 5,
        temperature: 0,
      });
    },
  );

  test("with optional reasoning support sampling parameters but no penalties", () => {
    expect(paramsOf("openai", "gpt-5.1")).toContain("top_p");
    expect(paramsOf("azure", "gpt-5.2")).not.toContain("presence_penalty");
    expect(ask("openai", { temperature: 0.3 }, { upstreamModel: "gpt-5.1" }).body.temperature).toBe(0.3);
  });

  test.for(["openai", "azure"])("on %s receive max_tokens as max_completion_tokens", (name) => {
    const { body } = ask(name, { max_tokens: 5 }, { upstreamModel: "o3" });
    expect(body).toEqual({ model: "o3", messages: hello, max_completion_tokens: 5 });
  });

  test("receive only max_completion_tokens if both limits are sent", () => {
    const { body } = ask("openai", { max_tokens: 5, max_completion_tokens: 9 }, { upstreamModel: "o3" });
    expect(body).toEqual({ model: "o3", messages: hello, max_completion_tokens: 9 });
  });

  test("accept only temperature 1, so other values are rejected, or omitted if parameters may be dropped", () => {
    const target = { upstreamModel: "o3" };
    expect(ask("openai", { temperature: 1 }, target).body.temperature).toBe(1);
    expect(() => ask("openai", { temperature: 0.5 }, target)).toThrowError(
      expect.objectContaining({
        code: "unsupported_parameter",
        facts: expect.objectContaining({ param: "temperature" }),
      }),
    );
    expect(ask("openai", { temperature: 0.5 }, { ...target, dropsParams: true }).body).not.toHaveProperty(
      "temperature",
    );
    expect(ask("openai", { temperature: 0.5, drop_params: true }, target).body).not.toHaveProperty("temperature");
    expect(() =>
      ask("openai", { temperature: 0.5, drop_params: false }, { ...target, dropsParams: true }),
    ).toThrowError();
  });
});

describe("cache marks", () => {
  const mark = { type: "ephemeral" };
  const long = { type: "ephemeral", ttl: "1h" };
  const marked = (cache_control: object) => ({
    messages: [{ role: "user", content: [{ type: "text", text: "é", cache_control }] }],
    tools: [
      { type: "function", function: { name: "ü" }, cache_control },
      { type: "function", function: { name: "inner", cache_control } },
    ],
  });
  const plain = {
    messages: [{ role: "user", content: [{ type: "text", text: "é" }] }],
    tools: [
      { type: "function", function: { name: "ü" } },
      { type: "function", function: { name: "inner" } },
    ],
  };

  test.for(["openai", "azure", "mistral", "groq", "deepseek"])(
    "are not sent to %s, which caches on its own",
    (name) => {
      expect(ask(name, marked(mark) as Partial<ChatBody>).body).toMatchObject(plain);
      expect(JSON.stringify(ask(name, marked(mark) as Partial<ChatBody>).body)).not.toContain("cache_control");
    },
  );

  test.for(["openrouter", "litellm_proxy", "hosted_vllm"])(
    "are sent to %s, with the only lifetime that has a price",
    (name) => {
      expect(ask(name, marked(mark) as Partial<ChatBody>).body).toMatchObject(marked(mark));
      expect(ask(name, marked(long) as Partial<ChatBody>).body).toMatchObject(marked(mark));
      expect(JSON.stringify(ask(name, marked(long) as Partial<ChatBody>).body)).not.toContain("1h");
    },
  );

  test("in the tools of extra_body are treated in the same way", () => {
    const { tools } = marked(long);
    const fields = { ...plain, tools: undefined, extra_body: { tools, top_k: 3 } } as unknown as Partial<ChatBody>;
    const { body } = ask("openrouter", fields);
    expect(body).toMatchObject({ tools: marked(mark).tools, top_k: 3 });
    expect(JSON.stringify(body)).not.toContain("1h");
    expect(body).not.toHaveProperty("extra_body");
    expect(JSON.stringify(ask("openai", fields).body)).not.toContain("cache_control");
  });
});

describe("Mistral", () => {
  const history = [
    { role: "developer", content: "be brief — é", name: "boss" },
    { role: "user", content: "weather?", name: "kim" },
    {
      role: "assistant",
      content: null,
      refusal: null,
      reasoning_content: "hm",
      tool_calls: [
        { id: "call_0123456789abcdef", type: "function", function: { name: "weather", arguments: "{}" } },
        { id: "abcDEF123", type: "function", function: { name: "weather", arguments: "{}" } },
      ],
    },
    { role: "tool", tool_call_id: "call_0123456789abcdef", content: "17 °C" },
    { role: "tool", tool_call_id: "abcDEF123", content: "18 °C" },
  ];

  test("receives only known message fields, and tool call IDs that match and have nine characters", () => {
    const messages = ask("mistral", { messages: history }).body.messages as Record<string, never>[];
    expect(messages.map((message) => Object.keys(message).sort())).toEqual([
      ["content", "role"],
      ["content", "role"],
      ["role", "tool_calls"],
      ["content", "role", "tool_call_id"],
      ["content", "role", "tool_call_id"],
    ]);
    expect(messages[0]).toEqual({ role: "system", content: "be brief — é" });
    const calls = messages[2]?.tool_calls as unknown as { id: string }[];
    expect(calls[0]?.id).toMatch(/^[A-Za-z0-9]{9}$/);
    expect(calls[0]?.id).toBe(messages[3]?.tool_call_id);
    expect([calls[1]?.id, messages[4]?.tool_call_id]).toEqual(["abcDEF123", "abcDEF123"]);
  });

  test("receives renamed parameters and no stream_options, because it always reports usage", () => {
    const { body } = ask("mistral", { seed: 7, max_completion_tokens: 5, tool_choice: "required" });
    expect(body).toEqual({ model: "some-model", messages: hello, random_seed: 7, max_tokens: 5, tool_choice: "any" });
    const provider = providers.get("mistral") as Provider;
    const asked = { messages: hello, stream: true, stream_options: { include_usage: true } };
    const events = eventStream([{ choices: [{ index: 0, delta: { content: "x" }, finish_reason: "model_length" }] }]);
    const { body: sent, answer } = askGateway(provider, { upstreamModel: "m" }, asked, { events });
    expect(sent).toEqual({ model: "m", messages: hello, stream: true });
    expect(answer.finish).toBe("length");
  });

  test("returns reasoning in content parts, which the gateway separates from the text, with and without streaming", () => {
    const content = [
      { type: "thinking", thinking: [{ type: "text", text: "first — é" }] },
      { type: "text", text: "then" },
    ];
    const answer = { choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }] };
    expect(ask("mistral", {}, {}, answer).answer).toMatchObject({ text: "then", reasoning: "first — é" });
    const events = eventStream([
      { choices: [{ index: 0, delta: { content: [content[0]] }, finish_reason: null }] },
      { choices: [{ index: 0, delta: { content: "then" }, finish_reason: "stop" }] },
    ]);
    const provider = providers.get("mistral") as Provider;
    const streamed = askGateway(provider, { upstreamModel: "m" }, { messages: hello, stream: true }, { events });
    expect(streamed.answer).toMatchObject({ text: "then", reasoning: "first — é" });
  });

  test("may return tool calls without a type, which become function calls", () => {
    const call = { id: "abcDEF123", function: { name: "weather", arguments: "{}" } };
    const message = { role: "assistant", content: "", tool_calls: [call, { ...call, type: null }] };
    const provider = providers.get("mistral") as Provider;
    const read = provider.translations["chat.completions"]?.readAnswer(
      { model: { shownJson: '"group"' } } as never,
      JSON.stringify({ choices: [{ message }] }),
      {},
    );
    expect(JSON.parse(read?.text ?? "").choices[0].message.tool_calls).toEqual([
      { ...call, type: "function" },
      { ...call, type: "function" },
    ]);
  });
});

describe("Ollama", () => {
  test.for([
    ["http://localhost:11434", "http://localhost:11434/v1/chat/completions"],
    ["http://localhost:11434/", "http://localhost:11434/v1/chat/completions"],
    ["http://localhost:11434/v1", "http://localhost:11434/v1/chat/completions"],
    ["http://proxy.example/ollama/v1/", "http://proxy.example/ollama/v1/chat/completions"],
  ] as const)("is called at the same URL whether or not api_base includes the version: %s", ([apiBase, url]) => {
    expect(ask("ollama", {}, { apiBase }).url).toBe(url);
  });

  test("never receives tool_choice: the gateway omits auto and rejects a forced choice", () => {
    expect(ask("ollama", { tool_choice: "auto" }).body).not.toHaveProperty("tool_choice");
    expect(() => ask("ollama", { tool_choice: "required" })).toThrowError(
      expect.objectContaining({ code: "unsupported_parameter" }),
    );
    expect(ask("ollama", { tool_choice: "required" }, { dropsParams: true }).body).not.toHaveProperty("tool_choice");
  });
});

describe("OpenRouter", () => {
  test("may return failures with status 200, which map to the status in the body", () => {
    const error = { error: { code: 429, message: "Rate limited upstream." } };
    expect(() => ask("openrouter", {}, {}, error)).toThrowError(
      expect.objectContaining({ code: "upstream_rate_limit", message: "Rate limited upstream." }),
    );
  });

  test("may send whitespace before its response to keep the connection open", () => {
    const provider = providers.get("openrouter") as Provider;
    const answer = JSON.stringify(recordedAnswer(recordedWires.openrouter as RecordedWire));
    const read = provider.translations["chat.completions"]?.readAnswer(
      { model: { shownJson: '"group"' } } as never,
      `\n         \n${Buffer.from(answer, "utf8").toString("latin1")}`,
      {},
    );
    expect(JSON.parse(read?.text ?? "").model).toBe("group");
    expect(read?.usage?.outputTokens).toBe(22);
  });
});

test.for(["groq", "openrouter", "hosted_vllm", "ollama", "cerebras", "together_ai"])(
  "%s receives reasoning in the 'reasoning' field, and other content unchanged",
  (name) => {
    const messages = [
      ...hello,
      { role: "assistant", content: "hi", reasoning_content: "greet — é" },
      { role: "user", content: 'the "reasoning": text' },
    ];
    expect(ask(name, { messages }).body.messages).toEqual([
      hello[0],
      { role: "assistant", content: "hi", reasoning: "greet — é" },
      messages[2],
    ]);
  },
);

test("doesn't rename 'reasoning' in text or an object with that name", () => {
  const content = 'say "reasoning": "x"';
  const answer = {
    reasoning: { effort: "low" },
    choices: [{ message: { content, reasoning: "hm" }, finish_reason: "stop" }],
  };
  expect(ask("groq", {}, {}, answer).answer).toMatchObject({ text: content, reasoning: "hm" });
});

test.for(["deepseek", "xai", "hosted_vllm", "ollama", "fireworks_ai"])(
  "%s receives developer messages as system messages",
  (name) => {
    expect(ask(name, { messages: [{ role: "developer", content: "be brief" }, ...hello] }).body.messages).toEqual([
      { role: "system", content: "be brief" },
      ...hello,
    ]);
  },
);

test.for(["openai_compatible", "litellm_proxy"])("%s receives messages unchanged", (name) => {
  const messages = [
    { role: "developer", content: "be brief" },
    { role: "assistant", content: "x", reasoning_content: "y" },
  ];
  expect(ask(name, { messages }).body.messages).toEqual(messages);
});

test.for(["openai", "azure", "github"])(
  "%s receives no earlier reasoning, because it rejects messages with reasoning",
  (name) => {
    const messages = [
      { role: "developer", content: "be brief" },
      {
        role: "assistant",
        content: "x",
        reasoning_content: "y",
        thinking_blocks: [{ type: "thinking", thinking: "y" }],
      },
    ];
    expect(ask(name, { messages }).body.messages).toEqual([messages[0], { role: "assistant", content: "x" }]);
  },
);

test("Fireworks receives the full model name if the caller uses the short name", () => {
  expect(ask("fireworks_ai", {}, { upstreamModel: "kimi-k2" }).body.model).toBe("accounts/fireworks/models/kimi-k2");
  expect(ask("fireworks_ai", {}, { upstreamModel: "accounts/acme/models/x" }).body.model).toBe(
    "accounts/acme/models/x",
  );
});

test("the parameter list for a Grok model includes stop and reasoning_effort only if the model supports them", () => {
  expect(paramsOf("xai", "grok-4")).not.toContain("stop");
  expect(paramsOf("xai", "grok-4")).not.toContain("reasoning_effort");
  expect(paramsOf("xai", "grok-3-mini")).toContain("reasoning_effort");
  expect(paramsOf("xai", "grok-2-1212")).toEqual(expect.arrayContaining(["stop", "presence_penalty"]));
});

test("Grok tool calls have a finish reason even if xAI sends none", () => {
  const tool_calls = [{ id: "c", type: "function", function: { name: "f", arguments: "{}" } }];
  const answer = { choices: [{ index: 0, message: { content: "", tool_calls }, finish_reason: "" }] };
  expect(ask("xai", {}, {}, answer).answer.finish).toBe("tool-calls");
});

test("the gateway rejects tool_choice 'required' for Moonshot", () => {
  expect(ask("moonshot", { tool_choice: "auto" }).body.tool_choice).toBe("auto");
  expect(() => ask("moonshot", { tool_choice: "required" })).toThrowError(
    expect.objectContaining({ code: "unsupported_parameter" }),
  );
});
