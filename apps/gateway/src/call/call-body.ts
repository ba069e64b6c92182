import type { Readable } from "node:stream";
import type { InferenceRequest } from "@tollgate/contracts/inference/shared-fields.ts";
import type { TopLevelMember } from "@tollgate/domain/json-text.ts";
import type { Secret } from "@tollgate/domain/secret.ts";

/** A file uploaded with a request. It can be read again for each attempt, and is deleted when the call ends. */
export interface UploadedFile {
  readonly filename: string;
  readonly contentType: string;
  readonly size: number;
  /** The first bytes, enough to detect the file type. */
  readonly head: Buffer;
  open(): Readable;
  /** Releases the file. Active readers get an error. */
  close(): Promise<void>;
}

/** A form as read: its fields as the equivalent JSON body, and its file. */
export interface FormBody {
  readonly bytes: Buffer;
  readonly file: UploadedFile | null;
}

/** Name, type, and size of a file. */
export type FileFacts = Pick<UploadedFile, "filename" | "contentType" | "size" | "head">;

/** A parsed and validated body, and the gateway's own fields in it. */
export interface CallBody<Request extends InferenceRequest = InferenceRequest> {
  /** The body as received. For a form, the form fields as JSON. */
  readonly bytes: Buffer;
  readonly members: readonly TopLevelMember[];
  /** True if the body can't be edited in place because a key is escaped or members must be merged. */
  readonly mustRebuild: boolean;
  /**
   * The parsed request. Its strings are bytes, so decode them before comparing them with other text. The texts of chat
   * messages are empty, because they are not parsed. `readableRequest` returns them.
   */
  readonly request: Request;
  /** Names of fields that are removed before the body is sent. */
  readonly dropped: ReadonlySet<string>;
  readonly extraHeaders: readonly string[];
  /** The uploaded file. */
  readonly file: UploadedFile | null;
  /** The caller's own provider API key, which is nowhere else in the body. */
  readonly ownKey?: Secret;
}

/**
 * Returns one top-level member with decoded strings; undefined if there is none. A value that is written to a body again
 * must be read this way: an escape in the parsed request is a character, which could become other bytes.
 */
export function readableMember({ bytes, members }: Pick<CallBody, "bytes" | "members">, name: string): unknown {
  const member = members.find((one) => one.name === name);
  return member === undefined ? undefined : JSON.parse(bytes.toString("utf8", member.valueStart, member.valueEnd));
}

/** Returns the request with decoded strings, for reading its content. */
export function readableRequest<Request extends InferenceRequest>(body: CallBody<Request>): Request {
  return JSON.parse(body.bytes.toString("utf8")) as Request;
}

/** The lifetime of a one-hour cache, and the escapes in its other spellings. Quotes inside JSON strings are escaped. */
const LONG_CACHE = ['"1h"', "\\u0031", "\\u0068"].map((spelling) => Buffer.from(spelling));

/** Reports whether a request may ask the provider to cache its prompt for one hour. */
export function mayCacheLong({ bytes }: Pick<CallBody, "bytes">): boolean {
  return LONG_CACHE.some((spelling) => bytes.includes(spelling));
}
