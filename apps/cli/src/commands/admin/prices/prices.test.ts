import { startTestPlatform } from "@tollgate/platform/platform.fixture.ts";
import { addTenant } from "@tollgate/testkit/tenants.ts";
import { test as engines } from "@tollgate/testkit/test.ts";
import { expect } from "vitest";
import { testCli } from "../../../cli.fixture.ts";

const test = engines.extend("platform", { scope: "file" }, async ({ database }, { onCleanup }) => {
  const platform = await startTestPlatform(database);
  onCleanup(() => platform.close());
  return platform;
});

test("sets, lists, and deletes an organization's prices", async ({ platform, database }) => {
  const admin = await platform.addUser({ role: "admin" });
  const cli = testCli({ env: { TOLLGATE_URL: platform.url } });
  cli.signIn(platform.url, admin.token);
  const { organizationId: id } = await addTenant(database.connect("tollgate_platform"));
  const prices = async (...args: string[]) => await cli.run(["admin", "prices", ...args]);
  const list = async () => JSON.parse((await prices("list", id, "--json")).stdout).data;

  expect(await prices("set", id, "--percentage=-10", "--request-price", "0.001")).toMatchObject({ code: 0 });
  const fixed = ["--model", "fast", "--input-price", "2", "--output-price", "8.5"];
  expect(await prices("set", id, ...fixed)).toMatchObject({ code: 0 });
  const discount = { model: "*", percentage: "-10", fixedPerRequest: 1_000_000, price: null };
  const price = { inputPerMillionTokens: 2_000_000_000, outputPerMillionTokens: 8_500_000_000 };
  expect(await list()).toEqual([discount, { model: "fast", percentage: null, fixedPerRequest: 0, price }]);
  const table = await cli.run(["admin", "prices", "list", id, "--no-color"], { terminal: { columns: 140 } });
  expect(table.stdout).toMatch(/all others +-10%, \+\$0\.001 per request\n *fast +fixed: \$2\.00 in, \$8\.50 out/);

  expect(await prices("set", id, "--model", "fast", "--percentage", "5")).toMatchObject({ code: 0 });
  expect((await list())[1]).toMatchObject({ model: "fast", percentage: "5", price: null });
  expect((await prices("list", id, "--no-color")).stdout).toMatch(/fast\s+\+5%\s*$/m);
  expect(await prices("delete", id, "--model", "fast")).toMatchObject({ code: 0 });
  expect(await list()).toEqual([discount]);

  for (const wrong of [
    [],
    ["--input-price", "2"],
    ["--percentage", "x"],
    ["--percentage", "1", "--model", "fast", "--input-price", "2"],
  ]) {
    expect(await prices("set", id, ...wrong)).toMatchObject({ code: 2 });
  }
  expect(await prices("delete", id, "--model", "other")).toMatchObject({ code: 2 });
});
