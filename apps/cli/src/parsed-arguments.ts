/** `--json` and `--csv`, optionally with field names. Null if not given; an empty list means all fields. */
export interface OutputFlags {
  readonly json: readonly string[] | null;
  readonly csv: readonly string[] | null;
}

export interface ParsedArguments {
  readonly flags: Readonly<Record<string, boolean | number | string | readonly string[] | undefined>>;
  readonly args: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly output: OutputFlags;
}
