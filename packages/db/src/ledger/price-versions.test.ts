import { priceCall } from "@tollgate/domain/pricing/price-call.ts";
import { priceVersionId } from "@tollgate/domain/pricing/price-version.ts";
import { test } from "@tollgate/testkit/test.ts";
import fc from "fast-check";
import { sql } from "kysely";
import { expect } from "vitest";
import { ensurePriceVersions } from "./price-versions.ts";

const tokens = fc.nat(1_000_000_000);
const pico = fc.bigInt({ min: 0n, max: 1_000_000_000n });
const optional = fc.option(pico);
const prices = fc.record({ input: pico, output: pico, cacheRead: optional, cacheWrite: optional, reasoning: optional });

test("keeps prices of any kind, once each, and prices calls as the gateway does", async ({ database }) => {
  const db = database.connect("tollgate_gateway");
  await fc.assert(
    fc.asyncProperty(prices, fc.tuple(tokens, tokens, tokens, tokens, tokens), async (price, counts) => {
      const [inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens, drawn] = counts;
      const reasoningTokens = Math.min(drawn, outputTokens);
      const version = { id: priceVersionId("openai/fast", price), model: "openai/fast", price };
      await ensurePriceVersions(db, [version]);
      await ensurePriceVersions(db, [version]);
      const { rows } = await sql`
        select price_of_call(p, ${inputTokens}, ${cacheReadTokens}, ${cacheWriteTokens}, ${outputTokens}, ${reasoningTokens}) as cost
          from price_versions p where id = ${version.id}`.execute(db);
      const usage = {
        inputTokens,
        cacheReadTokens,
        cacheWriteTokens,
        outputTokens,
        reasoningTokens,
        source: "reported",
      } as const;
      expect(rows).toEqual([{ cost: priceCall(usage, price) }]);
    }),
    { numRuns: 50 },
  );
});

test("refuses a price under the name of another", async ({ database }) => {
  const db = database.connect("tollgate_gateway");
  const price = { input: 1n, output: 2n, cacheRead: null, cacheWrite: 0n, reasoning: null };
  const id = priceVersionId("openai/fast", price);
  const version = { id, model: "openai/fast", price: { ...price, cacheRead: 0n } };
  await expect(ensurePriceVersions(db, [version])).rejects.toThrow("does not follow");
});
