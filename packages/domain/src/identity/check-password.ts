import { commonPasswords } from "./common-passwords.ts";

const MAX_PASSWORD_LENGTH = 128;
/** Minimum number of distinct characters, because repetitions are easy to guess at any length. */
const MIN_DISTINCT_CHARACTERS = 4;

/** The password's owner, whose name and email address are rejected as passwords. */
export interface PasswordOwner {
  readonly email: string;
  readonly name: string;
}

/**
 * Normalizes a password, because keyboards encode the same characters differently. Hash and compare the result, never
 * the raw input.
 */
export function normalizePassword(password: string): string {
  return password.normalize("NFKC");
}

/** Returns why a new password is rejected, as a predicate for "The password"; null if it is acceptable. */
export function findPasswordProblem(password: string, owner: PasswordOwner, minLength: number): string | null {
  const characters = Array.from(normalizePassword(password));
  if (characters.length < minLength) return `must have at least ${minLength} characters`;
  if (characters.length > MAX_PASSWORD_LENGTH) return `must have at most ${MAX_PASSWORD_LENGTH} characters`;
  const folded = fold(password);
  if ([owner.email, owner.email.split("@")[0] ?? "", owner.name].some((known) => fold(known) === folded)) {
    return "must not be your email address or name";
  }
  if (new Set(folded).size < MIN_DISTINCT_CHARACTERS || isRun(folded)) return "must not be a simple sequence";
  if (isCommon(folded)) return "is too common";
  return null;
}

const fold = (text: string): string => normalizePassword(text).trim().toLowerCase();

/** Reports whether the password is on the list, with or without its trailing digits and punctuation. */
function isCommon(folded: string): boolean {
  return commonPasswords.has(folded) || commonPasswords.has(folded.replace(/[\d!?.,@#$%*_-]+$/, ""));
}

/** Reports whether the characters are consecutive, as in abcdefghij, 9876543210, or 1234567890. */
function isRun(folded: string): boolean {
  const points = Array.from(folded, (character) => character.codePointAt(0) as number);
  const steps = new Set(points.slice(1).map((point, index) => point - (points[index] as number)));
  // 9 and 0 are neighboring keys on every keyboard.
  for (const wrap of [9, -9]) if (steps.has(wrap)) steps.delete(wrap);
  return steps.size === 1 && (steps.has(1) || steps.has(-1));
}
