import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { logFields } from "./log-fields.ts";
import { createLogger } from "./logger.ts";

/** Collects the lines that a logger writes. */
function collect(level = "info") {
  const lines: string[] = [];
  const logger = createLogger("test", level, { write: (line) => void lines.push(line) });
  return { logger, lines, last: () => JSON.parse(lines.at(-1) ?? "{}") as Record<string, unknown> };
}

test("a line is one JSON object with its level, time, name, message, and declared fields", () => {
  const { logger, lines, last } = collect();
  logger.warn("the port is taken", { port: 4000, callId: "call-1", code: "EADDRINUSE" });
  expect(lines[0]).toMatch(/^\{.*\}\n$/);
  const { time, ...rest } = last();
  expect(rest).toEqual({
    level: 40,
    name: "test",
    msg: "the port is taken",
    port: 4000,
    callId: "call-1",
    code: "EADDRINUSE",
  });
  expect(Math.abs(Date.now() - Number(time))).toBeLessThan(60_000);
  collect("error").logger.info("quiet");
  expect(collect("error").lines).toEqual([]);
});

test("undeclared fields are never printed", () => {
  const { logger, lines, last } = collect();
  const tooMuch = { body: "covert", headers: { authorization: "covert" }, prompt: ["covert"], count: 2 };
  logger.error("a call failed", tooMuch as object);
  logger.error("a call failed", { callId: { covert: true } as never, count: "covert" as never });
  logger.error("a call failed", { error: { covert: "covert" } });
  expect(lines.join("")).not.toContain("covert");
  expect(last()).toMatchObject({ error: { message: "object" } });
});

test("errors show no unparsed body, password, key, or long quotation", () => {
  const { logger, lines } = collect();
  const causes = [
    parseError('{"content": covert-prompt}'),
    new Error("connect failed: postgres://tollgate:covert-password@db:5432/tollgate"),
    new Error("401 from https://api.example.com with Bearer covert.token-1234567"),
    new Error("Incorrect API key provided: sk-covert-1234567890abcdef"),
    new Error('config {"api_key": "covert", password=covert-2}'),
    new Error(`invalid input syntax for type json: "covert ${"x".repeat(60)}"`),
    new Error("eyJhbGciOiJFZERTQSJ9.eyJjb3ZlcnQiOnRydWV9.covert"),
  ];
  for (const error of causes) {
    error.cause = new Error("covert");
    Object.assign(error, { request: { body: "covert" }, detail: "Key (email)=(covert@example.com)" });
    logger.error("it failed", { error });
  }
  expect(lines.join("")).not.toContain("covert");
  expect(lines).toHaveLength(causes.length);
  expect(lines.every((line) => line.includes('"stack"'))).toBe(true);
});

test("hostile text is logged in bounded time and space", () => {
  const { logger, lines } = collect();
  const before = process.threadCpuUsage();
  for (const part of ['"', "a:", "://", "sk-", "password=", "eyJ"]) {
    logger.error(part.repeat(200_000), { error: new Error(part.repeat(200_000)), callId: part.repeat(200_000) });
  }
  expect(process.threadCpuUsage(before).user).toBeLessThan(500_000);
  for (const line of lines) expect(line.length).toBeLessThan(8_000);
});

test("the log format reference lists every field", () => {
  const page = readFileSync(new URL("../../../docs/observe/log-format.md", import.meta.url), "utf8");
  for (const name of [...Object.keys(logFields), "level", "time", "name", "msg"])
    expect(page).toContain(`| \`${name}\``);
});

function parseError(text: string): Error {
  try {
    return JSON.parse(text) as never;
  } catch (error) {
    return error as Error;
  }
}
