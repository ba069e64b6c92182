/** Rate and concurrency limits; null means unlimited. The maps contain limits for individual models. */
export interface RateLimits {
  readonly rpm: number | null;
  readonly tpm: number | null;
  readonly maxParallel: number | null;
  readonly modelRpm: Readonly<Record<string, number>>;
  readonly modelTpm: Readonly<Record<string, number>>;
}

/** Converts the limits to the columns that keys and teams share. */
export function toLimitColumns(limits: Partial<RateLimits> = {}) {
  return {
    rpm_limit: limits.rpm ?? null,
    tpm_limit: limits.tpm ?? null,
    max_parallel_requests: limits.maxParallel ?? null,
    model_rpm_limits: { ...limits.modelRpm },
    model_tpm_limits: { ...limits.modelTpm },
  };
}
