import { expect, test } from "vitest";
import { processName, threadGroup } from "./thread-group.ts";

test("processes of Tollgate are named after their program, and the first one is the supervisor", () => {
  const root = "/opt/tollgate/apps/server/src";
  expect(processName(["node", `${root}/main.ts`, "serve", "--json", "--processes", "1"], true)).toBe("supervisor");
  expect(processName(["/opt/node", "--max-semi-space-size=8", `${root}/supervise/serve-child.ts`], false)).toBe(
    "gateway",
  );
  expect(processName(["/opt/node", `${root}/supervise/worker-child.ts`], false)).toBe("worker");
  expect(processName(["/opt/node", `${root}/supervise/platform-child.js`], false)).toBe("platform");
});

test("other programs are named after their file", () => {
  expect(processName(["/opt/node", "/bench/contestants/bare-json-proxy.ts", "57001"], false)).toBe("bare-json-proxy");
  expect(processName(["/usr/sbin/nginx", "-p", "/tmp"], false)).toBe("nginx");
  expect(processName([], false)).toBe("unknown");
});

test("threads of the gateway are groups, and those of the other processes are added up", () => {
  const gateway = (name: string) => threadGroup("gateway", name);
  expect(["MainThread", "V8Worker", "libuv-worker", "journal", "delivery"].map(gateway)).toEqual([
    "main",
    "v8Workers",
    "libuvPool",
    "journal",
    "delivery",
  ]);
  expect(["DelayedTaskSche", "SignalInspector"].map(gateway)).toEqual(["other", "other"]);
  expect(["MainThread", "V8Worker"].map((name) => threadGroup("worker", name))).toEqual([
    "workerProcess",
    "workerProcess",
  ]);
  expect(threadGroup("supervisor", "WorkerThread")).toBe("supervisor");
});
