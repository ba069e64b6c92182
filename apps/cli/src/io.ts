/** Where a command writes. What a terminal knows of itself is there when it is one. */
export interface Stream {
  write(text: string | Uint8Array): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
}

/** What a command talks through, so that tests can listen. */
export interface Io {
  readonly stdin?: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly stdout: Stream;
  readonly stderr: Stream;
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
}
