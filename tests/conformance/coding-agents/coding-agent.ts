/** A published coding agent, and how to run it without a terminal. */
export interface CodingAgent {
  /** Name used by `tollgate run`. */
  readonly name: string;
  /** Exact package and version to install from the registry. */
  readonly package: string;
  readonly version: string;
  /** Command-line arguments for a task that may write files. */
  readonly args: (task: string) => readonly string[];
  readonly variables: Readonly<Record<string, string>>;
  /** The agent's own tool call for writing a file. */
  readonly writeCall: (path: string, content: string) => { readonly name: string; readonly input: object };
  /** Gateway path that the agent must call. */
  readonly endpoint: string;
}
