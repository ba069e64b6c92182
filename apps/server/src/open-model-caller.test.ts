import { randomUUID } from "node:crypto";
import { Secret } from "@tollgate/domain/secret.ts";
import { testSettings } from "@tollgate/gateway/test-gateway.fixture.ts";
import { querySql } from "@tollgate/testkit/database.ts";
import { findFreePort } from "@tollgate/testkit/free-port.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { expect } from "vitest";
import { type HostedPlatform, test as hostedPlatform, type Person, SECRET_KEY } from "./hosted-platform.fixture.ts";
import { type OpenModelCaller, openModelCaller } from "./open-model-caller.ts";

const settings = testSettings("");
const test = hostedPlatform.extend("openCaller", async ({ database }, { onCleanup }) => {
  const opened: OpenModelCaller[] = [];
  onCleanup(async () => {
    await Promise.all(opened.map((caller) => caller.close()));
  });
  return (gatewayUrl: string): OpenModelCaller => {
    const caller = openModelCaller({
      settings: () => settings,
      connectionString: database.connectionString,
      secretKeys: [new Secret(SECRET_KEY)],
      gatewayUrl: () => gatewayUrl,
    });
    opened.push(caller);
    return caller;
  };
});
const body = JSON.stringify({ model: "sim/echo", messages: [{ role: "user", content: "hello" }] });
const { signal } = new AbortController();

test("fifty concurrent calls are charged to the right key and recorded with their labels", async ({
  hosted,
  database,
  openCaller,
}) => {
  const person = await addPayer(hosted);
  const { id: keyId } = await hosted.createKey(person);
  const caller = openCaller(hosted.url);
  const labels = Array.from({ length: 50 }, () => randomUUID());
  const answers = await Promise.all(labels.map((label) => caller.call({ keyId, label, body, signal })));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  for (const answer of answers) {
    const pieces: Buffer[] = [];
    for await (const piece of answer.body) pieces.push(piece);
    expect(JSON.parse(Buffer.concat(pieces).toString())).toMatchObject({ object: "chat.completion" });
  }
  const rows = await waitFor("all calls to be settled", async () => {
    const found = await querySql<{ request_id: string; endpoint: string }>(
      database.connectionString,
      `select request_id, endpoint from usage_events where organization_id = '${person.organizationId}'`,
    );
    return found.length === labels.length ? found : null;
  });
  expect(rows.map(({ request_id }) => request_id).sort()).toEqual(labels.sort());
  expect(new Set(rows.map(({ endpoint }) => endpoint))).toEqual(new Set(["assistants.run"]));
});

test("an unknown key gets a 401 response, and an unreachable gateway throws an error", async ({
  hosted,
  openCaller,
}) => {
  const call = { label: randomUUID(), body, signal };
  const unknownKey = await openCaller(hosted.url).call({ ...call, keyId: "key_00000000000000000000000000" });
  expect(unknownKey.status).toBe(401);
  const { id: keyId } = await hosted.createKey(await hosted.signUp());
  const nowhere = openCaller(`http://127.0.0.1:${await findFreePort()}`);
  await expect(nowhere.call({ ...call, keyId })).rejects.toThrow("ECONNREFUSED");
});

test("an aborted call ends while the gateway is still waiting for the upstream", async ({
  hosted,
  upstream,
  openCaller,
}) => {
  const { id: keyId } = await hosted.createKey(await addPayer(hosted));
  const before = upstream.requests.length;
  upstream.hangs();
  const stop = new AbortController();
  const thinking = JSON.stringify({ ...JSON.parse(body), model: "metered" });
  const call = openCaller(hosted.url).call({ keyId, label: randomUUID(), body: thinking, signal: stop.signal });
  call.catch(() => {});
  await waitFor("the call to arrive", () => upstream.requests.length > before);
  stop.abort();
  await expect(call).rejects.toThrow("aborted");
});

async function addPayer(hosted: HostedPlatform): Promise<Person> {
  const person = await hosted.signUp();
  await hosted.addCredit(person, 1_000_000_000n);
  return person;
}
