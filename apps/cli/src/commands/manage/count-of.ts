/** Formats a count with its noun: `1 key`, `3 keys`. */
export function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
