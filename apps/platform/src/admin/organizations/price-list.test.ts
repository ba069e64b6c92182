import { findKeyById } from "@tollgate/db/keys/find-key-by-hash.ts";
import { addTenant } from "@tollgate/testkit/tenants.ts";
import { test as engines } from "@tollgate/testkit/test.ts";
import { expect } from "vitest";
import { startTestPlatform } from "../../platform.fixture.ts";

const test = engines.extend("platform", { scope: "file" }, async ({ database }, { onCleanup }) => {
  const platform = await startTestPlatform(database);
  onCleanup(() => platform.close());
  return platform;
});

test("an administrator replaces an organization's prices, which its keys then have", async ({ platform, database }) => {
  const { token } = await platform.addUser({ role: "admin" });
  const tenant = await addTenant(database.connect("tollgate_platform"));
  const path = `/api/admin/organizations/${tenant.organizationId}/prices`;
  const put = (entries: object[]) => platform.api("PUT", path, { token, body: { entries } });
  expect(await platform.api("GET", path, { token })).toMatchObject({ status: 200, body: { entries: [] } });
  const answer = await put([
    { model: "*", percentage: "-12.5" },
    { model: "fast", percentage: "5", fixedPerRequest: 1_000 },
  ]);
  expect(answer).toMatchObject({
    status: 200,
    body: {
      entries: [
        { model: "*", percentage: "-12.5", fixedPerRequest: 0, price: null, usd: { fixedPerRequest: "0.000000000" } },
        {
          model: "fast",
          percentage: "5",
          fixedPerRequest: 1_000,
          price: null,
          usd: { fixedPerRequest: "0.000001000" },
        },
      ],
    },
  });
  const key = await findKeyById(database.connect("tollgate_gateway"), tenant.keyId);
  expect(key?.organization.priceList).toEqual(
    expect.arrayContaining([
      { modelGroup: "*", terms: { shareMillionths: -125_000n, fixedNanoUsd: 0n } },
      { modelGroup: "fast", terms: { shareMillionths: 50_000n, fixedNanoUsd: 1_000n } },
    ]),
  );
  for (const wrong of [
    [{ model: "*", percentage: "-101" }],
    [{ model: "*", percentage: "ten" }],
    [
      { model: "a", percentage: "1" },
      { model: "a", percentage: "2" },
    ],
    [{ model: "a", percentage: "1", fixedPerRequest: -1 }],
    [{ model: "a" }],
    [{ model: "a", percentage: "1", price: { perRequest: 1 } }],
    [{ model: "a", fixedPerRequest: 1, price: { perRequest: 1 } }],
    [{ model: "*", price: { perRequest: 1 } }],
    [{ model: "a", price: {} }],
    [{ model: "a", price: { inputPerMillionTokens: 1 } }],
    [{ model: "a", price: { perRequest: 1, rules: [{ perRequest: 2 }] } }],
  ]) {
    expect((await put(wrong)).status).toBe(400);
  }
  const user = await platform.addUser();
  expect((await platform.api("GET", path, { token: user.token })).status).toBe(403);
  expect((await platform.api("GET", "/api/admin/organizations/org_x/prices", { token })).status).toBe(404);
  expect((await put([])).status).toBe(200);
});

test("of concurrent replacements, one takes effect as a whole, and each records what it replaced", async ({
  platform,
  database,
}) => {
  const { token } = await platform.addUser({ role: "admin" });
  const tenant = await addTenant(database.connect("tollgate_platform"));
  const path = `/api/admin/organizations/${tenant.organizationId}/prices`;
  const models = ["a", "b", "c", "d", "e", "f"];
  const answers = await Promise.all(
    models.map((model) =>
      platform.api("PUT", path, {
        token,
        body: { entries: ["*", model].map((one) => ({ model: one, percentage: "1" })) },
      }),
    ),
  );
  expect(answers.map(({ status }) => status)).toEqual(models.map(() => 200));
  const { body } = await platform.api("GET", path, { token });
  const log = await platform.api("GET", "/api/admin/audit-log?action=organization.prices_changed", { token });
  const entries = (log.body.data as readonly { before: object; after: object; target: { id: string } }[]).filter(
    ({ target }) => target.id === tenant.organizationId,
  );
  const modelsIn = (list: object) => (list as typeof body).entries.map(({ model }: { model: string }) => model).join();
  // Each replaced the list of another, except for the first. Nothing has replaced the last.
  const replaced = entries.map(({ before }) => modelsIn(before));
  expect([...replaced, modelsIn(body)].toSorted()).toEqual(["", ...models.map((model) => `*,${model}`)]);
});

test("an organization can have a fixed price with rates under conditions", async ({ platform, database }) => {
  const { token } = await platform.addUser({ role: "admin" });
  const tenant = await addTenant(database.connect("tollgate_platform"));
  const path = `/api/admin/organizations/${tenant.organizationId}/prices`;
  const price = {
    inputPerMillionTokens: 2_000_000_000,
    perImage: 5_000,
    rules: [{ serviceTier: "flex", inputPerMillionTokens: 1_000_000_000 }],
  };
  const answer = await platform.api("PUT", path, { token, body: { entries: [{ model: "fast", price }] } });
  const entries = [{ model: "fast", percentage: null, fixedPerRequest: 0, price }];
  expect(answer).toMatchObject({ status: 200, body: { entries } });
  expect(await platform.api("GET", path, { token })).toMatchObject({ status: 200, body: { entries } });
  const key = await findKeyById(database.connect("tollgate_gateway"), tenant.keyId);
  const terms = {
    prices: { input: 2_000_000n, perImage: 5_000_000n },
    rules: [{ when: { serviceTier: "flex" }, prices: { input: 1_000_000n } }],
  };
  expect(key?.organization.priceList).toEqual([{ modelGroup: "fast", terms }]);
});

test("the margin report is for administrators", async ({ platform }) => {
  const { token } = await platform.addUser({ role: "admin" });
  for (const groupBy of ["model", "provider", "organization", "day"]) {
    const { status, body } = await platform.api("GET", `/api/admin/margins?groupBy=${groupBy}`, { token });
    expect(status).toBe(200);
    expect(body).toMatchObject({ groupBy, data: [], totals: { requests: 0, margin: 0 } });
  }
  const user = await platform.addUser();
  expect((await platform.api("GET", "/api/admin/margins", { token: user.token })).status).toBe(403);
});
