import type { InferenceRequest } from "@tollgate/contracts/inference/shared-fields.ts";
import type { TopLevelMember } from "@tollgate/domain/json-text.ts";
import type { UploadedFile } from "./uploaded-file.ts";

/** A body that was read and checked, and what it asks of the gateway itself. */
export interface CallBody<Request extends InferenceRequest = InferenceRequest> {
  /** As it came, one character per byte, so that positions are byte positions. Of a form, its fields as JSON. */
  readonly text: string;
  readonly members: readonly TopLevelMember[];
  /** Cannot be edited in place: a key is written with escapes, or members must be merged. */
  readonly mustRebuild: boolean;
  /** Strings in it are bytes, not characters: decode before looking at content. */
  readonly request: Request;
  /** Names taken out before the body is sent. */
  readonly dropped: ReadonlySet<string>;
  readonly extraHeaders: readonly string[];
  /** What was uploaded with it. */
  readonly file: UploadedFile | null;
}

/** The request with its texts as characters, for whoever looks at content. */
export function readableRequest<Request extends InferenceRequest>(body: CallBody<Request>): Request {
  return JSON.parse(Buffer.from(body.text, "latin1").toString("utf8")) as Request;
}
