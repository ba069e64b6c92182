import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { MeasuredContent } from "../measured-content.ts";
import { isObjectKey, requireFolderPrefix, requireObjectKey } from "../object-key.ts";
import {
  type ByteRange,
  type ObjectContent,
  type ObjectStorage,
  StorageError,
  type StoredObject,
  type WriteOptions,
  type WrittenObject,
} from "../storage.ts";
import { PartReader } from "./part-reader.ts";
import { readDocument, S3Client, type S3ClientOptions } from "./s3-client.ts";
import { isDocument, readElements, readErrorCode, readText } from "./s3-xml.ts";

/** Size of the parts of large objects, and of the memory that one write needs. The service's minimum is 5 MiB. */
export const PART_BYTES = 8 * 1024 * 1024;
const MAX_RESUMED_READS = 5;
const INCOMPLETE = "an incomplete response";
/** Metadata with the ID of a write, which shows whether an attempt succeeded whose response was lost. */
const WRITE_ID = "x-amz-meta-tollgate-write";

/**
 * Stores objects in a bucket of an S3-compatible store. An object of up to 8 MiB is one request, and a larger one is
 * uploaded in parts. Neither replaces an object, if the store supports `If-None-Match`. A bucket that is used without a
 * prefix must be Tollgate's own, because uploads that another program has in progress there look like abandoned ones.
 */
export class S3Storage implements ObjectStorage {
  readonly #client: S3Client;
  readonly #prefix: string;

  constructor(options: S3ClientOptions) {
    this.#client = new S3Client(options);
    this.#prefix = options.prefix;
  }

  get location(): string {
    return this.#client.location;
  }

  async write(key: string, content: ObjectContent, options: WriteOptions = {}): Promise<WrittenObject> {
    requireObjectKey(key);
    // Not every store supports conditional writes. This check finds the objects of all earlier writes.
    if ((await this.#head(key)) !== null) throw this.#errorOf("exists", `${key} already exists`);
    const measured = new MeasuredContent(content, options);
    const reader = new PartReader(measured, PART_BYTES);
    const writeId = randomUUID();
    try {
      const { part, isLast } = await reader.next();
      if (isLast) await this.#writeOnce(key, part, writeId);
      else await this.#writeParts(key, part, reader, writeId);
    } finally {
      await reader.close();
    }
    return { key, bytes: measured.bytes, sha256: measured.sha256() };
  }

  async *read(key: string, range?: ByteRange): AsyncGenerator<Uint8Array, void> {
    requireObjectKey(key);
    let position = range?.start ?? 0;
    let end = range?.end ?? null;
    let tag: string | null = null;
    let resumed = 0;
    while (end === null || position < end) {
      const startedAt = position;
      const part = await this.#openPart(key, {
        start: position,
        end,
        tag,
        isWhole: range === undefined && position === 0,
      });
      end ??= position + part.bytes;
      ({ tag } = part);
      try {
        for await (const chunk of part.body as AsyncIterable<Buffer>) {
          position += chunk.length;
          yield chunk;
        }
      } catch (error) {
        // A read that progresses may take any number of attempts, because its reader may be slow.
        resumed = position > startedAt ? 0 : resumed + 1;
        if (resumed > MAX_RESUMED_READS) {
          throw this.#errorOf("unavailable", `reading ${key} was interrupted ${resumed} times in one place`, error);
        }
      } finally {
        part.body.destroy();
      }
    }
  }

  async find(key: string): Promise<StoredObject | null> {
    const found = await this.#head(key);
    if (found !== null) return { key, bytes: Number(found["content-length"]) };
    // The response to a HEAD does not distinguish a missing object from a missing bucket, and that to a GET does.
    const headers = [["range", "bytes=0-0"] as const];
    const { body } = await this.#client.send({ method: "GET", key: this.#prefix + key, headers }, [404, 416]);
    body.destroy();
    return null;
  }

  async *list(folder: string): AsyncGenerator<StoredObject, void> {
    requireFolderPrefix(folder);
    let token: string | null = null;
    do {
      const query: [string, string][] = [
        ["list-type", "2"],
        ["prefix", this.#prefix + folder],
      ];
      if (token !== null) query.push(["continuation-token", token]);
      const document = await this.#readList("ListBucketResult", query);
      for (const entry of readElements(document, "Contents")) {
        const key = this.#keyOf(readText(entry, "Key"));
        if (key?.startsWith(folder) === true) yield { key, bytes: Number(readText(entry, "Size")) };
      }
      const next = readText(document, "IsTruncated") === "true" ? readText(document, "NextContinuationToken") : null;
      if (next === "" || (next !== null && next === token)) throw this.#incompleteList();
      token = next;
    } while (token !== null);
  }

  async delete(key: string): Promise<void> {
    requireObjectKey(key);
    const { body } = await this.#client.send({ method: "DELETE", key: this.#prefix + key }, [404]);
    body.resume();
  }

  async deleteAbandonedWrites(before: Date): Promise<number> {
    let deleted = 0;
    let [keyMarker, uploadMarker] = ["", ""];
    for (;;) {
      const query: [string, string][] = [
        ["uploads", ""],
        ["prefix", this.#prefix],
      ];
      if (keyMarker !== "") query.push(["key-marker", keyMarker], ["upload-id-marker", uploadMarker]);
      const document = await this.#readList("ListMultipartUploadsResult", query);
      for (const upload of readElements(document, "Upload")) {
        const path = readText(upload, "Key");
        const startedAt = Date.parse(readText(upload, "Initiated"));
        if (this.#keyOf(path) === null || !(startedAt < before.getTime())) continue;
        await this.#abort(path, readText(upload, "UploadId"));
        deleted += 1;
      }
      if (readText(document, "IsTruncated") !== "true") return deleted;
      const [key, upload] = [readText(document, "NextKeyMarker"), readText(document, "NextUploadIdMarker")];
      if (key === "" || (key === keyMarker && upload === uploadMarker)) throw this.#incompleteList();
      [keyMarker, uploadMarker] = [key, upload];
    }
  }

  close(): void {
    this.#client.close();
  }

  /** Returns the key of a path in the bucket; null if it is not one of this storage. */
  #keyOf(path: string): string | null {
    const key = path.slice(this.#prefix.length);
    return path.startsWith(this.#prefix) && isObjectKey(key) ? key : null;
  }

  /** Requests a page of a list, which must be S3's: a page of another program would look like the end of a list. */
  async #readList(name: string, query: readonly (readonly [string, string])[]): Promise<string> {
    const document = await this.#client.sendForDocument({ method: "GET", key: "", query });
    if (!isDocument(document, name)) throw this.#errorOf("unavailable", "the store did not send a list");
    return document;
  }

  #incompleteList(): StorageError {
    return this.#errorOf("unavailable", "the store sent an incomplete list, and not how it continues");
  }

  /** Starts to read an object from a position. The rest of an interrupted read must be of the same object (`tag`). */
  async #openPart(
    key: string,
    { start, end, tag, isWhole }: { start: number; end: number | null; tag: string | null; isWhole: boolean },
  ): Promise<{ readonly body: IncomingMessage; readonly bytes: number; readonly tag: string | null }> {
    const headers: [string, string][] = isWhole ? [] : [["range", `bytes=${start}-${end === null ? "" : end - 1}`]];
    if (tag !== null) headers.push(["if-match", tag]);
    const {
      headers: sent,
      status,
      body,
    } = await this.#client.send({ method: "GET", key: this.#prefix + key, headers });
    const bytes = Number(sent["content-length"]);
    const range = sent["content-range"] ?? "";
    const isWanted = isWhole ? Number.isSafeInteger(bytes) : status === 206 && range.startsWith(`bytes ${start}-`);
    const isShort = isWanted && end !== null && bytes < end - start;
    const isExact =
      end === null || (bytes === end - start && (isWhole || range.startsWith(`bytes ${start}-${end - 1}/`)));
    if (isWanted && isExact) return { body, bytes, tag: sent.etag ?? null };
    body.destroy();
    if (isShort) throw this.#errorOf("truncated", `${key} ends before byte ${end}`);
    throw this.#errorOf("unavailable", `the store sent other bytes than a request named: ${key}`);
  }

  async #writeOnce(key: string, body: Buffer, writeId: string): Promise<void> {
    const headers = [["if-none-match", "*"] as const, [WRITE_ID, writeId] as const];
    const {
      status,
      isRepeated,
      body: answer,
    } = await this.#client.send({ method: "PUT", key: this.#prefix + key, headers, body }, [412]);
    answer.resume();
    if (status < 300 || (isRepeated && (await this.#isOwn(key, writeId)))) return;
    throw this.#errorOf("exists", `${key} already exists`);
  }

  async #writeParts(key: string, first: Buffer, reader: PartReader, writeId: string): Promise<void> {
    const path = this.#prefix + key;
    const headers = [[WRITE_ID, writeId] as const];
    const started = await this.#client.sendForDocument({
      method: "POST",
      key: path,
      query: [["uploads", ""]],
      headers,
    });
    const uploadId = readText(started, "UploadId");
    if (uploadId === "") throw this.#errorOf("unavailable", `the store did not start an upload of ${key}`);
    try {
      const tags: string[] = [];
      let next = { part: first, isLast: false };
      for (;;) {
        tags.push(await this.#writePart(path, uploadId, tags.length + 1, next.part));
        if (next.isLast) break;
        next = await reader.next();
      }
      await this.#complete(key, uploadId, tags, writeId);
    } catch (error) {
      // An upload that remains is deleted later, with those of processes that died.
      await this.#abort(path, uploadId).catch(() => {});
      throw error;
    }
  }

  async #writePart(path: string, uploadId: string, number: number, body: Buffer): Promise<string> {
    const query = [["partNumber", String(number)] as const, ["uploadId", uploadId] as const];
    const { headers, body: answer } = await this.#client.send({ method: "PUT", key: path, query, body });
    answer.resume();
    return headers.etag ?? "";
  }

  async #complete(key: string, uploadId: string, tags: readonly string[], writeId: string): Promise<void> {
    const parts = tags.map(
      (tag, at) => `<Part><PartNumber>${at + 1}</PartNumber><ETag>${escapeXml(tag)}</ETag></Part>`,
    );
    const body = Buffer.from(
      `<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${parts.join("")}</CompleteMultipartUpload>`,
    );
    const {
      status,
      code: refusal,
      isRepeated,
      body: answer,
    } = await this.#client.send(
      {
        method: "POST",
        key: this.#prefix + key,
        query: [["uploadId", uploadId]],
        headers: [["if-none-match", "*"]],
        body,
      },
      [404, 412],
    );
    // The store sends the status before it has put the parts together, so an error can follow a 200.
    const code = status < 300 ? await readCompletion(answer).catch(() => INCOMPLETE) : refusal;
    if (status < 300 && code === null) return;
    const isUnclear = isRepeated || status < 300;
    if (isUnclear && (await this.#isOwn(key, writeId))) return;
    if (status === 412 || code === "PreconditionFailed") throw this.#errorOf("exists", `${key} already exists`);
    throw this.#errorOf("unavailable", `the store did not complete the upload of ${key} (${status} ${code})`);
  }

  async #abort(path: string, uploadId: string): Promise<void> {
    const { body } = await this.#client.send({ method: "DELETE", key: path, query: [["uploadId", uploadId]] }, [404]);
    body.resume();
  }

  async #isOwn(key: string, writeId: string): Promise<boolean> {
    return (await this.#head(key))?.[WRITE_ID] === writeId;
  }

  async #head(key: string): Promise<IncomingMessage["headers"] | null> {
    requireObjectKey(key);
    const { status, headers, body } = await this.#client.send({ method: "HEAD", key: this.#prefix + key }, [404]);
    body.resume();
    return status === 404 ? null : headers;
  }

  #errorOf(kind: StorageError["kind"], problem: string, cause?: unknown): StorageError {
    return new StorageError(kind, `${this.location}: ${problem}`, { cause });
  }
}

/** Returns the code of an error in the response to a completed upload; null if the response says that it succeeded. */
async function readCompletion(body: IncomingMessage): Promise<string | null> {
  const document = await readDocument(body);
  return isDocument(document, "CompleteMultipartUploadResult") ? null : (readErrorCode(document) ?? INCOMPLETE);
}

function escapeXml(text: string): string {
  return text.replaceAll(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
