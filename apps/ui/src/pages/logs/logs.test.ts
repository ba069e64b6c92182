import { describe, expect, test } from "vitest";
import { reasonOf, servedBy, toneOf } from "../../components/logged-call.ts";
import { callCode } from "./call-code.ts";
import { type LogState, logDefaults, tailQueryOf, viewOf } from "./log-query.ts";
import { readConversation } from "./read-conversation.ts";

const state: LogState = logDefaults;

describe("log page URL", () => {
  test("is converted to API filters with exact amounts, without unset values", () => {
    expect(tailQueryOf(state)).toEqual({});
    const full = { ...state, status: ["error"], key: ["key_1"], cost: "0.05", duration: "2000", stream: "true" };
    expect(tailQueryOf(full)).toEqual({
      status: ["error"],
      apiKey: ["key_1"],
      minCost: 50_000_000n,
      minLatencyMs: 2_000,
      stream: true,
    });
  });

  test("omits invalid values", () => {
    expect(tailQueryOf({ ...state, cost: "cheap", duration: "-1" })).toEqual({});
  });

  test("is saved in a view without the open call and without live mode", () => {
    expect(viewOf("?status=error&open=use_1&live=1&range=7d")).toBe("status=error&range=7d");
  });
});

describe("call description", () => {
  test("highlights only unsuccessful calls", () => {
    expect(toneOf({ status: "success", httpStatus: 200 })).toBeNull();
    expect(toneOf({ status: "refused", httpStatus: 429 })).toBe("warning");
    expect(toneOf({ status: "error", httpStatus: 504 })).toBe("danger");
    expect(reasonOf({ status: "cancelled", errorCode: null })).toBe("Client disconnected");
    expect(reasonOf({ status: "error", errorCode: "context_length_exceeded" })).toBe("Context length exceeded");
  });

  test("names the requested model before the serving model", () => {
    expect(servedBy({ model: "small", fallbackFrom: "large" })).toEqual({ asked: "large", served: "small" });
    expect(servedBy({ model: "large", fallbackFrom: null })).toEqual({ asked: "large", served: null });
  });
});

describe("conversation", () => {
  test("contains text, attachments, and tool calls from the request and the response in order", () => {
    const request = JSON.stringify({
      messages: [
        { role: "system", content: "Be short." },
        {
          role: "user",
          content: [
            { type: "text", text: "What is this?" },
            { type: "image_url", image_url: {} },
          ],
        },
      ],
    });
    const call = { id: "call_1", function: { name: "look", arguments: '{"at":1}' } };
    const answer = JSON.stringify({ choices: [{ message: { content: null, tool_calls: [call] } }] });
    expect(readConversation({ request, answer })).toEqual([
      { role: "system", pieces: [{ kind: "text", text: "Be short." }] },
      {
        role: "user",
        pieces: [
          { kind: "text", text: "What is this?" },
          { kind: "attachment", label: "Image" },
        ],
      },
      { role: "assistant", pieces: [{ kind: "tool_call", name: "look", input: '{"at":1}' }] },
    ]);
  });

  test("reads a streamed response as text and an embedding input as messages", () => {
    const chat = { request: '{"messages":[]}', answer: "road lamp stone" };
    expect(readConversation(chat)).toEqual([
      { role: "assistant", pieces: [{ kind: "text", text: "road lamp stone" }] },
    ]);
    expect(readConversation({ request: '{"input":["a","b"]}', answer: "" })).toHaveLength(2);
    expect(readConversation({ request: "no json", answer: "{" })).toBeNull();
  });
});

describe("call code", () => {
  const facts = {
    apiUrl: "https://gw.example/base",
    keyHeader: "Authorization",
    endpoint: "chat.completions",
    request: `{"model":"m","stream":true,"stop":null,"messages":[{"role":"user","content":"it's"}]}`,
  };

  test("uses this server's URL and key header and never contains a secret", () => {
    for (const code of Object.values(callCode(facts))) {
      expect(code).toContain("https://gw.example/base/v1/chat/completions");
      expect(code).toContain("TOLLGATE_API_KEY");
    }
    expect(callCode(facts).curl).toContain('-H "Authorization: Bearer $TOLLGATE_API_KEY"');
  });

  test("escapes a quote for the shell and uses Python literals", () => {
    expect(callCode(facts).curl).toContain(`"it'\\''s"`);
    expect(callCode(facts).Python).toContain('"stream": True,');
    expect(callCode(facts).Python).toContain('"stop": None,');
  });
});
