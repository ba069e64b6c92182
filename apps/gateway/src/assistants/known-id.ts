import { Failure } from "@tollgate/contracts/failures.ts";

const PATTERNS = {
  assistant: /^asst_[0-9A-Za-z]{24}$/,
  thread: /^thread_[0-9A-Za-z]{24}$/,
  message: /^msg_[0-9A-Za-z]{24}$/,
  run: /^run_[0-9A-Za-z]{24}$/,
  step: /^step_[0-9A-Za-z]{24}$/,
} as const;

export type RecordNoun = keyof typeof PATTERNS;

/** How much of something that is no id at all is shown back. */
const MAX_SHOWN = 64;

/** An id that may exist. What never can is refused as absent, before the database is asked. */
export function knownId(id: string | undefined, noun: RecordNoun): string {
  if (id !== undefined && PATTERNS[noun].test(id)) return id;
  throw absent(noun, id ?? "");
}

/** The refusal of what does not exist, or belongs to somebody else: nobody can tell the two apart. */
export function absent(noun: RecordNoun, id: string): Failure {
  return new Failure("not_found", `No ${noun} found with id '${id.slice(0, MAX_SHOWN)}'.`);
}

/** The record, or the refusal when there is none. */
export function found<Item>(item: Item | null, noun: RecordNoun, id: string): Item {
  if (item === null) throw absent(noun, id);
  return item;
}
