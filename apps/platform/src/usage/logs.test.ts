import { runAsAdministrator } from "@tollgate/db/tenancy.ts";
import { logRefusedCalls } from "@tollgate/db/usage/write-calls.ts";
import {
  addCounts,
  type ClassCounts,
  classOfSettled,
  classOfUnsettled,
  NO_REQUESTS,
  REQUEST_CLASSES,
  type SettledStatus,
} from "@tollgate/domain/figures/request-class.ts";
import { makeUuidV7, uuidToCrockford } from "@tollgate/domain/ids.ts";
import { NO_USAGE } from "@tollgate/domain/pricing/usage.ts";
import { querySql } from "@tollgate/testkit/database.ts";
import { test } from "@tollgate/testkit/test.ts";
import { TEST_PRICE } from "@tollgate/testkit/usage-events.ts";
import fc from "fast-check";
import { expect, onTestFinished } from "vitest";
import { DAY_MS, startReports } from "./usage.fixture.ts";

const HOUR_MS = 3_600_000;

interface Bar extends ClassCounts {
  readonly at: string;
  readonly requests: number;
}

test("calls are listed newest first, with usage and cost", async ({ database }) => {
  const reports = await startReports(database);
  onTestFinished(() => reports.platform.close());
  const { owner, keyId } = reports;
  const usage = {
    ...NO_USAGE,
    inputTokens: 100,
    cacheReadTokens: 20,
    cacheWriteTokens: 3,
    outputTokens: 7,
    reasoningTokens: 2,
    images: 4,
    audioMs: 1_250,
    source: "estimated",
  } as const;
  const tried = { attempts: 3, fallbackFrom: "faster", endUser: "ann", session: "task-1" };
  const [older, newer] = await reports.settle([
    {
      agoMs: HOUR_MS,
      usage,
      cost: 0n,
      priceVersionId: null,
      requestId: "mine",
      isStream: true,
      latencyMs: 900,
      ...tried,
    },
    { agoMs: 1_000, cost: 5n, status: "client_disconnect", httpStatus: 499 },
  ]);
  const list = await reports.logs();
  const counts = { ...NO_REQUESTS, requests: 2, succeeded: 1, canceled: 1 };
  expect(list.meta).toEqual({ page: 1, pageSize: 20, total: 2, totalPages: 1, counts, nextCursor: null });
  expect(list.data.map(({ id }: { id: string }) => id)).toEqual([newer, older]);
  expect(list.data[0]).toMatchObject({
    class: "canceled",
    weight: 1,
    cost: 5,
    usd: { cost: "0.000000005" },
    httpStatus: 499,
  });
  const usual = { attempts: 1, fallbackFrom: null, endUser: null, session: null, images: 0, audioSeconds: 0 };
  expect(list.data[0]).toMatchObject(usual);
  expect(list.data[1]).toMatchObject({
    requestId: "mine",
    organizationId: owner.organizationId,
    teamId: owner.teamId,
    apiKeyId: keyId,
    apiKeyName: "ci",
    ...tried,
    images: 4,
    audioSeconds: 1.25,
    model: "fast",
    provider: "openai",
    endpoint: "chat.completions",
    stream: true,
    class: "succeeded",
    promptTokens: 123,
    cachedTokens: 20,
    completionTokens: 7,
    reasoningTokens: 2,
    totalTokens: 130,
    latencyMs: 900,
    timeToFirstTokenMs: 40,
    usageSource: "estimated",
    settlement: { state: "settled" },
  });
  expect(list.data[1].teamName).toEqual(expect.any(String));
  // A call can be found by its ID and by its client's label.
  for (const name of [older, "mine"]) {
    const one = await reports.platform.api("GET", `/api/gw/logs/${name}`, { token: owner.token });
    expect(one.body.log).toEqual({
      ...list.data[1],
      content: null,
      contentState: "off",
      costLines: expect.any(Array),
      promptCache: null,
      price: null,
      route: { attempts: 3, fallbackFrom: "faster", deploymentId: "fast-1", provider: "openai" },
      refusal: null,
    });
  }
});

test("the requests of a session are listed with those that were refused, and exported, over several days", async ({
  database,
}) => {
  const reports = await startReports(database);
  onTestFinished(() => reports.platform.close());
  const [first, second] = await reports.settle([
    { agoMs: 2 * DAY_MS, session: "task/1, ü", cost: 3n },
    { agoMs: HOUR_MS, session: "task/1, ü", cost: 4n },
    { agoMs: HOUR_MS, session: "s".repeat(200) },
    { agoMs: HOUR_MS },
  ]);
  const refused = await reports.refuse("rate_limit_exceeded", { session: "task/1, ü" });
  const named = `session=${encodeURIComponent("task/1, ü")}`;
  const list = await reports.logs(named);
  expect(list.data.map(({ id }: { id: string }) => id)).toEqual([`use_${uuidToCrockford(refused)}`, second, first]);
  expect(list.data.map(({ session }: { session: string }) => session)).toEqual(Array(3).fill("task/1, ü"));
  expect(list.meta).toMatchObject({ total: 3, counts: { requests: 3, succeeded: 2, refused: 1 } });
  expect((await reports.logs(`${named}&sort=-cost`)).data.map(({ cost }: { cost: number }) => cost)).toEqual([4, 3, 0]);
  expect((await reports.logs("session=task")).meta.total).toBe(0);
  // Only the first 128 characters are stored.
  expect((await reports.logs(`session=${"s".repeat(200)}`)).meta.total).toBe(1);
  const file = await reports.platform.api("GET", `/api/gw/logs?format=csv&${named}`, { token: reports.owner.token });
  const [head, ...lines] = file.text.trimEnd().split("\r\n");
  expect(head).toMatch(/,session,costUsd$/);
  expect(lines).toHaveLength(3);
  for (const line of lines) expect(line).toContain(',"task/1, ü",');
});

test("a call's cost is itemized by unit, with the price at which each unit was charged", async ({ database }) => {
  const reports = await startReports(database);
  onTestFinished(() => reports.platform.close());
  const { owner, platform } = reports;
  const [id] = await reports.settle([
    { cost: 40n, usage: { ...NO_USAGE, inputTokens: 20, cacheReadTokens: 10, outputTokens: 10, reasoningTokens: 4 } },
  ]);
  const { log } = (await platform.api("GET", `/api/gw/logs/${id}`, { token: owner.token })).body;
  expect(log.costLines).toMatchObject([
    { unit: "input", count: 20, ratePerMillion: 1_000_000, amount: 20, usd: { ratePerMillion: "0.001000000" } },
    { unit: "cached_input", count: 10, amount: 10 },
    { unit: "output", count: 6, amount: 6 },
    { unit: "reasoning", count: 4, amount: 4 },
  ]);
  expect(log.price).toMatchObject({ versionId: TEST_PRICE.id, source: TEST_PRICE.model });
  // The test price has no rate of its own for cached input, so the cache saved nothing.
  expect(log.promptCache).toEqual({ hitRate: 10 / 30, saved: 0, usd: { saved: "0.000000000" } });
});

test("a refused call has an explanation, and missing content has a reason", async ({ database }) => {
  const reports = await startReports(database);
  onTestFinished(() => reports.platform.close());
  const { owner, platform } = reports;
  const show = async (id: string) => (await platform.api("GET", `/api/gw/logs/${id}`, { token: owner.token })).body.log;
  expect(await show(await reports.refuse("QUOTA_EXCEEDED"))).toMatchObject({
    refusal: {
      code: "QUOTA_EXCEEDED",
      message: "The organization does not have enough credit for this request.",
      limit: { kind: "credit", ownerType: "organization", maximum: "0.000000000" },
      fix: expect.stringContaining("Buy credits"),
    },
    contentState: "not_captured",
    costLines: [],
  });
  expect(await show(await reports.refuse("a_code_of_tomorrow"))).toMatchObject({
    refusal: { code: "a_code_of_tomorrow", limit: null, fix: null },
  });
  const limit = { kind: "requests", ownerType: "key", ownerName: "ci", current: 2, maximum: 2 };
  const facts = { limit: { ...limit, resetsAt: "2026-11-16T12:00:00.000Z" }, fix: "Wait until 12:00." };
  expect(await show(await reports.refuse("rate_limit_exceeded", { facts, weight: 9 }))).toMatchObject({
    ...{ class: "refused", weight: 9 },
    refusal: { limit: { ...facts.limit, current: "2", maximum: "2" }, fix: "Wait until 12:00.", facts },
  });
  const unknown = { httpStatus: 404, requestedModel: "sim/ech", param: "model", facts: { limit: "unreadable" } };
  expect(await show(await reports.refuse("model_not_found", unknown))).toMatchObject({
    ...{ class: "rejected", requestedModel: "sim/ech", param: "model", contentState: "not_captured" },
    refusal: { code: "model_not_found", limit: null, requestedModel: "sim/ech", param: "model" },
  });
  const [old, recent] = await reports.settle([{ agoMs: 31 * DAY_MS }, {}]);
  expect(await show(recent as string)).toMatchObject({ contentState: "off", refusal: null });
  await platform.api("PUT", "/api/gw/organizations", { token: owner.token, body: { settings: { logPrompts: true } } });
  expect(await show(recent as string)).toMatchObject({ contentState: "not_captured" });
  expect(await show(old as string)).toMatchObject({ contentState: "expired" });
});

test("one request returns a page and the histogram of all pages, including empty buckets", async ({ database }) => {
  const reports = await startReports(database);
  onTestFinished(() => reports.platform.close());
  await reports.settle([
    { agoMs: HOUR_MS },
    { agoMs: HOUR_MS, status: "failure" },
    { agoMs: 5 * DAY_MS, modelGroup: "slow" },
  ]);
  const { data, histogram } = await reports.logs("include=histogram&pageSize=1");
  expect(data).toHaveLength(1);
  expect(histogram).toMatchObject({ bucketMinutes: 120, isExact: true });
  expect(histogram.buckets.length).toBeGreaterThanOrEqual(84);
  expect(histogram.buckets.length).toBeLessThanOrEqual(96);
  const filled = (bars: Bar[]) =>
    bars.filter(({ requests }) => requests > 0).map(({ requests, failed }) => [requests, failed]);
  expect(filled(histogram.buckets)).toEqual([
    [1, 0],
    [2, 1],
  ]);
  const errors = await reports.logs("include=histogram&class=failed");
  expect(filled(errors.histogram.buckets)).toEqual([[1, 1]]);
  const slow = await reports.logs("include=histogram&model=slow&stream=false");
  expect([slow.histogram.isExact, filled(slow.histogram.buckets)]).toEqual([true, [[1, 0]]]);
  expect((await reports.logs()).histogram).toBeUndefined();
  const months = await reports.logs(`include=histogram&startDate=${new Date(Date.now() - 91 * DAY_MS).toISOString()}`);
  expect(months.histogram.bucketMinutes).toBe(1_440);
  expect(filled(months.histogram.buckets)).toEqual([
    [1, 0],
    [2, 1],
  ]);
});

test("members see their teams' calls, owners and admins see all calls, and other organizations see no calls", async ({
  database,
}) => {
  const reports = await startReports(database);
  onTestFinished(() => reports.platform.close());
  const { owner, platform } = reports;
  const otherTeam = await reports.addTeam("Other");
  const otherKey = await reports.addKey(otherTeam, "other");
  const [own, foreign] = await reports.settle([{}, { teamId: otherTeam, keyId: otherKey.keyId }]);
  const member = await platform.addMember(owner.organizationId, "member", { [owner.teamId]: "admin" });
  const admin = await platform.addMember(owner.organizationId, "admin");
  const teamless = await platform.addMember(owner.organizationId, "member");
  const stranger = await platform.addUser();
  const seenBy = async (token: string, query = "") =>
    (await reports.logs(query, token)).data.map(({ id }: { id: string }) => id).toSorted();
  expect(await seenBy(member.token)).toEqual([own]);
  expect(await seenBy(member.token, `teamId=${otherTeam}`)).toEqual([]);
  expect(await seenBy(member.token, `apiKey=${otherKey.apiKey}`)).toEqual([]);
  expect(await seenBy(admin.token)).toEqual([own, foreign].toSorted());
  expect(await seenBy(teamless.token)).toEqual([]);
  expect(await seenBy(stranger.token)).toEqual([]);
  const show = async (token: string, id: string) => (await platform.api("GET", `/api/gw/logs/${id}`, { token })).status;
  expect(await show(member.token, own as string)).toBe(200);
  expect(await show(member.token, foreign as string)).toBe(404);
  expect(await show(stranger.token, own as string)).toBe(404);
  expect(await show(owner.token, "use_nonsense")).toBe(404);
  const usageOf = async (token: string) =>
    (await platform.api("GET", "/api/gw/usage", { token })).body.totals.requests as number;
  expect([await usageOf(member.token), await usageOf(admin.token), await usageOf(stranger.token)]).toEqual([1, 2, 0]);
  expect((await platform.api("GET", "/api/gw/logs")).status).toBe(401);
});

test("calls older than the log retention are hidden from lists, exports, and lookups, but remain in usage totals", async ({
  database,
}) => {
  const reports = await startReports(database);
  onTestFinished(() => reports.platform.close());
  const { platform, owner } = reports;
  const [recent, old] = await reports.settle([{ agoMs: DAY_MS }, { agoMs: 4 * DAY_MS }]);
  expect((await reports.logs()).meta.total).toBe(2);
  await runAsAdministrator(platform.services.db, (transaction) =>
    transaction.updateTable("organizations").set({ log_retention_days: 3 }).execute(),
  );
  const list = await reports.logs();
  expect([list.meta.total, list.data.map(({ id }: { id: string }) => id)]).toEqual([1, [recent]]);
  const file = await platform.api("GET", "/api/gw/logs?format=csv", { token: owner.token });
  expect(file.text.trimEnd().split("\r\n")).toHaveLength(2);
  expect((await platform.api("GET", `/api/gw/logs/${old}`, { token: owner.token })).status).toBe(404);
  expect((await platform.api("GET", `/api/gw/logs/${recent}`, { token: owner.token })).status).toBe(200);
  expect((await platform.api("GET", "/api/gw/usage", { token: owner.token })).body.totals.requests).toBe(2);
});

test("every combination of filter, sort, and page matches an in-memory reference", async ({ database }) => {
  const reports = await startReports(database);
  onTestFinished(() => reports.platform.close());
  const { owner } = reports;
  const otherTeam = await reports.addTeam("Other");
  const keys = [
    { teamId: owner.teamId, keyId: reports.keyId, apiKey: reports.apiKey },
    { teamId: otherTeam, ...(await reports.addKey(otherTeam, "other")) },
  ];
  const now = Date.now();
  const calls = Array.from({ length: 240 }, (_, index) => {
    const key = keys[index % 2] as (typeof keys)[number];
    const stored = (["success", "success", "failure", "client_disconnect"] as const)[index % 4] as SettledStatus;
    return {
      // The calls are spread over six days, with several per quarter hour.
      id: makeUuidV7(now - Math.floor((index * 6 * DAY_MS) / 240) - 60_000),
      teamId: key.teamId,
      keyId: key.keyId,
      modelGroup: index % 17 === 0 ? "rare" : `model-${index % 3}`,
      provider: index % 5 === 0 ? "acme" : "openai",
      endpoint: index % 7 === 0 ? "embeddings" : "chat.completions",
      requestId: `request-${index % 50}`,
      userId: index % 3 === 0 ? "7" : null,
      status: stored,
      httpStatus:
        stored === "success" ? 200 : stored === "failure" ? ([400, 500][index % 3 === 0 ? 0 : 1] as number) : 499,
      isStream: index % 3 === 1,
      // The response cache answers without an attempt.
      attempts: index % 12 === 0 ? 0 : 1,
      deploymentId: `model-${index % 2}`,
      errorCode: stored === "failure" ? (index % 8 === 2 ? "upstream_rate_limit" : "timeout") : null,
      cost: BigInt((index * 7919) % 97),
      latencyMs: (index * 31) % 5_000,
    };
  });
  const ids = await reports.settle(calls);
  const refused = Array.from({ length: 40 }, (_, index) => {
    const key = keys[index % 2] as (typeof keys)[number];
    return {
      id: makeUuidV7(now - Math.floor((index * 6 * DAY_MS) / 40) - 60_000),
      teamId: key.teamId,
      keyId: key.keyId,
      modelGroup: index % 3 === 0 ? "rare" : "",
      endpoint: "chat.completions",
      requestId: `request-${index % 50}`,
      userId: index % 3 === 0 ? "7" : null,
      isStream: false,
      httpStatus: [403, 404, 499, 500][index % 4] as number,
      errorCode: "model_access_denied",
      weight: index % 5 === 0 ? 7 : 1,
    };
  });
  await logRefusedCalls(
    database.connect("tollgate_gateway"),
    refused.map((call) => ({ ...call, organizationId: owner.organizationId })),
  );
  // Roll up half of the days, as if they were closed.
  await querySql(
    database.connectionString,
    "select sum_up_day(current_date - days) from generate_series(3, 6) as days",
  );
  const shown = [
    ...calls.map((call, index) => ({
      ...call,
      provider: call.provider as string | null,
      deploymentId: call.deploymentId as string | null,
      wire: ids[index] as string,
      class: classOfSettled(call) as string,
      weight: 1,
      isCached: call.attempts === 0 && call.status === "success",
    })),
    ...refused.map((call) => ({
      ...call,
      provider: null,
      deploymentId: null,
      wire: `use_${uuidToCrockford(call.id)}`,
      class: classOfUnsettled(call) as string,
      isCached: false,
      cost: 0n,
      latencyMs: 0,
    })),
  ];
  const noFilter = {
    ...{ model: undefined, provider: undefined, endpoint: undefined, requestId: undefined, userId: undefined },
    ...{ minCost: undefined, minLatencyMs: undefined, errorCode: undefined, deploymentId: undefined },
    ...{ stream: undefined, search: undefined, apiKey: undefined, teamId: undefined, sort: undefined },
    ...({ cached: undefined, fromAgo: undefined, toAgo: undefined, pageSize: 20, page: 1 } as const),
  };
  const choice = <T>(...values: T[]) => fc.option(fc.constantFrom(...values), { nil: undefined });
  const rarely = <T>(...values: T[]) => fc.option(fc.constantFrom(...values), { nil: undefined, freq: 1 });
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        model: choice("rare", "model-1", "model-0,model-2", "none"),
        provider: choice("acme", "openai"),
        class: choice<string>(
          "failed",
          "rejected",
          "succeeded",
          "canceled",
          "succeeded,canceled",
          "failed,refused",
          "refused",
        ),
        endpoint: choice("embeddings"),
        requestId: choice("request-7", "request-7,request-9"),
        userId: choice("7"),
        minCost: choice("90", "0"),
        minLatencyMs: rarely("4000", "0"),
        errorCode: rarely("timeout", "model_access_denied,timeout"),
        deploymentId: rarely("model-1"),
        stream: rarely("true", "false"),
        cached: rarely("true", "false"),
        search: rarely("request-1", "IMIT", "%", "e_acc"),
        apiKey: choice(keys[1]?.keyId, keys[0]?.apiKey),
        teamId: choice(otherTeam, owner.teamId),
        sort: choice("createdAt", "-cost", "cost", "latencyMs", "-totalTokens"),
        fromAgo: choice(2 * DAY_MS + 1_234_567, 4 * DAY_MS, 90_000),
        toAgo: choice(DAY_MS + 333_333),
        pageSize: fc.constantFrom(3, 20, 100),
        page: fc.constantFrom(1, 1, 2, 5),
      }),
      async ({ fromAgo, toAgo, ...query }) => {
        const [from, to] = [now - (fromAgo ?? 7 * DAY_MS), toAgo === undefined ? now + DAY_MS : now - toAgo];
        fc.pre(from < to);
        const has = (list: string | undefined, value: string | null) =>
          list === undefined || list.split(",").includes(value ?? "");
        const timeOf = (id: string) => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
        const field = (query.sort ?? "-createdAt").replace("-", "");
        const sign = (query.sort ?? "-createdAt").startsWith("-") ? -1 : 1;
        const measure = (call: (typeof shown)[number]) =>
          field === "cost" || field === "totalTokens" ? Number(call.cost) : field === "latencyMs" ? call.latencyMs : 0;
        const expected = shown
          .filter(
            (call) =>
              has(query.model, call.modelGroup) &&
              has(query.provider, call.provider) &&
              has(query.class, call.class) &&
              has(query.endpoint, call.endpoint) &&
              has(query.requestId, call.requestId) &&
              has(query.userId, call.userId) &&
              has(query.teamId, call.teamId) &&
              (query.apiKey === undefined ||
                [call.keyId, keys.find(({ keyId }) => keyId === call.keyId)?.apiKey].includes(query.apiKey)) &&
              call.cost >= BigInt(query.minCost ?? 0) &&
              call.latencyMs >= Number(query.minLatencyMs ?? 0) &&
              has(query.errorCode, call.errorCode) &&
              has(query.deploymentId, call.deploymentId) &&
              has(query.stream, String(call.isStream)) &&
              has(query.cached, String(call.isCached)) &&
              (query.search === undefined ||
                call.requestId.startsWith(query.search) ||
                call.errorCode?.includes(query.search.toLowerCase()) === true) &&
              timeOf(call.id) >= from &&
              timeOf(call.id) < to,
          )
          .toSorted((one, other) => sign * (measure(one) - measure(other) || (one.id < other.id ? -1 : 1)));
        const wires = expected.map(({ wire }) => wire);
        const search = new URLSearchParams({
          ...(Object.fromEntries(
            Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
          ) as Record<string, string>),
          ...(fromAgo !== undefined && { startDate: new Date(from).toISOString() }),
          ...(toAgo !== undefined && { endDate: new Date(to).toISOString() }),
        });
        const list = await reports.logs(`include=histogram&${search}`);
        // The total counts the requests that the rows stand for, and the histogram's bars add up to it.
        const counts = Object.fromEntries(
          REQUEST_CLASSES.map((name) => [
            name,
            expected.reduce((sum, call) => sum + (call.class === name ? call.weight : 0), 0),
          ]),
        );
        const requests = expected.reduce((sum, { weight }) => sum + weight, 0);
        expect(list.meta.counts).toEqual({ requests, ...counts });
        const bars: Bar[] = list.histogram.buckets;
        expect(addCounts(bars)).toEqual(counts);
        expect(bars.reduce((sum, bar) => sum + bar.requests, 0)).toBe(requests);
        if (fromAgo !== undefined) expect(Date.parse(bars[0]?.at ?? "")).toBe(from);
        const start = (query.page - 1) * query.pageSize;
        expect(list.data.map(({ id }: { id: string }) => id)).toEqual(wires.slice(start, start + query.pageSize));
        expect(list.meta.total).toBe(expected.length);
        expect(list.meta.nextCursor === null).toBe(start + query.pageSize >= expected.length);
        if (list.meta.nextCursor === null) return;
        search.set("cursor", list.meta.nextCursor);
        const next = await reports.logs(search.toString());
        expect(next.data.map(({ id }: { id: string }) => id)).toEqual(
          wires.slice(start + query.pageSize, start + 2 * query.pageSize),
        );
      },
    ),
    // Each class alone, which the rollups count.
    {
      numRuns: 100,
      examples: REQUEST_CLASSES.map((name): [typeof noFilter & { class: string }] => [{ ...noFilter, class: name }]),
    },
  );
});
