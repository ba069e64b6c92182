import { makeUuidV7 } from "@tollgate/domain/ids.ts";
import { NO_USAGE } from "@tollgate/domain/pricing/usage.ts";
import type { TestDatabase } from "@tollgate/testkit/database.ts";
import { test } from "@tollgate/testkit/test.ts";
import { expect, onTestFinished } from "vitest";
import { DAY_MS, startReports } from "./usage.fixture.ts";

const HOUR_MS = 3_600_000;

async function start(database: TestDatabase) {
  const reports = await startReports(database);
  onTestFinished(() => reports.platform.close());
  const sessions = async (query = "", token = reports.owner.token) =>
    (await reports.platform.api("GET", `/api/gw/sessions?${query}`, { token })).body;
  return { reports, sessions };
}

test("sums the requests of each session, with those that were refused", async ({ database }) => {
  const { reports, sessions } = await start(database);
  const other = await reports.addKey(reports.owner.teamId, "other");
  const usage = { ...NO_USAGE, inputTokens: 100, cacheReadTokens: 20, outputTokens: 7 };
  const free = { priceVersionId: null, cost: 0n, usage };
  const [firstAtMs, lastAtMs] = [Date.now() - 3 * HOUR_MS, Date.now() - HOUR_MS];
  await reports.settle([
    { id: makeUuidV7(firstAtMs), session: "one", ...free },
    { agoMs: 2 * HOUR_MS, session: "one", cost: 5n, keyId: other.keyId, modelGroup: "slow" },
    { agoMs: 2 * HOUR_MS, session: "one", status: "failure", httpStatus: 503, errorCode: "internal_error" },
    { agoMs: 2 * HOUR_MS, session: "two", cost: 9n },
    { agoMs: 2 * HOUR_MS, cost: 100n },
    { agoMs: 2 * DAY_MS, session: "old" },
  ]);
  await reports.refuse("rate_limit_exceeded", { id: makeUuidV7(lastAtMs), session: "one" });
  const list = await sessions();
  expect(list.meta).toEqual({ page: 1, pageSize: 20, total: 2, totalPages: 1 });
  expect(list.data.map(({ session }: { session: string }) => session)).toEqual(["one", "two"]);
  expect(list.data[0]).toEqual({
    session: "one",
    firstAt: new Date(firstAtMs).toISOString(),
    lastAt: new Date(lastAtMs).toISOString(),
    ...{ requests: 4, succeeded: 2, failed: 1, refused: 1, rejected: 0, canceled: 0 },
    ...{ promptTokens: 125, completionTokens: 7, totalTokens: 132 },
    cost: 5,
    models: ["fast", "slow"],
    apiKeys: [
      { id: reports.keyId, name: "ci" },
      { id: other.keyId, name: "other" },
    ].sort((one, next) => one.id.localeCompare(next.id)),
    usd: { cost: "0.000000005" },
  });
  expect((await sessions("sort=-cost")).data[0]).toMatchObject({ session: "two", cost: 9 });
  expect((await sessions("pageSize=1&page=2")).data).toMatchObject([{ session: "two" }]);
  expect(await sessions("page=9")).toMatchObject({ data: [], meta: { total: 2 } });
  expect((await sessions("session=two")).data).toMatchObject([{ requests: 1 }]);
  expect((await sessions(`apiKey=${other.keyId}`)).data).toMatchObject([{ session: "one", requests: 1, cost: 5 }]);
  const earlier = new Date(Date.now() - 3 * DAY_MS).toISOString();
  expect((await sessions(`startDate=${earlier}`)).meta.total).toBe(3);
  expect(await sessions("startDate=2026-01-01&endDate=2026-06-01")).toMatchObject({
    details: { fields: { startDate: expect.stringContaining("92 days") } },
  });
});

test("a member sees only the requests of their own teams", async ({ database }) => {
  const { reports, sessions } = await start(database);
  const hidden = await reports.addTeam("Hidden");
  const { keyId } = await reports.addKey(hidden, "hidden");
  await reports.settle([
    { agoMs: HOUR_MS, session: "shared", cost: 5n },
    { agoMs: HOUR_MS, session: "shared", cost: 7n, teamId: hidden, keyId },
    { agoMs: HOUR_MS, session: "secret", teamId: hidden, keyId },
  ]);
  const member = await reports.platform.addMember(reports.owner.organizationId, "member", {
    [reports.owner.teamId]: "member",
  });
  expect((await sessions()).meta.total).toBe(2);
  const shown = await sessions("", member.token);
  expect(shown.data).toMatchObject([{ session: "shared", requests: 1, cost: 5 }]);
  const stranger = await reports.platform.addUser();
  expect((await sessions("", stranger.token)).data).toEqual([]);
});
