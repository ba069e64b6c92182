import { failures, isGatewayCode } from "@tollgate/contracts/failure-table.ts";

interface Cause {
  readonly errorCode: string | null;
  readonly httpStatus: number;
  /** True if the key or its requests are the cause, and false if the model is. */
  readonly isOfKey: boolean;
  readonly model: string | null;
  readonly apiKeyName: string | null;
}

/** Describes the cause of an error in one sentence, with the affected key or model. */
export function describeCause({ errorCode, httpStatus, isOfKey, model, apiKeyName }: Cause): string {
  const meaning =
    errorCode !== null && isGatewayCode(errorCode)
      ? failures[errorCode].meaning
      : `The request ended with status ${httpStatus}.`;
  const subject = isOfKey ? (apiKeyName === null ? null : `Key ${apiKeyName}`) : model;
  return subject === null ? meaning : `${subject}: ${meaning.slice(0, 1).toLowerCase()}${meaning.slice(1)}`;
}
