import { priceVersionId } from "@tollgate/domain/pricing/price-version.ts";
import { tokenPrice } from "@tollgate/domain/pricing/token-price.ts";
import { test } from "@tollgate/testkit/test.ts";
import { addPayingTenant, makeUsageEvent } from "@tollgate/testkit/usage-events.ts";
import { expect } from "vitest";
import { ensurePriceVersions } from "./price-versions.ts";
import { readQuota } from "./read-quota.ts";
import { redrivePricedEvents } from "./redrive-priced-events.ts";
import { settleUsage } from "./settle-usage.ts";

test("an event parked for an unknown price is charged after that price is stored", async ({ database }) => {
  const { worker, tenant } = await addPayingTenant(database, 1_000n);
  const late = { model: "openai/expensive", price: tokenPrice(1_000n, 1_000n) };
  const id = priceVersionId(late.model, late.price);
  const event = makeUsageEvent(tenant, 100n, { priceVersionId: id });
  const invalid = makeUsageEvent(tenant, 100n, { cost: 101n });
  const outcomes = await settleUsage(worker, [event, invalid]);
  expect([outcomes.get(event.id), outcomes.get(invalid.id)]).toEqual(["parked", "parked"]);
  expect(await redrivePricedEvents(worker)).toBe(0);
  expect(await readQuota(worker, tenant.organizationId)).toMatchObject({ balance: 1_000n });

  await ensurePriceVersions(worker, [{ id, ...late }]);
  expect(await redrivePricedEvents(worker)).toBe(1);
  expect(await redrivePricedEvents(worker)).toBe(0);
  expect(await readQuota(worker, tenant.organizationId)).toMatchObject({ balance: 900n });
});
