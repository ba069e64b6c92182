import { chatAnswer } from "@tollgate/testkit/chat-answers.ts";
import { describe, expect } from "vitest";
import { OUTPUT_PRICE, test } from "./billed-gateway.fixture.ts";
import { flood } from "./flood.fixture.ts";

const CALLS = 1_000;
const TOKENS = 10;
/** Hold of each call. Equal to the call's final cost. */
const HOLD = BigInt(TOKENS) * OUTPUT_PRICE;

describe("a thousand concurrent calls over two gateways", () => {
  test("are admitted only up to the balance, for any balance", async ({ tollgate, upstreams }) => {
    const gateways = [await tollgate.start(), await tollgate.start()];
    upstreams.alpha.replies(200, chatAnswer({ outputTokens: TOKENS }));
    for (const payable of [1, 7, 50, 200]) {
      const before = upstreams.alpha.requests.length;
      // The credit covers `payable` calls and is one nano-USD short of another call.
      const tenant = await tollgate.addTenant({ credit: BigInt(payable) * HOLD + HOLD - 1n });
      const outcome = await flood(gateways, tenant.apiKey, CALLS, { max_tokens: TOKENS });
      expect(Object.fromEntries(outcome)).toEqual({ "200": payable, "429 QUOTA_EXCEEDED": CALLS - payable });
      expect(upstreams.alpha.requests.length - before).toBe(payable);
      await tollgate.settled(tenant, payable);
      expect(await tollgate.balanceOf(tenant)).toBe(HOLD - 1n);
    }
  });

  test("overspend the balance by less than one call's cost if an overdraft is set", async ({ tollgate, upstreams }) => {
    const loose = { billing: `admission: positive, overdraft: ${HOLD / 2n}` };
    const gateways = [await tollgate.start(loose), await tollgate.start(loose)];
    upstreams.alpha.replies(200, chatAnswer({ outputTokens: TOKENS }));
    for (const payable of [1, 50]) {
      const before = upstreams.alpha.requests.length;
      const tenant = await tollgate.addTenant({ credit: BigInt(payable) * HOLD - HOLD / 2n });
      const outcome = await flood(gateways, tenant.apiKey, CALLS, { max_tokens: TOKENS });
      const refused = (outcome.get("429 QUOTA_EXCEEDED") ?? 0) + (outcome.get("403 TEAM_BLOCKED") ?? 0);
      expect([outcome.get("200"), refused], JSON.stringify([...outcome])).toEqual([payable, CALLS - payable]);
      expect(upstreams.alpha.requests.length - before).toBe(payable);
      await tollgate.settled(tenant, payable);
      expect(await tollgate.balanceOf(tenant)).toBe(-HOLD / 2n);
    }
  });
});
