import { Failure } from "@tollgate/contracts/failures.ts";

const PATTERNS = {
  assistant: /^asst_[0-9A-Za-z]{24}$/,
  thread: /^thread_[0-9A-Za-z]{24}$/,
  message: /^msg_[0-9A-Za-z]{24}$/,
  run: /^run_[0-9A-Za-z]{24}$/,
  step: /^step_[0-9A-Za-z]{24}$/,
} as const;

type RecordNoun = keyof typeof PATTERNS;

/** Maximum number of characters of an invalid ID to echo back. */
const MAX_SHOWN = 64;

/** Returns the ID if it is well-formed. Rejects any other value as not found, without a database query. */
export function knownId(id: string | undefined, noun: RecordNoun): string {
  if (id !== undefined && PATTERNS[noun].test(id)) return id;
  throw absent(noun, id ?? "");
}

/** Returns the not-found failure. It is the same for missing records and for records of other owners. */
export function absent(noun: RecordNoun, id: string): Failure {
  return new Failure("not_found", `No ${noun} found with id '${id.slice(0, MAX_SHOWN)}'.`);
}

/** Returns the record, or throws the not-found failure for null. */
export function found<Item>(item: Item | null, noun: RecordNoun, id: string): Item {
  if (item === null) throw absent(noun, id);
  return item;
}
