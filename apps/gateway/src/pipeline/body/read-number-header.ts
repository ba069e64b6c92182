import { ValidationFailure } from "@tollgate/contracts/failures.ts";
import type { ProblemSlug } from "@tollgate/contracts/validation/list-problems.ts";

const MAX_SECONDS = 3_600;
const MAX_RETRIES = 10;

/** Reads a timeout header, in seconds. Returns null if it is absent. The bounds are the same as for the body field. */
export function readSecondsHeader(name: string, value: string | null): number | null {
  if (value === null) return null;
  const seconds = value.trim() === "" ? Number.NaN : Number(value);
  if (Number.isNaN(seconds)) throw wrong(name, "Input should be a valid number", "float_parsing");
  if (seconds <= 0) throw wrong(name, "Input should be greater than 0", "greater_than_equal");
  return atMost(MAX_SECONDS, name, seconds);
}

/** Reads a retry count header. Returns null if it is absent. The bounds are the same as for the body field. */
export function readRetriesHeader(name: string, value: string | null): number | null {
  if (value === null) return null;
  if (!/^\s*\d{1,9}\s*$/.test(value)) throw wrong(name, "Input should be a valid integer", "int_parsing");
  return atMost(MAX_RETRIES, name, Number(value));
}

function atMost(most: number, name: string, value: number): number {
  if (value <= most) return value;
  throw wrong(name, `Input should be less than or equal to ${most}`, "less_than_equal");
}

function wrong(name: string, msg: string, type: ProblemSlug): ValidationFailure {
  return new ValidationFailure([{ loc: ["header", name], msg, type }]);
}
