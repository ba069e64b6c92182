/** One chart, with a text summary and a table of the same data. */
export interface Figure {
  /** Figure ID, which is also the name of the SVG file. */
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
