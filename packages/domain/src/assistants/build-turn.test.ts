import fc from "fast-check";
import { expect, test } from "vitest";
import { type BuiltTurn, buildTurn, type TurnParts } from "./build-turn.ts";
import { plainRun } from "./records.fixture.ts";
import type { ContentPart, FunctionTool, JsonFields, Message, RunFields, Step } from "./records.ts";

const fields: RunFields = { ...plainRun, model: "any" };
const weather: FunctionTool = { type: "function", function: { name: "weather", strict: null } };
const NONE_USED = { promptTokens: 0, completionTokens: 0 };

function message(id: string, role: "user" | "assistant", ...content: readonly (string | ContentPart)[]): Message {
  const parts = content.map((part) =>
    typeof part === "string" ? ({ type: "text", text: { value: part, annotations: [] } } as const) : part,
  );
  const ended = { status: "completed", incompleteReason: null, endedAtMs: 0, assistantId: null } as const;
  const said = { role, content: parts, ...ended, attachments: null, metadata: {} };
  return { id, createdAtMs: 0, threadId: "thread_a", runId: null, fields: said };
}

function step(details: Step["fields"]["details"], status: Step["fields"]["status"] = "completed"): Step {
  const place = { id: "step_a", createdAtMs: 0, runId: "run_a", threadId: "thread_a", assistantId: "asst_a" };
  return { ...place, fields: { status, details, lastError: null, endedAtMs: null, usage: null } };
}

function build(parts: Partial<TurnParts>): BuiltTurn {
  return buildTurn({ fields, history: [], most: null, steps: [], used: NONE_USED, isStreamed: false, ...parts });
}

function bodyOf(built: BuiltTurn): JsonFields {
  if (built.kind !== "ready") throw new Error(`it ran out of ${built.reason}`);
  return built.body;
}

const messagesOf = (built: BuiltTurn) => bodyOf(built).messages as readonly JsonFields[];

test("a call contains only the values that differ from the model's defaults", () => {
  const history = [message("m", "user", "Hi")];
  expect(bodyOf(build({ history }))).toEqual({
    model: "any",
    messages: [
      { role: "system", content: "Be brief." },
      { role: "user", content: "Hi" },
    ],
  });
  const format = { type: "json_object" };
  const asked: RunFields = {
    ...fields,
    tools: [weather],
    temperature: 0,
    top_p: 0.5,
    parallel_tool_calls: false,
    response_format: format,
    reasoning_effort: "low",
    max_completion_tokens: 300,
  };
  const used = { promptTokens: 5, completionTokens: 100 };
  expect(bodyOf(build({ fields: asked, history, used, isStreamed: true }))).toMatchObject({
    tools: [{ type: "function", function: { name: "weather" } }],
    temperature: 0,
    top_p: 0.5,
    parallel_tool_calls: false,
    response_format: format,
    reasoning_effort: "low",
    max_completion_tokens: 200,
    stream: true,
    stream_options: { include_usage: true },
  });
});

test("a user's images and text stay separate parts, and an empty assistant message is omitted", () => {
  const picture: ContentPart = { type: "image_url", image_url: { url: "https://example.org/a.png", detail: "low" } };
  const history = [
    message("1", "user", "Look", picture),
    message("2", "assistant"),
    message("3", "assistant", "Nice."),
  ];
  expect(messagesOf(build({ fields: { ...fields, instructions: "" }, history }))).toEqual([
    { role: "user", content: [{ type: "text", text: "Look" }, picture] },
    { role: "assistant", content: "Nice." },
  ]);
});

test("the run's tool calls follow the thread, with their text, reasoning, and vendor fields", () => {
  const call = { id: "call_1", type: "function", function: { name: "weather", arguments: "{}" } } as const;
  const history = [message("m", "user", "Hi"), message("said", "assistant", "Let me look.")];
  const steps = [
    step({ type: "message_creation", messageId: "said" }),
    step({
      type: "tool_calls",
      calls: [{ ...call, output: "sun", extra: { a: 1 } }],
      thoughts: [{ type: "thinking" }],
    }),
    step({ type: "tool_calls", calls: [{ ...call, id: "call_2", output: null }] }, "in_progress"),
  ];
  const asked: RunFields = { ...fields, instructions: "", tools: [weather], tool_choice: "required" };
  const body = bodyOf(build({ fields: asked, history, steps }));
  expect(body.messages).toEqual([
    { role: "user", content: "Hi" },
    {
      role: "assistant",
      content: "Let me look.",
      tool_calls: [{ ...call, extra_content: { a: 1 } }],
      thinking_blocks: [{ type: "thinking" }],
    },
    { role: "tool", tool_call_id: "call_1", content: "sun" },
  ]);
  expect(body).not.toHaveProperty("tool_choice");
  expect(bodyOf(build({ fields: asked, history }))).toHaveProperty("tool_choice", "required");
});

test("an exhausted token limit ends the run before the call", () => {
  const limited: RunFields = { ...fields, max_completion_tokens: 256, max_prompt_tokens: 300 };
  const history = [message("m", "user", "Hi")];
  expect(build({ fields: limited, history, used: { promptTokens: 0, completionTokens: 256 } })).toEqual({
    kind: "run_out",
    reason: "max_completion_tokens",
  });
  expect(build({ fields: limited, history, used: { promptTokens: 300, completionTokens: 1 } })).toEqual({
    kind: "run_out",
    reason: "max_prompt_tokens",
  });
});

test("truncating a thread keeps the newest messages in order, always including the last one", () => {
  const lengths = fc.array(fc.nat({ max: 400 }), { minLength: 1, maxLength: 30 });
  const last = fc.option(fc.integer({ min: 1, max: 40 }));
  const most = fc.option(fc.integer({ min: 1, max: 40 }));
  const room = fc.option(fc.integer({ min: 256, max: 3_000 }));
  fc.assert(
    fc.property(lengths, last, most, room, (sizes, lastMessages, takes, maxPrompt) => {
      const history = sizes.map((size, index) => message(`${index}`, "user", "x".repeat(size)));
      const truncation = {
        type: lastMessages === null ? "auto" : "last_messages",
        last_messages: lastMessages,
      } as const;
      const cut: RunFields = { ...fields, truncation_strategy: truncation, max_prompt_tokens: maxPrompt };
      const built = build({ fields: cut, history, most: takes });
      if (built.kind !== "ready") throw new Error("there is room for the instructions");
      expect(built.shown).toEqual(history.slice(-built.shown.length));
      expect(built.shown.length).toBeGreaterThanOrEqual(1);
      expect(built.shown.length).toBeLessThanOrEqual(Math.min(lastMessages ?? 99, takes ?? 99));
      // Repetitions of one letter have far fewer tokens than this limit, so the messages before the last one fit.
      const tokens = built.shown
        .slice(0, -1)
        .reduce((sum, { fields: said }) => sum + JSON.stringify(said.content).length / 10, 0);
      if (maxPrompt !== null) expect(tokens).toBeLessThan(maxPrompt);
      if (maxPrompt === null) expect(built.shown.length).toBe(Math.min(sizes.length, lastMessages ?? 99, takes ?? 99));
    }),
  );
});
