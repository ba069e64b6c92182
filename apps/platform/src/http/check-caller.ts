import { Failure } from "@tollgate/contracts/failures.ts";
import { unknownObject } from "@tollgate/contracts/management/failure.ts";
import type { PlatformSettings } from "@tollgate/runtime/settings/platform-settings.ts";
import type { Caller } from "../caller.ts";
import type { ManagementOperation } from "../operation.ts";
import type { Services } from "../services.ts";

const RECENT_MS = 10 * 60_000;

/** Checks that the caller meets the operation's requirements, before any data is read. */
export function checkCaller(operation: ManagementOperation, caller: Caller, services: Services): void {
  if (operation.auth === "administrator" && caller.role !== "admin") {
    throw new Failure("ADMIN_REQUIRED", "This operation requires a platform administrator.");
  }
  if (!operation.recentAuthentication) return;
  if (operation.auth === "administrator" && services.settings().auth.adminTotp === "required" && !caller.hasTotp) {
    throw new Failure("TOTP_ENROLLMENT_REQUIRED", "Enable one-time codes for your account first: POST /api/auth/totp.");
  }
  if (services.now().getTime() - caller.authenticatedAt.getTime() > RECENT_MS) {
    throw new Failure("REAUTHENTICATION_REQUIRED", "Confirm your password first: POST /api/auth/reauthenticate.");
  }
}

/** Throws unless the caller is a member of the requested organization. */
export function checkOrganization(caller: Caller | null, wantedId: string | null): void {
  if (caller !== null && wantedId !== null && caller.organization?.id !== wantedId) throw unknownObject("organization");
}

/** Checks that a cookie-authenticated change comes from the console's own pages. */
export function checkCookieChange(headers: RequestHeaders, settings: PlatformSettings): void {
  checkOrigin(headers, settings);
  if (headers["x-gw-csrf"] === undefined) throw refuseForeign();
}

/** Checks that the Origin header belongs to this installation. */
export function checkOrigin({ origin, host }: RequestHeaders, { publicUrl }: PlatformSettings): void {
  const own = [
    publicUrl === null ? null : new URL(publicUrl).origin,
    `http://${String(host)}`,
    `https://${String(host)}`,
  ];
  if (typeof origin !== "string" || !own.includes(origin)) throw refuseForeign();
}

type RequestHeaders = Readonly<Record<string, string | string[] | undefined>>;

function refuseForeign(): Failure {
  return new Failure(
    "CROSS_ORIGIN",
    "Cookie-authenticated changes require this site's Origin and the X-Gw-Csrf header.",
  );
}
