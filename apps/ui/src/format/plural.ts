import { formatCount } from "@tollgate/domain/figures/size-text.ts";

/** Formats a count with its noun: 1 key, 2 keys. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}
