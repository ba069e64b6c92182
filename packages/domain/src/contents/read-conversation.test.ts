import { describe, expect, test } from "vitest";
import { readConversation } from "./read-conversation.ts";

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
