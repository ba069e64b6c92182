import assert from "node:assert/strict";
import Anthropic from "@anthropic-ai/sdk";
import type { Report } from "@tollgate/testkit/report.ts";
import { INPUT_TOKENS, OUTPUT_TOKENS, PICTURE } from "../stage/play-conversation.ts";
import type { Stage } from "../stage/start-stage.ts";
import { type Family, families } from "./families.ts";

const hello = [{ role: "user" as const, content: "hello there, old friend" }];
const weather: Anthropic.Tool = {
  name: "get_weather",
  description: "The weather of a city",
  input_schema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};

type Check = (name: string, run: () => Promise<void>) => Promise<boolean>;

/** Runs the same programs with the stock Anthropic client on every kind of upstream, including simulated models. */
export async function runNodeMessages({ tollgate }: Stage, report: Report): Promise<void> {
  const client = new Anthropic({ baseURL: tollgate.baseUrl, apiKey: tollgate.apiKey, maxRetries: 0 });
  for (const family of families) {
    const check: Check = (name, run) => report.check("node", `messages over ${family.name}: ${name}`, run);
    await runMessages(client, family, check);
    await runTools(client, family, check);
    await runFailures(client, family, check);
  }
}

async function runMessages({ messages }: Anthropic, family: Family, check: Check): Promise<void> {
  const { says } = family;
  const asked = { model: family.chat, max_tokens: 100, messages: hello };

  await check("create", async () => {
    const message = await messages.create(asked);
    assert.deepEqual([message.type, message.role, message.model], ["message", "assistant", family.chat]);
    assert.equal(textOf(message), says?.greeting ?? hello[0]?.content);
    assert.equal(message.stop_reason, "end_turn");
    if (says === null) assert.ok(message.usage.input_tokens > 0 && message.usage.output_tokens > 0);
    else assert.deepEqual([message.usage.input_tokens, message.usage.output_tokens], [INPUT_TOKENS, OUTPUT_TOKENS]);
  });

  await check("a stream has the same content as a non-streaming response", async () => {
    const pieces: string[] = [];
    const streamed = await messages
      .stream(asked)
      .on("text", (piece) => pieces.push(piece))
      .finalMessage();
    const whole = await messages.create(asked);
    assert.equal(pieces.join(""), textOf(whole));
    assert.equal(textOf(streamed), textOf(whole));
    assert.deepEqual([streamed.stop_reason, streamed.model], [whole.stop_reason, family.chat]);
    const counts = ({ usage }: Anthropic.Message) => [usage.input_tokens, usage.output_tokens];
    assert.deepEqual(counts(streamed), counts(whole));
  });

  await check("an image and a system prompt", async () => {
    const source = { type: "base64" as const, media_type: "image/png" as const, data: PICTURE };
    const content = [
      { type: "image" as const, source },
      { type: "text" as const, text: "What is this?" },
    ];
    const message = await messages.create({
      model: family.vision,
      max_tokens: 100,
      system: [{ type: "text", text: "Be brief.", cache_control: { type: "ephemeral" } }],
      messages: [{ role: "user", content }],
    });
    if (says === null) assert.ok(textOf(message));
    else assert.equal(textOf(message), says.picture);
  });

  await check("count tokens", async () => {
    const { input_tokens: few } = await messages.countTokens({ model: family.chat, messages: hello });
    const long = [{ role: "user" as const, content: "many words ".repeat(50) }];
    const { input_tokens: many } = await messages.countTokens({ model: family.chat, messages: long, tools: [weather] });
    assert.ok(few > 0 && many > few, `${few} and ${many}`);
  });
}

async function runTools({ messages }: Anthropic, family: Family, check: Check): Promise<void> {
  for (const isStream of [false, true]) {
    await check(`a tool loop${isStream ? ", streamed" : ""}`, async () => {
      const conversation: Anthropic.MessageParam[] = [{ role: "user", content: "What is the weather?" }];
      const ask = () => {
        const asked = { model: family.tools, max_tokens: 100, messages: conversation, tools: [weather] };
        return isStream ? messages.stream(asked).finalMessage() : messages.create(asked);
      };
      const calling = await ask();
      assert.equal(calling.stop_reason, "tool_use");
      const call = calling.content.find((block) => block.type === "tool_use");
      assert.ok(call !== undefined && call.type === "tool_use");
      const { city } = call.input as { readonly city: string };
      if (family.says !== null) assert.deepEqual([call.name, city], ["get_weather", "Zürich"]);
      const result = { type: "tool_result" as const, tool_use_id: call.id, content: `sunny in ${city}` };
      conversation.push({ role: "assistant", content: calling.content as Anthropic.ContentBlockParam[] });
      conversation.push({ role: "user", content: [result] });
      const answer = await ask();
      assert.equal(answer.stop_reason, "end_turn");
      if (family.says === null) assert.ok(textOf(answer).includes("sunny"), textOf(answer));
      else assert.equal(textOf(answer), family.says.weather);
    });
  }
}

async function runFailures({ messages }: Anthropic, family: Family, check: Check): Promise<void> {
  await check("refusals have the client's own error classes", async () => {
    const asked = { max_tokens: 10, messages: hello };
    const missing = await messages.create({ ...asked, model: "no-such-model" }).catch((error: unknown) => error);
    assert.ok(missing instanceof Anthropic.NotFoundError);
    assert.equal(missing.type, "not_found_error");
    if (family.says === null) return;
    const failing = {
      model: family.chat,
      max_tokens: 10,
      messages: [{ role: "user" as const, content: "please fail" }],
    };
    await assert.rejects(messages.create(failing), Anthropic.BadRequestError);
    await assert.rejects(messages.stream(failing).finalMessage(), Anthropic.BadRequestError);
  });
}

function textOf({ content }: Anthropic.Message): string {
  return content.map((block) => (block.type === "text" ? block.text : "")).join("");
}
