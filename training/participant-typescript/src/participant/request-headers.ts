import type { IncomingHttpHeaders } from "node:http";
import { BadRequest, ParticipantFailure } from "../participant-failure.ts";
import { FRAMES_TYPE, JSON_TYPE, type WireForm } from "../wire/wire-body.ts";

const MAX_WAIT_SECONDS = 30;

/** Validated headers of a call. */
export interface CallHeaders {
  readonly key?: string;
  readonly runId?: string;
  readonly round?: number;
  readonly timeoutSeconds?: number;
  readonly isAsync: boolean;
  /** Time that an asynchronous caller prefers to wait for the complete response. */
  readonly waitSeconds: number;
  readonly form: WireForm;
  readonly answerForm: WireForm;
  readonly isGzip: boolean;
}

/** Reads the headers of this API. Throws on invalid values and unsupported types. */
export function readCallHeaders(headers: IncomingHttpHeaders): CallHeaders {
  const prefer = readPrefer(headers);
  return {
    key: readText("Idempotency-Key", headers["idempotency-key"]),
    runId: readText("X-Run-Id", headers["x-run-id"]),
    round: readRound(headers["x-round"]),
    timeoutSeconds: readTimeout(headers["x-timeout-seconds"]),
    ...prefer,
    form: readForm(headers["content-type"]),
    answerForm: readAnswerForm(headers),
    isGzip: readEncoding(headers["content-encoding"]),
  };
}

/** Parses `Prefer: respond-async, wait=20` (RFC 7240). Ignores unknown preferences, as the RFC requires. */
export function readPrefer(headers: IncomingHttpHeaders): { isAsync: boolean; waitSeconds: number } {
  const preferences = [headers.prefer ?? []].flat().join(",").toLowerCase().split(",");
  const names = preferences.map((preference) => preference.trim().replaceAll(/\s*=\s*/g, "="));
  const wait = names.map((name) => /^wait="?(\d{1,9})"?$/.exec(name)?.[1]).find((seconds) => seconds !== undefined);
  return {
    isAsync: names.includes("respond-async"),
    waitSeconds: Math.min(Number(wait ?? 0), MAX_WAIT_SECONDS),
  };
}

/** Returns the requested response format. */
export function readAnswerForm(headers: IncomingHttpHeaders): WireForm {
  return headers.accept?.toLowerCase().includes(FRAMES_TYPE) ? "frames" : "json";
}

function readText(name: string, value: string | string[] | undefined): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value === "string" && /^[\x20-\x7e\x80-\xff]{1,255}$/.test(value)) return value;
  throw new BadRequest(`${name} must have 1 to 255 characters`);
}

function readRound(value: string | string[] | undefined): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value === "string" && /^\d{1,15}$/.test(value)) return Number(value);
  throw new BadRequest("X-Round must be a non-negative integer");
}

function readTimeout(value: string | string[] | undefined): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value === "string" && /^\d{1,15}(?:\.\d{1,9})?$/.test(value) && Number(value) > 0) return Number(value);
  throw new BadRequest("X-Timeout-Seconds must be a number above 0");
}

/** JSON needs no content type, and any text type is read as JSON. Binary types must be known. */
function readForm(value: string | undefined): WireForm {
  const type = (value ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (type === FRAMES_TYPE) return "frames";
  if (type !== "application/octet-stream" && !type.startsWith("application/vnd.tollgate.")) return "json";
  const message = `content type "${type}" is not supported; use ${JSON_TYPE} or ${FRAMES_TYPE}`;
  throw new ParticipantFailure("UNSUPPORTED_MEDIA_TYPE", message);
}

function readEncoding(value: string | undefined): boolean {
  const encoding = (value ?? "identity").trim().toLowerCase();
  if (encoding === "gzip" || encoding === "x-gzip") return true;
  if (encoding === "identity" || encoding === "") return false;
  const message = `content encoding "${encoding.slice(0, 40)}" is not supported; use gzip or identity`;
  throw new ParticipantFailure("UNSUPPORTED_MEDIA_TYPE", message);
}
