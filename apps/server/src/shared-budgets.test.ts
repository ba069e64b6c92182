import { chatAnswer } from "@tollgate/testkit/chat-answers.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { describe, expect } from "vitest";
import { OUTPUT_PRICE, test } from "./billed-gateway.fixture.ts";
import { flood } from "./flood.fixture.ts";

const TOKENS = 10;
const HOLD = BigInt(TOKENS) * OUTPUT_PRICE;
const PLENTY = 1_000_000_000_000n;
const CALLS = 400;
const PAYABLE = 23;

describe("with many concurrent calls over two gateways", () => {
  for (const scope of ["key", "team"] as const) {
    for (const counting of ["with Redis", "without Redis"]) {
      test(`the budget of a ${scope} admits exactly as many calls as it covers, ${counting}`, async ({
        tollgate,
        upstreams,
        redis,
      }) => {
        const start = counting === "with Redis" ? { redisUrl: redis.url } : {};
        const gateways = [await tollgate.start(start), await tollgate.start(start)];
        upstreams.alpha.replies(200, chatAnswer({ outputTokens: TOKENS }));
        const tenant = await tollgate.addTenant({ credit: PLENTY });
        await tollgate.addBudget(tenant, scope, BigInt(PAYABLE) * HOLD, "monthly");
        const outcome = await flood(gateways, tenant.apiKey, CALLS, { max_tokens: TOKENS });
        expect(Object.fromEntries(outcome)).toEqual({ "200": PAYABLE, "429 budget_exceeded": CALLS - PAYABLE });
        expect(upstreams.alpha.requests).toHaveLength(PAYABLE);
        await tollgate.settled(tenant, PAYABLE);
        expect(await tollgate.balanceOf(tenant)).toBe(PLENTY - BigInt(PAYABLE) * HOLD);
      });
    }
  }
});

test("a budget admits calls again in its next window, up to the same amount", async ({ tollgate, upstreams }) => {
  // Long enough that a starved machine makes three calls before the window ends.
  const WINDOW_MS = 6_000;
  const gateway = await tollgate.start();
  upstreams.alpha.replies(200, chatAnswer({ outputTokens: TOKENS }));
  const tenant = await tollgate.addTenant({ credit: PLENTY });
  await tollgate.addBudget(tenant, "key", 2n * HOLD, "6s");
  const call = async () => (await gateway.chat(tenant.apiKey, { model: "flat", max_tokens: TOKENS })).status;
  for (let round = 0; round < 2; round += 1) {
    await waitFor("the beginning of a window", () => Date.now() % WINDOW_MS < WINDOW_MS / 5);
    expect([await call(), await call(), await call()]).toEqual([200, 200, 429]);
    await waitFor("the end of the window", () => Date.now() % WINDOW_MS > WINDOW_MS / 2);
  }
  await tollgate.settled(tenant, 4);
});
