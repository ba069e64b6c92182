import { randomUUID } from "node:crypto";
import { Readable } from "node:stream";
import type { UploadedFile } from "../../call/call-body.ts";

/**
 * A form body that can be read once per attempt. Its length is known, and its file is never loaded into memory as a
 * whole.
 */
interface FormBody {
  readonly contentType: string;
  readonly length: number;
  readonly open: () => Readable;
}

/**
 * Builds a form from these fields and a file. Lists become repeated fields, and objects become fields with the member
 * name in brackets.
 */
export function buildForm(fields: Readonly<Record<string, unknown>>, file: UploadedFile): FormBody {
  const boundary = `tollgate-${randomUUID()}`;
  const parts = Object.entries(fields).flatMap(([name, value]) => writeField(boundary, name, value));
  const head =
    `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="${escapeName(file.filename)}"\r\n` +
    `content-type: ${file.contentType}\r\n\r\n`;
  const before = Buffer.from(parts.join("") + head, "utf8");
  const after = Buffer.from(`\r\n--${boundary}--\r\n`, "latin1");
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    length: before.length + file.size + after.length,
    open: () => Readable.from(inTurn(before, file, after), { objectMode: false }),
  };
}

/** Returns the headers of a request with a form body instead of JSON. */
export function formHeaders(usual: readonly string[], { contentType, length }: FormBody): readonly string[] {
  const headers = ["content-type", contentType, "content-length", String(length)];
  for (let index = 0; index < usual.length; index += 2) {
    const name = usual[index] as string;
    if (name !== "content-type") headers.push(name, usual[index + 1] as string);
  }
  return headers;
}

async function* inTurn(before: Buffer, file: UploadedFile, after: Buffer): AsyncGenerator<Buffer> {
  yield before;
  yield* file.open() as AsyncIterable<Buffer>;
  yield after;
}

function writeField(boundary: string, name: string, value: unknown): string[] {
  if (value === null || value === undefined) return [];
  if (Array.isArray(value)) return value.flatMap((entry) => writeField(boundary, `${name}[]`, entry));
  if (typeof value === "object") {
    return Object.entries(value).flatMap(([key, member]) => writeField(boundary, `${name}[${key}]`, member));
  }
  return [`--${boundary}\r\ncontent-disposition: form-data; name="${escapeName(name)}"\r\n\r\n${String(value)}\r\n`];
}

/** Escapes a file name in a header the way browsers do. */
function escapeName(name: string): string {
  return name.replaceAll('"', "%22").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}
