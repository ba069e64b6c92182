/** Output stream of a command. Terminal properties are set only for a terminal. */
export interface Stream {
  write(text: string | Uint8Array): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
}

/** Streams and environment of a command, replaceable in tests. */
export interface Io {
  readonly stdin?: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly stdout: Stream;
  readonly stderr: Stream;
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
}
