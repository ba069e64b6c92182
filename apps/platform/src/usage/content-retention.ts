/** Encryption purpose of stored contents, with which gateways encrypt them. */
export const CONTENT_PURPOSE = "call content";

/** Maximum retention period for content, even if the organization keeps its calls longer. */
const MAX_DAYS = 30;

/** Returns for how many days contents are stored by an organization that keeps its calls for this many days. */
export const contentRetentionDays = (retentionDays: number): number => Math.min(retentionDays, MAX_DAYS);
