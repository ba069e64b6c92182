import { chatAnswer, chatFrames } from "@tollgate/testkit/chat-answers.ts";
import { querySql } from "@tollgate/testkit/database.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { expect } from "vitest";
import { type HostedPlatform, type Person, test } from "./hosted-platform.fixture.ts";

// biome-ignore lint/suspicious/noExplicitAny: tests read responses of any shape.
type Log = any;

async function readLogs(hosted: HostedPlatform, person: Person, query = ""): Promise<Log[]> {
  const { status, text, body } = await hosted.api("GET", `/api/gw/logs?pageSize=100&${query}`, { token: person.token });
  if (status !== 200) throw new Error(text);
  return body.data;
}

function call(hosted: HostedPlatform, key: string, body: object) {
  return hosted.api("POST", "/v1/chat/completions", { body, headers: { "x-gw-api-key": key } });
}

const ask = (content: string, more: object = {}) => ({
  model: "metered",
  max_tokens: 10,
  messages: [{ role: "user", content }],
  ...more,
});

test("logs contain refused calls with the reason and no cost, alongside served calls", async ({ hosted, upstream }) => {
  upstream.replies(200, chatAnswer());
  const person = await hosted.signUp();
  const key = await hosted.createKey(person);
  expect((await call(hosted, key.token, ask("hello"))).status).toBe(429); // The organization has no credit.
  await hosted.addCredit(person, 1_000_000_000n);
  const limited = await hosted.createKey(person, { models: ["another"] });
  expect((await call(hosted, limited.token, ask("hello"))).status).toBe(403);
  const disabled = await hosted.createKey(person);
  await hosted.api("POST", "/api/api-keys/update", {
    token: person.token,
    body: { token: disabled.id, disabled: true },
  });
  await waitFor("the key to be off", async () => (await call(hosted, disabled.token, ask("hello"))).status === 401);
  await waitFor("credit", async () => (await call(hosted, key.token, ask("hello"))).status === 200);
  // A call with an unknown key belongs to no organization, so it doesn't appear in any logs.
  expect((await call(hosted, "sk-unknown", ask("hello"))).status).toBe(401);

  const logs = await waitFor("four kinds of calls", async () => {
    const found = await readLogs(hosted, person);
    return new Set(found.map(({ httpStatus }: Log) => httpStatus)).size === 4 ? found : null;
  });
  const byStatus = (status: number) => logs.find(({ httpStatus }: Log) => httpStatus === status);
  expect(byStatus(200)).toMatchObject({ class: "succeeded", apiKeyId: key.id, model: "metered" });
  expect(byStatus(429)).toMatchObject({
    class: "refused",
    errorCode: "QUOTA_EXCEEDED",
    cost: 0,
    apiKeyId: key.id,
    model: "metered",
    provider: null,
    settlement: null,
  });
  expect(byStatus(403)).toMatchObject({
    class: "refused",
    apiKeyId: limited.id,
    apiKeyName: "ci",
    cost: 0,
    model: "metered",
  });
  expect(byStatus(401)).toMatchObject({ class: "refused", apiKeyId: disabled.id, errorCode: "key_blocked" });
  const refused = await readLogs(hosted, person, "class=refused");
  expect(refused).toEqual(logs.filter(({ class: outcome }: Log) => outcome === "refused"));
  const one = await hosted.api("GET", `/api/gw/logs/${byStatus(403).id}`, { token: person.token });
  expect(one.body.log).toMatchObject({ id: byStatus(403).id, class: "refused", content: null });
  // Usage totals and the log count the same requests.
  const usage = await hosted.api("GET", "/api/gw/usage", { token: person.token });
  const { requests, succeeded, refused: refusedCount } = usage.body.totals;
  expect({ requests, succeeded }).toEqual({
    requests: logs.length,
    succeeded: logs.filter(({ class: outcome }: Log) => outcome === "succeeded").length,
  });
  expect(refusedCount).toBe(refused.length);
});

test("logs only a sample of a flood of refused calls", async ({ hosted }) => {
  const person = await hosted.signUp();
  const key = await hosted.createKey(person);
  for (let index = 0; index < 40; index += 1) {
    expect((await call(hosted, key.token, ask("hello"))).status).toBe(429);
  }
  const logs = await waitFor("some of the refused calls", async () => {
    const found = await readLogs(hosted, person);
    return found.length >= 10 ? found : null;
  });
  expect(logs.length).toBeLessThan(30);
});

test("a refused call with an invalid model name in its path does not prevent logging of other calls", async ({
  hosted,
}) => {
  const [odd, plain] = [await hosted.signUp(), await hosted.signUp()];
  const [disabled, key] = [await hosted.createKey(odd), await hosted.createKey(plain)];
  await hosted.api("POST", "/api/api-keys/update", { token: odd.token, body: { token: disabled.id, disabled: true } });
  const sendOdd = () =>
    hosted.api("POST", "/engines/%00/chat/completions", {
      body: ask("hello"),
      headers: { "x-gw-api-key": disabled.token },
    });
  await waitFor("the key to be off", async () => (await sendOdd()).status === 401);
  // The call with the invalid model name and this call are written in the same batch, one second later.
  expect((await call(hosted, key.token, ask("hello"))).status).toBe(429);
  await waitFor("both in the logs", async () => {
    const [ofOdd, ofPlain] = [await readLogs(hosted, odd), await readLogs(hosted, plain)];
    return ofOdd.length > 0 && ofPlain.length > 0;
  });
});

test("prompts are stored and found only if the organization opts in, are encrypted, and are audited on each read", async ({
  hosted,
  upstream,
  database,
}) => {
  const [open, closed] = [await hosted.signUp(), await hosted.signUp()];
  for (const person of [open, closed]) await hosted.addCredit(person, 1_000_000_000n);
  const settings = { logPrompts: true };
  const changed = await hosted.api("PUT", "/api/gw/organizations", { token: open.token, body: { settings } });
  expect(changed.status).toBe(200);
  const marker = "The marker prompt: žluťoučký kůň 🐎";
  for (const person of [open, closed]) {
    const key = await hosted.createKey(person);
    for (const stream of [false, true]) {
      if (stream) upstream.streams(chatFrames({ pieces: ["Über ", '"quoted" ', "\\n and ", "🐎"] }));
      else upstream.replies(200, chatAnswer());
      await waitFor("an answer", async () => (await call(hosted, key.token, ask(marker, { stream }))).status === 200);
    }
  }
  const show = async (person: Person, id: string) =>
    (await hosted.api("GET", `/api/gw/logs/${id}`, { token: person.token })).body.log;
  const kept = await waitFor("contents", async () => {
    const calls = (await readLogs(hosted, open, "class=succeeded")).filter(
      ({ class: outcome }: Log) => outcome === "succeeded",
    );
    const shown = await Promise.all(calls.map(({ id }: Log) => show(open, id)));
    return shown.length >= 2 && shown.every(({ content }: Log) => content !== null) ? shown : null;
  });
  for (const { content, stream } of kept) {
    expect(JSON.parse(content.request).messages[0].content).toBe(marker);
    expect(content.truncated).toBe(false);
    if (stream) expect(content.answer).toBe('Über "quoted" \\n and 🐎');
    else expect(JSON.parse(content.answer).choices).toHaveLength(1);
  }
  const others = await waitFor("the calls of the other organization", async () => {
    const calls = await readLogs(hosted, closed, "class=succeeded");
    return calls.length >= 2 ? calls : null;
  });
  for (const { id } of others) expect((await show(closed, id)).content).toBeNull();

  const search = (person: Person, content: string) =>
    hosted.api("GET", `/api/gw/logs?content=${encodeURIComponent(content)}`, { token: person.token });
  const idsOf = (logs: readonly Log[]) => logs.map(({ id }) => id).toSorted();
  expect(idsOf((await search(open, "ŽLUŤOUČKÝ kůň")).body.data)).toEqual(idsOf(kept));
  const streamed = kept.filter(({ stream }: Log) => stream);
  expect(idsOf((await search(open, 'über "quoted" \\n')).body.data)).toEqual(idsOf(streamed));
  expect((await search(closed, "marker")).status).toBe(409);

  const tables = await querySql<{ name: string }>(
    database.connectionString,
    "select oid::regclass::text as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace",
  );
  for (const { name } of tables) {
    const found = await querySql(
      database.connectionString,
      `select from ${name} as row where row::text like '%marker prompt%' limit 1`,
    );
    expect(found, name).toEqual([]);
  }
  const reads = await querySql<{ organization_id: string }>(
    database.connectionString,
    "select organization_id from audit_log where action = 'org.content_read'",
  );
  expect(new Set(reads.map(({ organization_id }) => organization_id))).toEqual(new Set([open.organizationId]));
});
