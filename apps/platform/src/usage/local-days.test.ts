import { closeDay } from "@tollgate/db/ledger/usage-partitions.ts";
import { makeUuidV7 } from "@tollgate/domain/ids.ts";
import { querySql } from "@tollgate/testkit/database.ts";
import { test } from "@tollgate/testkit/test.ts";
import { expect, onTestFinished } from "vitest";
import { startReports } from "./usage.fixture.ts";

const QUARTER_MS = 900_000;
const STEP_MS = 37 * 60_000;
/** The time range includes clock changes in Europe, America, and Egypt. */
const [FROM, TO] = ["2025-10-24T00:00:00.000Z", "2025-11-05T00:00:00.000Z"];
const zones = [
  "UTC",
  "Europe/Prague",
  "America/New_York",
  "America/Los_Angeles",
  "America/St_Johns", // UTC−3:30 and UTC−2:30.
  "Asia/Kolkata", // UTC+5:30.
  "Asia/Kathmandu", // UTC+5:45.
  "Australia/Lord_Howe",
  "Pacific/Chatham", // UTC+13:45.
  "Pacific/Apia",
  "Pacific/Marquesas", // UTC−9:30.
  "Africa/Cairo", // The clock changes at midnight.
];

interface Row {
  readonly group: Record<string, string>;
  readonly cost: number;
  readonly requests: number;
}

test("local days match the calls and the ledger in every time zone and across clock changes", async ({ database }) => {
  const reports = await startReports(database);
  onTestFinished(() => reports.platform.close());
  const { platform, owner, worker } = reports;
  const [fromMs, toMs] = [Date.parse(FROM), Date.parse(TO)];
  // Make a call every 37 minutes, so that every quarter hour has a call on some day.
  const calls = Array.from({ length: Math.floor((toMs - fromMs) / STEP_MS) }, (_, index) => ({
    id: makeUuidV7(fromMs + index * STEP_MS),
    cost: BigInt(1 + ((index * 7_919) % 1_000)),
    atMs: fromMs + index * STEP_MS,
    isBilled: index % 5 !== 0,
  }));
  // Settle the calls in batches, each of which spans the whole time range.
  for (let first = 0; first < 6; first += 1) {
    await reports.settle(calls.filter((_, index) => index % 6 === first).map(({ atMs: _, ...call }) => call));
  }
  for (const day of ["24", "25", "26", "28"]) expect(await closeDay(worker, `2025-10-${day}`)).toBe("sealed");
  const ask = async (path: string) => (await platform.api("GET", path, { token: owner.token })).body;
  const sum = (rows: readonly { readonly cost: bigint | number }[]) =>
    rows.reduce((total, { cost }) => total + Number(cost), 0);

  for (const zone of zones) {
    const format = new Intl.DateTimeFormat("en-CA", { timeZone: zone });
    const byDay = (chosen: typeof calls) => {
      const days = Map.groupBy(chosen, ({ atMs }) => format.format(atMs));
      return [...days].map(([day, list]) => [day, list.length, sum(list)]).toSorted();
    };
    const shown = ({ data }: { data: Row[] }) => data.map(({ group, requests, cost }) => [group.day, requests, cost]);
    const times = `startDate=${FROM}&endDate=${TO}`;
    const days = await ask(`/api/gw/usage?groupBy=day&timezone=${zone}&${times}`);
    expect(shown(days), zone).toEqual(byDay(calls));
    expect(sum(days.data)).toBe(days.totals.cost);
    expect(days.meta).toMatchObject({ startDate: FROM, endDate: TO, timezone: zone });
    const hours = await ask(`/api/gw/usage?groupBy=hour&timezone=${zone}&${times}`);
    expect(sum(hours.data), zone).toBe(days.totals.cost);
    const minutes = new Intl.DateTimeFormat("en", { timeZone: zone, minute: "numeric" });
    const isHour = ({ group }: Row) => minutes.format(Date.parse(group.hour as string)) === "0";
    expect(hours.data.filter((row: Row) => !isHour(row))).toEqual([]);

    // Dates in a query are days in the given time zone.
    const dated = await ask(`/api/gw/usage?timezone=${zone}&startDate=2025-10-25&endDate=2025-11-03`);
    const inside = calls.filter(
      ({ atMs }) => format.format(atMs) >= "2025-10-25" && format.format(atMs) <= "2025-11-03",
    );
    expect(shown(dated), zone).toEqual(byDay(inside));
    const strip = await ask(`/api/gw/usage/reconcile?startDate=${dated.meta.startDate}&endDate=${dated.meta.endDate}`);
    expect(strip, zone).toMatchObject({
      rollups: { cost: sum(inside) },
      logs: { cost: sum(inside), rows: inside.length },
      ledger: { cost: sum(inside.filter(({ isBilled }) => isBilled)) },
      unbilled: sum(inside.filter(({ isBilled }) => !isBilled)),
      difference: 0,
    });
  }
});

test("reports use the organization's time zone, and unknown time zones are rejected", async ({ database }) => {
  const reports = await startReports(database);
  onTestFinished(() => reports.platform.close());
  const { platform, owner } = reports;
  const change = (timezone: string | null) =>
    platform.api("PUT", "/api/gw/organizations", { token: owner.token, body: { settings: { timezone } } });
  expect((await change("Asia/Kolkata")).body.organization.settings.timezone).toBe("Asia/Kolkata");
  await reports.settle([{ id: makeUuidV7(Date.parse("2025-11-23T18:45:00Z")), cost: 3n }]);
  const times = "startDate=2025-11-01&endDate=2025-11-30";
  const ask = (query: string) => platform.api("GET", `/api/gw/usage?${query}`, { token: owner.token });
  const usage = (await ask(times)).body;
  expect(usage.data).toMatchObject([{ group: { day: "2025-11-24" }, cost: 3 }]);
  expect(usage.meta).toMatchObject({ startDate: "2025-10-31T18:30:00.000Z", timezone: "Asia/Kolkata" });
  expect((await ask(`${times}&timezone=UTC`)).body.data).toMatchObject([{ group: { day: "2025-11-23" } }]);
  for (const zone of ["Mars/Olympus", "+05:30", ""]) {
    expect((await ask(`${times}&timezone=${encodeURIComponent(zone)}`)).status, zone).toBe(400);
    expect((await change(zone)).status, zone).toBe(400);
  }
  expect((await change(null)).body.organization.settings.timezone).toBe("UTC");
});

test("the previous period is summed separately, and every grouping has the same totals", async ({ database }) => {
  const reports = await startReports(database);
  onTestFinished(() => reports.platform.close());
  const { platform, owner } = reports;
  const at = (text: string, cost: bigint) => ({ id: makeUuidV7(Date.parse(text)), cost });
  await reports.settle([
    at("2025-11-24T10:00:00Z", 100n),
    at("2025-11-25T10:00:00Z", 10n),
    { ...at("2025-11-26T23:59:59Z", 0n), latencyMs: 40 },
    at("2025-11-27T00:00:00Z", 1n),
  ]);
  await querySql(
    database.connectionString,
    `insert into refused_rollups values ('${owner.organizationId}', '2025-11-27T08:00:00Z', '${owner.teamId}', '${reports.keyId}', 'fast', 4)`,
  );
  const ask = async (query: string) =>
    (
      await platform.api("GET", `/api/gw/usage?startDate=2025-11-27&endDate=2025-11-28&${query}`, {
        token: owner.token,
      })
    ).body;
  const usage = await ask("compare=previous");
  expect(usage.totals).toMatchObject({ requests: 5, succeeded: 1, refused: 4, errorRate: 0, cost: 1 });
  expect(usage.previous).toMatchObject({
    totals: { requests: 2, refused: 0, cost: 10 },
    startDate: "2025-11-25T00:00:00.000Z",
    endDate: "2025-11-27T00:00:00.000Z",
  });
  const { previous } = (
    await platform.api(
      "GET",
      "/api/gw/usage?startDate=2025-11-25&endDate=2025-11-27T12:00:00Z&compare=previous&timezone=UTC",
      { token: owner.token },
    )
  ).body;
  // Three days, of which the last one is half over, are compared with as much of the three days before them.
  expect(previous).toMatchObject({
    totals: { requests: 1, cost: 100 },
    startDate: "2025-11-22T00:00:00.000Z",
    endDate: "2025-11-24T12:00:00.000Z",
  });
  expect((await ask("")).previous).toBeUndefined();
  const byProvider = await ask("groupBy=provider");
  expect(byProvider.totals).toEqual(usage.totals);
  expect(byProvider.data).toMatchObject([
    { group: { provider: "" }, requests: 4, refused: 4 },
    { group: { provider: "openai" }, requests: 1, refused: 0 },
  ]);
  expect((await ask("groupBy=model,hour")).data).toMatchObject([
    { group: { model: "fast", hour: "2025-11-27T00:00:00.000Z" }, requests: 1, refused: 0 },
    { group: { model: "fast", hour: "2025-11-27T08:00:00.000Z" }, requests: 4, refused: 4, p50LatencyMs: null },
  ]);
});

test("dataUntil is the time of the oldest usage that a gateway has not yet delivered", async ({ database }) => {
  const reports = await startReports(database);
  onTestFinished(() => reports.platform.close());
  const { platform, owner } = reports;
  const dataUntil = async () => {
    const { body } = await platform.api("GET", "/api/gw/usage", { token: owner.token });
    return Date.parse(body.meta.dataUntil);
  };
  const askedAtMs = Date.now();
  const untilMs = await dataUntil();
  expect(untilMs).toBeGreaterThanOrEqual(askedAtMs);
  expect(untilMs).toBeLessThanOrEqual(Date.now());
  await querySql(
    database.connectionString,
    `insert into gateway_nodes (node_id, epoch, alive_until, oldest_unconfirmed_at) values
      ('node_01J00000000000000000000000', 1, now() + interval '30 seconds', '2026-01-02T03:04:05Z'),
      ('node_01J00000000000000000000001', 1, now() - interval '2 days', '2025-01-02T03:04:05Z')`,
  );
  expect(await dataUntil()).toBe(Date.parse("2026-01-02T03:04:05Z"));
});

test("the reconciliation shows the exact amount of a manual rollup change and is visible only to organization admins", async ({
  database,
}) => {
  const reports = await startReports(database);
  onTestFinished(() => reports.platform.close());
  const { platform, owner } = reports;
  await reports.settle(
    Array.from({ length: 50 }, (_, index) => ({ agoMs: index * QUARTER_MS, cost: BigInt(index + 1), isBilled: true })),
  );
  const look = async (token = owner.token, query = "") =>
    (await platform.api("GET", `/api/gw/usage/reconcile?${query}`, { token })).body;
  const total = (50 * 51) / 2;
  // A range that ends in the future also includes the current day.
  const tomorrow = `endDate=${new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)}`;
  const [{ checkedAt: _, meta: __, ...today }, later] = [await look(), await look(owner.token, tomorrow)];
  expect(later).toMatchObject(today);
  expect(today).toMatchObject({
    rollups: { cost: total, usd: { cost: "0.000001275" } },
    logs: { cost: total, rows: 50 },
    ledger: { cost: total, postings: 1 },
    unbilled: 0,
    difference: 0,
  });
  await querySql(
    database.connectionString,
    "update usage_rollups set cost = cost + 7 where bucket_at = (select max(bucket_at) from usage_rollups)",
  );
  expect(await look()).toMatchObject({
    rollups: { cost: total + 7 },
    logs: { cost: total },
    ledger: { cost: total },
    difference: 7,
    usd: { difference: "0.000000007" },
  });
  const member = await platform.addMember(owner.organizationId, "member", { [owner.teamId]: "admin" });
  expect(await look(member.token)).toMatchObject({ error: expect.anything() });
  const stranger = await platform.addUser();
  expect(await look(stranger.token)).toMatchObject({ logs: { rows: 0 }, ledger: { postings: 0 }, difference: 0 });
});
