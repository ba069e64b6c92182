/** A server that tests need. `folder` has its PID file, log, configuration and data. */
export interface Engine {
  readonly name: string;
  readonly folder: string;
  readonly port: number;
  /** Finds or installs the program, writes its configuration and returns how to launch it. */
  prepare(): Promise<Launch>;
  /** Returns the version of the server on the port. Throws while none responds. */
  probe(): Promise<string>;
  /** Setup after a new server responds, such as creating the first database user. */
  finish?(): Promise<void>;
  /** Signal for a clean shutdown without data loss. */
  readonly stopSignal: NodeJS.Signals;
}

export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly uid?: number;
  readonly gid?: number;
}
