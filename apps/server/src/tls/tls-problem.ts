/** A file that TLS needs and that cannot be used. Says which variable names it, and what to do. */
export class TlsProblem extends Error {
  constructor(message: string) {
    super(message);
    this.name = "TlsProblem";
  }
}
