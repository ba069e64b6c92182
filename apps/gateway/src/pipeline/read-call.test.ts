import type { Settings } from "@tollgate/runtime/settings/settings.ts";
import { describe, expect, test } from "vitest";
import type { Exchange } from "../call/exchange.ts";
import type { OperationKind } from "../call/operation-kind.ts";
import type { ModelLookup } from "../models/model-lookup.ts";
import { chat } from "../operations/chat/chat.ts";
import { responses } from "../operations/responses/responses.ts";
import { anyCaller } from "./chat-call.fixture.ts";
import { readCall, readRetriesHeader, readSecondsHeader } from "./read-call.ts";

const problem = (type: string, msg: string) =>
  expect.objectContaining({ code: "validation_error", problems: [{ loc: ["header", "x-gw-h"], msg, type }] });

describe("a numeric header", () => {
  test("is read as a number, or as null if absent", () => {
    expect(readSecondsHeader("x-gw-h", null)).toBe(null);
    expect(readSecondsHeader("x-gw-h", "0.25")).toBe(0.25);
    expect(readRetriesHeader("x-gw-h", null)).toBe(null);
    expect(readRetriesHeader("x-gw-h", "11")).toBe(11);
  });

  test.each(["", " ", "soon", "NaN"])("is rejected if it is not a number: '%s'", (value) => {
    const noNumber = problem("float_parsing", "Input should be a valid number");
    expect(() => readSecondsHeader("x-gw-h", value)).toThrowError(noNumber);
  });

  test.each(["", "two", "-1", "1.5"])("is rejected if it is not a retry count: '%s'", (value) => {
    const noCount = problem("int_parsing", "Input should be a valid integer");
    expect(() => readRetriesHeader("x-gw-h", value)).toThrowError(noCount);
  });

  test("is rejected if it is outside the bounds of the body field", () => {
    const tooLong = problem("less_than_equal", "Input should be less than or equal to 3600");
    expect(() => readSecondsHeader("x-gw-h", "3601")).toThrowError(tooLong);
    expect(() => readSecondsHeader("x-gw-h", "Infinity")).toThrowError(tooLong);
    const tooShort = problem("greater_than_equal", "Input should be greater than 0");
    expect(() => readSecondsHeader("x-gw-h", "0")).toThrowError(tooShort);
  });
});

describe("a field that the request drops is gone before anything is judged or priced", () => {
  const read = (fields: object, kind: OperationKind = chat as OperationKind) => {
    const text = JSON.stringify({ model: "m", ...fields });
    const exchange = { headers: { timeout: null, streamTimeout: null, session: null }, pathModel: null } as Exchange;
    const models = { find: () => ({ name: "m", shownName: "m", targets: [] }) } as unknown as ModelLookup;
    const settings = { general: { completionModel: null }, billing: { provider: "fake" } } as unknown as Settings;
    const call = readCall(exchange, anyCaller, kind, Buffer.from(text), models, settings);
    const { additional_drop_params: _, ...sent } = JSON.parse(call.body.bytes.toString()) as Record<string, unknown>;
    return { call, sent, request: call.body.request as unknown as Record<string, unknown> };
  };
  const messages = [{ role: "user", content: "hi" }];

  test("a function without its type is a tool of the provider", () => {
    const tools = [{ type: "function", googleSearch: {} }];
    const { call, sent } = read({ messages, tools, additional_drop_params: ["tools.type"] });
    expect(sent.tools).toEqual([{ googleSearch: {} }]);
    expect(call.parts.tools?.types).toEqual(["google_search"]);
    const extra = read({ messages, extra_body: { tools }, additional_drop_params: ["extra_body.tools.type"] });
    expect(extra.call.parts.tools?.types).toEqual(["google_search"]);
  });

  test("a limit that is not sent doesn't make the hold smaller", () => {
    const search = { type: "web_search_20250305", name: "web_search", max_uses: 1 };
    expect(read({ messages, tools: [search] }).call.parts.tools?.maxCalls).toBe(1);
    const { call } = read({ messages, tools: [search], additional_drop_params: ["tools.max_uses"] });
    expect(call.parts.tools?.maxCalls).toBe(8);
    const options = { search_context_size: "low" };
    const path = "web_search_options.search_context_size";
    expect(
      read({ messages, web_search_options: options, additional_drop_params: [path] }).call.parts.tools,
    ).toMatchObject({ searchContext: null, tokensPerCall: 8_192 });
    const limited = { input: "hi", tools: [{ type: "web_search" }], max_tool_calls: 1 };
    const kind = responses as OperationKind;
    expect(read(limited, kind).call.parts.tools?.maxCalls).toBe(1);
    expect(read({ ...limited, additional_drop_params: ["max_tool_calls"] }, kind).call.parts.tools?.maxCalls).toBe(8);
    expect(read({ ...limited, extra_body: { max_tool_calls: 128 } }, kind).call.parts.tools?.maxCalls).toBe(128);
  });

  test("a tier or region that is not sent is not asked for", () => {
    const { request, sent } = read({
      messages,
      service_tier: "priority",
      speed: "fast",
      inference_geo: "eu",
      additional_drop_params: ["speed", "inference_geo"],
    });
    expect([request.speed, request.inference_geo, request.service_tier]).toEqual([undefined, undefined, "priority"]);
    expect(sent).toEqual({ model: "m", messages, service_tier: "priority" });
  });

  test("a path applies only to the request's own fields, and fields for the log are still read", () => {
    const { call, request, sent } = read({
      messages,
      "tools.type": 1,
      tools: [],
      user: "u",
      additional_drop_params: ["tools.type", "user"],
    });
    expect([...call.body.dropped].some((name) => name.includes("."))).toBe(false);
    expect(sent.tools).toEqual([]);
    expect(request.user).toBe("u");
    expect(call.body.dropped.has("user")).toBe(true);
  });
});
