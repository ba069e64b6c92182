import { readFileSync, statSync } from "node:fs";
import { createServer, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { startReports } from "@tollgate/platform/usage/usage.fixture.ts";
import type { TestDatabase } from "@tollgate/testkit/database.ts";
import { test } from "@tollgate/testkit/test.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { expect, onTestFinished } from "vitest";
import { signedIn } from "../manage.fixture.ts";

async function start(database: TestDatabase) {
  const reports = await startReports(database);
  onTestFinished(() => reports.platform.close());
  return { reports, cli: signedIn(reports.platform, reports.owner) };
}

const failed = { status: "failure", errorCode: "stream_timeout", httpStatus: 408 } as const;

test("lists calls by filter, shows one call, and exports calls", async ({ database }) => {
  const { reports, cli } = await start(database);
  const otherTeam = await reports.addTeam("Other");
  const otherKey = await reports.addKey(otherTeam, "web-prod");
  const [cheap, expensive, broken] = await reports.settle([
    { agoMs: 60_000, cost: 5n, modelGroup: "fast" },
    { agoMs: 30_000, cost: 7_000_000n, modelGroup: "slow", session: "task-1" },
    { agoMs: 1_000, modelGroup: "slow", teamId: otherTeam, keyId: otherKey.keyId, ...failed },
  ]);
  const ids = async (...flags: string[]) =>
    (await cli.json("logs", "list", "--json=id", ...flags)).data.map(({ id }: { id: string }) => id);
  expect(await ids()).toEqual([broken, expensive, cheap]);
  expect(await ids("--model", "fast")).toEqual([cheap]);
  expect(await ids("--key", "web-prod")).toEqual([broken]);
  expect(await ids("--team", "Other", "--since", "1h")).toEqual([broken]);
  expect(await ids("--class", "failed")).toEqual([broken]);
  expect(await ids("--session", "task-1")).toEqual([expensive]);
  expect(await ids("--min-cost", "0.001")).toEqual([expensive]);
  expect(await ids("--sort=-cost", "-n", "1")).toEqual([expensive]);
  expect(await ids("--code", "stream_timeout", "--search", "time")).toEqual([broken]);
  expect(await ids("--until", "1h")).toEqual([]);
  expect(await cli.run(["logs", "--key", "unknown-key"])).toMatchObject({ code: 3 });
  expect(await cli.run(["logs", "--since", "soon"])).toMatchObject({ code: 2 });
  const piped = await cli.run(["logs"]);
  expect(piped.stdout.split("\n")[0]?.split("\t").slice(1, 4)).toEqual(["408", "slow", "web-prod"]);
  expect((await cli.run(["logs"], { terminal: { columns: 120 } })).stdout).toContain("\x1b[33m408\x1b[39m");

  const shown = await cli.run(["logs", "show", expensive as string]);
  expect(shown.stdout).toMatch(/session\ttask-1\n/);
  expect(shown.stdout).toMatch(/cost\t\$0\.007\n(?:.*\n)*\ninput\t7000000\t0\.001\t\$0\.007\n/);
  expect(await cli.run(["logs", "show", "use_nothing"])).toMatchObject({ code: 3 });
  const [first] = (await cli.json("logs")).data;
  expect((await cli.json("logs", "show", first.requestId)).id).toBe(broken);

  const csv = await cli.run(["logs", "export", "--since", "1d"]);
  expect(csv.stdout.split("\r\n")).toHaveLength(5);
  const file = join(cli.home, "calls.csv");
  expect(await cli.json("logs", "export", "--model", "fast", "--file", file)).toEqual({
    file,
    rows: 1,
    requests: 1,
    complete: true,
  });
  expect(readFileSync(file, "utf8")).toContain(cheap as string);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(await cli.run(["logs", "export", "--file", file])).toMatchObject({ code: 2 });
});

test("finds calls by a text in their stored prompt, in as many searches as it takes", async ({ database }) => {
  const { reports, cli } = await start(database);
  const refused = await cli.run(["logs", "--content", "lamp"]);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain("settings.logPrompts");
  const ids = await reports.settle([{ agoMs: 3_000 }, { agoMs: 2_000 }, { agoMs: 1_000 }]);
  await reports.store(ids.map((id, index) => ({ id, request: { prompt: index === 1 ? "a road" : "a Lamp" } })));
  const search = async (...flags: string[]) => cli.json("logs", "list", "--content", "lamp", "--json=id", ...flags);
  const { data, meta } = await search("--page-size", "1", "--all");
  expect(data).toEqual([{ id: ids[2] }, { id: ids[0] }]);
  expect(meta).toMatchObject({ total: 2, nextCursor: null });
  expect((await search("-n", "1")).data).toEqual([{ id: ids[2] }]);
  const part = await cli.run(["logs", "--content", "lamp", "-n", "1"], { terminal: { columns: 120 } });
  expect(part.stderr).toMatch(/Searched back to .*To search further: --all/);
  const none = await cli.run(["logs", "--content", "cow"], { terminal: { columns: 120 } });
  expect(none.stderr).toContain("No stored prompt or response");
  expect(await cli.run(["logs", "--content", "lamp", "--follow"])).toMatchObject({ code: 2 });
});

test("an export counts rows and the requests that they stand for", async ({ database }) => {
  const { reports, cli } = await start(database);
  await reports.settle([{ modelGroup: "fast" }]);
  await reports.refuse("model_not_found", { weight: 9, requestedModel: 'no "such"\nmodel' });
  const file = join(cli.home, "flood.csv");
  expect(await cli.json("logs", "export", "--file", file)).toEqual({ file, rows: 2, requests: 10, complete: true });
  expect((await cli.run(["logs", "export"])).stderr).toContain("Exported 2 rows, which stand for 10 requests");
});

test("tail prints each call on one line when the call finishes", async ({ database }) => {
  const { reports, cli } = await start(database);
  await reports.settle([{ agoMs: 5_000, modelGroup: "earlier" }]);
  let reported = "";
  const listen = (text: string) => (reported += text);
  const errors = cli.run(["logs", "tail", "--class", "failed", "-n", "2", "-v", "--json=id,httpStatus"], { listen });
  const all = cli.run(["logs", "tail", "--last", "1", "-n", "4", "-v", "--no-color"], {
    terminal: { columns: 200 },
    listen,
  });
  await waitFor("both streams", () => reported.split("/logs/stream").length > 2);
  const [, broken] = await reports.settle([{ modelGroup: "fast" }, { modelGroup: "slow", ...failed }]);
  const [later] = await reports.settle([{ modelGroup: "slow", ...failed }]);
  expect((await errors).stdout).toBe(
    [broken, later].map((id) => `${JSON.stringify({ id, httpStatus: 408 })}\n`).join(""),
  );
  const lines = (await all).stdout.trimEnd().split("\n");
  expect(lines.map((line) => line.split(/ {2,}/).slice(1, 4)).toSorted()).toEqual([
    ["200", "earlier", "ci"],
    ["200", "fast", "ci"],
    ["408", "slow", "ci"],
    ["408", "slow", "ci"],
  ]);
  expect(lines.at(-1)).toMatch(/^\d\d:\d\d:\d\d {2}408 {2}slow +ci +stream timeout [\d.]+ m?s/);
});

test("an interrupted stream resumes without missing or repeated calls", async ({ database }) => {
  const { reports } = await start(database);
  const proxy = await startCuttingProxy(reports.platform.url);
  const cli = signedIn({ url: proxy.url }, reports.owner);
  await reports.settle([{ agoMs: 60_000 }]);
  const tail = cli.run(["logs", "tail", "-n", "3", "--jq", ".id"]);
  await waitFor("the stream", () => proxy.streams === 1);
  const [first] = await reports.settle([{}]);
  await waitFor("the first call", () => proxy.sent.includes(first as string));
  proxy.cut();
  const [missed] = await reports.settle([{}]);
  await waitFor("the second stream", () => proxy.streams === 2);
  const [last] = await reports.settle([{}]);
  const { code, stdout, stderr } = await tail;
  expect({ code, ids: stdout.trim().split("\n") }).toEqual({ code: 0, ids: [first, missed, last] });
  expect(stderr).toContain("Stream interrupted. Reconnecting (1 of 6)");
});

/** Starts a proxy that can cut its open streams on demand. */
async function startCuttingProxy(target: string) {
  const open = new Set<ServerResponse>();
  const state = { streams: 0, sent: "" };
  const server = createServer((incoming, response) => {
    const onward = request(`${target}${incoming.url}`, { method: incoming.method, headers: incoming.headers });
    onward.on("response", (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers).flushHeaders();
      if (incoming.url?.includes("/logs/stream") === true) {
        state.streams += 1;
        open.add(response);
        answer.on("data", (part: Buffer) => (state.sent += part.toString()));
      }
      answer.pipe(response);
    });
    response.on("close", () => onward.destroy());
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get streams() {
      return state.streams;
    },
    get sent() {
      return state.sent;
    },
    cut: () => {
      for (const response of open) response.destroy();
    },
  };
}

test("usage is grouped as requested, with bars only in a terminal", async ({ database }) => {
  const { reports, cli } = await start(database);
  await reports.settle([
    { agoMs: 60_000, cost: 2_000_000n, modelGroup: "fast" },
    { agoMs: 60_000, cost: 8_000_000n, modelGroup: "slow" },
    { agoMs: 60_000, modelGroup: "slow", ...failed },
  ]);
  const usage = await cli.json("usage", "--by", "model", "--range", "1d", "--compare");
  expect(usage.data).toMatchObject([
    { group: { model: "slow" }, requests: 2, failed: 1, cost: 8_000_000 },
    { group: { model: "fast" }, requests: 1, cost: 2_000_000 },
  ]);
  expect(usage.meta).toMatchObject({ totals: { requests: 3, cost: 10_000_000 }, previous: { totals: { cost: 0 } } });
  const piped = await cli.run(["usage", "--by", "model"]);
  expect(piped.stdout).toMatch(/^slow\t2\t1\t.*\t\$0\.008\nfast\t1\t0\t.*\t\$0\.002\n$/);
  expect(piped.stderr).toBe("");
  const screen = await cli.run(["usage", "--by", "key,model"], { terminal: { columns: 120 } });
  const [, slow = "", fast = ""] = screen.stdout.split("\n");
  expect(slow).toMatch(/^ci +slow /);
  expect(slow.endsWith(`\x1b[36m${"█".repeat(24)}\x1b[39m`)).toBe(true);
  expect(fast.endsWith(`\x1b[36m${"█".repeat(6)}\x1b[39m`)).toBe(true);
  expect(screen.stderr).toContain("3 requests · 1 failed · $0.01");
  const csv = await cli.run(["usage", "--by", "day,model", "--csv=group.model,requests", "-n", "1"]);
  expect(csv.stdout).toMatch(/^group\.model,requests\r\n(?:slow,2|fast,1)\r\n$/);
  expect(await cli.run(["usage", "--by", "weather"])).toMatchObject({ code: 2 });
  expect(await cli.run(["usage", "--range", "1d", "--since", "2d"])).toMatchObject({ code: 2 });
});
