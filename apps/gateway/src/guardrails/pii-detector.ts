import type { piiEntities } from "@tollgate/runtime/settings/schema/guardrail-options.ts";
import { type Detector, findBy, type RealityTest } from "./detector.ts";

type PiiEntity = (typeof piiEntities)[number];

interface Entity {
  /** Every repetition is bounded and starts at a word boundary, which limits the number of attempts per text. */
  readonly expression: RegExp;
  readonly reach: number;
  /** Maximum length of a match that contains spaces. Defaults to `reach`. */
  readonly spacedReach?: number;
  readonly test?: RealityTest;
}

/** Cost per character up to a match, measured on prose, digits, and unbroken runs of letters. */
const STEPS = 6;

const entities: Readonly<Record<PiiEntity, Entity>> = {
  email: {
    expression:
      /(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}._%+-]{1,64}@(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,62})\.){1,4}\p{L}{2,24}(?![\p{L}\p{N}])/gu,
    reach: 350,
    spacedReach: 0,
  },
  phone: {
    expression:
      /(?<![\w.+-])(?:\+|00|\(|0)\d{0,4}(?:[ ./()-]{0,2}\d{1,5}){2,7}(?![\w-])|(?<![\w.+-])\d{3}[ .-]\d{3}[ .-]\d{4}(?![\w-])/g,
    reach: 60,
    test: { least: 8, isReal: (match) => isBetween(countDigits(match), 8, 15) },
  },
  credit_card: {
    expression: /(?<![\w.-])(?:\d{13,19}|\d{4}(?:[ -]\d{4}){2,3}(?:[ -]\d{1,4})?|\d{4}[ -]\d{6}[ -]\d{4,5})(?![\w-])/g,
    reach: 40,
    test: { least: 13, isReal: isCard },
  },
  iban: {
    expression: /(?<!\w)[A-Za-z]{2}\d{2}(?: ?[A-Za-z0-9]{1,4}){3,8}(?!\w)/g,
    reach: 44,
    test: { least: 15, isReal: isIban },
  },
  us_ssn: {
    expression: /(?<![\w-])(?!000|666|9\d\d)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?![\w-])/g,
    reach: 12,
    spacedReach: 0,
  },
  ip_address: {
    expression:
      /(?<![\w.:])(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)(?![\w.]*\d)|(?<![\w:])(?:[0-9a-f]{1,4}:){7}[0-9a-f]{1,4}(?![\w:])|(?<![\w:])(?:[0-9a-f]{1,4}:){1,6}(?::[0-9a-f]{1,4}){1,6}(?![\w:])/gi,
    reach: 48,
    spacedReach: 0,
  },
  api_key: {
    expression:
      /(?<![\w-])(?:sk-[\w-]{16,200}|(?:ghp|gho|ghs|ghu|ghr)_[A-Za-z0-9]{20,100}|github_pat_\w{20,200}|xox[abeprs]-[\w-]{10,200}|AKIA[0-9A-Z]{16}|AIza[\w-]{30,60}|glpat-[\w-]{16,60}|eyJ[\w-]{10,400}\.eyJ[\w-]{10,900}\.[\w-]{10,400}|-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----)(?![\w])/g,
    reach: 1_720,
    spacedReach: 48,
  },
};

/** Returns the built-in detector with this name. */
export function piiDetector(name: PiiEntity): Detector {
  const { expression, reach, spacedReach = reach, test = null } = entities[name];
  return {
    name,
    reach,
    spacedReach,
    steps: STEPS,
    findFrom: (text, position) => findBy(expression, text, position, name, test),
  };
}

function isBetween(value: number, least: number, most: number): boolean {
  return value >= least && value <= most;
}

/** Returns the value of a digit or letter for check digit calculation, or -1 for any other character. */
function valueAt(text: string, place: number): number {
  const code = text.charCodeAt(place);
  if (code >= 48 && code <= 57) return code - 48;
  const letter = code | 32;
  return letter >= 97 && letter <= 122 ? letter - 87 : -1;
}

function countDigits(text: string): number {
  let digits = 0;
  for (let place = 0; place < text.length; place += 1) if (isBetween(valueAt(text, place), 0, 9)) digits += 1;
  return digits;
}

/** Verifies the Luhn check digit and the length of a payment card number. */
function isCard(match: string): boolean {
  let sum = 0;
  let digits = 0;
  for (let place = match.length - 1; place >= 0; place -= 1) {
    const digit = valueAt(match, place);
    if (digit < 0) continue;
    const weighed = digits % 2 === 0 ? digit : digit * 2;
    sum += weighed > 9 ? weighed - 9 : weighed;
    digits += 1;
  }
  return isBetween(digits, 13, 19) && sum > 0 && sum % 10 === 0;
}

/**
 * Verifies ISO 13616 check digits: move the first four characters to the end, convert letters to two digits, and check
 * that the remainder modulo 97 is 1.
 */
function isIban(match: string): boolean {
  let remainder = 0;
  let length = 0;
  for (let turn = 0; turn < match.length; turn += 1) {
    const value = valueAt(match, (turn + 4) % match.length);
    if (value < 0) continue;
    remainder = (remainder * (value > 9 ? 100 : 10) + value) % 97;
    length += 1;
  }
  return remainder === 1 && isBetween(length, 15, 34);
}
