import { commonPasswords } from "./common-passwords.ts";

const MAX_PASSWORD_LENGTH = 128;
/** Plain runs and repetitions are no secret however long they are. */
const MIN_DISTINCT_CHARACTERS = 4;

/** Whose password it will be: it must not be one of their own names. */
export interface PasswordOwner {
  readonly email: string;
  readonly name: string;
}

/** One spelling of a password, whatever keyboard it was typed on. Hash and compare this, never what was sent. */
export function normalizePassword(password: string): string {
  return password.normalize("NFKC");
}

/** Why a new password is refused, as a sentence that goes on after "The password"; null when it is fine. */
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

/** Whether it is on the list, as it stands or before the year or number that people put behind a word. */
function isCommon(folded: string): boolean {
  return commonPasswords.has(folded) || commonPasswords.has(folded.replace(/[\d!?.,@#$%*_-]+$/, ""));
}

/** Whether every character follows the one before, as in abcdefghij, 9876543210 or 1234567890. */
function isRun(folded: string): boolean {
  const points = Array.from(folded, (character) => character.codePointAt(0) as number);
  const steps = new Set(points.slice(1).map((point, index) => point - (points[index] as number)));
  // From 9 to 0 and back is a step on every keyboard.
  for (const wrap of [9, -9]) if (steps.has(wrap)) steps.delete(wrap);
  return steps.size === 1 && (steps.has(1) || steps.has(-1));
}
