/** One server that tests need. `folder` holds its pid file, log, configuration and data. */
export interface Engine {
  readonly name: string;
  readonly folder: string;
  readonly port: number;
  /** Finds or installs the program, writes its configuration and says how to run it. */
  prepare(): Promise<Launch>;
  /** The version of a server that answers on the port; throws while none does. */
  probe(): Promise<string>;
  /** What a fresh server still needs once it answers, such as its first database user. */
  finish?(): Promise<void>;
  /** How this server is asked to end without losing anything. */
  readonly stopSignal: NodeJS.Signals;
}

export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly uid?: number;
  readonly gid?: number;
}
