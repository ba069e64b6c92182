import { isUtf8 } from "node:buffer";
import { Failure } from "@tollgate/contracts/failures.ts";
import { type PartHead, readPartHead } from "./part-head.ts";

/** Receives the parts of a form as they arrive. */
export interface PartListener {
  onField(name: string, value: string): void;
  /** Called when a file begins. A form can have only one file. */
  onFile(head: PartHead & { readonly filename: string }): void;
  onFileData(chunk: Buffer): void;
}

const MAX_FIELDS = 64;
const MAX_FIELD_BYTES = 64 * 1024;
const MAX_HEAD_BYTES = 4 * 1024;
/** Maximum size of the line endings that some clients send after the last boundary. */
const MAX_EPILOGUE_BYTES = 64;

const EMPTY = Buffer.alloc(0);
const LINE_END = Buffer.from("\r\n");
const HEAD_END = Buffer.from("\r\n\r\n");
const CLOSING = Buffer.from("--");
const CARRIAGE_RETURN = 13;

type Place = "start" | "delimiter" | "head" | "field" | "file" | "epilogue";

/**
 * Parses a form as its bytes arrive, without buffering its file. Rejects everything that two parsers could interpret
 * differently, and any bytes before, after, or between the parts.
 */
export class MultipartParser {
  readonly #listener: PartListener;
  /** The boundary and the line break before it, as they appear after a part. */
  readonly #delimiter: Buffer;
  #place: Place = "start";
  #waiting: Buffer = EMPTY;
  #name = "";
  #fields = 0;
  #field: Buffer = EMPTY;
  #fieldBytes = 0;
  #hasFile = false;

  constructor(boundary: string, listener: PartListener) {
    this.#listener = listener;
    this.#delimiter = Buffer.from(`\r\n--${boundary}`, "latin1");
  }

  /** Parses the next bytes. Throws a Failure if they are not a valid form. */
  push(chunk: Buffer): void {
    this.#waiting = this.#waiting.length === 0 ? chunk : Buffer.concat([this.#waiting, chunk]);
    while (this.#step());
  }

  /** Ends the body. Throws if the form is incomplete. */
  end(): void {
    if (this.#place !== "epilogue") throw malformed("The form ends before its closing boundary.");
  }

  /** Parses as much of the pending bytes as possible. Returns false if it needs more bytes. */
  #step(): boolean {
    switch (this.#place) {
      case "start":
        return this.#readStart();
      case "delimiter":
        return this.#readDelimiterEnd();
      case "head":
        return this.#readHead();
      case "field":
        return this.#readField();
      case "file":
        return this.#readFile();
      case "epilogue":
        return this.#readEpilogue();
    }
  }

  /** Reads the first boundary. It needs no preceding line ending, but some clients send one. */
  #readStart(): boolean {
    const hasLineEnd = this.#waiting[0] === LINE_END[0];
    const expected = hasLineEnd ? this.#delimiter : this.#delimiter.subarray(LINE_END.length);
    const known = Math.min(expected.length, this.#waiting.length);
    if (!this.#waiting.subarray(0, known).equals(expected.subarray(0, known))) {
      throw malformed("The form does not start with its boundary.");
    }
    if (known < expected.length) return false;
    return this.#enter("delimiter", expected.length);
  }

  #readDelimiterEnd(): boolean {
    if (this.#waiting.length < LINE_END.length) return false;
    const mark = this.#waiting.subarray(0, LINE_END.length);
    if (mark.equals(LINE_END)) return this.#enter("head", LINE_END.length);
    if (mark.equals(CLOSING)) return this.#enter("epilogue", CLOSING.length);
    throw malformed("A form boundary must be followed by a line break.");
  }

  #readHead(): boolean {
    const end = this.#waiting.indexOf(HEAD_END);
    if (end > MAX_HEAD_BYTES || (end < 0 && this.#waiting.length > MAX_HEAD_BYTES)) {
      throw new Failure("request_too_large", "The headers of a form part are too long.");
    }
    if (end < 0) return false;
    const head = readPartHead(this.#waiting.subarray(0, end));
    this.#name = head.name;
    if (head.filename === null) {
      this.#fields += 1;
      if (this.#fields > MAX_FIELDS) {
        throw new Failure("request_too_large", `The form has more than ${MAX_FIELDS} fields.`);
      }
      return this.#enter("field", end + HEAD_END.length);
    }
    if (head.name !== "file" || this.#hasFile) {
      throw new Failure("invalid_request", "The form accepts one file, in the field 'file'.", { param: "file" });
    }
    this.#hasFile = true;
    this.#listener.onFile({ ...head, filename: head.filename });
    return this.#enter("file", end + HEAD_END.length);
  }

  /**
   * Passes on all bytes except a possible partial boundary. Returns the position of the boundary once it is complete.
   */
  #readContent(take: (content: Buffer) => void): number {
    const end = this.#waiting.indexOf(this.#delimiter);
    const length = end < 0 ? this.#endOfContent() : end;
    if (length > 0) take(this.#waiting.subarray(0, length));
    if (end < 0) this.#waiting = this.#waiting.subarray(length);
    return end;
  }

  /** Returns the start of a possible partial boundary at the end of the pending bytes. */
  #endOfContent(): number {
    const bytes = this.#waiting;
    let at = bytes.indexOf(CARRIAGE_RETURN, Math.max(0, bytes.length - this.#delimiter.length + 1));
    while (at >= 0) {
      if (bytes.compare(this.#delimiter, 0, bytes.length - at, at) === 0) return at;
      at = bytes.indexOf(CARRIAGE_RETURN, at + 1);
    }
    return bytes.length;
  }

  #readField(): boolean {
    const end = this.#readContent(this.#takeFieldContent);
    if (end < 0) return false;
    const value = this.#field.subarray(0, this.#fieldBytes);
    if (!isUtf8(value)) throw malformed("A form field is not valid UTF-8.");
    this.#listener.onField(this.#name, value.toString("utf8"));
    this.#fieldBytes = 0;
    return this.#enter("delimiter", end + this.#delimiter.length);
  }

  /**
   * Copies the content, because a client may send it one byte at a time, and a buffer per byte would take a hundred
   * times as much memory.
   */
  readonly #takeFieldContent = (content: Buffer): void => {
    if (this.#fieldBytes + content.length > MAX_FIELD_BYTES) {
      throw new Failure("request_too_large", `The field '${this.#name}' is longer than ${MAX_FIELD_BYTES} bytes.`);
    }
    if (this.#field.length === 0) this.#field = Buffer.allocUnsafe(MAX_FIELD_BYTES);
    content.copy(this.#field, this.#fieldBytes);
    this.#fieldBytes += content.length;
  };

  #readFile(): boolean {
    const end = this.#readContent(this.#takeFileContent);
    return end >= 0 && this.#enter("delimiter", end + this.#delimiter.length);
  }

  readonly #takeFileContent = (content: Buffer): void => this.#listener.onFileData(content);

  #readEpilogue(): boolean {
    if (this.#waiting.length > MAX_EPILOGUE_BYTES || this.#waiting.some((byte) => byte !== 13 && byte !== 10)) {
      throw malformed("The form has data after its closing boundary.");
    }
    return false;
  }

  #enter(place: Place, consumed: number): true {
    this.#place = place;
    this.#waiting = this.#waiting.subarray(consumed);
    return true;
  }
}

/** Creates the failure for a malformed form. */
function malformed(message: string): Failure {
  return new Failure("invalid_request", message);
}
