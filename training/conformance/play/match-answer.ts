import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { ExpectedAnswer, Json } from "../recorded-case.ts";
import type { Answer } from "./read-answer.ts";

/** Returns the differences from the recorded response, one line each; empty if it matches. */
export function matchAnswer(answer: Answer, expected: ExpectedAnswer): string[] {
  const problems: string[] = [];
  if (answer.status !== expected.status) problems.push(`status ${answer.status} instead of ${expected.status}`);
  if (expected.body !== undefined || expected.fields !== undefined) {
    const body = readJson(answer.body);
    if (body === undefined) problems.push("the body is not JSON");
    else if (expected.body !== undefined) problems.push(...compare("body", body, expected.body));
    else problems.push(...compareFields(body, expected.fields ?? {}));
  }
  if (expected.text !== undefined && answer.body.toString() !== expected.text)
    problems.push("the body is another text");
  if (expected.frames !== undefined) problems.push(...matchFrames(answer.body, expected.frames));
  for (const [name, form] of Object.entries(expected.headers ?? {})) {
    const value = answer.headers.get(name);
    if (form === null ? value !== undefined : value === undefined || !new RegExp(form).test(value)) {
      problems.push(`header ${name}: ${value ?? "missing"} instead of ${form ?? "none"}`);
    }
  }
  if (problems.length > 0) problems.push(`the answer: ${answer.status} ${answer.body.toString("utf8").slice(0, 300)}`);
  return problems;
}

/** Parses a JSON body; undefined if the body isn't JSON. */
export function readJson(body: Buffer): Json | undefined {
  try {
    return JSON.parse(body.toString("utf8")) as Json;
  } catch {
    return undefined;
  }
}

function compareFields(body: Json, fields: { readonly [key: string]: Json }): string[] {
  if (!isObject(body)) return ["the body is not an object"];
  return Object.entries(fields).flatMap(([name, value]) => compare(name, body[name] ?? null, value));
}

/** Compares two values. They must be equal, except where the recording has a pattern or ignores the value. */
function compare(path: string, actual: Json, expected: Json): string[] {
  if (isObject(expected) && typeof expected.$matches === "string") {
    const isMatch = typeof actual === "string" && new RegExp(expected.$matches).test(actual);
    return isMatch ? [] : [`${path}: ${JSON.stringify(actual)} does not match ${expected.$matches}`];
  }
  if (isObject(expected) && isObject(actual)) {
    const names = new Set([...Object.keys(expected), ...Object.keys(actual)]);
    return [...names].flatMap((name) => {
      const inner = `${path}.${name}`;
      const [there, wanted] = [actual[name], expected[name]];
      if (there === undefined) return [`${inner} is missing`];
      return wanted === undefined ? [`${inner} is not expected`] : compare(inner, there, wanted);
    });
  }
  if (isDeepStrictEqual(actual, expected)) return [];
  return [`${path}: ${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`];
}

/** Returns the header and the frames of a frames body; undefined if the body isn't a frames body. */
export function readFrames(body: Buffer): { readonly header: Buffer; readonly content: Buffer } | undefined {
  if (body.subarray(0, 4).toString("latin1") !== "TGF1") return undefined;
  const headerEnd = 12 + Number(body.readBigUInt64LE(4));
  return { header: body.subarray(12, headerEnd), content: body.subarray(headerEnd) };
}

function matchFrames(body: Buffer, expected: NonNullable<ExpectedAnswer["frames"]>): string[] {
  const parts = readFrames(body);
  const header = parts === undefined ? undefined : readJson(parts.header);
  if (parts === undefined || header === undefined || !isObject(header)) return ["the answer is not in frames"];
  const { frames, ...rest } = header;
  const content = expected.content.map((text) => Buffer.from(text));
  const listed = content.map((bytes) => ({ length: bytes.length, sha256: hash(bytes) }));
  const problems = [...compare("header", rest, expected.header), ...compare("header.frames", frames ?? null, listed)];
  if (!parts.content.equals(Buffer.concat(content))) problems.push("the frames hold other bytes");
  return problems;
}

function isObject(value: Json): value is { readonly [key: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function hash(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}
