import type { Io } from "../io.ts";
import type { OutputFlags } from "../parse-arguments.ts";
import { toExactJson } from "./exact-json.ts";
import { filterJson } from "./filter-json.ts";
import { formatCsv } from "./format-csv.ts";
import { type Column, formatTable, formatTsv } from "./format-table.ts";
import { pageText } from "./page-text.ts";
import { checkFields, pickFields } from "./pick-fields.ts";
import { printable, widthOf } from "./printable.ts";
import { type Styles, stylesFor } from "./styles.ts";

export interface OutputOptions {
  readonly flags: OutputFlags;
  readonly jq: string | null;
  readonly isQuiet: boolean;
  readonly isPlain: boolean;
  /** From the settings, when no flag says otherwise. */
  readonly prefersJson: boolean;
  readonly usesPager: boolean;
  readonly pager: string | null;
  /** What `--json=` and `--csv=` may name. */
  readonly fields: readonly string[];
}

export interface List<Row> {
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  /** What the platform said of the list; kept in the JSON. */
  readonly meta?: object;
  /** For people when there is nothing: what to do about it. */
  readonly empty?: string;
}

const DEFAULT_WIDTH = 80;

/** Where a command says things: data on standard output, everything else on standard error. */
export class Output {
  readonly #io: Io;
  readonly #options: OutputOptions;
  readonly isJson: boolean;
  /** Of standard output. */
  readonly styles: Styles;
  /** Of standard error. */
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

  /** How wide a line may be. */
  get width(): number {
    // Some terminals say they have no columns at all.
    return this.#io.stdout.columns || DEFAULT_WIDTH;
  }

  get isTerminal(): boolean {
    return this.#io.stdout.isTTY === true;
  }

  get isQuiet(): boolean {
    return this.#options.isQuiet;
  }

  /** Rows: as JSON, as CSV, aligned for a terminal, or with tabs between for a program. */
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

  /** One record: as JSON, or however `render` shows it. */
  record(record: object, render: (styles: Styles) => string): void {
    if (this.isJson) this.#writeJson(pickFields(record, this.#options.flags.json ?? []));
    else this.text(render(this.styles));
  }

  /** Names and values of one record, a line each; those without a value are left out. */
  pairs(record: object, pairs: readonly (readonly [name: string, value: string | null])[]): void {
    const shown = pairs.filter((pair): pair is [string, string] => pair[1] !== null);
    const width = Math.max(...shown.map(([name]) => widthOf(name)));
    this.record(record, (styles) =>
      this.isTerminal
        ? shown.map(([name, value]) => `${styles.dim(name.padEnd(width))}   ${printable(value)}\n`).join("")
        : shown.map(([name, value]) => `${name}\t${printable(value)}\n`).join(""),
    );
  }

  /** Data as it is. */
  text(text: string | Uint8Array): void {
    this.#io.stdout.write(text);
  }

  /** One JSON object on a line of its own, for streams of them. */
  jsonLine(value: unknown): void {
    this.#io.stdout.write(`${toExactJson(value)}\n`);
  }

  /** One row of a stream: as JSON on a line of its own with the fields that were asked for, or however it is shown. */
  streamed(row: object, render: (styles: Styles) => string): void {
    const { flags, jq } = this.#options;
    if (!this.isJson) return this.text(render(this.styles));
    const picked = pickFields(row, flags.json ?? []);
    for (const each of jq === null ? [picked] : filterJson(picked, jq))
      this.text(`${jq !== null && typeof each === "string" ? each : toExactJson(each)}\n`);
  }

  /** For people, beside the data. */
  note(text: string): void {
    if (!this.#options.isQuiet) this.#io.stderr.write(`${text}\n`);
  }

  /** What was changed. */
  done(text: string): void {
    this.note(`${this.noteStyles.green("✓")} ${text}`);
  }

  /** What somebody should know even when they want no messages. */
  warn(text: string): void {
    this.#io.stderr.write(`${this.noteStyles.yellow("!")} ${text}\n`);
  }

  /** What to run next. */
  next(...commands: string[]): void {
    this.note(`\n${this.noteStyles.dim("Next:")}  ${commands.join("     ")}`);
  }

  #writeJson(value: unknown): void {
    const { jq } = this.#options;
    if (jq === null) return this.text(`${toExactJson(value, this.isTerminal ? 2 : undefined)}\n`);
    for (const each of filterJson(value, jq)) this.text(`${typeof each === "string" ? each : toExactJson(each)}\n`);
  }
}
