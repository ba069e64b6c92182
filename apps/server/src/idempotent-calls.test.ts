import { Secret } from "@tollgate/domain/secret.ts";
import { makeWav } from "@tollgate/gateway/http/routes/transcription-form.fixture.ts";
import { MASTER_KEY } from "@tollgate/gateway/test-gateway.fixture.ts";
import { chatAnswer } from "@tollgate/testkit/chat-answers.ts";
import { querySql } from "@tollgate/testkit/database.ts";
import { hang, reply, replyLate } from "@tollgate/testkit/upstream-behaviors.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { describe, expect, onTestFinished } from "vitest";
import { type BilledGateway, INPUT_PRICE, OUTPUT_PRICE, test } from "./billed-gateway.fixture.ts";
import { openPostgresProxy } from "./postgres-proxy.fixture.ts";

const COST = 12n * INPUT_PRICE + 3n * OUTPUT_PRICE;
const CREDIT = 1_000_000_000n;
const secretKeys = [new Secret("a secret key of thirty-two letters, or more")];
const ANSWER = chatAnswer({ inputTokens: 12, outputTokens: 3, content: "Grüße, 世界" });
const PATH = "/v1/chat/completions";

/** Sends a request with an Idempotency-Key and returns the response. */
async function ask(
  gateway: BilledGateway,
  apiKey: string,
  key: string,
  { path = PATH, signal, ...fields }: { path?: string; signal?: AbortSignal; [field: string]: unknown } = {},
) {
  const answer = await fetch(gateway.url + path, {
    method: "POST",
    headers: { "content-type": "application/json", "x-gw-api-key": apiKey, "idempotency-key": key },
    body: JSON.stringify({ model: "metered", messages: [{ role: "user", content: "hello" }], ...fields }),
    ...(signal && { signal }),
  });
  const text = await answer.text();
  return {
    status: answer.status,
    text,
    code: (JSON.parse(text) as { error?: { code: string } }).error?.code,
    isReplay: answer.headers.get("idempotent-replayed") === "true",
    cost: answer.headers.get("x-gw-response-cost-nano-usd"),
  };
}

test("200 retries over two gateways make one upstream call, are charged once, and all get the same response", async ({
  tollgate,
  upstreams,
}) => {
  const [one, two] = await Promise.all([tollgate.start({ secretKeys }), tollgate.start({ secretKeys })]);
  const tenant = await tollgate.addTenant({ credit: CREDIT });
  upstreams.alpha.behaves(replyLate(300, 200, ANSWER));
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, index) => ask(index % 2 === 0 ? one : two, tenant.apiKey, "order-1")),
  );
  expect(upstreams.alpha.requests).toHaveLength(1);
  expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
  expect(answers[0]?.text).toContain("Grüße, 世界");
  const first = answers.filter(({ isReplay }) => !isReplay);
  expect(first.map(({ cost }) => cost)).toEqual([String(COST)]);
  expect(answers.filter(({ cost }) => cost === "0")).toHaveLength(199);
  await tollgate.settled(tenant, 1);
  expect(await tollgate.balanceOf(tenant)).toBe(CREDIT - COST);
});

test("an idempotency key is scoped to one body, team, and operation, and can't be used with a stream", async ({
  tollgate,
  upstreams,
}) => {
  const gateway = await tollgate.start({ secretKeys });
  const [tenant, other] = [await tollgate.addTenant({ credit: CREDIT }), await tollgate.addTenant({ credit: CREDIT })];
  upstreams.alpha.behaves(
    reply(200, chatAnswer({ id: "first" })),
    reply(200, chatAnswer({ id: "second" })),
    reply(200, { ...chatAnswer({ id: "third" }), object: "text_completion", choices: [] }),
  );
  const first = await ask(gateway, tenant.apiKey, "k");
  // Both spellings of the path refer to the same operation, and the order of JSON fields doesn't matter.
  const again = await ask(gateway, tenant.apiKey, "k", { path: "/chat/completions" });
  expect(again).toMatchObject({ status: 200, text: first.text, isReplay: true, cost: "0" });
  expect(await ask(gateway, tenant.apiKey, "k", { temperature: 1 })).toMatchObject({ status: 409, code: "conflict" });
  expect(JSON.parse((await ask(gateway, other.apiKey, "k")).text)).toMatchObject({ id: "second" });
  expect(
    JSON.parse(
      (await ask(gateway, tenant.apiKey, "k", { path: "/v1/completions", prompt: "x", messages: undefined })).text,
    ),
  ).toMatchObject({ id: "cmpl-third" });
  expect(await ask(gateway, tenant.apiKey, "s", { stream: true })).toMatchObject({ status: 400, isReplay: false });
  expect(await ask(gateway, tenant.apiKey, "x".repeat(256))).toMatchObject({ status: 400, code: "invalid_request" });
  expect(upstreams.alpha.requests).toHaveLength(3);
});

test("if the first call fails, exactly one waiting retry calls the upstream next", async ({ tollgate, upstreams }) => {
  const [one, two] = await Promise.all([tollgate.start({ secretKeys }), tollgate.start({ secretKeys })]);
  const tenant = await tollgate.addTenant({ credit: CREDIT });
  upstreams.alpha.behaves(replyLate(200, 400, { error: { message: "no" } }), replyLate(200, 200, ANSWER));
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) => ask(index % 2 === 0 ? one : two, tenant.apiKey, "k")),
  );
  expect(answers.filter(({ status }) => status === 400)).toHaveLength(1);
  expect(answers.filter(({ status, isReplay }) => status === 200 && !isReplay)).toHaveLength(1);
  expect(answers.filter(({ isReplay }) => isReplay)).toHaveLength(18);
  expect(upstreams.alpha.requests).toHaveLength(2);
});

test("if the client disconnects, the first call completes and is charged as a success, and its response is returned to the retry", async ({
  tollgate,
  upstreams,
}) => {
  const gateway = await tollgate.start({ secretKeys });
  const tenant = await tollgate.addTenant({ credit: CREDIT });
  const answering = Promise.withResolvers<void>();
  upstreams.alpha.behaves(async (exchange) => {
    await answering.promise;
    await reply(200, ANSWER)(exchange);
  });
  const leaving = new AbortController();
  const left = ask(gateway, tenant.apiKey, "k", { signal: leaving.signal }).catch((error: Error) => error.name);
  await upstreams.alpha.request(0);
  leaving.abort();
  expect(await left).toBe("AbortError");
  const retry = ask(gateway, tenant.apiKey, "k");
  answering.resolve();
  expect(await retry).toMatchObject({ status: 200, isReplay: true, cost: "0" });
  expect((await upstreams.alpha.ended(0)).end?.kind).toBe("answered");
  expect(await tollgate.settled(tenant, 1)).toMatchObject([{ status: "success", cost: COST }]);
});

test("a retry makes no new call if the first call was interrupted or its response was too long to store", async ({
  tollgate,
  database,
  upstreams,
}) => {
  // With `on_disconnect: abort`, the call ends at the client's timeout, and the idempotency key can be used again.
  const brief = `
  - { model_name: brief, litellm_params: { model: openai/m1, api_base: "{origin}/v1", on_disconnect: abort, input_cost_per_token: 0, output_cost_per_token: 0.000002 } }
`;
  const start = { secretKeys, models: brief };
  const [one, two] = await Promise.all([tollgate.start(start), tollgate.start(start)]);
  const tenant = await tollgate.addTenant({ credit: CREDIT });
  upstreams.alpha.behaves(hang(), reply(200, chatAnswer({ content: "x".repeat(1024 * 1024 + 1) })));
  const cut = ask(one, tenant.apiKey, "cut", { model: "brief", timeout: 15, num_retries: 0 });
  await upstreams.alpha.request(0);
  const waiting = ask(two, tenant.apiKey, "cut", { model: "brief", timeout: 15, num_retries: 0 });
  // Expire the lease, as if the process that holds it had died.
  await querySql(database.connectionString, "update idempotent_calls set leased_until = now() - interval '1 second'");
  expect(await waiting).toMatchObject({ status: 409, code: "idempotency_outcome_unknown" });
  expect((await ask(two, tenant.apiKey, "long")).status).toBe(200);
  expect(await ask(two, tenant.apiKey, "long")).toMatchObject({ status: 409, code: "idempotency_outcome_unknown" });
  expect(upstreams.alpha.requests).toHaveLength(2);
  // The first call was still running. Its client gets the timeout error immediately, and the idempotency key can be
  // used again when the attempt ends.
  expect((await cut).status).toBe(408);
  upstreams.alpha.replies(200, ANSWER);
  const again = await waitFor("the key to be free", async () => {
    const answer = await ask(two, tenant.apiKey, "cut", { model: "brief", timeout: 15, num_retries: 0 });
    return answer.status === 409 ? null : answer;
  });
  expect(again).toMatchObject({ status: 200, isReplay: false });
});

test("every non-streaming operation supports idempotent retries, and multipart forms are compared by file content", async ({
  tollgate,
}) => {
  const gateway = await tollgate.start({ secretKeys });
  const post = async (path: string, body: string | FormData, key: string) => {
    const type = typeof body === "string" ? { "content-type": "application/json" } : {};
    const headers = { "x-gw-api-key": MASTER_KEY, "idempotency-key": key, ...type };
    const answer = await fetch(gateway.url + path, { method: "POST", headers, body });
    const text = await answer.text();
    return { status: answer.status, text, isReplay: answer.headers.get("idempotent-replayed") === "true" };
  };
  const messages = [{ role: "user", content: "hello" }];
  const bodies = {
    "/v1/completions": { model: "sim/echo", prompt: "hello" },
    "/v1/embeddings": { model: "sim/embed", input: ["hello"] },
    "/v1/moderations": { model: "sim/moderation", input: "hello" },
    "/v1/images/generations": { model: "sim/image", prompt: "hello" },
    "/v1/messages": { model: "sim/echo", max_tokens: 9, messages },
    "/v1/responses": { model: "sim/echo", input: "hello" },
  };
  for (const [path, body] of Object.entries(bodies)) {
    const first = await post(path, JSON.stringify(body), "k");
    expect(first, path).toMatchObject({ status: 200, isReplay: false });
    expect(await post(path, JSON.stringify(body), "k"), path).toEqual({ ...first, isReplay: true });
  }
  const form = (sound: ReturnType<typeof makeWav>) => {
    const fields = new FormData();
    fields.set("model", "sim/transcribe");
    fields.set("file", new Blob([sound], { type: "audio/wav" }), "a.wav");
    return fields;
  };
  const path = "/v1/audio/transcriptions";
  const silence = makeWav(0.1);
  const first = await post(path, form(silence), "k");
  expect(first).toMatchObject({ status: 200, isReplay: false });
  expect(await post(path, form(silence), "k")).toEqual({ ...first, isReplay: true });
  expect(await post(path, form(makeWav(0.2)), "k")).toMatchObject({ status: 409 });
});

describe("stored idempotent responses", () => {
  test("are encrypted, contain no idempotency key, and require a secret key", async ({
    tollgate,
    database,
    upstreams,
  }) => {
    const [gateway, open] = await Promise.all([tollgate.start({ secretKeys }), tollgate.start()]);
    const tenant = await tollgate.addTenant({ credit: CREDIT });
    upstreams.alpha.replies(200, chatAnswer({ content: "a private answer" }));
    expect((await ask(gateway, tenant.apiKey, "my key")).status).toBe(200);
    const rows = await querySql(
      database.connectionString,
      `select idempotent_calls::text as row from idempotent_calls where owner = 'team:${tenant.teamId}'`,
    );
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toMatch(/private answer|my key/);
    expect(await ask(open, tenant.apiKey, "my key")).toMatchObject({ status: 400 });
  });

  test("can't be looked up while the database is unavailable, so no call is made", async ({
    tollgate,
    database,
    upstreams,
  }) => {
    const proxy = await openPostgresProxy(database.connectionString);
    onTestFinished(() => proxy.close());
    const gateway = await tollgate.start({ secretKeys, connectionString: proxy.connectionString });
    const tenant = await tollgate.addTenant({ credit: CREDIT });
    upstreams.alpha.replies(200, ANSWER);
    expect((await ask(gateway, tenant.apiKey, "before")).status).toBe(200);
    await tollgate.settled(tenant, 1);
    proxy.cut();
    expect(await ask(gateway, tenant.apiKey, "after")).toMatchObject({ status: 503, code: "DB_TIMEOUT" });
    expect(upstreams.alpha.requests).toHaveLength(1);
    proxy.restore();
    await waitFor("an answer", async () => (await ask(gateway, tenant.apiKey, "after")).status === 200);
    expect(upstreams.alpha.requests).toHaveLength(2);
  });
});
