import type { BodyReader, Exchange } from "../../edge/exchange.ts";
import { boundaryOf } from "../../edge/multipart-boundary.ts";
import { MultipartParser, type PartListener } from "../../edge/multipart-parser.ts";
import { FileSpool } from "./file-spool.ts";
import { FormFields } from "./form-fields.ts";

/** Maximum size of a form's fields and part headers, not counting its file. */
const FIELDS_BYTES = 5 * 1024 * 1024;

/**
 * Reads a form. Returns its fields as the equivalent JSON body and attaches its file to the exchange. Rejects other
 * media types before reading the body.
 */
export async function readForm(exchange: Exchange, schema: object, mostFileBytes: number): Promise<Buffer> {
  const boundary = boundaryOf(exchange.headers.contentType);
  const form = new FormReader(boundary, schema, mostFileBytes, () => exchange.request.resumeBody());
  try {
    await exchange.streamBody(mostFileBytes + FIELDS_BYTES, form);
    return await form.finish(exchange);
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

  async finish(exchange: Exchange): Promise<Buffer> {
    this.#parser.end();
    if (this.#spool !== null) {
      exchange.file = await this.#spool.finish();
      const { filename, contentType, size } = exchange.file;
      this.#fields.set("file", { filename, content_type: contentType, bytes: size });
    }
    return this.#fields.toJson();
  }

  async discard(): Promise<void> {
    await this.#spool?.discard();
  }
}
