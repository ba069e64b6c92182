import { startTestPlatform } from "@tollgate/platform/platform.fixture.ts";
import { test } from "@tollgate/testkit/test.ts";
import { expect, onTestFinished } from "vitest";
import { type ApiError, NotFoundError } from "../http/api-error.ts";
import { PlatformClient } from "./platform-client.ts";

test("amounts above 2^53 are sent and received without losing digits", async ({ database }) => {
  const platform = await startTestPlatform(database);
  onTestFinished(() => platform.close());
  const administrator = await platform.addUser({ role: "admin" });
  const owner = await platform.addUser();
  const amount = 9_007_199_254_740_993n; // 2^53 + 1, which a double cannot represent
  const admin = new PlatformClient({ platformUrl: platform.url, token: administrator.token });
  const granted = await admin.call("createCreditTransaction", {
    params: { id: owner.organizationId },
    body: { amount, reason: "a large one" },
    idempotencyKey: "large-1",
  });
  expect(granted.quota.balance).toBe(amount);
  const client = new PlatformClient({ platformUrl: `${platform.url}/`, token: () => owner.token });
  const balance = await client.call("getBalance");
  expect(balance.balance).toBe(amount);
  expect(balance.usd.balance).toBe("9007199.254740993");
  const { quota } = await client.call("getQuota");
  expect([quota.balance, quota.totalGranted]).toEqual([amount, amount]);
  const transactions = await client.call("listCreditTransactions", { query: { pageSize: 5 } });
  expect(transactions.data.map((entry) => entry.amount)).toEqual([amount]);
});

test("a failed call throws an error with its code, reason, and request ID", async ({ database }) => {
  const platform = await startTestPlatform(database);
  onTestFinished(() => platform.close());
  const owner = await platform.addUser();
  const client = new PlatformClient({ platformUrl: platform.url, token: owner.token });
  const refused = await client.call("getTeam", { params: { id: "team_none" } }).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(NotFoundError);
  expect(refused).toMatchObject({ status: 404, code: "NOT_FOUND", reason: "UNKNOWN_OBJECT" });
  expect((refused as ApiError).requestId).toMatch(/./);
  const signedOut = new PlatformClient({ platformUrl: platform.url });
  await expect(signedOut.call("getBalance")).rejects.toMatchObject({ status: 401, code: "UNAUTHORIZED" });
});
