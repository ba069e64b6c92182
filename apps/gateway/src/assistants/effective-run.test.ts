import { Failure } from "@tollgate/contracts/failures.ts";
import type { Assistant, FunctionTool } from "@tollgate/domain/assistants/records.ts";
import { describe, expect, test } from "vitest";
import { effectiveRun } from "./effective-run.ts";

const ADD: FunctionTool = { type: "function", function: { name: "add" } };
const LOOK_UP: FunctionTool = { type: "function", function: { name: "look_up" } };

const assistant: Assistant = {
  id: "asst_1",
  createdAtMs: 0,
  fields: {
    name: "Clerk",
    description: null,
    instructions: "Be brief.",
    model: "small",
    tools: [ADD],
    tool_resources: null,
    metadata: { of: "assistant" },
    temperature: 0.3,
    top_p: 0.9,
    response_format: { type: "json_object" },
    reasoning_effort: "low",
  },
};
const asked = { assistant_id: assistant.id };

function refusalOf(work: () => unknown): Failure {
  try {
    work();
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
  throw new Error("it was not refused");
}

describe("effective run", () => {
  test("uses the assistant's settings when the request contains no settings", () => {
    expect(effectiveRun(assistant, asked)).toEqual({
      model: "small",
      instructions: "Be brief.",
      tools: [ADD],
      metadata: {},
      temperature: 0.3,
      top_p: 0.9,
      max_prompt_tokens: null,
      max_completion_tokens: null,
      truncation_strategy: { type: "auto", last_messages: null },
      tool_choice: "auto",
      parallel_tool_calls: true,
      response_format: { type: "json_object" },
      reasoning_effort: "low",
      required: null,
      lastError: null,
      incompleteReason: null,
    });
  });

  test("uses the request's settings when present, including zero, an empty tool list, and the tool choice none", () => {
    const run = effectiveRun(assistant, {
      ...asked,
      model: "large",
      tools: [],
      metadata: { of: "run" },
      temperature: 0,
      top_p: 0,
      max_prompt_tokens: 300,
      max_completion_tokens: 400,
      truncation_strategy: { type: "last_messages", last_messages: 7 },
      tool_choice: "none",
      parallel_tool_calls: false,
      response_format: "auto",
      reasoning_effort: "high",
    });
    expect(run).toMatchObject({
      model: "large",
      tools: [],
      metadata: { of: "run" },
      temperature: 0,
      top_p: 0,
      max_prompt_tokens: 300,
      max_completion_tokens: 400,
      truncation_strategy: { type: "last_messages", last_messages: 7 },
      tool_choice: "none",
      parallel_tool_calls: false,
      response_format: "auto",
      reasoning_effort: "high",
    });
  });

  test.each([
    [{}, "Be brief."],
    [{ instructions: "Be long." }, "Be long."],
    [{ instructions: "" }, ""],
    [{ additional_instructions: "Say please." }, "Be brief.\n\nSay please."],
    [{ instructions: "Be long.", additional_instructions: "Say please." }, "Be long.\n\nSay please."],
    [{ instructions: "", additional_instructions: "Say please." }, "Say please."],
  ])("replaces instructions and appends additional instructions: %j", (said, expected) => {
    expect(effectiveRun(assistant, { ...asked, ...said }).instructions).toBe(expected);
  });

  test("has at most 20 tools, including tools from its assistant", () => {
    const many = Array.from(
      { length: 21 },
      (_, n): FunctionTool => ({ type: "function", function: { name: `f${n}` } }),
    );
    const able: Assistant = { ...assistant, fields: { ...assistant.fields, tools: many } };
    expect(refusalOf(() => effectiveRun(able, asked))).toMatchObject({
      code: "invalid_request",
      message: "A run can have at most 20 tools, but its assistant has 21.",
    });
    expect(effectiveRun(able, { ...asked, tools: [LOOK_UP] }).tools).toEqual([LOOK_UP]);
  });

  test("rejects a tool choice that names an unavailable tool", () => {
    const named = (name: string) => ({ type: "function", function: { name } });
    expect(effectiveRun(assistant, { ...asked, tool_choice: named("add") }).tool_choice).toEqual(named("add"));
    expect(refusalOf(() => effectiveRun(assistant, { ...asked, tool_choice: named("look_up") })).code).toBe(
      "invalid_request",
    );
    expect(refusalOf(() => effectiveRun(assistant, { ...asked, tools: [], tool_choice: "required" })).code).toBe(
      "invalid_request",
    );
    expect(refusalOf(() => effectiveRun(assistant, { ...asked, tool_choice: { type: "file_search" } })).code).toBe(
      "unsupported_tool",
    );
  });

  test("rejects unsupported tools", () => {
    expect(refusalOf(() => effectiveRun(assistant, { ...asked, tools: [{ type: "code_interpreter" }] })).code).toBe(
      "unsupported_tool",
    );
  });

  test("requires a count for the last_messages truncation strategy", () => {
    const truncation_strategy = { type: "last_messages" as const };
    expect(refusalOf(() => effectiveRun(assistant, { ...asked, truncation_strategy })).facts.param).toBe(
      "truncation_strategy.last_messages",
    );
  });
});
