import { readAllowedTargets } from "@tollgate/domain/network/allowed-target.ts";
import { defaultPlatformSettings, type PlatformSettings } from "./platform-settings.ts";
import type { BillingSection, SettingsFile } from "./schema/settings-file.ts";
import type { BillingSettings } from "./settings.ts";

const { minPurchaseNanoUsd, maxPurchaseNanoUsd } = defaultPlatformSettings.billing;

/** Converts the management sections to the names used in code. */
export function buildPlatform(file: SettingsFile): PlatformSettings {
  const { platform, signUp, auth, billing, limits } = file;
  const rootPath = withoutSlash(file.general_settings.server_root_path ?? "");
  return {
    publicUrl: platform.publicUrl === null ? null : withoutSlash(platform.publicUrl) + rootPath,
    rootPath,
    allowedOrigins: platform.allowedOrigins.map(withoutSlash),
    outboundAllow: readAllowedTargets(platform.outboundAllow),
    trustedProxies: file.general_settings.trusted_proxies,
    signUp: {
      mode: signUp.mode,
      verifyEmail: signUp.verifyEmail,
      trustsAddresses: signUp.trustUnverifiedEmails,
      defaultTeam: signUp.defaultTeam,
      grantNanoUsd: signUp.grant ?? 0n,
      bootstrapSecret: signUp.bootstrapSecret,
    },
    auth: {
      tokenTtlSeconds: auth.tokenTtl,
      passwordMinLength: auth.passwordMinLength,
      adminTotp: auth.adminTotp,
    },
    mail: file.email,
    billing: {
      provider: billing.provider,
      stripeSecretKey: billing.stripe.secretKey,
      stripeWebhookSecrets: billing.stripe.webhookSecrets,
      stripeApiBase: billing.stripe.apiBase === null ? null : withoutSlash(billing.stripe.apiBase),
      minPurchaseNanoUsd: billing.minPurchase ?? minPurchaseNanoUsd,
      maxPurchaseNanoUsd: billing.maxPurchase ?? maxPurchaseNanoUsd,
    },
    usage: file.usage,
    checkpoints: file.checkpoints,
    training: { runsDir: file.training_settings.runs_dir },
    limits: {
      callsPerMinutePerUser: limits.requestsPerMinute,
      openCallsPerMinutePerAddress: limits.unauthenticatedRequestsPerMinute,
      signUpsPerHourPerAddress: limits.signUpsPerHour,
      loginsPerMinutePerAddress: limits.loginsPerMinute,
      resetsPerHourPerAddress: limits.resetsPerHour,
      invitationsPerDayPerOrganization: limits.invitationsPerDay,
      pendingInvitationsPerOrganization: limits.pendingInvitations,
      keysPerTeam: limits.keysPerTeam,
      teamsPerOrganization: limits.teamsPerOrganization,
      organizationsPerOwner: limits.organizationsPerOwner,
      creditsPerDayPerAdministratorNanoUsd:
        limits.creditsPerDay ?? defaultPlatformSettings.limits.creditsPerDayPerAdministratorNanoUsd,
    },
  };
}

/** Builds the part of the `billing` section that defines how calls are charged. */
export function buildBilling({
  stripe: _,
  minPurchase: __,
  maxPurchase: ___,
  admission: policy,
  overdraft,
  maxHold,
  ...charging
}: BillingSection): BillingSettings {
  return {
    ...charging,
    admission: { policy, overdraft: BigInt(overdraft) },
    maxHoldNanoUsd: BigInt(maxHold),
  };
}

const withoutSlash = (origin: string): string => origin.replace(/\/$/, "");
