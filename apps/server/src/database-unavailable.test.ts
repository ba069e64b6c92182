import { chatAnswer } from "@tollgate/testkit/chat-answers.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { describe, expect, onTestFinished } from "vitest";
import { OUTPUT_PRICE, test } from "./billed-gateway.fixture.ts";
import { openPostgresProxy } from "./postgres-proxy.fixture.ts";

const TOKENS = 100;
const HOLD = BigInt(TOKENS) * OUTPUT_PRICE;
const MAX_CALLS = 3_000;
const call = { model: "flat", max_tokens: TOKENS };

describe("while the database is unavailable", () => {
  for (const trouble of ["cut", "hang"] as const) {
    test(`known keys are served from leased credit, then get 503 with Retry-After, and no usage is lost (${trouble})`, async ({
      tollgate,
      database,
      upstreams,
    }) => {
      const proxy = await openPostgresProxy(database.connectionString);
      onTestFinished(() => proxy.close());
      // The tenants exist before the gateway starts, so no notification of their creation can remove a key from the cache.
      const tenant = await tollgate.addTenant({ credit: 1_000_000n * HOLD });
      const stranger = await tollgate.addTenant({ credit: HOLD });
      const gateway = await tollgate.start({ connectionString: proxy.connectionString });
      upstreams.alpha.replies(200, chatAnswer({ outputTokens: TOKENS }));
      // Make enough calls for the gateway to lease credit in advance.
      for (let calls = 0; calls < 10; calls += 1) expect((await gateway.chat(tenant.apiKey, call)).status).toBe(200);
      await tollgate.settled(tenant, 10);
      const ask = async (key: string) => {
        const answer = await gateway.chat(key, call);
        const body = (await answer.json()) as { error?: { code: string } };
        return { status: answer.status, code: body.error?.code, retryAfter: answer.headers.get("retry-after") };
      };

      proxy[trouble]();
      let served = 10;
      let refusal = await ask(tenant.apiKey);
      while (refusal.status === 200 && served < MAX_CALLS) {
        served += 1;
        refusal = await ask(tenant.apiKey);
      }
      expect(served).toBeGreaterThan(10);
      expect(refusal).toEqual({ status: 503, code: "DB_TIMEOUT", retryAfter: "1" });
      // A key that isn't cached yet gets a server error instead of being rejected as invalid.
      expect(await ask(stranger.apiKey)).toEqual({ status: 503, code: "DB_TIMEOUT", retryAfter: "1" });

      proxy.restore();
      await waitFor("an answer", async () => (await ask(tenant.apiKey)).status === 200, { limitMs: 5_000 });
      served += 1;
      expect(upstreams.alpha.requests).toHaveLength(served);
      await tollgate.settled(tenant, served);
      expect(await tollgate.balanceOf(tenant)).toBe((1_000_000n - BigInt(served)) * HOLD);
      await gateway.stop();
    });
  }

  test("calls are still served and are charged later if failOpen is set", async ({ tollgate, database, upstreams }) => {
    const proxy = await openPostgresProxy(database.connectionString);
    onTestFinished(() => proxy.close());
    // The tenant exists before the gateway starts, so no notification of its creation can remove the key from the cache.
    // Its credit is too low for the gateway to lease any of it in advance.
    const tenant = await tollgate.addTenant({ credit: 5n * HOLD });
    const gateway = await tollgate.start({ connectionString: proxy.connectionString, billing: "failOpen: true" });
    upstreams.alpha.replies(200, chatAnswer({ outputTokens: TOKENS }));
    expect((await gateway.chat(tenant.apiKey, call)).status).toBe(200);
    await tollgate.settled(tenant, 1);
    proxy.cut();
    expect(await (await gateway.chat(tenant.apiKey, call)).json()).toMatchObject({ object: "chat.completion" });
    proxy.restore();
    const rows = await tollgate.settled(tenant, 2);
    expect(rows.map(({ hold, cost }) => [hold, cost])).toEqual([
      [HOLD, HOLD],
      [0n, HOLD],
    ]);
    expect(await tollgate.balanceOf(tenant)).toBe(3n * HOLD);
    await gateway.stop();
  });
});
