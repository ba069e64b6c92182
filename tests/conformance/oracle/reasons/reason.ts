/** Reason for an intentional difference between the gateways. */
export interface Reason {
  readonly name: string;
  /** Benefit of the difference, in one sentence. */
  readonly because: string;
  readonly place: RegExp;
  readonly operation?: RegExp;
  readonly scenario?: RegExp;
  /** Additional condition that the two values must meet. */
  readonly holds?: (theirs: unknown, ours: unknown) => boolean;
}

/** Reports whether the value is absent. */
export const isAbsent = (value: unknown) => value === undefined;

/** Reports whether the value is absent, null, false, or empty. */
export const isNothing = (value: unknown) => value === undefined || value === null || value === false || isEmpty(value);

const isEmpty = (value: unknown) => typeof value === "object" && value !== null && Object.keys(value).length === 0;
