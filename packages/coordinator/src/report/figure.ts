/** One chart with the words and figures that say the same. */
export interface Figure {
  /** Also the name of its SVG file. */
  readonly id: string;
  readonly title: string;
  readonly summary: string;
  readonly svg: string;
  readonly table: Table;
}

export interface Table {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}
