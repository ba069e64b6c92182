const MAX_LENGTH = 254;

/** The one spelling of an address that accounts and invitations are kept under, or null when it is no address. */
export function normalizeEmail(text: string): string | null {
  const address = text.trim().toLowerCase();
  if (address.length > MAX_LENGTH) return null;
  // Exactly one @ with something on both sides, and nothing that could end a header of a mail.
  return /^[^@\s\p{Cc}<>",;]+@[^@\s\p{Cc}<>",;]+$/u.test(address) ? address : null;
}
