export type Severity = "critical" | "warning" | "info";

/** One condition that somebody is told of. Its page is `docs/observe/runbooks/<page>.md`. */
export interface Alert {
  readonly name: string;
  readonly severity: Severity;
  /** PromQL: whatever it selects is on fire. */
  readonly expression: string;
  /** For how long it must hold before anybody is told; none means at once. */
  readonly holds?: string;
  readonly summary: string;
  /** With the value and the labels of what is on fire. */
  readonly description: string;
  readonly page: string;
}

export interface AlertGroup {
  readonly name: string;
  readonly alerts: readonly Alert[];
}
