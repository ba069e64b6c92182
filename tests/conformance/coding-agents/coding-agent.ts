/** A published coding tool, and how it is asked for something without anybody at its keyboard. */
export interface CodingAgent {
  /** As `tollgate run` knows it. */
  readonly name: string;
  /** What is installed from the registry: exactly this. */
  readonly package: string;
  readonly version: string;
  /** Its words for a task that it may write files for. */
  readonly args: (task: string) => readonly string[];
  readonly variables: Readonly<Record<string, string>>;
  /** The tool of its own that a model would call to write a file. */
  readonly writeCall: (path: string, content: string) => { readonly name: string; readonly input: object };
  /** The path it must have asked the gateway at. */
  readonly endpoint: string;
}
