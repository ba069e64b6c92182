import { chatFrames } from "@tollgate/testkit/chat-answers.ts";
import { expect } from "vitest";
import { test } from "../http/routes/chat-gateway.fixture.ts";

const yaml = `guardrails:
  - {guardrail_name: pii, litellm_params: {guardrail: regex_pii, mode: post_call, entities: [email], action: mask, default_on: true}}
  - {guardrail_name: words, litellm_params: {guardrail: keyword_block, mode: post_call, keywords: [swordfish]}}
`;
const TEXT = `${"Some words before it. ".repeat(30)}Write to mary.smith@example.com now.`;
const MASKED = TEXT.replace("mary.smith@example.com", "[EMAIL]");
const pieces = TEXT.match(/.{1,5}/gsu) as string[];

/** Returns the data objects of an event stream, in order. */
function eventsOf(text: string): Event[] {
  return text
    .split("\n")
    .filter((line) => line.startsWith("data: {"))
    .map((line) => JSON.parse(line.slice("data: ".length)));
}

test("masks an Anthropic message stream across events and completes each block before it ends", async ({
  start,
  upstreams,
}) => {
  const gateway = await start({ yaml });
  upstreams.alpha.streams(chatFrames({ pieces }));
  const body = { model: "alpha", max_tokens: 500, stream: true, messages: [{ role: "user", content: "hello" }] };
  const text = await (await gateway.post("/v1/messages", body)).text();
  const events = eventsOf(text);
  const said = events.map(({ delta }) => (typeof delta === "object" ? (delta.text ?? "") : "")).join("");
  expect(said).toBe(MASKED);
  const types = events.map(({ type }) => type).filter((type) => type !== "ping");
  expect(types.lastIndexOf("content_block_delta")).toBeLessThan(types.indexOf("content_block_stop"));
  expect(types.at(-1)).toBe("message_stop");
  expect(text).not.toContain("mary.");
});

test("the final events of a Responses stream contain only the masked text that was sent", async ({
  start,
  upstreams,
}) => {
  const gateway = await start({ yaml });
  upstreams.alpha.streams(chatFrames({ pieces }));
  const text = await (await gateway.post("/v1/responses", { model: "alpha", stream: true, input: "hello" })).text();
  const events = eventsOf(text);
  const said = events.map(({ type, delta }) => (type === "response.output_text.delta" ? delta : "")).join("");
  expect(said).toBe(MASKED);
  expect(events.find(({ type }) => type === "response.output_text.done")?.text).toBe(MASKED);
  expect(events.at(-1)).toMatchObject({
    type: "response.completed",
    response: { output: [{ content: [{ text: MASKED }] }] },
  });
  expect(events.map(({ sequence_number: number }) => number)).toEqual(events.map((_, place) => place));
  expect(text).not.toContain("mary.");
});

test("a refusal during a stream uses the error format of the API", async ({ start, upstreams }) => {
  const gateway = await start({ yaml });
  const asked = { model: "alpha", stream: true, guardrails: ["words"] };
  const bodies: [string, object, object][] = [
    ["/v1/messages", { ...asked, max_tokens: 500, messages: [{ role: "user", content: "hello" }] }, { type: "error" }],
    [
      "/v1/responses",
      { ...asked, input: "hello" },
      { type: "response.failed", response: { error: { code: "guardrail_blocked" }, output: [] } },
    ],
  ];
  for (const [path, body, end] of bodies) {
    const gate = Promise.withResolvers<void>();
    upstreams.alpha.streams(chatFrames({ pieces: [TEXT, ...pieces, "swordfish", " and more"] }), {
      beforeFrame: (index) => (index === pieces.length ? gate.promise : undefined),
    });
    const answer = await gateway.post(path, body);
    gate.resolve();
    const text = await answer.text();
    expect(text, path).not.toContain("swordfish");
    expect(eventsOf(text).at(-1), path).toMatchObject(end);
    expect(text, path).not.toContain("mary.");
  }
});

interface Event {
  readonly type: string;
  readonly delta?: string | { readonly text?: string };
  readonly text?: string;
  readonly sequence_number?: number;
}
