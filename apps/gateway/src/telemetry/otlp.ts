export const SPAN_KIND_SERVER = 2;
export const SPAN_KIND_CLIENT = 3;

export interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | null;
  readonly name: string;
  readonly kind: typeof SPAN_KIND_SERVER | typeof SPAN_KIND_CLIENT;
  /** Unix milliseconds. */
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  readonly attributes: AttributesText;
  readonly hasFailed: boolean;
}

const STATUS_ERROR = '{"code":2}';

/**
 * Writes a span as OTLP JSON text. Creating an object and serializing it later would take three times as long, and no
 * code needs the object.
 */
export function writeSpan(span: OtlpSpan): string {
  const parent = span.parentSpanId === null ? "" : `"parentSpanId":"${span.parentSpanId}",`;
  return (
    `{"traceId":"${span.traceId}","spanId":"${span.spanId}",${parent}"name":${JSON.stringify(span.name)},` +
    `"kind":${span.kind},"startTimeUnixNano":"${toUnixNano(span.startedAtMs)}",` +
    `"endTimeUnixNano":"${toUnixNano(span.endedAtMs)}","attributes":${span.attributes},` +
    `"status":${span.hasFailed ? STATUS_ERROR : "{}"}}`
  );
}

/** Writes attributes one by one and omits nulls. Names are constants and need no escaping. */
export class AttributesText {
  #text = "";

  text(key: string, value: string | null): this {
    return value === null ? this : this.#add(key, `"stringValue":${JSON.stringify(value)}`);
  }

  /** Adds an integer, which OTLP JSON encodes as a string. */
  count(key: string, value: number | null): this {
    return value === null ? this : this.#add(key, `"intValue":"${value}"`);
  }

  fraction(key: string, value: number | null): this {
    return value === null ? this : this.#add(key, `"doubleValue":${value}`);
  }

  texts(key: string, values: readonly string[]): this {
    const items = values.map((value) => `{"stringValue":${JSON.stringify(value)}}`);
    return items.length === 0 ? this : this.#add(key, `"arrayValue":{"values":[${items.join(",")}]}`);
  }

  toString(): string {
    return `[${this.#text}]`;
  }

  #add(key: string, value: string): this {
    this.#text += `${this.#text === "" ? "" : ","}{"key":"${key}","value":{${value}}}`;
    return this;
  }
}

/** Converts Unix milliseconds to OTLP nanoseconds, which don't fit in a JavaScript number. */
export function toUnixNano(unixMs: number): string {
  return `${Math.round(unixMs * 1_000)}000`;
}
