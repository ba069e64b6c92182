/** Thrown for an unusable TLS file. The message contains the file's environment variable and the fix. */
export class TlsProblem extends Error {
  constructor(message: string) {
    super(message);
    this.name = "TlsProblem";
  }
}
