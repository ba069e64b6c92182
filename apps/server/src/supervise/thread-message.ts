import { Secret } from "@tollgate/domain/secret.ts";

/** Stands for a secret in a message, because private fields are lost between threads. */
interface WrittenSecret {
  readonly $secret: string;
}

/** Returns a copy of plain data that can be sent to another thread. Secrets stay in this process. */
export function writeMessage(value: unknown): unknown {
  return convert(value, (object) => (object instanceof Secret ? { $secret: object.reveal() } : undefined));
}

/** Returns the data of a message, with its secrets. */
export function readMessage(message: unknown): unknown {
  return convert(message, (object) =>
    "$secret" in object ? new Secret((object as WrittenSecret).$secret) : undefined,
  );
}

/** Copies plain data. `replace` returns the replacement for an object, or undefined if the object is copied. */
function convert(value: unknown, replace: (object: object) => unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => convert(item, replace));
  const replacement = replace(value);
  if (replacement !== undefined) return replacement;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, convert(member, replace)]));
}
