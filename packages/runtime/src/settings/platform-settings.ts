import type { AllowedTarget } from "@tollgate/domain/network/allowed-target.ts";
import type { Secret } from "@tollgate/domain/secret.ts";

/** Settings for the platform, which serves the management API and the console. */
export interface PlatformSettings {
  /** Public URL including the root path, without a trailing slash. Links in emails start with this URL. */
  readonly publicUrl: string | null;
  /** Common prefix of all paths, such as `/gateway`; empty for the root. */
  readonly rootPath: string;
  /** Origins that a payment page may redirect to, in addition to the public URL. */
  readonly allowedOrigins: readonly string[];
  /** Private and loopback targets that URLs entered by users may refer to. */
  readonly outboundAllow: readonly AllowedTarget[];
  /** IP addresses whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies: readonly string[];
  readonly signUp: {
    readonly mode: "open" | "invite" | "closed";
    readonly verifyEmail: boolean;
    /** Treats email addresses as verified at sign-up. For servers whose users are all trusted. */
    readonly trustsAddresses: boolean;
    readonly defaultTeam: boolean;
    readonly grantNanoUsd: bigint;
    /** Lets the first user of an empty server become its administrator. */
    readonly bootstrapSecret: Secret | null;
  };
  readonly auth: {
    readonly tokenTtlSeconds: number;
    readonly passwordMinLength: number;
    /** Defines whether administrators need one-time codes to change credit, prices, roles, and credentials. */
    readonly adminTotp: "required" | "optional";
  };
  readonly mail: { readonly url: Secret | null; readonly from: string };
  readonly billing: {
    readonly provider: "fake" | "stripe" | "off";
    readonly stripeSecretKey: Secret | null;
    /** Webhook secrets; two during a rotation. */
    readonly stripeWebhookSecrets: readonly Secret[];
    /** Stripe API URL for tests against a stub server. */
    readonly stripeApiBase: string | null;
    readonly minPurchaseNanoUsd: bigint;
    readonly maxPurchaseNanoUsd: bigint;
  };
  readonly usage: { readonly retentionDays: number };
  readonly checkpoints: {
    /** Ed25519 private key; null if no checkpoints are written. */
    readonly signingKey: Secret | null;
    readonly folder: string | null;
    readonly webhookUrl: string | null;
    readonly webhookSecret: Secret | null;
  };
  /** Directory where training coordinators write their runs, as configured; null if no directory is configured. */
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
    /** Amount that one administrator can grant or deduct manually per day. */
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
  checkpoints: { signingKey: null, folder: null, webhookUrl: null, webhookSecret: null },
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
