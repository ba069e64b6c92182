/** A canary in one of the forms it may be written in. */
interface Pattern {
  readonly name: string;
  readonly form: string;
  readonly bytes: Buffer;
}

/** Looks for canaries in bytes, plain, in hex, in base64 and percent-encoded. */
export class CanaryFinder {
  readonly #patterns: readonly Pattern[];

  constructor(canaries: Readonly<Record<string, string>>) {
    this.#patterns = Object.entries(canaries).flatMap(([name, secret]) => formsOf(name, secret));
  }

  /** Which canaries stand in the bytes, and in which form; nothing is said of their values. */
  find(bytes: Buffer, except: readonly string[] = []): readonly string[] {
    const found = this.#patterns.filter((pattern) => !except.includes(pattern.name) && bytes.includes(pattern.bytes));
    return found.map(({ name, form }) => `${name} (${form})`);
  }
}

function formsOf(name: string, secret: string): readonly Pattern[] {
  const pattern = (form: string, text: string): Pattern => ({ name, form, bytes: Buffer.from(text, "latin1") });
  const encoded = encodeURIComponent(secret);
  return [
    pattern("plain", secret),
    pattern("hex", Buffer.from(secret).toString("hex")),
    // Where it begins within three bytes decides how it looks; its ends depend on what stands around it.
    ...[0, 1, 2].map((shift) => {
      const text = Buffer.from("\0".repeat(shift) + secret).toString("base64");
      return pattern("base64", text.slice(shift === 0 ? 0 : 4, -4));
    }),
    ...(encoded === secret ? [] : [pattern("percent-encoded", encoded)]),
  ];
}
