import { isUtf8 } from "node:buffer";
import { Failure } from "@tollgate/contracts/failures.ts";

/** The parsed head of a form part. */
export interface PartHead {
  readonly name: string;
  /** Null for a field that is not a file. */
  readonly filename: string | null;
  readonly contentType: string;
}

const MAX_NAME = 256;
const HEADER = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(.*?)[ \t]*$/;
const MEDIA_TYPE = /^[!#$&^_.+0-9A-Za-z-]{1,64}\/[!#$&^_.+0-9A-Za-z-]{1,64}(?:\s*;[\x20-\x7e]{0,128})?$/;
/** Accepted transfer encodings, which need no decoding. */
const plainEncodings = new Set(["7bit", "8bit", "binary"]);
/** A disposition parameter: a token, or a quoted string with escaped quotes and backslashes. */
const PARAMETER = /^;[ \t]*([A-Za-z*]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s";\\]+))[ \t]*/;

/** Parses the head of a part. Throws a Failure for anything that two parsers could interpret differently. */
export function readPartHead(bytes: Buffer): PartHead {
  if (!isUtf8(bytes)) throw refused("is not valid UTF-8");
  const headers = readHeaders(bytes.toString("utf8"));
  const encoding = headers.get("content-transfer-encoding");
  if (encoding !== undefined && !plainEncodings.has(encoding.toLowerCase())) throw refused("has a transfer encoding");
  const contentType = headers.get("content-type") ?? "application/octet-stream";
  if (!MEDIA_TYPE.test(contentType)) throw refused("has no valid content type");
  const { name, filename } = readDisposition(headers.get("content-disposition") ?? "");
  return { name, filename, contentType };
}

function readHeaders(text: string): Map<string, string> {
  const headers = new Map<string, string>();
  for (const line of text.split("\r\n")) {
    const match = hasControls(line) ? null : HEADER.exec(line);
    if (match === null) throw refused("has an invalid header");
    const name = (match[1] as string).toLowerCase();
    if (headers.has(name)) throw refused(`repeats the header '${name}'`);
    headers.set(name, match[2] as string);
  }
  return headers;
}

function readDisposition(text: string): { name: string; filename: string | null } {
  if (!/^form-data(?=;)/i.test(text)) throw refused("has no form-data disposition");
  const parameters = new Map<string, string>();
  let rest = text.slice("form-data".length);
  while (rest !== "") {
    const match = PARAMETER.exec(rest);
    if (match === null) throw refused("has an invalid disposition");
    const name = (match[1] as string).toLowerCase();
    if (parameters.has(name)) throw refused(`repeats the parameter '${name}'`);
    parameters.set(name, match[2]?.replaceAll(/\\(["\\])/g, "$1") ?? (match[3] as string));
    rest = rest.slice(match[0].length);
  }
  const name = parameters.get("name");
  if (name === undefined || name === "" || name.length > MAX_NAME) throw refused("has no name");
  const extended = parameters.get("filename*");
  const filename = extended === undefined ? parameters.get("filename") : decodeExtended(extended);
  if (filename !== undefined && filename.length > MAX_NAME) throw refused("has a file name that is too long");
  return { name, filename: filename ?? null };
}

/** Decodes the extended notation that older clients use for non-ASCII names. */
function decodeExtended(text: string): string {
  const match = /^utf-8''([!#$&+.^_`|~0-9A-Za-z%-]*)$/i.exec(text);
  try {
    const decoded = decodeURIComponent(match?.[1] ?? "%");
    if (!hasControls(decoded)) return decoded;
  } catch {
    // The name is rejected below, like every other invalid name.
  }
  throw refused("has an invalid file name");
}

function hasControls(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if ((code < 32 && code !== 9) || code === 127) return true;
  }
  return false;
}

function refused(reason: string): Failure {
  return new Failure("invalid_request", `A form part ${reason}.`);
}
