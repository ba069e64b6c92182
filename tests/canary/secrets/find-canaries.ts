/** A canary in one of its encodings. */
interface Pattern {
  readonly name: string;
  readonly form: string;
  readonly bytes: Buffer;
}

/** Searches bytes for canaries in plain text, hex, base64, and percent-encoding. */
export class CanaryFinder {
  readonly #patterns: readonly Pattern[];

  constructor(canaries: Readonly<Record<string, string>>) {
    this.#patterns = Object.entries(canaries).flatMap(([name, secret]) => formsOf(name, secret));
  }

  /** Returns the names and encodings of the canaries in the bytes, without their values. */
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
    // The base64 form depends on the secret's offset modulo three, and its first and last characters depend on the
    // neighboring bytes.
    ...[0, 1, 2].map((shift) => {
      const text = Buffer.from("\0".repeat(shift) + secret).toString("base64");
      return pattern("base64", text.slice(shift === 0 ? 0 : 4, -4));
    }),
    ...(encoded === secret ? [] : [pattern("percent-encoded", encoded)]),
  ];
}
