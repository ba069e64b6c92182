/** Limits per window and on concurrency. Null means unlimited. The maps contain limits for individual models. */
export interface OwnerLimits {
  readonly rpm: number | null;
  readonly tpm: number | null;
  readonly maxParallel: number | null;
  readonly modelRpm: Readonly<Record<string, number>>;
  readonly modelTpm: Readonly<Record<string, number>>;
}

interface RateLimitsOnly {
  readonly rpm: number | null;
  readonly tpm: number | null;
}

/** A caller and its limits. */
export interface LimitedCaller {
  readonly keyId: string;
  readonly keyName: string;
  readonly teamId: string | null;
  readonly teamName: string | null;
  readonly organizationId: string | null;
  readonly userId: string | null;
  readonly limits: {
    readonly key: OwnerLimits;
    readonly team: OwnerLimits;
    readonly organization: RateLimitsOnly;
    readonly user?: RateLimitsOnly;
  };
}
