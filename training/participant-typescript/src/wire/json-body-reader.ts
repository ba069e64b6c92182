import type { JsonObject } from "../handlers.ts";
import { JsonScanner, type ParameterField } from "./json-scanner.ts";
import { tooManyEntries } from "./malformed.ts";
import { ParameterString } from "./parameter-string.ts";
import { MemoryBudget, Spool } from "./spool.ts";
import type { StoredBytes } from "./stored-bytes.ts";
import type { Blobs, DecodeOptions } from "./wire-body.ts";

const SCRATCH_BYTES = 48 * 1024;

/** Reads a JSON body piece by piece: parameters go to spools, and the remaining fields are parsed. */
export class JsonBodyReader {
  readonly #options: DecodeOptions;
  readonly #budget: MemoryBudget;
  readonly #scanner = new JsonScanner({ takesParameters: true });
  readonly #scratch = new Uint8Array(SCRATCH_BYTES);
  readonly #list: StoredBytes[] = [];
  #parameters: StoredBytes | undefined;
  #field: ParameterField = "parameters";
  #string: ParameterString | undefined;

  constructor(options: DecodeOptions) {
    this.#options = options;
    this.#budget = new MemoryBudget(options.memoryBytes);
  }

  async push(piece: Uint8Array, offset: number): Promise<void> {
    let at = 0;
    while (at < piece.length) {
      if (this.#string === undefined) {
        at = this.#scanner.scan(piece, at, offset);
        if (this.#scanner.stoppedIn !== undefined) this.#openString(this.#scanner.stoppedIn);
      } else {
        at = await this.#string.read(piece, at, offset);
        if (this.#string.closed) await this.#closeString(this.#string);
      }
    }
  }

  async finish(offset: number): Promise<{ fields: JsonObject; blobs: Blobs }> {
    const { parameters, parameters_list: list, ...fields } = this.#scanner.finish(offset);
    return {
      fields,
      blobs: {
        // Null and "" both mean "no parameters yet", unlike a missing field.
        parameters: parameters === undefined ? undefined : (this.#parameters ?? null),
        parametersList: list === undefined || list === null ? undefined : this.#list,
      },
    };
  }

  async dispose(): Promise<void> {
    await this.#string?.spool.dispose();
    await this.#parameters?.dispose();
    for (const entry of this.#list) await entry.dispose();
  }

  #openString(field: ParameterField): void {
    if (field === "parameters_list" && this.#list.length === this.#options.maxEntries) {
      throw tooManyEntries(this.#options.maxEntries);
    }
    this.#field = field;
    const name = field === "parameters" ? field : `${field}[${this.#list.length}]`;
    this.#string = new ParameterString(name, new Spool(this.#options.folder, this.#budget), this.#scratch);
  }

  async #closeString(string: ParameterString): Promise<void> {
    const stored = await string.spool.finish();
    this.#string = undefined;
    if (this.#field === "parameters_list") this.#list.push(stored);
    else if (stored.byteLength > 0) this.#parameters = stored;
  }
}
