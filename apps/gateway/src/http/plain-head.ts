import type { RequestHeaders } from "../call/request-headers.ts";
import { type HostCheck, readRequestHeaders } from "./request-headers.ts";
import type { MatchedRoute } from "./route-table.ts";

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
const HEAD_END = Buffer.from("\r\n\r\n");
const LENGTH = /^\d{1,9}$/;
const LENGTH_LINE = /\r\ncontent-length:/i;
const CONNECTION = "connection";

/** The head of a plain request. */
export interface PlainHead {
  readonly text: string;
  /** Position of the length in the text. */
  readonly lengthFrom: number;
  readonly lengthTo: number;
  readonly target: string;
  readonly headers: RequestHeaders;
  readonly bodyLength: number;
  /** Position of the body in the bytes. */
  readonly bodyFrom: number;
  /** Set once the server has accepted this head or one that it repeats. */
  accepted: AcceptedHead | null;
}

/** A head whose framing and host were checked, and which leads to a route. */
interface AcceptedHead {
  readonly route: MatchedRoute;
  /** The check that the host has passed. */
  readonly hostCheck: HostCheck;
}

/**
 * Reads the head at the beginning of these bytes if it is a plain POST request whose framing leaves no doubt: a single
 * length, no transfer coding, no expectation, no upgrade, and a connection that stays open. Returns null for everything
 * else, valid or not, which Node's parser then judges. `last` is the head of the connection's last request. Clients
 * repeat it with another length, and then it isn't read again.
 */
export function readPlainHead(bytes: Buffer, last: PlainHead | null = null): PlainHead | null {
  const end = bytes.indexOf(HEAD_END);
  if (end < 0 || end > MAX_PLAIN_HEAD_BYTES - HEAD_END.length) return null;
  // The headers are parts of this text, which exists as long as the call. So the body must not be part of it.
  const head = bytes.toString("latin1", 0, end + HEAD_END.length);
  const repeated = last === null ? null : withOtherLength(last, head);
  if (repeated !== null) return repeated;
  if (!PLAIN_HEAD.test(head)) return null;
  const targetTo = head.indexOf(AFTER_TARGET);
  const raw = splitHeaders(head, targetTo + AFTER_TARGET.length, end + 2);
  const headers = raw === null ? null : tryReading(raw);
  if (headers === null || headers.transferEncoding !== null) return null;
  const { contentLength } = headers;
  if (contentLength === null || !LENGTH.test(contentLength)) return null;
  if (headers.expect !== null || headers.upgrade !== null) return null;
  const target = head.slice(TARGET_FROM, targetTo);
  const lengthFrom = head.indexOf(contentLength, LENGTH_LINE.exec(head)?.index);
  const lengthTo = lengthFrom + contentLength.length;
  return {
    text: head,
    lengthFrom,
    lengthTo,
    target,
    headers,
    bodyLength: Number(contentLength),
    bodyFrom: head.length,
    accepted: null,
  };
}

/** Returns this head if it differs from the last one only in its length. */
function withOtherLength(last: PlainHead, head: string): PlainHead | null {
  const { text, lengthFrom, target, headers } = last;
  const lengthTo = last.lengthTo + head.length - text.length;
  if (lengthTo <= lengthFrom || !isSame(text, 0, head, 0, lengthFrom)) return null;
  if (!isSame(text, last.lengthTo, head, lengthTo, head.length - lengthTo)) return null;
  const contentLength = head.slice(lengthFrom, lengthTo);
  if (!LENGTH.test(contentLength)) return null;
  return {
    text: head,
    lengthFrom,
    lengthTo,
    target,
    headers: { ...headers, contentLength },
    bodyLength: Number(contentLength),
    bodyFrom: head.length,
    accepted: last.accepted,
  };
}

function isSame(one: string, oneFrom: number, other: string, otherFrom: number, length: number): boolean {
  return one.slice(oneFrom, oneFrom + length) === other.slice(otherFrom, otherFrom + length);
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
