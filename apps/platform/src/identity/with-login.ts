import { Failure } from "@tollgate/contracts/failures.ts";
import { invalidField } from "@tollgate/contracts/management/failure.ts";
import { findLogin, isLoginCurrent, type LoginAccount, type LoginRecord } from "@tollgate/db/accounts/find-login.ts";
import {
  clearLoginFailures,
  countLoginFailure,
  findLoginLock,
  type LoginSource,
  toLoginSource,
} from "@tollgate/db/accounts/login-failures.ts";
import { useTotpStep } from "@tollgate/db/accounts/one-time-codes.ts";
import { replaceHash } from "@tollgate/db/accounts/set-password.ts";
import { writeAudit } from "@tollgate/db/audit/write-audit.ts";
import { runUnauthenticated, type TenantTransaction } from "@tollgate/db/tenancy.ts";
import { networkOf } from "@tollgate/domain/client-address.ts";
import { normalizePassword } from "@tollgate/domain/identity/check-password.ts";
import { normalizeEmail } from "@tollgate/domain/identity/normalize-email.ts";
import { findCodeStep } from "@tollgate/domain/identity/one-time-code.ts";
import type { Origin } from "../caller.ts";
import type { Services } from "../services.ts";
import { type Device, isKnownDevice } from "./known-device.ts";
import { openTotpSecret } from "./totp-secret.ts";

/** Login credentials. */
export interface Login {
  readonly email: string;
  readonly password: string;
  readonly totp?: string | undefined;
  /** True if the user has already signed in with a code, so only the password is required. */
  readonly isSignedIn?: boolean;
  /** Session of a user who is reentering the password. */
  readonly session?: { readonly expiresAt: Date };
  /** Device from the browser's cookie; null or absent for a client without cookies. */
  readonly device?: Device | null;
}

type Work<Value> = (transaction: TenantTransaction, account: LoginAccount) => Promise<Value>;

type Outcome<Value> = { readonly done: Value } | { readonly refused: Failure };

/**
 * Checks the password and, if enabled, the one-time code, then runs the work in the same transaction. An unknown email
 * address takes the same code path at the same cost, including a dummy hash, counter, and audit entry. Wrong passwords
 * throttle only the source that they come from; other sources for the account are unaffected (decision 46).
 */
export function withLogin<Value>(services: Services, origin: Origin, login: Login, work: Work<Value>): Promise<Value> {
  return services.passwords.admit(() => checkLogin(services, origin, login, work));
}

async function checkLogin<Value>(services: Services, origin: Origin, login: Login, work: Work<Value>): Promise<Value> {
  const email = normalizeEmail(login.email);
  if (email === null) throw invalidField("email", "is not a valid email address");
  const now = services.now();
  const { account, source, until } = await runUnauthenticated(services.db, async (transaction) => {
    const found = await findLogin(transaction, email, now);
    const from = chooseSource(email, login, origin, found, now);
    return { account: found.account, source: from, until: await findLoginLock(transaction, from, now) };
  });
  if (until !== null) throw lockedUntil(until, now);
  // Hash outside any transaction, because hashing may wait in a queue and database connections are scarce.
  const password = normalizePassword(login.password);
  const isRight = await services.passwords.verify(account?.passwordHash ?? null, password);
  const betterHash =
    isRight && account !== null && services.passwords.isOutdated(account.passwordHash)
      ? await services.passwords.hash(password)
      : null;
  const outcome = await runUnauthenticated(services.db, async (transaction): Promise<Outcome<Value>> => {
    const fail = async () => {
      const locked = await countLoginFailure(transaction, source, now);
      await auditFailure(transaction, email, account, origin);
      return { refused: locked === null ? badCredentials() : lockedUntil(locked, now) };
    };
    if (account === null || !isRight || !(await isLoginCurrent(transaction, account))) return fail();
    if (account.totpSecret !== null && login.isSignedIn !== true) {
      if (login.totp === undefined) return { refused: codeRequired() };
      if (!(await useCode(transaction, services, account, account.totpSecret, login.totp))) return fail();
    }
    const locked = await clearLoginFailures(transaction, source, now);
    if (locked !== null) return { refused: lockedUntil(locked, now) };
    if (account.status === "disabled") {
      return { refused: new Failure("ACCOUNT_DISABLED", "This account is disabled.") };
    }
    if (betterHash !== null) await replaceHash(transaction, account.userId, account.passwordHash, betterHash);
    return { done: await work(transaction, account) };
  });
  if ("refused" in outcome) throw outcome.refused;
  return outcome.done;
}

/**
 * Returns the source whose failures are counted. Logins and known devices have separate counters; other clients are
 * counted by network. Sessions that were opened from one another expire together, so their expiry names their login.
 * With a counter per session, the owner of a stolen token could open a session for every few guesses.
 */
function chooseSource(
  email: string,
  { session, device = null }: Login,
  { ip }: Origin,
  { account, addresses }: LoginRecord,
  now: Date,
): LoginSource {
  if (session !== undefined) return toLoginSource(email, `login until ${session.expiresAt.toISOString()}`, true);
  if (device !== null && account !== null && isKnownDevice(device, account, now)) {
    return toLoginSource(email, `device ${device.id}`, true);
  }
  const network = networkOf(ip);
  return toLoginSource(
    email,
    network,
    addresses.some((address) => networkOf(address) === network),
  );
}

async function useCode(
  transaction: TenantTransaction,
  services: Services,
  account: LoginAccount,
  sealedSecret: string,
  code: string,
): Promise<boolean> {
  const secret = openTotpSecret(services.secrets, account.userId, sealedSecret);
  const step = findCodeStep(secret, code, services.now());
  return step !== null && (await useTotpStep(transaction, account.userId, step));
}

async function auditFailure(
  transaction: TenantTransaction,
  email: string,
  account: LoginAccount | null,
  { ip, userAgent, requestId }: Origin,
): Promise<void> {
  await writeAudit(transaction, {
    organizationId: null,
    actor: { type: "user", id: null, email, ip, userAgent, requestId },
    action: "user.login_failed",
    target: { type: "user", id: account === null ? "unknown" : String(account.userId) },
    subjects: account === null ? [] : [account.userId],
  });
}

function badCredentials(): Failure {
  return new Failure("BAD_CREDENTIALS", "The email address, password, or code is wrong.");
}

function codeRequired(): Failure {
  return new Failure("TOTP_REQUIRED", "This account requires a one-time code. Send it as totp.");
}

function lockedUntil(until: Date, now: Date): Failure {
  const retryAfterSeconds = Math.ceil((until.getTime() - now.getTime()) / 1_000);
  const message = `Too many failed sign-ins. Try again in ${describeWait(retryAfterSeconds)}.`;
  return new Failure("LOGIN_LOCKED", message, { retryAfterMs: retryAfterSeconds * 1_000 });
}

function describeWait(seconds: number): string {
  if (seconds <= 90) return `${seconds} ${seconds === 1 ? "second" : "seconds"}`;
  return `${Math.ceil(seconds / 60)} minutes`;
}
