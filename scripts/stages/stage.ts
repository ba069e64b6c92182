/** Numbers of passed and failed checks in a stage. */
export interface Count {
  readonly passed: number;
  readonly failed: number;
}

/** A check that did not run, and what it needs. */
export interface SkippedCheck {
  readonly name: string;
  readonly reason: string;
}

/** Result that a stage's output reports. */
export interface StageResult extends Count {
  readonly skipped: readonly SkippedCheck[];
}

/** A program that runs a part of the tests. */
export interface Stage {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Reads the result from the last line of the stage's output. A stage without this function is a single check. */
  readonly readResult?: (lastLine: string) => StageResult;
  /** True if the stage measures nothing and mostly waits, so that it can run alongside similar stages. */
  readonly isPatient?: boolean;
}

/** A stage that ended, with its result and the end of its output. */
export interface EndedStage extends StageResult {
  readonly stage: Stage;
  readonly seconds: number;
  /** Last line of standard output: for most stages, a JSON object with figures. */
  readonly lastLine: string;
  /** End of the output, including standard error. */
  readonly tail: string;
}
