import { createHmac, timingSafeEqual } from "node:crypto";

const STEP_SECONDS = 30;
const DIGITS = 6;
/** Number of steps before and after the current step whose codes are accepted, because phone clocks differ. */
const TOLERATED_STEPS = 1;
const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** Returns the code for a time (RFC 6238 with SHA-1 and 30-second steps), as shown by authenticator apps. */
export function makeCode(secret: Uint8Array, at: Date, digits = DIGITS): string {
  return codeOfStep(secret, stepOf(at), digits);
}

/**
 * Returns the step of a currently valid code; null if the code is invalid. The caller must not accept the same step
 * twice.
 */
export function findCodeStep(secret: Uint8Array, code: string, now: Date): number | null {
  if (!/^\d{6}$/.test(code)) return null;
  const current = stepOf(now);
  for (let step = current - TOLERATED_STEPS; step <= current + TOLERATED_STEPS; step += 1) {
    if (timingSafeEqual(Buffer.from(codeOfStep(secret, step, DIGITS)), Buffer.from(code))) return step;
  }
  return null;
}

/** Encodes bytes as base 32 without padding (RFC 4648), the format that authenticator apps accept for secrets. */
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
