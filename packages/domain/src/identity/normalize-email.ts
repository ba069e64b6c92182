const MAX_LENGTH = 254;

/** Returns the normalized email address that accounts and invitations are stored under, or null if it is invalid. */
export function normalizeEmail(text: string): string | null {
  const address = text.trim().toLowerCase();
  if (address.length > MAX_LENGTH) return null;
  // Exactly one @ with text on both sides, and no characters that could end an email header.
  return /^[^@\s\p{Cc}<>",;]+@[^@\s\p{Cc}<>",;]+$/u.test(address) ? address : null;
}
