import { randomUUID } from "node:crypto";
import type { LoginAccount } from "@tollgate/db/accounts/find-login.ts";
import { findCookie } from "../http/authenticate.ts";
import type { Services } from "../services.ts";
import { sessionCookie, writeCookie } from "./session-cookie.ts";

/** A browser in which users have signed in before, read from its encrypted cookie. */
export interface Device {
  readonly id: string;
  /** Last login times by user ID, in Unix milliseconds. */
  readonly logins: Readonly<Record<string, number>>;
}

const DEVICE_COOKIES = ["__Host-tollgate_device", "tollgate_device"] as const;
const PURPOSE = "known-device";
const DEVICE_LIFE_MS = 180 * 24 * 3_600_000;
/** Maximum number of accounts remembered per browser. Most browsers have fewer. */
const MAX_ACCOUNTS = 5;

/** Returns the device from the cookie; null if the cookie is missing or invalid. */
export function readDevice(
  cookie: string | string[] | undefined,
  { secrets, settings }: Pick<Services, "secrets" | "settings">,
): Device | null {
  const sealed = cookie === undefined ? null : findCookie(cookie.toString(), DEVICE_COOKIES, settings().publicUrl);
  if (sealed === null) return null;
  try {
    return JSON.parse(secrets.open(sealed, PURPOSE)) as Device;
  } catch {
    return null;
  }
}

/** Reports whether the user signed in on this device with the current password. */
export function isKnownDevice(
  { logins }: Device,
  { userId, passwordChangedAt }: Pick<LoginAccount, "userId" | "passwordChangedAt">,
  now: Date,
): boolean {
  const at = logins[userId];
  return at !== undefined && at >= passwordChangedAt.getTime() && at > now.getTime() - DEVICE_LIFE_MS;
}

/** Returns the cookies to set after a login: the session and the device. */
export function signedInCookies(
  services: Pick<Services, "secrets" | "settings" | "now">,
  login: {
    readonly token: string;
    readonly lifeMs: number;
    readonly userId: number;
    readonly device: Device | null;
  },
): Readonly<Record<string, string[]>> {
  const settings = services.settings();
  const others = Object.entries(login.device?.logins ?? {})
    .filter(([userId]) => userId !== String(login.userId))
    .toSorted(([, first], [, second]) => second - first)
    .slice(0, MAX_ACCOUNTS - 1);
  const device: Device = {
    id: login.device?.id ?? randomUUID(),
    logins: { ...Object.fromEntries(others), [login.userId]: services.now().getTime() },
  };
  const sealed = services.secrets.seal(JSON.stringify(device), PURPOSE);
  const { "set-cookie": session = "" } = sessionCookie(settings, login.token, login.lifeMs);
  return { "set-cookie": [session, writeCookie(settings, DEVICE_COOKIES, sealed, DEVICE_LIFE_MS)] };
}
