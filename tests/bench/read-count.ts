/** The number that an option was given, from 1; throws a sentence for the user when it is none. */
export function readCount(name: string, text: string | undefined, ifAbsent: number): number {
  const count = Number(text ?? ifAbsent);
  if (!Number.isInteger(count) || count < 1) throw new Error(`--${name} takes a number from 1`);
  return count;
}
