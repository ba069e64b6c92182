import type { FileHandle } from "node:fs/promises";
import { Failure, missingBody } from "@tollgate/contracts/failures.ts";
import type { FormBody, UploadedFile } from "../call/call-body.ts";
import type { BodyReader, Exchange } from "../call/exchange.ts";
import { hasNoBody } from "../call/request-headers.ts";
import { boundaryOf } from "./multipart-boundary.ts";
import { MultipartParser, type PartListener } from "./multipart-parser.ts";
import { fileInMemory, fileOnDisk, openAnonymousFile } from "./uploaded-file.ts";

/** Maximum size of a form's fields and part headers, not counting its file. */
const FIELDS_BYTES = 5 * 1024 * 1024;

/**
 * Reads a form. Its file is retained until the exchange ends. Rejects other media types before reading the body.
 */
export async function readForm(exchange: Exchange, schema: object, mostFileBytes: number): Promise<FormBody> {
  if (hasNoBody(exchange.headers)) throw missingBody();
  const boundary = boundaryOf(exchange.headers.contentType);
  const form = new FormReader(boundary, schema, mostFileBytes, () => exchange.request.resumeBody());
  try {
    await exchange.streamBody(mostFileBytes + FIELDS_BYTES, form);
    const read = await form.finish();
    if (read.file !== null) exchange.closeAtEnd(read.file);
    return read;
  } catch (error) {
    await form.discard();
    throw error;
  }
}

class FormReader implements BodyReader, PartListener {
  readonly #parser: MultipartParser;
  readonly #fields: FormFields;
  readonly #mostFileBytes: number;
  readonly #resume: () => void;
  #spool: FileSpool | null = null;

  constructor(boundary: string, schema: object, mostFileBytes: number, resume: () => void) {
    this.#parser = new MultipartParser(boundary, this);
    this.#fields = new FormFields(schema);
    this.#mostFileBytes = mostFileBytes;
    this.#resume = resume;
  }

  take(chunk: Buffer): boolean {
    this.#parser.push(chunk);
    return this.#spool === null || this.#spool.isReady;
  }

  onField(name: string, value: string): void {
    this.#fields.add(name, value);
  }

  onFile({ filename, contentType }: { readonly filename: string; readonly contentType: string }): void {
    this.#spool = new FileSpool(filename, contentType, this.#mostFileBytes, this.#resume);
  }

  onFileData(chunk: Buffer): void {
    this.#spool?.add(chunk);
  }

  async finish(): Promise<FormBody> {
    this.#parser.end();
    if (this.#spool === null) return { bytes: this.#fields.toJson(), file: null };
    const file = await this.#spool.finish();
    const { filename, contentType, size } = file;
    this.#fields.set("file", { filename, content_type: contentType, bytes: size });
    return { bytes: this.#fields.toJson(), file };
  }

  async discard(): Promise<void> {
    await this.#spool?.discard();
  }
}

/** The parts of a schema that define the type of a field. */
interface FieldSchema {
  readonly type?: string;
  readonly const?: unknown;
  readonly anyOf?: readonly FieldSchema[];
  readonly properties?: Readonly<Record<string, FieldSchema>>;
}

const NAME = /^([^[\]]+)(?:\[([^[\]]*)\])?$/;
const NUMBER = /^-?(?:0|[1-9]\d{0,15})(?:\.\d{1,16})?$/;
const booleans: Readonly<Record<string, boolean>> = { true: true, false: false, "1": true, "0": false };

/**
 * Collects form fields into the equivalent JSON object. `name[]` is a list entry, `name[key]` is an object member, and
 * strings are converted to the schema's type. A string that can't be converted is left unchanged, and schema validation
 * reports it.
 */
class FormFields {
  readonly #schemas: Readonly<Record<string, FieldSchema>>;
  readonly #values = new Map<string, unknown>();

  constructor(schema: object) {
    this.#schemas = (schema as FieldSchema).properties ?? {};
  }

  /** Adds a field. Throws a Failure if the field was sent before, because parsers disagree on duplicates. */
  add(field: string, text: string): void {
    const match = NAME.exec(field);
    if (match === null) throw new Failure("invalid_request", "A form field has an invalid name.");
    const [, name = "", key] = match;
    const known = this.#values.get(name);
    if (key === undefined) {
      if (known !== undefined) throw sentTwice(name);
      this.#values.set(name, this.#read(name, text));
    } else if (key === "") {
      if (known !== undefined && !Array.isArray(known)) throw sentTwice(name);
      this.#values.set(name, [...((known as unknown[] | undefined) ?? []), text]);
    } else {
      if (known !== undefined && !(known instanceof Map)) throw sentTwice(name);
      const members = (known as Map<string, string> | undefined) ?? new Map<string, string>();
      if (members.has(key)) throw sentTwice(field);
      this.#values.set(name, members.set(key, text));
    }
  }

  /** Sets a member that the client may not send as a field. */
  set(name: string, value: unknown): void {
    if (this.#values.has(name)) throw sentTwice(name);
    this.#values.set(name, value);
  }

  /** Returns all fields as JSON. */
  toJson(): Buffer {
    const members = [...this.#values].map(([name, value]) => [
      name,
      value instanceof Map ? Object.fromEntries(value as Map<string, string>) : value,
    ]);
    return Buffer.from(JSON.stringify(Object.fromEntries(members)), "utf8");
  }

  #read(name: string, text: string): unknown {
    const schema = Object.hasOwn(this.#schemas, name) ? this.#schemas[name] : undefined;
    if (schema === undefined) return text;
    const types = typesOf(schema);
    if (types.has("boolean") && Object.hasOwn(booleans, text.toLowerCase())) return booleans[text.toLowerCase()];
    if ((types.has("number") || types.has("integer")) && NUMBER.test(text)) return Number(text);
    const isStructure = (types.has("object") && text.startsWith("{")) || (types.has("array") && text.startsWith("["));
    return isStructure ? readJson(text) : text;
  }
}

function typesOf(schema: FieldSchema): ReadonlySet<string> {
  return new Set([schema, ...(schema.anyOf ?? [])].flatMap(({ type }) => type ?? []));
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function sentTwice(name: string): Failure {
  return new Failure("invalid_request", `The form field '${name}' appears more than once.`, { param: name });
}

/** Files up to this size stay in memory. */
const MEMORY_BYTES = 1024 * 1024;
/** Maximum number of unwritten bytes before the client is paused. */
const MAX_WAITING_BYTES = 512 * 1024;
const HEAD_BYTES = 16 * 1024;
/**
 * Size to which smaller chunks are combined. A client may send single bytes, and each chunk has a memory overhead of a
 * hundred bytes.
 */
const BLOCK_BYTES = 64 * 1024;

/** Receives an uploaded file in memory or, if it is large, on disk. Reads no faster than the disk can write. */
export class FileSpool {
  readonly #filename: string;
  readonly #contentType: string;
  readonly #limitBytes: number;
  readonly #resume: () => void;
  #chunks: Buffer[] = [];
  #waitingBytes = 0;
  #size = 0;
  #head: Buffer = Buffer.alloc(0);
  #handle: FileHandle | null = null;
  #block: Buffer | null = null;
  #blockBytes = 0;
  #isWriting = false;
  #written: Promise<void> = Promise.resolve();
  #failure: Failure | null = null;
  #isDiscarded = false;

  /** `resume` is called when the spool accepts chunks again after `isReady` was false. */
  constructor(filename: string, contentType: string, limitBytes: number, resume: () => void) {
    this.#filename = filename;
    this.#contentType = contentType;
    this.#limitBytes = limitBytes;
    this.#resume = resume;
  }

  /** Adds a chunk. Throws a Failure once the file exceeds the limit. */
  add(chunk: Buffer): void {
    this.#size += chunk.length;
    if (this.#size > this.#limitBytes) {
      throw new Failure("request_too_large", `The file is larger than the limit of ${this.#limitBytes} bytes.`, {
        param: "file",
        fix: "Send a shorter or compressed recording. The operator sets the limit with general_settings.max_file_size_mb.",
      });
    }
    if (this.#head.length < HEAD_BYTES) {
      this.#head = Buffer.concat([this.#head, chunk.subarray(0, HEAD_BYTES - this.#head.length)]);
    }
    if (this.#failure !== null) throw this.#failure;
    this.#waitingBytes += chunk.length;
    this.#gather(chunk);
    if (!this.#isWriting && this.#size > MEMORY_BYTES) {
      this.#isWriting = true;
      this.#written = this.#write();
    }
  }

  /** True if the spool accepts more chunks now. */
  get isReady(): boolean {
    return !this.#isWriting || this.#waitingBytes <= MAX_WAITING_BYTES;
  }

  /** Returns the complete file. Throws a Failure if it could not be stored. */
  async finish(): Promise<UploadedFile> {
    await this.#written;
    if (this.#failure !== null) throw this.#failure;
    const facts = {
      filename: this.#filename,
      contentType: this.#contentType,
      size: this.#size,
      head: this.#head,
    };
    return this.#handle === null ? fileInMemory(facts, this.#takeChunks()) : fileOnDisk(facts, this.#handle);
  }

  /** Discards the file. */
  async discard(): Promise<void> {
    this.#isDiscarded = true;
    await this.#written;
    await this.#handle?.close();
  }

  #gather(chunk: Buffer): void {
    if (chunk.length >= BLOCK_BYTES / 4) {
      this.#endBlock();
      this.#chunks.push(chunk);
      return;
    }
    if (this.#blockBytes + chunk.length > BLOCK_BYTES) this.#endBlock();
    this.#block ??= Buffer.allocUnsafe(BLOCK_BYTES);
    chunk.copy(this.#block, this.#blockBytes);
    this.#blockBytes += chunk.length;
  }

  #endBlock(): void {
    if (this.#block === null) return;
    this.#chunks.push(this.#block.subarray(0, this.#blockBytes));
    this.#block = null;
    this.#blockBytes = 0;
  }

  #takeChunks(): Buffer[] {
    this.#endBlock();
    const chunks = this.#chunks;
    this.#chunks = [];
    return chunks;
  }

  /** Writes until no chunk is pending. */
  async #write(): Promise<void> {
    try {
      this.#handle ??= await openAnonymousFile();
      while (this.#waitingBytes > 0 && !this.#isDiscarded) {
        const chunks = this.#takeChunks();
        for (const chunk of chunks) await this.#handle.appendFile(chunk);
        const wasReady = this.isReady;
        for (const chunk of chunks) this.#waitingBytes -= chunk.length;
        if (!wasReady && this.isReady) this.#resume();
      }
    } catch (error) {
      this.#failure = new Failure("service_unavailable", "The uploaded file could not be stored.", { cause: error });
      this.#chunks = [];
      this.#resume();
    }
    this.#isWriting = false;
  }
}
