import { inspect } from "node:util";

const PRINTED = "[secret]";

/** A value that can't be printed: every conversion to text gives the same constant. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** Returns the value. Call it where the value is used, never to build a message. */
  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return PRINTED;
  }

  toJSON(): string {
    return PRINTED;
  }

  [inspect.custom](): string {
    return PRINTED;
  }
}
