import { expect, test } from "vitest";
import { filesOfEveryCall } from "./called-files.ts";
import { findCycles } from "./find-cycles.ts";
import { findBackArrows } from "./gateway-floors.ts";

const arrow = (from: string, to: string) => ({ from, to });

test("finds every circle of imports, largest first, and nothing else", () => {
  const pair = [arrow("a", "b"), arrow("b", "a")];
  const ring = [arrow("c", "d"), arrow("d", "e"), arrow("e", "c"), arrow("e", "a")];
  expect(findCycles([...pair, ...ring, arrow("f", "c"), arrow("f", "f")])).toEqual([
    ["c", "d", "e"],
    ["a", "b"],
  ]);
  expect(findCycles([arrow("a", "b"), arrow("b", "c"), arrow("a", "c")])).toEqual([]);
});

test("counts an arrow between two gateway folders once if it points up", () => {
  const gateway = (path: string) => `apps/gateway/src/${path}`;
  const imports = [
    arrow(gateway("pipeline/admit.ts"), gateway("http/exchange.ts")),
    arrow(gateway("pipeline/relay.ts"), gateway("http/exchange.ts")),
    arrow(gateway("operations/chat/chat.ts"), gateway("providers/provider.ts")),
    arrow(gateway("http/exchange.ts"), gateway("pipeline/admit.ts")),
    arrow(gateway("pipeline/admit.ts"), gateway("pipeline/relay.ts")),
    arrow(gateway("app.ts"), gateway("adapters/key-directory.ts")),
    arrow(gateway("call/call.test.ts"), gateway("http/exchange.ts")),
    arrow("apps/server/src/main.ts", gateway("app.ts")),
  ];
  expect(findBackArrows(imports)).toEqual(["operations -> providers", "pipeline -> http"]);
});

test("counts our own files in which every measured call runs a function", () => {
  const script = (path: string, ...counts: number[]) => ({
    url: `file:///here/${path}`,
    functions: counts.map((count, index) => ({ functionName: `f${index}`, ranges: [{ count }] })),
  });
  const always = [script("apps/a.ts", 0, 2), script("apps/idle.ts", 0), script("node_modules/pg/pg.js", 1)];
  const calls = [
    [...always, script("apps/timer.ts", 1)],
    always,
    [...always, { ...script("x.ts", 1), url: "node:fs" }],
  ];
  expect(filesOfEveryCall(calls, "file:///here/")).toEqual([{ path: "apps/a.ts", functions: ["f1"] }]);
});
