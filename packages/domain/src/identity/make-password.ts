import { randomBytes } from "node:crypto";

const PASSWORD_BYTES = 12;

/** Generates a password with 96 random bits. */
export function makePassword(): string {
  return randomBytes(PASSWORD_BYTES).toString("base64url");
}
