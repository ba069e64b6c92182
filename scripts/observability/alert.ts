export type Severity = "critical" | "warning" | "info";

/** One alert condition. Its page is `docs/observe/runbooks/<page>.md`. */
export interface Alert {
  readonly name: string;
  readonly severity: Severity;
  /** PromQL expression. Each series it returns fires the alert. */
  readonly expression: string;
  /** Minimum duration of the condition before the alert fires. If omitted, it fires immediately. */
  readonly holds?: string;
  readonly summary: string;
  /** Includes the value and labels of the firing series. */
  readonly description: string;
  readonly page: string;
}

export interface AlertGroup {
  readonly name: string;
  readonly alerts: readonly Alert[];
}
