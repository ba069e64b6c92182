/** A local run could not be set up. The message says why and the fix says what to do about it. */
export class LocalSetupError extends Error {
  readonly fix: string;

  constructor(message: string, fix: string) {
    super(message);
    this.fix = fix;
  }
}
