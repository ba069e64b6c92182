import { sql } from "kysely";
import type { TenantTransaction } from "../tenancy.ts";

const MAX_SIGN_UPS_PER_HOUR = 3;
const HOUR_MS = 3_600_000;

/** A sign-up whose email address is not verified yet. */
interface PendingSignUp {
  readonly email: string;
  readonly name: string;
  readonly passwordHash: string;
  readonly organizationName: string | null;
  readonly invitationDigest: Buffer | null;
}

interface NewSignUp extends PendingSignUp {
  readonly digest: Buffer;
  readonly now: Date;
  readonly expiresAt: Date;
}

/** Email to send: a verification link, or a notice that the account exists; null if too many emails were sent. */
type SignUpMail = "verify_email" | "account_exists" | null;

/** Stores a sign-up until its link is opened. Runs the same statements whether or not the address has an account. */
export async function addSignUp(transaction: TenantTransaction, signUp: NewSignUp): Promise<SignUpMail> {
  const hourAgo = new Date(signUp.now.getTime() - HOUR_MS);
  const { rows } = await sql<{ isTaken: boolean; recent: number }>`
    select exists (select from users where email = ${signUp.email}) as "isTaken",
      (select count(*)::integer from sign_ups where email = ${signUp.email} and created_at > ${hourAgo}) as recent`.execute(
    transaction,
  );
  const { isTaken, recent } = rows[0] as { isTaken: boolean; recent: number };
  await transaction
    .insertInto("sign_ups")
    .values({
      digest: signUp.digest,
      email: signUp.email,
      name: signUp.name,
      password_hash: signUp.passwordHash,
      organization_name: signUp.organizationName,
      invitation_digest: signUp.invitationDigest,
      expires_at: signUp.expiresAt,
      created_at: signUp.now,
    })
    .execute();
  if (recent >= MAX_SIGN_UPS_PER_HOUR) return null;
  return isTaken ? "account_exists" : "verify_email";
}

/** Removes and returns the sign-up for a link. Returns null if the link was already used. */
export async function takeSignUp(
  transaction: TenantTransaction,
  digest: Buffer,
  now: Date,
): Promise<PendingSignUp | null> {
  const row = await transaction
    .deleteFrom("sign_ups")
    .where("digest", "=", digest)
    .where("expires_at", ">", now)
    .returning([
      "email",
      "name",
      "password_hash as passwordHash",
      "organization_name as organizationName",
      "invitation_digest as invitationDigest",
    ])
    .executeTakeFirst();
  return row ?? null;
}

/** Deletes the other sign-ups for an address that now has an account. */
export async function forgetSignUps(transaction: TenantTransaction, email: string): Promise<void> {
  await transaction.deleteFrom("sign_ups").where("email", "=", email).execute();
}
