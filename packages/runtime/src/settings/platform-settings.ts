import type { AllowedTarget } from "@tollgate/domain/network/allowed-target.ts";
import type { Secret } from "@tollgate/domain/secret.ts";

/** What the settings files say of the management side. */
export interface PlatformSettings {
  /** Where people reach it, the root path included, without a slash at the end: links in mails start with it. */
  readonly publicUrl: string | null;
  /** What all paths of this installation begin with, such as `/gateway`; empty when they begin at the root. */
  readonly rootPath: string;
  /** Origins that payments may return to, besides the public address. */
  readonly allowedOrigins: readonly string[];
  /** Private and loopback targets that URLs entered by users may lead to. */
  readonly outboundAllow: readonly AllowedTarget[];
  /** Addresses whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: readonly string[];
  readonly signUp: {
    readonly mode: "open" | "invite" | "closed";
    readonly verifyEmail: boolean;
    /** Believe that an address of mail belongs to whoever signs up with it. For installations without strangers. */
    readonly trustsAddresses: boolean;
    readonly defaultTeam: boolean;
    readonly grantNanoUsd: bigint;
    /** Lets the first user of an empty installation become its administrator. */
    readonly bootstrapSecret: Secret | null;
  };
  readonly auth: {
    readonly tokenTtlSeconds: number;
    readonly passwordMinLength: number;
    /** Whether administrators need one-time codes for money, prices and roles. */
    readonly adminTotp: "required" | "optional";
  };
  readonly mail: { readonly url: Secret | null; readonly from: string };
  readonly billing: {
    readonly provider: "fake" | "stripe" | "off";
    readonly stripeSecretKey: Secret | null;
    /** Two during a rotation. */
    readonly stripeWebhookSecrets: readonly Secret[];
    /** For tests against a stand-in. */
    readonly stripeApiBase: string | null;
    readonly minPurchaseNanoUsd: bigint;
    readonly maxPurchaseNanoUsd: bigint;
  };
  readonly usage: { readonly retentionDays: number };
  /** Where coordinators of training write their runs, as the settings name it; null where nobody looks. */
  readonly training: { readonly runsDir: string | null };
  readonly limits: {
    readonly callsPerMinutePerUser: number;
    readonly openCallsPerMinutePerAddress: number;
    readonly signUpsPerHourPerAddress: number;
    readonly loginsPerMinutePerAddress: number;
    readonly resetsPerHourPerAddress: number;
    readonly invitationsPerDayPerOrganization: number;
    readonly pendingInvitationsPerOrganization: number;
    readonly keysPerTeam: number;
    readonly teamsPerOrganization: number;
    readonly organizationsPerOwner: number;
    /** What one administrator may give and take by hand in a day. */
    readonly creditsPerDayPerAdministratorNanoUsd: bigint;
  };
}

export const defaultPlatformSettings: PlatformSettings = {
  publicUrl: null,
  rootPath: "",
  allowedOrigins: [],
  outboundAllow: [],
  trustedProxies: [],
  signUp: {
    mode: "open",
    verifyEmail: false,
    trustsAddresses: false,
    defaultTeam: true,
    grantNanoUsd: 0n,
    bootstrapSecret: null,
  },
  auth: { tokenTtlSeconds: 86_400, passwordMinLength: 10, adminTotp: "required" },
  mail: { url: null, from: "Tollgate <no-reply@localhost>" },
  billing: {
    provider: "off",
    stripeSecretKey: null,
    stripeWebhookSecrets: [],
    stripeApiBase: null,
    minPurchaseNanoUsd: 5_000_000_000n,
    maxPurchaseNanoUsd: 10_000_000_000_000n,
  },
  usage: { retentionDays: 400 },
  training: { runsDir: null },
  limits: {
    callsPerMinutePerUser: 300,
    openCallsPerMinutePerAddress: 60,
    signUpsPerHourPerAddress: 5,
    loginsPerMinutePerAddress: 20,
    resetsPerHourPerAddress: 5,
    invitationsPerDayPerOrganization: 50,
    pendingInvitationsPerOrganization: 200,
    keysPerTeam: 200,
    teamsPerOrganization: 100,
    organizationsPerOwner: 20,
    creditsPerDayPerAdministratorNanoUsd: 100_000_000_000_000_000n,
  },
};
