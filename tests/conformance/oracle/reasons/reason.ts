/** Why the two gateways differ somewhere, on purpose. */
export interface Reason {
  readonly name: string;
  /** What the difference is good for, in a sentence. */
  readonly because: string;
  readonly place: RegExp;
  readonly operation?: RegExp;
  readonly scenario?: RegExp;
  /** What must be true of the two values besides. */
  readonly holds?: (theirs: unknown, ours: unknown) => boolean;
}

/** Not there at all. */
export const isAbsent = (value: unknown) => value === undefined;

/** Not there, or there and saying nothing. */
export const isNothing = (value: unknown) => value === undefined || value === null || value === false || isEmpty(value);

const isEmpty = (value: unknown) => typeof value === "object" && value !== null && Object.keys(value).length === 0;
