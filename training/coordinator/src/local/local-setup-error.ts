/** Thrown if a local run can't be set up. The message says why, and `fix` says what to do. */
export class LocalSetupError extends Error {
  readonly fix: string;

  constructor(message: string, fix: string) {
    super(message);
    this.fix = fix;
  }
}
