import { crockfordToUuid } from "@tollgate/domain/ids.ts";
import { querySql, type TestDatabase } from "@tollgate/testkit/database.ts";
import { test } from "@tollgate/testkit/test.ts";
import { expect, onTestFinished } from "vitest";
import { startReports, type TestReports } from "./usage.fixture.ts";

const MINUTE_MS = 60_000;

async function setUp(database: TestDatabase): Promise<TestReports> {
  const reports = await startReports(database);
  onTestFinished(() => reports.platform.close());
  return reports;
}

const chat = (content: string) => ({ messages: [{ role: "user", content }] });
const idsOf = (list: { readonly data: readonly { readonly id: string }[] }) => list.data.map(({ id }) => id);

test("finds requests by a text in their stored prompt or response, latest first, together with other filters", async ({
  database,
}) => {
  const reports = await setUp(database);
  const calls = await reports.settle([
    { agoMs: 50 * MINUTE_MS },
    { agoMs: 40 * MINUTE_MS, modelGroup: "slow" },
    { agoMs: 30 * MINUTE_MS },
    { agoMs: 20 * MINUTE_MS },
  ]);
  const [first, second, third, fourth] = calls as [string, string, string, string];
  await reports.store([
    { id: first, request: chat("Where is the GREEN lamp?") },
    { id: second, request: chat("hello"), answer: '{"choices":[{"message":{"content":"The green lamp is here."}}]}' },
    { id: third, request: chat("something else") },
  ]);
  await reports.refuse("QUOTA_EXCEEDED");
  const found = await reports.logs("content=green%20Lamp");
  expect(idsOf(found)).toEqual([second, first]);
  expect(found.meta).toMatchObject({
    total: 2,
    counts: { requests: 2, succeeded: 2 },
    nextCursor: null,
    searched: { contents: 3, unreadable: 0 },
  });
  expect(found.meta.totalIsMinimum).toBeUndefined();
  expect(idsOf(await reports.logs("content=green%20lamp&model=fast"))).toEqual([first]);
  expect(idsOf(await reports.logs("content=messages"))).toEqual([]);
  // A call without content can't be found.
  expect((await reports.logs("content=e&pageSize=100")).data.map(({ id }: { id: string }) => id)).not.toContain(fourth);
});

test("a full page has a cursor to continue from, and all pages together find each request once", async ({
  database,
}) => {
  const reports = await setUp(database);
  const ids = await reports.settle(Array.from({ length: 7 }, (_, index) => ({ agoMs: (index + 1) * MINUTE_MS })));
  await reports.store(ids.map((id, index) => ({ id, request: chat(index % 2 === 0 ? "a lamp" : "a road") })));
  const found: string[] = [];
  let cursor: string | null = "";
  for (let pages = 0; cursor !== null && pages < 9; pages += 1) {
    const list = await reports.logs(`content=lamp&pageSize=1${cursor === "" ? "" : `&cursor=${cursor}`}`);
    expect(list.data.length).toBeLessThanOrEqual(1);
    expect(list.meta.totalIsMinimum).toBe(list.meta.nextCursor === null ? undefined : true);
    found.push(...idsOf(list));
    cursor = list.meta.nextCursor;
  }
  expect(cursor).toBeNull();
  expect(found).toEqual(ids.filter((_, index) => index % 2 === 0));
});

test("members search the contents of their teams, and other organizations find and decrypt nothing", async ({
  database,
}) => {
  const reports = await setUp(database);
  const { owner, platform } = reports;
  const team = await reports.addTeam("Other");
  const { keyId } = await reports.addKey(team, "other");
  const [own, other] = (await reports.settle([{ agoMs: 1_000 }, { teamId: team, keyId }])) as [string, string];
  await reports.store([
    { id: own, request: chat("a lamp") },
    { id: other, request: chat("a lamp") },
  ]);
  const member = await platform.addMember(owner.organizationId, "member", { [owner.teamId]: "member" });
  const stranger = await platform.addUser();
  const settings = { logPrompts: true };
  await platform.api("PUT", "/api/gw/organizations", { token: stranger.token, body: { settings } });
  expect(idsOf(await reports.logs("content=lamp"))).toEqual([other, own]);
  const seen = await reports.logs("content=lamp", member.token);
  expect(idsOf(seen)).toEqual([own]);
  expect(seen.meta.searched.contents).toBe(1);
  const nothing = await reports.logs("content=lamp", stranger.token);
  expect([idsOf(nothing), nothing.meta.searched.contents]).toEqual([[], 0]);
});

test("each search is recorded in the audit log without the text", async ({ database }) => {
  const reports = await setUp(database);
  const [id] = (await reports.settle([{}])) as [string];
  await reports.store([{ id, request: chat("a lamp") }]);
  await reports.logs("content=lamp");
  await reports.logs("content=road");
  const entries = await querySql<{ entry: string; target: { id: string } }>(
    database.connectionString,
    `select audit_log::text as entry, target from audit_log
      where action = 'org.content_searched' and organization_id = '${reports.owner.organizationId}'`,
  );
  expect(entries.map(({ target }) => target.id)).toEqual(Array(2).fill(reports.owner.organizationId));
  expect(entries.some(({ entry }) => entry.includes("lamp") || entry.includes("road"))).toBe(false);
});

test("a content that can't be decrypted is counted and does not prevent the search of others", async ({ database }) => {
  const reports = await setUp(database);
  const [readable, damaged] = (await reports.settle([{ agoMs: 1_000 }, {}])) as [string, string];
  await reports.store([
    { id: readable, request: chat("a lamp") },
    { id: damaged, request: chat("a lamp") },
  ]);
  await querySql(
    database.connectionString,
    `update call_contents set request = 'v1.00000000.a.b.c' where id = '${crockfordToUuid(damaged.slice(4))}'`,
  );
  const found = await reports.logs("content=lamp");
  expect(idsOf(found)).toEqual([readable]);
  expect(found.meta.searched).toMatchObject({ contents: 1, unreadable: 1 });
});

test("a search is refused with the setting if the organization does not store contents, and with unsupported parameters", async ({
  database,
}) => {
  const reports = await setUp(database);
  await reports.store([]);
  const { owner, platform } = reports;
  const search = (query: string) => platform.api("GET", `/api/gw/logs?content=lamp${query}`, { token: owner.token });
  for (const [query, field] of [
    ["&sort=-cost", "sort"],
    ["&page=2", "page"],
    ["&format=csv", "format"],
    ["&include=histogram", "include"],
  ] as const) {
    const { status, body } = await search(query);
    expect([status, Object.keys(body.details.fields)], query).toEqual([400, [field]]);
  }
  await platform.api("PUT", "/api/gw/organizations", { token: owner.token, body: { settings: { logPrompts: false } } });
  const { status, body } = await search("");
  expect(status).toBe(409);
  expect(body.details.reason).toBe("WRONG_STATE");
  expect(body.fix).toMatch(/owner or admin .*settings\.logPrompts/);
});

test("a user who runs too many searches gets 429 with the time to wait", async ({ database }) => {
  const reports = await setUp(database);
  await reports.store([]);
  const { owner, platform } = reports;
  const end = Promise.withResolvers<void>();
  const running = [1, 2].map(() => platform.services.searchTurns.run(owner.userId, () => end.promise));
  const refused = await platform.api("GET", "/api/gw/logs?content=lamp", { token: owner.token });
  expect([refused.status, refused.body.details.reason]).toEqual([429, "RATE_LIMITED"]);
  expect(refused.headers.get("retry-after")).toBe("2");
  end.resolve();
  await Promise.all(running);
  expect((await reports.logs("content=lamp")).data).toEqual([]);
});
