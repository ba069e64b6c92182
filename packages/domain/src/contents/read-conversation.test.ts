import { describe, expect, test } from "vitest";
import { type Piece, readConversation, type StoredContent } from "./read-conversation.ts";

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

  test("reads a streamed response as text, even if the text is JSON", () => {
    const chat = { request: '{"stream":true,"messages":[]}', answer: '{"choices":[1]}' };
    expect(textsOf(chat)).toEqual(['assistant: {"choices":[1]}']);
  });

  test("reads the system text, blocks, and tools of the Messages API", () => {
    const use = { type: "tool_use", name: "look", input: { at: 1 } };
    const request = JSON.stringify({
      system: [{ type: "text", text: "Be short." }],
      messages: [
        { role: "user", content: "What is there?" },
        { role: "assistant", content: [{ type: "thinking", thinking: "Let me see." }, use] },
        { role: "user", content: [{ type: "tool_result", content: [{ type: "text", text: "A lamp." }] }] },
      ],
    });
    const answer = JSON.stringify({ type: "message", role: "assistant", content: [{ type: "text", text: "Light." }] });
    expect(textsOf({ request, answer })).toEqual([
      "system: Be short.",
      "user: What is there?",
      'assistant: Let me see.|look({"at":1})',
      "user: A lamp.",
      "assistant: Light.",
    ]);
  });

  test("reads the instructions, items, and output of the Responses API", () => {
    const call = { type: "function_call", name: "look", arguments: "{}" };
    const request = JSON.stringify({
      instructions: "Be short.",
      input: [
        { role: "user", content: [{ type: "input_text", text: "Look." }, { type: "input_image" }] },
        call,
        { type: "function_call_output", output: "A lamp." },
      ],
    });
    const said = { type: "message", role: "assistant", content: [{ type: "output_text", text: "Light." }] };
    const answer = JSON.stringify({ output: [{ type: "reasoning", summary: [] }, call, said] });
    expect(textsOf({ request, answer })).toEqual([
      "system: Be short.",
      "user: Look.|Image",
      "assistant: look({})",
      "tool: A lamp.",
      "assistant: look({})",
      "assistant: Light.",
    ]);
  });

  test("reads a query with its documents, and a transcript", () => {
    const request = JSON.stringify({ query: "lamps", documents: ["one", { text: "two" }] });
    expect(textsOf({ request, answer: '{"text":"three"}' })).toEqual([
      "user: lamps",
      "document: one",
      "document: two",
      "assistant: three",
    ]);
  });

  test("reads a truncated request and response up to their ends", () => {
    const request = '{"messages":[{"role":"user","content":"road"},{"role":"user","content":"lamp sto';
    expect(textsOf({ request, answer: '{"choices":[{"message":{"content":"lig' })).toEqual([
      "user: road",
      "user: lamp sto",
      "assistant: lig",
    ]);
  });
});

const textsOf = (content: StoredContent) =>
  readConversation(content)?.map(({ role, pieces }) => `${role}: ${pieces.map(textOf).join("|")}`);

function textOf(piece: Piece): string {
  if (piece.kind === "tool_call") return `${piece.name}(${piece.input})`;
  return piece.kind === "text" ? piece.text : piece.label;
}
