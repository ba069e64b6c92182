import { Failure } from "../failures.ts";

/** Creates the failure for a missing object. Objects in other organizations cause the same failure. */
export function unknownObject(what: string, hint?: string): Failure {
  const message = `${what.charAt(0).toUpperCase()}${what.slice(1)} not found.`;
  return new Failure("UNKNOWN_OBJECT", hint === undefined ? message : `${message} ${hint}`);
}

export function invalidField(field: string, problem: string): Failure {
  return new Failure("INVALID_FIELD", `${field} ${problem}`, { publicDetails: { fields: { [field]: problem } } });
}
