import type { RequestHeaders } from "../call/request-headers.ts";
import { readRequestHeaders } from "./request-headers.ts";

/** A head longer than this is left to Node's parser. */
const MAX_PLAIN_HEAD_BYTES = 8 * 1024;

/**
 * The head of a plain POST request: every line ends with CRLF, no line is folded, names are tokens directly before their
 * colon, and neither the target nor a value has control characters. Each character can match only one way, so matching
 * takes linear time.
 */
const PLAIN_HEAD =
  /^POST \/[A-Za-z0-9/._~%:@=&?+,-]* HTTP\/1\.1\r\n(?:[!#$%&'*+.^`|~0-9A-Za-z-]+:[\t\x20-\x7e\x80-\xff]*\r\n)+\r\n$/;
const TARGET_FROM = "POST ".length;
const AFTER_TARGET = " HTTP/1.1\r\n";
const LENGTH = /^\d{1,9}$/;
const CONNECTION = "connection";

/** The head of a plain request. */
export interface PlainHead {
  readonly target: string;
  readonly headers: RequestHeaders;
  readonly bodyLength: number;
  /** Position of the body in the bytes. */
  readonly bodyFrom: number;
}

/**
 * Reads the head at the beginning of these bytes if it is a plain POST request whose framing leaves no doubt: a single
 * length, no transfer coding, no expectation, no upgrade, and a connection that stays open. Returns null for everything
 * else, valid or not, which Node's parser then judges.
 */
export function readPlainHead(bytes: Buffer): PlainHead | null {
  const text = bytes.toString("latin1", 0, Math.min(bytes.length, MAX_PLAIN_HEAD_BYTES));
  const end = text.indexOf("\r\n\r\n");
  if (end < 0) return null;
  const head = text.slice(0, end + 4);
  if (!PLAIN_HEAD.test(head)) return null;
  const targetTo = head.indexOf(AFTER_TARGET);
  const raw = splitHeaders(head, targetTo + AFTER_TARGET.length, end + 2);
  const headers = raw === null ? null : tryReading(raw);
  if (headers === null || headers.transferEncoding !== null) return null;
  if (headers.contentLength === null || !LENGTH.test(headers.contentLength)) return null;
  if (headers.expect !== null || headers.upgrade !== null) return null;
  const target = head.slice(TARGET_FROM, targetTo);
  return { target, headers, bodyLength: Number(headers.contentLength), bodyFrom: end + 4 };
}

/** Returns alternating names and values, as Node's parser reports them. Returns null if the connection may close. */
function splitHeaders(head: string, start: number, end: number): string[] | null {
  const raw: string[] = [];
  for (let from = start; from < end; ) {
    const to = head.indexOf("\r\n", from);
    const colon = head.indexOf(":", from);
    const name = head.slice(from, colon);
    const value = trimmed(head, colon + 1, to);
    const isConnection = name.length === CONNECTION.length && name.toLowerCase() === CONNECTION;
    if (isConnection && value.toLowerCase() !== "keep-alive") return null;
    raw.push(name, value);
    from = to + 2;
  }
  return raw;
}

/** Reads the headers, or returns null if they must be refused. The refusal is sent when Node has read the request. */
function tryReading(raw: readonly string[]): RequestHeaders | null {
  try {
    return readRequestHeaders(raw);
  } catch {
    return null;
  }
}

/** Returns a header's value without the spaces and tabs around it. Other whitespace belongs to the value. */
function trimmed(head: string, from: number, to: number): string {
  let first = from;
  let last = to;
  while (first < last && isBlank(head.charCodeAt(first))) first += 1;
  while (last > first && isBlank(head.charCodeAt(last - 1))) last -= 1;
  return head.slice(first, last);
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}
