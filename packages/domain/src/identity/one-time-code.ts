import { createHmac, timingSafeEqual } from "node:crypto";

const STEP_SECONDS = 30;
const DIGITS = 6;
/** A code of the step before or after is taken too: clocks of telephones differ. */
const TOLERATED_STEPS = 1;
const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** The code of a time (RFC 6238 over SHA-1, thirty seconds), as authenticator programs show it. */
export function makeCode(secret: Uint8Array, at: Date, digits = DIGITS): string {
  return codeOfStep(secret, stepOf(at), digits);
}

/** The step that a code belongs to, when it is one of now; else null. Whoever accepts it must not accept its step again. */
export function findCodeStep(secret: Uint8Array, code: string, now: Date): number | null {
  if (!/^\d{6}$/.test(code)) return null;
  const current = stepOf(now);
  for (let step = current - TOLERATED_STEPS; step <= current + TOLERATED_STEPS; step += 1) {
    if (timingSafeEqual(Buffer.from(codeOfStep(secret, step, DIGITS)), Buffer.from(code))) return step;
  }
  return null;
}

/** Base 32 without padding (RFC 4648), the spelling in which authenticator programs take a secret. */
export function toBase32(bytes: Uint8Array): string {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, "0")).join("");
  const groups = bits.match(/.{1,5}/g) ?? [];
  return groups.map((group) => BASE32[Number.parseInt(group.padEnd(5, "0"), 2)]).join("");
}

function codeOfStep(secret: Uint8Array, step: number, digits: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const digest = createHmac("sha1", secret).update(counter).digest();
  const offset = (digest[digest.length - 1] as number) & 0x0f;
  const number = (digest.readUInt32BE(offset) & 0x7fffffff) % 10 ** digits;
  return String(number).padStart(digits, "0");
}

const stepOf = (at: Date): number => Math.floor(at.getTime() / 1_000 / STEP_SECONDS);
