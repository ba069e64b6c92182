import assert from "node:assert/strict";
import type { Report } from "@tollgate/testkit/report.ts";
import OpenAI from "openai";
import { zodTextFormat } from "openai/helpers/zod";
import { z } from "zod";
import { INPUT_TOKENS, OUTPUT_TOKENS, PICTURE, POINT } from "../stage/play-conversation.ts";
import type { Stage } from "../stage/start-stage.ts";
import { type Family, families } from "./families.ts";
import { responseFamilies } from "./response-families.ts";

const HELLO = "hello there, old friend";
const Point = z.object({ x: z.number().int(), label: z.string() });
const weather: OpenAI.Responses.FunctionTool = {
  type: "function",
  name: "get_weather",
  strict: true,
  parameters: {
    type: "object",
    properties: { city: { type: "string" } },
    required: ["city"],
    additionalProperties: false,
  },
};

type Check = (name: string, run: () => Promise<void>) => Promise<boolean>;

/**
 * Runs the same programs with the stock client's Responses API on every kind of upstream, including simulated models.
 */
export async function runNodeResponses({ tollgate }: Stage, report: Report): Promise<void> {
  const client = new OpenAI({ baseURL: `${tollgate.baseUrl}/v1`, apiKey: tollgate.apiKey, maxRetries: 0 });
  for (const family of [...families, ...responseFamilies]) {
    const check: Check = (name, run) => report.check("node", `responses over ${family.name}: ${name}`, run);
    await runCreate(client, family, check);
    await runTools(client, family, check);
    await runKept(client, family, check);
  }
}

async function runCreate({ responses }: OpenAI, family: Family, check: Check): Promise<void> {
  const { says } = family;
  const asked = { model: family.chat, input: HELLO };

  await check("create", async () => {
    const response = await responses.create(asked);
    assert.equal(response.output_text, says?.greeting ?? HELLO);
    assert.deepEqual([response.status, response.model, response.object], ["completed", family.chat, "response"]);
    if (says === null) assert.ok((response.usage?.total_tokens ?? 0) > 0);
    else assert.deepEqual(counts(response), [INPUT_TOKENS, OUTPUT_TOKENS, INPUT_TOKENS + OUTPUT_TOKENS]);
  });

  await check("a stream has the same content as a non-streaming response, in numbered events", async () => {
    const events = await Array.fromAsync(await responses.create({ ...asked, stream: true }));
    assert.deepEqual(
      events.map(({ sequence_number: number }) => number),
      events.map((_, index) => index),
    );
    const whole = await responses.create(asked);
    const said = events.map((event) => (event.type === "response.output_text.delta" ? event.delta : "")).join("");
    assert.equal(said, whole.output_text);
    const last = events.at(-1);
    assert.ok(last?.type === "response.completed");
    assert.deepEqual(counts(last.response), counts(whole));
    const gathered = await responses.stream(asked).finalResponse();
    assert.equal(gathered.output_text, whole.output_text);
  });

  await check("a structured response, parsed by the client", async () => {
    const formed = { model: family.json, input: HELLO, text: { format: zodTextFormat(Point, "point") } };
    const { output_parsed: whole } = await responses.parse(formed);
    assert.ok(Point.safeParse(whole).success, JSON.stringify(whole));
    if (says !== null) assert.deepEqual(whole, POINT);
  });

  await check("an image", async () => {
    const content = [
      { type: "input_text" as const, text: "What is this?" },
      { type: "input_image" as const, image_url: `data:image/png;base64,${PICTURE}`, detail: "auto" as const },
    ];
    const { output_text: text } = await responses.create({ model: family.vision, input: [{ role: "user", content }] });
    if (says === null) assert.ok(text);
    else assert.equal(text, says.picture);
  });

  if (says === null) return;
  await check("an upstream's refusal has the client's own error class", async () => {
    const failing = { model: family.chat, input: "please fail" };
    await assert.rejects(responses.create(failing), OpenAI.BadRequestError);
    await assert.rejects(responses.create({ ...failing, stream: true }), OpenAI.BadRequestError);
  });
}

async function runTools({ responses }: OpenAI, family: Family, check: Check): Promise<void> {
  const asked = { model: family.tools, tools: [weather] };
  const answerOf = (call: { call_id: string; arguments: string }) => ({
    type: "function_call_output" as const,
    call_id: call.call_id,
    output: `sunny in ${(JSON.parse(call.arguments) as { city: string }).city}`,
  });
  const expectWeather = (text: string) => {
    if (family.says === null) assert.ok(text.includes("sunny"), text);
    else assert.equal(text, family.says.weather);
  };

  await check("a tool loop that continues from the previous response", async () => {
    const calling = await responses.create({ ...asked, input: HELLO });
    const call = calling.output.find((item) => item.type === "function_call");
    assert.ok(call, JSON.stringify(calling.output));
    const following = { ...asked, previous_response_id: calling.id, input: [answerOf(call)] };
    expectWeather((await responses.create(following)).output_text);
    expectWeather((await responses.stream(following).finalResponse()).output_text);
  });

  await check("a streamed tool loop that resends all input and stores no response", async () => {
    const unkept = { ...asked, store: false };
    const calling = await responses.stream({ ...unkept, input: HELLO }).finalResponse();
    const call = calling.output.find((item) => item.type === "function_call");
    assert.ok(call, JSON.stringify(calling.output));
    const input = [{ role: "user" as const, content: HELLO }, ...calling.output, answerOf(call)];
    const sent = input as OpenAI.Responses.ResponseInput;
    expectWeather((await responses.stream({ ...unkept, input: sent }).finalResponse()).output_text);
    await assert.rejects(responses.retrieve(calling.id), OpenAI.NotFoundError);
  });
}

async function runKept({ responses }: OpenAI, family: Family, check: Check): Promise<void> {
  await check("a stored response is read, its input items are listed, and it is deleted", async () => {
    const input = ["one", "two", "three"].map((content) => ({ role: "user" as const, content }));
    const made = await responses.create({ model: family.chat, input, metadata: { room: "3" } });
    const again = (await responses.retrieve(made.id)) as typeof made;
    assert.deepEqual([again.id, again.output, again.metadata], [made.id, made.output, { room: "3" }]);
    const items = await Array.fromAsync(responses.inputItems.list(made.id, { limit: 2, order: "asc" }));
    assert.equal(items.length, 3);
    assert.equal(new Set(items.map((item) => ("id" in item ? item.id : ""))).size, 3);
    await assert.rejects(responses.cancel(made.id), OpenAI.BadRequestError);
    await responses.delete(made.id);
    await assert.rejects(responses.retrieve(made.id), OpenAI.NotFoundError);
    const gone = { model: family.chat, input: HELLO, previous_response_id: made.id };
    await assert.rejects(responses.create(gone), { code: "previous_response_not_found" });
  });
}

const counts = ({ usage }: OpenAI.Responses.Response) =>
  usage && [usage.input_tokens, usage.output_tokens, usage.total_tokens];
