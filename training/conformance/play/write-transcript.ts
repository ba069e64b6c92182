import type { Json } from "../recorded-case.ts";
import { readFrames, readJson } from "./match-answer.ts";
import type { Answer } from "./read-answer.ts";

/** Headers whose values must be equal in both SDKs. For other headers, only their presence is compared. */
const SAME_VALUE = ["allow", "content-type", "x-parameters-sha256", "www-authenticate", "preference-applied"];
const SAME_PRESENCE = ["retry-after", "location", "x-job-id", "x-duration-ms", "transfer-encoding", "content-encoding"];
/** Each language uses its own names for types and options. */
const OWN_TYPE = /(?<=returned )\w+(?=; expected)/;
const OWN_SPELLING = /allowEmpty|allow_empty/;
const TIMES = new Set(["startedAt", "finishedAt", "createdAt"]);

/** Formats a response as one line, without values that differ between runs or languages. */
export function writeTranscript(answer: Answer, words: "the same" | "its own", known: readonly string[]): string {
  const headers = [
    ...SAME_VALUE.map((name) => `${name}=${answer.headers.get(name) ?? ""}`),
    ...SAME_PRESENCE.map((name) => `${name}:${answer.headers.has(name)}`),
  ];
  const body = describeBody(answer.body).replace(OWN_TYPE, "<type>").replace(OWN_SPELLING, "<allow>");
  const text = `${answer.status} ${headers.join(" ")} ${words === "the same" ? body : ""}`;
  return known.reduce((line, value) => (value === "" ? line : line.replaceAll(value, "<kept>")), text);
}

function describeBody(body: Buffer): string {
  const frames = readFrames(body);
  if (frames !== undefined) return `${describeBody(frames.header)} ${frames.content.toString("latin1")}`;
  const json = readJson(body);
  return json === undefined ? body.toString("latin1") : JSON.stringify(steady(json, ""));
}

function steady(value: Json, name: string): Json {
  if (isList(value)) return value.map((item) => steady(item, ""));
  if (typeof value === "object" && value !== null) {
    // The SDKs may report different positions for an error, but the error and its message must be equal.
    const entries = Object.entries(value)
      .filter(([key]) => key !== "details" || value.code !== "VALIDATION_ERROR")
      .sort(([one], [other]) => (one < other ? -1 : 1));
    return Object.fromEntries(entries.map(([key, item]) => [key, steady(item, key)]));
  }
  if (typeof value !== "string") return value;
  if (name === "sdk") return "<sdk>";
  if (name === "jobId" || name === "currentJobId") return "<job>";
  return TIMES.has(name) ? "<time>" : value;
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
