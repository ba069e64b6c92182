import { Failure } from "@tollgate/contracts/failures.ts";

/** Creates the failure for a response that doesn't match the provider's documented format. */
export function unreadable(cause?: unknown): Failure {
  return new Failure("bad_gateway", "The model returned an invalid response.", { cause });
}

/** The failure of a stream with an event that is too large to read. The usage that it may report is lost. */
export class OversizedEvent extends Failure {
  constructor() {
    super("bad_gateway", "The model sent a stream event that is too large.");
  }
}
