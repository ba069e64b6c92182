import { request } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { expect, onTestFinished, test } from "vitest";
import { UnattendedCalls } from "../limits/live-calls.ts";
import { HttpServer } from "./http-server.ts";
import type { MountedHandler, RequestHandler } from "./mounted-handler.ts";
import { RouteTable } from "./route-table.ts";

const answer =
  (name: string): RequestHandler =>
  (_request, response) =>
    void response.writeHead(200, { "content-length": name.length }).end(name);

async function start(
  handle: RequestHandler,
  prefixes: MountedHandler["prefixes"] = ["/api"],
  shedsReads: () => boolean = () => false,
  isAlwaysServed: (target: string) => boolean = () => false,
  browserPaths: readonly string[] = [],
) {
  const http = new HttpServer({
    routes: new RouteTable([], ""),
    rest: answer("rest"),
    mounted: { prefixes, handle, refuseRead: answer("no time"), isAlwaysServed, browserPaths },
    shedsReads,
    hostCheck: () => () => true,
    keyHeaders: () => [],
    maxConnectionsPerAddress: () => 100,
    codeStyle: () => "semantic",
    docsUrl: () => "/docs",
    newEventId: () => "event",
    now: () => performance.now(),
    onUnexpected: () => {},
    unattended: new UnattendedCalls(),
  });
  await new Promise<void>((resolve) => http.server.listen(0, "127.0.0.1", () => resolve()));
  onTestFinished(() => http.close());
  const { port } = http.server.address() as AddressInfo;
  return { http, url: `http://127.0.0.1:${port}` };
}

test.for([
  ["/api", "mounted"],
  ["/api/", "mounted"],
  ["/api/teams?page=2", "mounted"],
  ["/api?x", "mounted"],
  ["/apis", "rest"],
  ["/api.json", "rest"],
  ["/v1/api", "rest"],
  ["/", "rest"],
] as const)("the path %s is handled by %s", async ([path, owner]) => {
  const { url } = await start(answer("mounted"));
  expect(await (await fetch(url + path)).text()).toBe(owner);
});

test("a browser's read of a browser path is handled by the mounted handler, and all else by the gateway", async () => {
  const { url } = await start(answer("mounted"), ["/api"], undefined, undefined, ["/"]);
  const ask = async (accept: string, method = "GET", path = "/") =>
    (await fetch(url + path, { method, headers: { accept } })).text();
  expect(await ask("text/html,*/*;q=0.8")).toBe("mounted");
  expect(await ask("text/html", "GET", "/?from=mail")).toBe("mounted");
  expect([await ask("*/*"), await ask("application/json")]).toEqual(["rest", "rest"]);
  expect([await ask("text/html", "POST"), await ask("text/html", "GET", "/v2")]).toEqual(["rest", "rest"]);
});

test("the mounted handler receives every method, including preflight requests", async () => {
  const methods: (string | undefined)[] = [];
  const { url } = await start((incoming, response) => {
    methods.push(incoming.method);
    answer("mounted")(incoming, response);
  });
  for (const method of ["PUT", "PATCH", "DELETE", "OPTIONS"]) await fetch(`${url}/api/x`, { method });
  expect(methods).toEqual(["PUT", "PATCH", "DELETE", "OPTIONS"]);
});

test("the mounted handler receives request bodies, including from clients that wait for 100 Continue", async () => {
  const { url } = await start(async (incoming, response) => answer(await text(incoming))(incoming, response));
  const body = "x".repeat(3 * 1024 * 1024);
  expect(await (await fetch(`${url}/api/x`, { method: "POST", body })).text()).toBe(body);
  const waiting = request(`${url}/api/x`, { method: "POST", headers: { expect: "100-continue", "content-length": 5 } });
  waiting.once("continue", () => waiting.end("hello"));
  waiting.flushHeaders();
  const [response] = await new Promise<[import("node:http").IncomingMessage]>((resolve) =>
    waiting.once("response", (incoming) => resolve([incoming])),
  );
  expect(await text(response)).toBe("hello");
});

test("a drain waits for responses in progress", async () => {
  const finish = Promise.withResolvers<void>();
  const { http, url } = await start(async (incoming, response) => {
    await finish.promise;
    answer("late")(incoming, response);
  });
  const pending = fetch(`${url}/api/x`);
  await waitFor("the request", () => http.liveCalls === 1);
  let isDrained = false;
  const drained = http.drain(10_000, false).then(() => {
    isDrained = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(isDrained).toBe(false);
  finish.resolve();
  expect(await (await pending).text()).toBe("late");
  await drained;
  expect(http.liveCalls).toBe(0);
});

test("a request does not count as a live call after its client disconnects", async () => {
  const { http, url } = await start(() => {});
  const leaving = new AbortController();
  fetch(`${url}/api/x`, { signal: leaving.signal }).catch(() => {});
  await waitFor("the request", () => http.liveCalls === 1);
  leaving.abort();
  await waitFor("its end", () => http.liveCalls === 0);
});

test("under overload, the mounted handler refuses reads in its own format and still serves writes", async () => {
  let isBusy = true;
  const { url } = await start(answer("mounted"), ["/api"], () => isBusy);
  const ask = async (method: string) => (await fetch(`${url}/api/teams`, { method })).text();
  expect([await ask("GET"), await ask("POST"), await ask("DELETE")]).toEqual(["no time", "mounted", "mounted"]);
  isBusy = false;
  expect(await ask("GET")).toBe("mounted");
});

test("reads that are always served do not use up the reads that are served under overload", async () => {
  let left = 1;
  const shedsReads = () => left-- <= 0;
  const { url } = await start(answer("mounted"), ["/api", "/ui"], shedsReads, (target) => target.startsWith("/ui"));
  const ask = async (path: string) => (await fetch(url + path)).text();
  for (let file = 0; file < 3; file += 1) expect(await ask(`/ui/assets/${file}.js`)).toBe("mounted");
  expect([await ask("/api/teams"), await ask("/api/teams")]).toEqual(["mounted", "no time"]);
});
