import { Failure } from "@tollgate/contracts/failures.ts";
import { mediaTypeByName } from "../../tokens/media-type.ts";
import type { GeminiPart } from "./gemini-wire.ts";

const DATA_URL = /^data:([^;,]+)((?:;[^;,]+)*),/;
/** Host of stored files. Stored files belong to the operator, so requests must not refer to them. */
const FILE_STORE = "generativelanguage.googleapis.com";

/** Details that a client provides about an image, audio, video, or document. */
export interface MediaHints {
  /** The media type, if the client specifies it. */
  readonly format?: string | null | undefined;
  readonly filename?: string | null | undefined;
  /** The media type of a URL that doesn't show one. */
  readonly defaultType?: string;
  /** The path in the request, for error messages. */
  readonly param: string;
}

/** Converts media to a part, with inline bytes or with a URL. Google fetches the URL. The gateway never does. */
export function mediaPart(address: string, hints: MediaHints): GeminiPart {
  const inline = DATA_URL.exec(address);
  if (inline !== null) {
    const [head, mimeType = "", parameters = ""] = inline;
    if (!parameters.includes(";base64")) throw refused("A data URL must be base64 encoded.", hints.param);
    return { inlineData: { mimeType, data: address.slice(head.length) } };
  }
  // Google and the estimate must read the same media type, so characters that a URL parser removes are refused.
  if (/^(?:https|gs):\/\/[^\s\p{Cc}]+$/u.test(address)) {
    const url = parseAddress(address, hints.param);
    if (url.hostname === FILE_STORE) throw notTheirs(hints.param);
    const mimeType =
      hints.format ?? mediaTypeByName(url.pathname) ?? mediaTypeByName(hints.filename ?? "") ?? hints.defaultType;
    return { fileData: { ...(mimeType != null && { mimeType }), fileUri: address } };
  }
  throw refused("Send an https URL or a base64 data URL.", hints.param);
}

/** Converts a file in the request, which is given as bytes or as a URL. */
export function filePart(
  file: { readonly file_id?: string | null | undefined; readonly file_data?: string | null | undefined },
  hints: MediaHints,
): GeminiPart {
  const { file_id: id, file_data: data } = file;
  if (data != null) {
    if (data.startsWith("data:")) return mediaPart(data, hints);
    const mimeType = hints.format ?? mediaTypeByName(hints.filename ?? "");
    if (mimeType == null) throw refused("Send the file as a data URL, which includes its type.", hints.param);
    return { inlineData: { mimeType, data } };
  }
  if (id == null) throw refused("A file requires file_data or file_id.", hints.param);
  if (id.startsWith("files/")) throw notTheirs(hints.param);
  return mediaPart(id, hints);
}

function notTheirs(param: string): Failure {
  return refused("Files stored at the provider belong to the operator's account. Send the file itself.", param);
}

function parseAddress(address: string, param: string): URL {
  try {
    return new URL(address);
  } catch {
    throw refused("Invalid URL.", param);
  }
}

function refused(message: string, param: string): Failure {
  return new Failure("invalid_request", message, { param });
}
