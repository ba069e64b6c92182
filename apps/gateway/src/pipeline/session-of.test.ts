import { describe, expect, test } from "vitest";
import type { OperationKind } from "../call/operation-kind.ts";
import { chat } from "../operations/chat/chat.ts";
import { messages as messagesKind } from "../operations/messages/messages.ts";
import { responses } from "../operations/responses/responses.ts";
import { makeChatCall } from "./chat-call.fixture.ts";
import { sessionOf } from "./session-of.ts";

const instructions = `You are an agent. ${"Follow the rules. ".repeat(300)}`;
const task = (name: string) => `${"Context of the project. ".repeat(30)} ${name}`;

/** Returns the session of a request to a group of two deployments. */
function session(request: object, kind: object = chat, header: string | null = null): number {
  const call = makeChatCall({ text: JSON.stringify(request), kind: kind as OperationKind });
  const model = { ...call.model, targets: [{}, {}] } as unknown as typeof call.model;
  const exchange = { headers: { session: header } } as typeof call.exchange;
  return sessionOf({
    kind: call.kind,
    caller: call.caller,
    body: call.body,
    bodyBytes: call.bodyBytes,
    model,
    exchange,
  });
}

const formats: readonly [string, object, (name: string, ...later: readonly object[]) => object][] = [
  [
    "a chat completion",
    chat,
    (name, ...later) => ({
      messages: [{ role: "system", content: instructions }, { content: task(name), role: "user" }, ...later],
    }),
  ],
  [
    "a chat completion with parts",
    chat,
    (name, ...later) => ({
      messages: [
        { role: "system", content: [{ type: "text", text: instructions }] },
        {
          role: "user",
          content: [
            { type: "text", text: "see below" },
            { type: "text", text: task(name) },
          ],
        },
        ...later,
      ],
    }),
  ],
  [
    "a message",
    messagesKind,
    (name, ...later) => ({ system: instructions, messages: [{ role: "user", content: task(name) }, ...later] }),
  ],
  [
    "a message with parts",
    messagesKind,
    (name, ...later) => ({
      messages: [{ role: "user", content: [{ type: "text", text: task(name) }] }, ...later],
      system: [{ type: "text", text: instructions }],
    }),
  ],
  [
    "a response",
    responses,
    (name, ...later) => ({ instructions, input: [{ role: "user", content: task(name) }, ...later] }),
  ],
];

describe.for(formats)("the session of %s", ([, kind, write]) => {
  const later = [
    { role: "assistant", content: "Hello there." },
    { role: "user", content: "Go on." },
  ];

  test("is the same for all turns, and another one for another task", () => {
    const first = session(write("one"), kind);
    expect(first).toBeGreaterThan(0);
    expect(session(write("one", ...later), kind)).toBe(first);
    expect(session(write("two", ...later), kind)).not.toBe(first);
  });

  test("is named by prompt_cache_key, or by a header", () => {
    const named = session({ ...write("one"), prompt_cache_key: "a" }, kind);
    expect(session({ ...write("two"), prompt_cache_key: "a" }, kind, "header")).toBe(named);
    expect(session({ ...write("one"), prompt_cache_key: "b" }, kind)).not.toBe(named);
    expect(session(write("one"), kind, "header")).toBe(session(write("two"), kind, "header"));
  });
});

test("a mark for the cache, which moves from turn to turn, doesn't change the session", () => {
  const write = (mark: object) => ({
    messages: [{ role: "user", content: [{ type: "text", text: instructions, ...mark }] }],
  });
  expect(session(write({ cache_control: { type: "ephemeral" } }))).toBe(session(write({})));
});

test("a short request without an ID has no session", () => {
  expect(session({ messages: [{ role: "user", content: "hello" }] })).toBe(0);
});

test("an input of a single text is a session of its own", () => {
  const first = session({ input: `${instructions} one` }, responses);
  expect(session({ input: `${instructions} one` }, responses)).toBe(first);
  expect(session({ input: `${instructions} two` }, responses)).not.toBe(first);
});
