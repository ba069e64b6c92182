import { recorded } from "@tollgate/testkit/recorded-platform.ts";
import { expect, test } from "vitest";
import { startRecorded } from "./recorded.fixture.ts";

const [key] = recorded("listApiKeys").data;
const keyId = (at: number) => `key_${String(at).padStart(26, "0")}`;
const keys = Array.from({ length: 250 }, (_, at) => ({ ...key, id: keyId(at + 1), name: `key-${at + 1}` }));

async function startWithKeys() {
  const started = await startRecorded();
  started.platform.lists("listApiKeys", keys);
  const list = async (...flags: string[]) => {
    const names = (await started.cells("keys", "list", ...flags)).map(([name]) => name);
    return { names, queries: started.platform.asked("listApiKeys").map(({ query }) => query) };
  };
  return { ...started, list };
}

const named = (from: number, to: number) => keys.slice(from - 1, to).map(({ name }) => name);

test("without paging flags, a list shows the first 20 rows in one request", async () => {
  const { list } = await startWithKeys();
  expect(await list()).toEqual({ names: named(1, 20), queries: [{ pageSize: "20" }] });
});

test("--limit fetches as many pages as it needs and shows exactly that many rows", async () => {
  const { list } = await startWithKeys();
  expect(await list("-n", "150")).toEqual({
    names: named(1, 150),
    queries: [{ pageSize: "100" }, { pageSize: "100", page: "2" }],
  });
});

test("--all fetches every page and stops after the last", async () => {
  const { list } = await startWithKeys();
  const { names, queries } = await list("--all");
  expect(names).toEqual(named(1, 250));
  expect(queries.map(({ page = "1" }) => page)).toEqual(["1", "2", "3"]);
});

test("--page and --page-size show one page", async () => {
  const { list } = await startWithKeys();
  expect(await list("--page", "3", "--page-size", "40")).toEqual({
    names: named(81, 120),
    queries: [{ pageSize: "40", page: "3" }],
  });
});

test("a list with a cursor follows the cursor instead of the page number", async () => {
  const { platform, cells } = await startRecorded();
  const { data } = recorded("listLogs");
  const { counts } = recorded("listLogs").meta;
  const meta = { page: 1, pageSize: 100, total: 2 * data.length, totalPages: 2, counts };
  platform.plans("listLogs", ({ query }) => ({
    status: 200,
    body: { data, meta: { ...meta, nextCursor: query.cursor === undefined ? "second-page" : null } },
  }));
  expect(await cells("logs", "list", "--all")).toHaveLength(2 * data.length);
  expect(platform.asked("listLogs").map(({ query }) => query)).toEqual([
    { pageSize: "100" },
    { pageSize: "100", cursor: "second-page" },
  ]);
});

test("an incomplete list in a terminal says how many rows there are, but not in a pipe", async () => {
  const { cli } = await startWithKeys();
  const terminal = { columns: 80 };
  const shown = await cli.run(["keys", "list"], { terminal });
  expect(shown.stderr).toBe("20 of 250 keys · tollgate keys list --all\n");
  expect((await cli.run(["keys", "list", "-q"], { terminal })).stderr).toBe("");
  expect((await cli.run(["keys", "list"])).stderr).toBe("");
  expect((await cli.run(["keys", "list", "--all"], { terminal })).stderr).toBe("");
});

test("an incomplete list of requests counts requests, and not the rows that stand for several of them", async () => {
  const { platform, cli } = await startRecorded();
  const { data, meta } = recorded("listLogs");
  const counts = { requests: 1_240, succeeded: 40, failed: 0, refused: 1_200, rejected: 0, canceled: 0 };
  const rows = data.slice(0, 2).map((row, at) => ({ ...row, weight: at === 0 ? 1 : 300 }));
  const answer = { data: rows, meta: { ...meta, total: 44, totalIsMinimum: true, counts } };
  platform.plans("listLogs", () => ({ status: 200, body: answer }));
  const { stderr } = await cli.run(["logs", "list", "-n", "2"], { terminal: { columns: 80 } });
  expect(stderr).toContain("301 of over 1,240 requests · tollgate logs list --all");
});

test("the JSON of a list includes the total", async () => {
  const { json } = await startWithKeys();
  expect(await json("keys", "list", "--limit", "2")).toMatchObject({
    data: [{ name: "key-1" }, { name: "key-2" }],
    meta: { total: 250 },
  });
});

test("finds a record by ID on a later page, and by name with a search", async () => {
  const { platform, cells } = await startWithKeys();
  platform.plans("getApiKey", ({ params }) => ({ status: 200, body: { apiKey: { ...key, id: params.id } } }));
  expect(await cells("keys", "show", keyId(170))).toContainEqual(["id", keyId(170)]);
  expect(platform.asked("listApiKeys").map(({ query }) => query)).toEqual([
    { pageSize: "100" },
    { pageSize: "100", page: "2" },
  ]);
  await cells("keys", "show", "key-7");
  expect(platform.asked("listApiKeys").at(-1)?.query).toEqual({ pageSize: "100", search: "key-7" });
});

test("the paging flags apply to a list that the platform sends in one piece", async () => {
  const { platform, cells } = await startRecorded();
  const { deployments, warnings } = recorded("listDeployments");
  const [deployment] = deployments;
  const rows = Array.from({ length: 45 }, (_, at) => ({ ...deployment, id: `deployment-${at + 1}` }));
  platform.answers("listDeployments", { deployments: rows, warnings });
  const idsOf = async (...flags: string[]) =>
    (await cells("admin", "models", "list", ...flags)).map((row) => row.at(-1));
  const expected = (from: number, to: number) => rows.slice(from - 1, to).map(({ id }) => id);
  expect(await idsOf()).toEqual(expected(1, 45));
  expect(await idsOf("--limit", "3")).toEqual(expected(1, 3));
  expect(await idsOf("--page", "2", "--page-size", "10")).toEqual(expected(11, 20));
  // Without a page size, a page has as many rows as a page of any other list.
  expect(await idsOf("--page", "2")).toEqual(expected(21, 40));
  expect(await idsOf("--page", "2", "--limit", "5")).toEqual(expected(6, 10));
  expect(await idsOf("--page", "2", "--all")).toEqual(expected(1, 45));
});
