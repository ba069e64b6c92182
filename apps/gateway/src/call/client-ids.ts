import type { InferenceRequest } from "@tollgate/contracts/inference/shared-fields.ts";
import { MAX_SESSION_LENGTH } from "@tollgate/domain/credit/usage-event.ts";
import { type CallBody, readableMember } from "./call-body.ts";
import type { OperationKind } from "./operation-kind.ts";
import type { RequestHeaders } from "./request-headers.ts";

const MAX_END_USER_LENGTH = 200;

type NamingBody<Request extends InferenceRequest> = Pick<CallBody<Request>, "bytes" | "members" | "request">;

/** Returns the session that the client names, in `prompt_cache_key` or in a header, as parsed; null if it names none. */
export function namedSession(request: object, headers: RequestHeaders): string | null {
  return cacheKeyOf(request) ?? headers.session;
}

/** Returns the session that a call belongs to, as it is stored; null if the client names none. */
export function sessionOfBody(body: NamingBody<InferenceRequest>, headers: RequestHeaders): string | null {
  const key = cacheKeyOf(body.request);
  if (key === null) return headers.session === null ? null : sessionOfHeader(headers.session);
  const name = isAscii(key) ? key : readableMember(body, "prompt_cache_key");
  return typeof name === "string" ? shortSession(name) : null;
}

/** Returns the text of a session ID in a header as it is stored. Node.js decodes each byte of a header as a character. */
export function sessionOfHeader(name: string): string {
  return shortSession(Buffer.from(name, "latin1").toString("utf8"));
}

/** Shortens a session ID to the length that is stored. A character that would be cut in half is replaced. */
export function shortSession(name: string): string {
  return name.slice(0, MAX_SESSION_LENGTH).toWellFormed();
}

/** Returns the ID of the end user that a call is for, as it is stored; null if the client names none. */
export function endUserOf<Request extends InferenceRequest>(
  kind: Pick<OperationKind<Request>, "endUserOf">,
  body: NamingBody<Request>,
): string | null {
  const find = kind.endUserOf ?? userOf;
  const user = find(body.request);
  if (typeof user !== "string") return null;
  const name = isAscii(user) ? user : find(readableNames(body));
  return typeof name === "string" ? name.slice(0, MAX_END_USER_LENGTH).toWellFormed() : null;
}

function userOf({ user }: InferenceRequest): string | null | undefined {
  return user;
}

/** Returns the members that can name an end user, with decoded strings. */
function readableNames<Request extends InferenceRequest>(body: NamingBody<Request>): Request {
  return { user: readableMember(body, "user"), metadata: readableMember(body, "metadata") } as unknown as Request;
}

function cacheKeyOf(request: object): string | null {
  const { prompt_cache_key: key } = request as { readonly prompt_cache_key?: unknown };
  return typeof key === "string" && key !== "" ? key : null;
}

/**
 * Reports whether a parsed string is ASCII, in which case bytes and text are the same. In other strings, bytes can't be
 * distinguished from escaped characters.
 */
export function isAscii(text: string): boolean {
  return Buffer.byteLength(text, "utf8") === text.length;
}
