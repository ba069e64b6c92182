import type { Io } from "../io.ts";
import type { OutputFlags } from "../parsed-arguments.ts";
import { toExactJson } from "./exact-json.ts";
import { filterJson } from "./filter-json.ts";
import { formatCsv } from "./format-csv.ts";
import { type Column, formatTable, formatTsv } from "./format-table.ts";
import { pageText } from "./page-text.ts";
import { checkFields, pickFields } from "./pick-fields.ts";
import { printable, widthOf } from "./printable.ts";
import { type Styles, stylesFor } from "./styles.ts";

interface OutputOptions {
  readonly flags: OutputFlags;
  readonly jq: string | null;
  readonly isQuiet: boolean;
  readonly isPlain: boolean;
  /** True if the settings select JSON output. Flags override this setting. */
  readonly prefersJson: boolean;
  readonly usesPager: boolean;
  readonly pager: string | null;
  /** Field names that `--json=` and `--csv=` accept. */
  readonly fields: readonly string[];
}

interface List<Row> {
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  /** The platform's list metadata, included in the JSON. */
  readonly meta?: object;
  /** Hint shown if the list is empty. */
  readonly empty?: string;
}

const DEFAULT_WIDTH = 80;

/** Output of a command: data on standard output, everything else on standard error. */
export class Output {
  readonly #io: Io;
  readonly #options: OutputOptions;
  readonly isJson: boolean;
  /** Styles for standard output. */
  readonly styles: Styles;
  /** Styles for standard error. */
  readonly noteStyles: Styles;

  constructor(io: Io, options: OutputOptions) {
    this.#io = io;
    this.#options = options;
    const { flags, jq, prefersJson, isPlain } = options;
    this.isJson = flags.json !== null || jq !== null || (prefersJson && flags.csv === null);
    this.styles = stylesFor(io.stdout, io.env, isPlain);
    this.noteStyles = stylesFor(io.stderr, io.env, isPlain);
    checkFields([...(flags.json ?? []), ...(flags.csv ?? [])], options.fields);
  }

  /** Maximum line width. */
  get width(): number {
    // Some terminals report zero columns.
    return this.#io.stdout.columns || DEFAULT_WIDTH;
  }

  get isTerminal(): boolean {
    return this.#io.stdout.isTTY === true;
  }

  get isQuiet(): boolean {
    return this.#options.isQuiet;
  }

  /** Prints rows as JSON, as CSV, aligned for a terminal, or tab-separated for a program. */
  list<Row extends object>({ rows, columns, meta, empty }: List<Row>): void {
    const { flags, fields } = this.#options;
    if (this.isJson) {
      const data = rows.map((row) => pickFields(row, flags.json ?? []));
      return this.#writeJson(meta === undefined ? { data } : { data, meta });
    }
    if (flags.csv !== null) return this.text(formatCsv(rows, flags.csv.length > 0 ? flags.csv : fields));
    if (!this.isTerminal) return this.text(formatTsv(rows, columns));
    if (rows.length === 0) return this.note(empty ?? "No results.");
    const text = formatTable(rows, columns, this.width, this.styles);
    if (!this.#options.usesPager || !pageText(text, this.#io, this.#options.pager)) this.text(text);
  }

  /** Prints one record as JSON, or as `render` formats it. */
  record(record: object, render: (styles: Styles) => string): void {
    if (this.isJson) this.#writeJson(pickFields(record, this.#options.flags.json ?? []));
    else this.text(render(this.styles));
  }

  /** Prints one record as names and values, one pair per line. Null values are omitted. */
  pairs(record: object, pairs: readonly (readonly [name: string, value: string | null])[]): void {
    const shown = pairs.filter((pair): pair is [string, string] => pair[1] !== null);
    const width = Math.max(...shown.map(([name]) => widthOf(name)));
    this.record(record, (styles) =>
      this.isTerminal
        ? shown.map(([name, value]) => `${styles.dim(name.padEnd(width))}   ${printable(value)}\n`).join("")
        : shown.map(([name, value]) => `${name}\t${printable(value)}\n`).join(""),
    );
  }

  /** Prints data unchanged. */
  text(text: string | Uint8Array): void {
    this.#io.stdout.write(text);
  }

  /** Prints one JSON object per line, for streams. */
  jsonLine(value: unknown): void {
    this.#io.stdout.write(`${toExactJson(value)}\n`);
  }

  /** Prints one row of a stream as one line of JSON with the requested fields, or as `render` formats it. */
  streamed(row: object, render: (styles: Styles) => string): void {
    const { flags, jq } = this.#options;
    if (!this.isJson) return this.text(render(this.styles));
    const picked = pickFields(row, flags.json ?? []);
    for (const each of jq === null ? [picked] : filterJson(picked, jq))
      this.text(`${jq !== null && typeof each === "string" ? each : toExactJson(each)}\n`);
  }

  /** Prints a message for the user to standard error. */
  note(text: string): void {
    if (!this.#options.isQuiet) this.#io.stderr.write(`${text}\n`);
  }

  /** Prints a message about a completed change. */
  done(text: string): void {
    this.note(`${this.noteStyles.green("✓")} ${text}`);
  }

  /** Prints a warning, even with `--quiet`. */
  warn(text: string): void {
    this.#io.stderr.write(`${this.noteStyles.yellow("!")} ${text}\n`);
  }

  /** Suggests the next commands. */
  next(...commands: string[]): void {
    this.note(`\n${this.noteStyles.dim("Next:")}  ${commands.join("     ")}`);
  }

  #writeJson(value: unknown): void {
    const { jq } = this.#options;
    if (jq === null) return this.text(`${toExactJson(value, this.isTerminal ? 2 : undefined)}\n`);
    for (const each of filterJson(value, jq)) this.text(`${typeof each === "string" ? each : toExactJson(each)}\n`);
  }
}
