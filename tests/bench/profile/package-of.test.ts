import { expect, test } from "vitest";
import { packageOf } from "./package-of.ts";

// Names and URLs are from a profile of the gateway.
test.each([
  ["(garbage collector)", "", "(garbage collector)"],
  ["writeLatin1String", "", "native functions"],
  ["parserOnIncoming", "node:_http_server", "node:http"],
  ["onStreamRead", "node:internal/stream_base_commons", "node:stream"],
  ["readableAddChunkPushByteMode", "node:internal/streams/readable", "node:stream"],
  ["nextTick", "node:internal/process/task_queues", "node:process"],
  ["_resume", "file:///w/node_modules/.pnpm/undici@7.16.0/node_modules/undici/lib/dispatcher/client.js", "undici"],
  ["next", "/w/node_modules/.pnpm/@redis+client@5.9.0/node_modules/@redis/client/dist/lib/client.js", "@redis/client"],
  ["parseJson", "file:///w/apps/gateway/src/pipeline/read-call.ts", "apps/gateway/src/pipeline"],
  ["main", "file:///w/apps/server/src/main.ts", "apps/server/src/main"],
  ["scanJson", "file:///w/packages/domain/src/json-text.ts", "packages/domain"],
  ["wasm-function[20]", "wasm://wasm/00034eea", "WebAssembly"],
])("%s of '%s' counts as %s", (functionName, url, group) => {
  expect(packageOf(functionName, url)).toBe(group);
});
