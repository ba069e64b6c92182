import assert from "node:assert/strict";
import OpenAI from "openai";
import { getWeather } from "./node-tool-loops.ts";
import { idsOf, textOf } from "./recorded-run.ts";

type Check = (name: string, run: () => Promise<void>) => Promise<boolean>;

const HELLO = "hello there, old friend";

/** Checks stored records (assistants, threads, and messages) and lists of them. */
export async function checkRecords({ beta }: OpenAI, check: Check): Promise<void> {
  await check("creates, reads, updates, and deletes an assistant", async () => {
    const made = await beta.assistants.create({ model: "sim/echo", name: "Scribe", tools: [getWeather] });
    assert.match(made.id, /^asst_[0-9A-Za-z]{24}$/);
    assert.deepEqual([made.object, made.temperature, made.response_format], ["assistant", 1, "auto"]);
    assert.deepEqual(await beta.assistants.retrieve(made.id), made);
    const changed = await beta.assistants.update(made.id, { metadata: { room: "3" } });
    assert.deepEqual(changed, { ...made, metadata: { room: "3" } });
    const deleted = await beta.assistants.delete(made.id);
    assert.deepEqual(deleted, { id: made.id, object: "assistant.deleted", deleted: true });
    await assert.rejects(beta.assistants.retrieve(made.id), OpenAI.NotFoundError);
  });

  await check("the client pages through lists in both orders and gets each entry once", async () => {
    const made: string[] = [];
    for (let index = 0; index < 7; index += 1) {
      made.push((await beta.assistants.create({ model: "sim/echo", name: `${index}` })).id);
    }
    for (const order of ["asc", "desc"] as const) {
      const ids = await idsOf(beta.assistants.list({ limit: 3, order }));
      assert.equal(new Set(ids).size, ids.length, "an entry was listed twice");
      const ours = ids.filter((id) => made.includes(id));
      assert.deepEqual(ours, order === "asc" ? made : made.toReversed());
    }
    const { id } = await beta.threads.create({ messages: numbered(9) });
    const texts: string[] = [];
    for await (const message of beta.threads.messages.list(id, { limit: 2, order: "asc" })) {
      texts.push(textOf(message));
    }
    assert.deepEqual(
      texts,
      numbered(9).map(({ content }) => content),
    );
    await Promise.all(made.map((assistant) => beta.assistants.delete(assistant)));
  });

  await check("creates, reads, updates, and deletes a thread and its messages", async () => {
    const thread = await beta.threads.create({ metadata: { of: "us" } });
    assert.deepEqual(await beta.threads.retrieve(thread.id), thread);
    const message = await beta.threads.messages.create(thread.id, { role: "user", content: HELLO });
    assert.deepEqual([message.status, textOf(message)], ["completed", HELLO]);
    const where = { thread_id: thread.id };
    const changed = await beta.threads.messages.update(message.id, { ...where, metadata: { read: "yes" } });
    assert.deepEqual(await beta.threads.messages.retrieve(message.id, where), changed);
    assert.equal((await beta.threads.messages.delete(message.id, where)).deleted, true);
    assert.deepEqual(await idsOf(beta.threads.messages.list(thread.id)), []);
    assert.equal((await beta.threads.update(thread.id, { metadata: { of: "all" } })).id, thread.id);
    assert.equal((await beta.threads.delete(thread.id)).object, "thread.deleted");
    await assert.rejects(beta.threads.retrieve(thread.id), OpenAI.NotFoundError);
  });

  await check("unsupported tools are refused with the client's own error class", async () => {
    const asked = beta.assistants.create({ model: "sim/echo", tools: [{ type: "code_interpreter" }] });
    await assert.rejects(
      asked,
      (error) => error instanceof OpenAI.BadRequestError && error.code === "unsupported_tool",
    );
  });
}

function numbered(count: number) {
  return Array.from({ length: count }, (_, index) => ({ role: "user" as const, content: `message ${index}` }));
}
