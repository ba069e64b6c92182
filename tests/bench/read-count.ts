/** Parses a positive integer option. Throws a user-facing error if it is invalid. */
export function readCount(name: string, text: string | undefined, ifAbsent: number): number {
  const count = Number(text ?? ifAbsent);
  if (!Number.isInteger(count) || count < 1) throw new Error(`--${name} takes a number from 1`);
  return count;
}
