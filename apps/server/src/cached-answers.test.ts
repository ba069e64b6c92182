import { insertKey } from "@tollgate/db/keys/insert-key.ts";
import { runAsAdministrator } from "@tollgate/db/tenancy.ts";
import { hashApiKey, makeApiKey } from "@tollgate/domain/api-keys.ts";
import { makePrefixedId } from "@tollgate/domain/ids.ts";
import { Secret } from "@tollgate/domain/secret.ts";
import { chatAnswer } from "@tollgate/testkit/chat-answers.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { expect } from "vitest";
import { type BilledGateway, OUTPUT_PRICE, test } from "./billed-gateway.fixture.ts";

const COST = 3n * OUTPUT_PRICE;
const CREDIT = 1_000_000_000n;
const CACHED = "gw_settings: { cache: true }";

async function hitOf(gateway: BilledGateway, key: string, fields: object = {}) {
  const answer = await gateway.chat(key, fields);
  await answer.text();
  return answer.status === 200 ? answer.headers.get("x-gw-cache-hit") : answer.status;
}

test("the cache is shared within a team but not across tenants, and entries in Redis are encrypted", async ({
  tollgate,
  database,
  redis,
  upstreams,
}) => {
  const secretKeys = [new Secret("a secret key of thirty-two letters, or more")];
  const yaml = "gw_settings: { cache: true, cache_params: { type: redis } }";
  const gateway = await tollgate.start({ yaml, secretKeys, redisUrl: redis.url });
  const [ours, theirs] = [await tollgate.addTenant({ credit: CREDIT }), await tollgate.addTenant({ credit: CREDIT })];
  const colleague = makeApiKey();
  await runAsAdministrator(database.connect("tollgate_platform"), (transaction) =>
    insertKey(transaction, {
      ...{ id: makePrefixedId("key", Date.now()), name: "colleague", prefix: colleague.slice(0, 8) },
      ...{ lastFour: colleague.slice(-4), tokenHash: hashApiKey(colleague) },
      ...{ organizationId: ours.organizationId, teamId: ours.teamId },
    }),
  );
  upstreams.alpha.replies(200, chatAnswer({ content: "a private answer" }));
  // The first cache lookup opens the Redis connection and misses.
  await waitFor("an answer from Redis", async () => (await hitOf(gateway, ours.apiKey)) === "true");
  const made = upstreams.alpha.requests.length;
  expect(await hitOf(gateway, theirs.apiKey)).toBe("false");
  expect(await hitOf(gateway, theirs.apiKey)).toBe("true");
  expect(await hitOf(gateway, colleague)).toBe("true");
  expect(upstreams.alpha.requests).toHaveLength(made + 1);
  const keys = await redis.client.keys("tollgate:cache:*");
  expect(keys).toHaveLength(2);
  for (const value of await redis.client.mGet(keys)) expect(value).not.toContain("private");
});

test("a cache hit is recorded once, with no usage, hold, or charge", async ({ tollgate, upstreams }) => {
  const gateway = await tollgate.start({ yaml: CACHED });
  // The credit covers exactly one call. Cache hits are free, so they work without credit.
  const tenant = await tollgate.addTenant({ credit: COST });
  upstreams.alpha.replies(200, chatAnswer({ inputTokens: 12, outputTokens: 3 }));
  const fields = { model: "flat", max_tokens: 3 };
  expect(await hitOf(gateway, tenant.apiKey, fields)).toBe("false");
  expect(await hitOf(gateway, tenant.apiKey, fields)).toBe("true");
  const rows = await tollgate.settled(tenant, 2);
  expect(rows).toMatchObject([
    { status: "success", cost: COST, attempts: 1 },
    { status: "success", cost: 0n, attempts: 0, input_tokens: 0n, output_tokens: 0n, hold: 0n, http_status: 200 },
  ]);
  expect(await tollgate.balanceOf(tenant)).toBe(0n);
});

test("a cache hit counts toward the request limit but not the token limit", async ({ tollgate, redis, upstreams }) => {
  const gateway = await tollgate.start({ yaml: CACHED, redisUrl: redis.url });
  upstreams.alpha.replies(200, chatAnswer({ inputTokens: 12, outputTokens: 3 }));
  const frequent = await tollgate.addTenant({ credit: CREDIT, key: { limits: { rpm: 2 } } });
  expect(await hitOf(gateway, frequent.apiKey)).toBe("false");
  expect(await hitOf(gateway, frequent.apiKey)).toBe("true");
  expect(await hitOf(gateway, frequent.apiKey)).toBe(429);
  const long = await tollgate.addTenant({ credit: CREDIT, key: { limits: { tpm: 40 } } });
  expect(await hitOf(gateway, long.apiKey)).toBe("false");
  for (let calls = 0; calls < 4; calls += 1) expect(await hitOf(gateway, long.apiKey)).toBe("true");
  expect(await hitOf(gateway, long.apiKey, { messages: [{ role: "user", content: "x ".repeat(40) }] })).toBe(429);
});
